// What a GC log cannot hold.
#ifndef HEAPGLOT_WRITERS_NETCF_NETCF_LOSSES_H_
#define HEAPGLOT_WRITERS_NETCF_NETCF_LOSSES_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>

#include "heapglot/context.h"
#include "heapglot/format.h"

namespace heapglot::netcf {

// In the order of the table.
enum class Loss : std::uint8_t {
  kDomainName,
  kTypeName,
  kTypeDetail,
  kTypeDangling,
  kNodeId,
  kNodeKind,
  kNodeName,
  kNodeValue,
  kNodeSize,
  kNodeDetail,
  kEdgeName,
  kEdgeKind,
  kEdgeWeak,
  kEdgeDangling,
  kEdgeImmediate,
  kRootKind,
  kRootDetail,
  kExternal,
  kValue,
  kTrace,
  kMetadata,
  kExtra,
  kGraphTotals,
};

inline constexpr FidelityRow kFidelity[] = {
    {"netcf.domain.name", LossClass::kApproximated,
     "the name of the heap, made such that a log can have it"},
    {"netcf.type.name", LossClass::kApproximated,
     "control characters and blanks around a class's name are escaped"},
    {"netcf.type.detail", LossClass::kDropped,
     "library, fields and superclass of a class"},
    {"netcf.type.dangling", LossClass::kApproximated,
     "undefined classes become one undefined type id"},
    {"netcf.node.id", LossClass::kDropped,
     "ids that are not unique or have more than 32 bits: renumbered"},
    {"netcf.node.kind", LossClass::kDropped,
     "that an object is a string, a closure, code, ..."},
    {"netcf.node.name", LossClass::kDropped, "the name of an object"},
    {"netcf.node.value", LossClass::kDropped,
     "the text or number that an object holds"},
    {"netcf.node.size", LossClass::kApproximated,
     "sizes of 4 GiB and more become 4 GiB - 1"},
    {"netcf.node.detail", LossClass::kDropped,
     "identity hash, heap space, detachedness and trace of an object"},
    {"netcf.edge.name", LossClass::kDropped,
     "the name or index of a reference"},
    {"netcf.edge.kind", LossClass::kDropped,
     "the kind of a reference: property, element, internal, ..."},
    {"netcf.edge.weak", LossClass::kApproximated,
     "a weak reference becomes one like any other"},
    {"netcf.edge.dangling", LossClass::kApproximated,
     "references to objects that do not exist become one undefined id"},
    {"netcf.edge.immediate", LossClass::kDropped,
     "a small integer in place of a reference"},
    {"netcf.root.kind", LossClass::kApproximated,
     "a kind of root that .NET has not becomes the nearest one"},
    {"netcf.root.detail", LossClass::kDropped,
     "label, thread, frame and holder of a root"},
    {"netcf.external", LossClass::kDropped, "memory outside the heap"},
    {"netcf.value", LossClass::kDropped, "named values"},
    {"netcf.trace", LossClass::kDropped,
     "source locations, allocation traces, samples, stacks and threads"},
    {"netcf.metadata", LossClass::kDropped, "metadata"},
    {"netcf.extra", LossClass::kDropped,
     "what only the source's format can hold"},
    {"netcf.graph.totals", LossClass::kDropped,
     "stated totals and flags of the heap"},
};
inline constexpr std::size_t kLosses = std::size(kFidelity);

// Counts them.
class Losses {
 public:
  void Add(Loss loss, std::uint64_t count = 1) {
    counts_[static_cast<std::size_t>(loss)] += count;
  }
  void AddIf(bool condition, Loss loss) { Add(loss, condition ? 1 : 0); }

  void Report(LossReport& report) const;

 private:
  std::array<std::uint64_t, kLosses> counts_{};
};

}  // namespace heapglot::netcf

#endif  // HEAPGLOT_WRITERS_NETCF_NETCF_LOSSES_H_
