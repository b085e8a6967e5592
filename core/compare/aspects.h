// What graphs are compared by.
#ifndef HEAPGLOT_CORE_COMPARE_ASPECTS_H_
#define HEAPGLOT_CORE_COMPARE_ASPECTS_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace heapglot {

// Kinds of information that can each be compared, or ignored. All are portable:
// how strings, types and vocabularies are numbered does not matter.
enum class Aspect {
  kClasses,     // class and library of each node
  kKinds,       // NodeKind; the source's own word where that is OTHER
  kNames,       // Nodes.name
  kValues,      // a node's own value, and Values; except nodes
  kSizes,       // self sizes
  kAttributes,  // identity hash, detachedness, full length, heap space, phantom
  kEdges,       // which node refers to which, also by a value
  kEdgeKinds,   // EdgeKind; the source's own word where that is OTHER
  kEdgeNames,   // names and numbers of edges
  kRoots,       // which nodes are roots: kind, flags, label, container
  kExternals,   // memory outside the heap: holder, size, name
  kHeaps,       // the heap of each node, if both dumps have several
};
inline constexpr std::size_t kAspects = 12;

// "classes", "edge-kinds": the names for users.
inline constexpr std::array<std::string_view, kAspects> kAspectNames = {
    "classes", "kinds",      "names",      "values", "sizes",     "attributes",
    "edges",   "edge-kinds", "edge-names", "roots",  "externals", "heaps"};

class AspectSet {
 public:
  static constexpr AspectSet All() {
    AspectSet all;
    all.bits_ = (1U << kAspects) - 1;
    return all;
  }
  constexpr bool Has(Aspect aspect) const {
    return (bits_ >> static_cast<unsigned>(aspect) & 1) != 0;
  }
  constexpr void Remove(Aspect aspect) {
    bits_ &= ~(1U << static_cast<unsigned>(aspect));
  }

 private:
  std::uint32_t bits_ = 0;
};

// One 64-bit digest for each aspect, independent of the order of its parts.
using AspectDigests = std::array<std::uint64_t, kAspects>;

}  // namespace heapglot

#endif  // HEAPGLOT_CORE_COMPARE_ASPECTS_H_
