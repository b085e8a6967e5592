#include "readers/netcf/netcf_reader.h"

#include <memory>

#include "readers/netcf/netcf_findings.h"
#include "readers/netcf/netcf_index.h"
#include "readers/netcf/netcf_pass.h"
#include "readers/netcf/netcf_sniff.h"

namespace heapglot {
namespace {

using netcf::Findings;

class NetcfReader : public Reader {
 public:
  NetcfReader(const ByteSource& source, Context& context)
      : source_(source), context_(context) {}

  Status Read(ChunkSet wanted, ChunkSink& out) override {
    if (is_checked_)
      return netcf::Pass(source_, index_, context_, nullptr, wanted, out).Run();
    // A first pass that its sink ended early does not count as one, but its
    // findings have been reported.
    index_ = {};
    Findings findings(context_.strict, context_.examples);
    Status status = netcf::BuildIndex(source_, context_, &findings, &index_);
    if (status.ok())
      status =
          netcf::Pass(source_, index_, context_, &findings, wanted, out).Run();
    is_checked_ = status.ok();
    findings.Report(context_, &reported_);
    return status;
  }

 private:
  const ByteSource& source_;
  Context& context_;
  netcf::Index index_;
  Findings::Counts reported_ = {};
  bool is_checked_ = false;
};

}  // namespace

constinit const ReaderInfo kNetcfReader = {
    .name = "netcf",
    .title = ".NET Compact Framework GC log",
    .extensions = "gclog log",
    .produces = {Feature::kNode, Feature::kNodeId, Feature::kNodeSelfSize,
                 Feature::kType, Feature::kTypeId, Feature::kTypeDangling,
                 Feature::kStringEncoding, Feature::kEdge, Feature::kEdgeOrder,
                 Feature::kEdgeOmitted, Feature::kEdgeDangling, Feature::kRoot,
                 Feature::kRootKind, Feature::kRootDetail,
                 Feature::kRootDangling, Feature::kGraphName,
                 Feature::kGraphSeveral, Feature::kGraphDetail,
                 Feature::kExtra},
    .sniff = netcf::SniffLog,
    .make = [](const ByteSource& source,
               Context& context) -> std::unique_ptr<Reader> {
      return std::make_unique<NetcfReader>(source, context);
    },
    .validator = &kNetcfValidator,
};

}  // namespace heapglot
