// What a conversion keeps and loses, according to what the formats declare. No
// file is needed.
#ifndef HEAPGLOT_EXPLAIN_H_
#define HEAPGLOT_EXPLAIN_H_

#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "heapglot/context.h"
#include "heapglot/convert.h"
#include "heapglot/export.h"
#include "heapglot/feature.h"
#include "heapglot/format.h"

namespace heapglot {

// What becomes of one feature.
struct HEAPGLOT_API FeatureFate {
  Feature feature;
  // The rule first, then special cases: those of the writer, then those of the
  // transforms that the writer needs, then what the reader leaves behind. The
  // rows refer to the formats, and to PairFidelity::completed.
  std::vector<FidelityRow> rows;

  // The class of the rule, and that of the worst row.
  LossClass usual() const { return rows.front().loss_class; }
  LossClass worst() const;
};

// Where the dump as it was travels with the output, so that heapglot can
// restore it. What would be approximated or dropped is then embedded.
enum class LeftoversPlace {
  kNone,      // nothing needs to be restored
  kEmbedded,  // in the output itself
  kSidecar,   // in a file beside it, on request
};

// "none", "embedded", "sidecar".
HEAPGLOT_API std::string_view ToString(LeftoversPlace place);

struct PairFidelity {
  bool native = false;                // a dump that returns to its own format
  std::vector<FeatureFate> features;  // what the source may have, in order
  std::vector<SynthesizedRow> synthesized;
  LeftoversPlace leftovers = LeftoversPlace::kNone;
  Unreachable unreachable = Unreachable::kKeep;  // what this is about
  // Rules for features that the writer does not mention: these are dropped.
  std::shared_ptr<const void> completed;
};

// What becomes of what `from` produces, in a conversion without other options.
// A heapir file counts as one from anywhere. What came from a dump of the
// target's own format is native, except for what
// WriterInfo::native_needs_layout excludes. `unreachable`: as in
// ConvertOptions; nullopt is kRoot or kKeep here, too, whichever is usual.
HEAPGLOT_API PairFidelity
Explain(const ReaderInfo& from, const WriterInfo& to,
        std::optional<Unreachable> unreachable = std::nullopt);

// What `to` does with every feature, whoever reads the dump.
HEAPGLOT_API PairFidelity Explain(const WriterInfo& to);

}  // namespace heapglot

#endif  // HEAPGLOT_EXPLAIN_H_
