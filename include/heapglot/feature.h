// The kinds of information that the IR can carry, and what formats declare
// about them.
//
// A feature is something that the user may miss after a conversion: ids of
// nodes, names of references, allocation traces. Every column of chunk.proto
// belongs to one feature, except for those that only say how the source's bytes
// were laid out (SourceImage, RecordOrder, Types.source_position,
// Strings.continued, ValueEncoding): a layout is not information about a heap.
//
// Readers declare which features their streams may have, writers what becomes
// of each, and `heapglot explain` puts the two together.
#ifndef HEAPGLOT_FEATURE_H_
#define HEAPGLOT_FEATURE_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string_view>

#include "heapglot/context.h"
#include "heapglot/export.h"

namespace heapglot {

// In the order in which they are shown; the table is in feature.cc.
enum class Feature : std::uint8_t {
  kNode,
  kNodeId,
  kNodeKind,
  kNodeName,
  kNodeSelfSize,
  kNodeIdentityHash,
  kNodeDetachedness,
  kNodeTrace,
  kNodeHeapSpace,
  kNodePhantom,
  kNodeExtra,
  kType,
  kTypeId,
  kTypeDangling,
  kTypeLibrary,
  kTypeFields,
  kTypeRelation,
  kTypeDetail,
  kValueConstant,
  kValueInteger,
  kValueDouble,
  kValueText,
  kValueCut,
  kValueName,
  kValueLength,
  kValueOther,
  kValueNamed,
  kStringEncoding,
  kStringId,
  kEdge,
  kEdgeOrder,
  kEdgeScattered,
  kEdgeName,
  kEdgeIndex,
  kEdgeKind,
  kEdgeWeak,
  kEdgeOmitted,
  kEdgeDangling,
  kEdgeImmediate,
  kEdgeExtra,
  kRoot,
  kRootKind,
  kRootDetail,
  kRootDangling,
  kExternal,
  kLocation,
  kTrace,
  kStack,
  kGraphName,
  kGraphSeveral,
  kGraphRoot,
  kGraphTotals,
  kGraphDetail,
  kMetadata,
  kExtra,
};
inline constexpr std::size_t kFeatures =
    static_cast<std::size_t>(Feature::kExtra) + 1;

// How often each feature occurs.
class FeatureCounts {
 public:
  std::uint64_t& operator[](Feature feature) {
    return counts_[static_cast<std::size_t>(feature)];
  }
  std::uint64_t operator[](Feature feature) const {
    return counts_[static_cast<std::size_t>(feature)];
  }

 private:
  std::array<std::uint64_t, kFeatures> counts_{};
};

// "node.id": stable; the part of a loss's code after the target's name.
HEAPGLOT_API std::string_view Key(Feature feature);
// What it is, in a few words: "ids of nodes".
HEAPGLOT_API std::string_view Title(Feature feature);

// A set of features.
class FeatureSet {
 public:
  constexpr FeatureSet() = default;
  constexpr FeatureSet(std::initializer_list<Feature> features) {
    for (const Feature feature : features) bits_ |= Bit(feature);
  }
  static constexpr FeatureSet All() {
    FeatureSet all;
    all.bits_ = (std::uint64_t{1} << kFeatures) - 1;
    return all;
  }

  constexpr bool Has(Feature feature) const {
    return (bits_ & Bit(feature)) != 0;
  }
  constexpr void Add(Feature feature) { bits_ |= Bit(feature); }
  constexpr bool operator==(const FeatureSet&) const = default;

 private:
  static constexpr std::uint64_t Bit(Feature feature) {
    return std::uint64_t{1} << static_cast<int>(feature);
  }
  static_assert(kFeatures < 64);
  std::uint64_t bits_ = 0;
};

// What a writer or transform does with one feature, as a rule or in a special
// case.
//
// The row whose code is the target's name and the feature's key
// ("netcf.node.id") is the rule: it says what becomes of each occurrence that
// no other row covers. The pipeline counts these; a writer counts the special
// cases, and may count those of the rule, too.
// The members are in the order in which tables of them read well.
// NOLINTNEXTLINE(clang-analyzer-optin.performance.Padding)
struct FidelityRow {
  Feature feature;
  std::string_view code;  // stable; what a run counts under
  LossClass loss_class;   // the worst that can happen
  std::string_view note;  // a sentence
};

// Whether `row`, which is one of `target`'s, is the rule of its feature.
HEAPGLOT_API bool IsRule(const FidelityRow& row, std::string_view target);

// The note for all features if a dump returns to its own format.
inline constexpr std::string_view kAsItIs = "as it is";

// Something that a target needs and a source may not have.
struct SynthesizedRow {
  std::string_view code;  // stable; what a run counts under
  std::string_view note;  // a sentence
};

}  // namespace heapglot

#endif  // HEAPGLOT_FEATURE_H_
