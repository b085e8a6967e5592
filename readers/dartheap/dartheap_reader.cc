#include "readers/dartheap/dartheap_reader.h"

#include <memory>

#include "core/leftovers/leftovers_tail.h"
#include "readers/dartheap/dartheap_index.h"
#include "readers/dartheap/dartheap_pass.h"
#include "readers/dartheap/dartheap_wire.h"

namespace heapglot {
namespace {

class DartheapReader : public Reader {
 public:
  DartheapReader(const ByteSource& source, Context& context)
      : source_(source), context_(context) {}

  Status Read(ChunkSet wanted, ChunkSink& out) override {
    if (!is_indexed_) {
      HEAPGLOT_RETURN_IF_ERROR(
          dartheap::BuildIndex(source_, context_, &index_));
      is_indexed_ = true;
    }
    return dartheap::Pass(source_, index_, context_, wanted, out).Run();
  }

 private:
  const ByteSource& source_;
  Context& context_;
  dartheap::Index index_;
  bool is_indexed_ = false;
};

Sniff SniffDartheap(std::string_view head) {
  const std::string_view magic = dartheap::kMagic;
  if (head.starts_with(magic)) return Sniff::kYes;
  // Lets the reader say what is wrong with it.
  if (dartheap::IsServiceEvent(head)) return Sniff::kMaybe;
  return !head.empty() && magic.starts_with(head) ? Sniff::kMaybe : Sniff::kNo;
}

}  // namespace

constinit const ReaderInfo kDartheapReader = {
    .name = "dartheap",
    .title = "Dart VM heap snapshot",
    .extensions = "dartheap data",
    .produces = {Feature::kNode,
                 Feature::kNodeKind,
                 Feature::kNodeName,
                 Feature::kNodeSelfSize,
                 Feature::kNodeIdentityHash,
                 Feature::kType,
                 Feature::kTypeDangling,
                 Feature::kTypeLibrary,
                 Feature::kTypeFields,
                 Feature::kTypeDetail,
                 Feature::kValueConstant,
                 Feature::kValueInteger,
                 Feature::kValueDouble,
                 Feature::kValueText,
                 Feature::kValueCut,
                 Feature::kValueName,
                 Feature::kValueLength,
                 Feature::kStringEncoding,
                 Feature::kEdge,
                 Feature::kEdgeOrder,
                 Feature::kEdgeName,
                 Feature::kEdgeIndex,
                 Feature::kEdgeKind,
                 Feature::kEdgeWeak,
                 Feature::kEdgeOmitted,
                 Feature::kEdgeDangling,
                 Feature::kExternal,
                 Feature::kGraphName,
                 Feature::kGraphRoot,
                 Feature::kGraphTotals,
                 Feature::kGraphDetail,
                 Feature::kExtra},
    .sniff = SniffDartheap,
    .make = [](const ByteSource& source,
               Context& context) -> std::unique_ptr<Reader> {
      return std::make_unique<DartheapReader>(source, context);
    },
    .find_leftovers = FindLeftovers,
    .adds_edges = true,
    .is_compact = true,
    .validator = &kDartheapValidator,
};

}  // namespace heapglot
