// What a conversion keeps and loses, from what the formats declare: no file is
// needed.
#ifndef HEAPGLOT_EXPLAIN_H_
#define HEAPGLOT_EXPLAIN_H_

#include <memory>
#include <string_view>
#include <vector>

#include "heapglot/context.h"
#include "heapglot/export.h"
#include "heapglot/feature.h"
#include "heapglot/format.h"

namespace heapglot {

// What becomes of one feature.
struct HEAPGLOT_API FeatureFate {
  Feature feature;
  // The rule first, then special cases: of the writer, then of the transforms
  // that the writer needs, then what the reader leaves behind. They refer to the
  // formats, and to PairFidelity::completed.
  std::vector<FidelityRow> rows;

  // The class of the rule, and that of the worst row.
  LossClass usual() const { return rows.front().loss_class; }
  LossClass worst() const;
};

// Where the dump as it was travels with the output, for heapglot to restore:
// what is approximated or dropped is embedded then.
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
  // The rules that the writer leaves out: what it says nothing of is dropped.
  std::shared_ptr<const void> completed;
};

// What becomes of what `from` produces in a conversion without options. A heapir
// file counts as one from anywhere; what came from a dump of the target's own
// format is native, but for what WriterInfo::native_needs_layout excludes.
HEAPGLOT_API PairFidelity Explain(const ReaderInfo& from, const WriterInfo& to);

// What `to` does with every feature, whoever reads the dump.
HEAPGLOT_API PairFidelity Explain(const WriterInfo& to);

}  // namespace heapglot

#endif  // HEAPGLOT_EXPLAIN_H_
