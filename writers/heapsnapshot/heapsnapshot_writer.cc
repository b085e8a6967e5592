#include "writers/heapsnapshot/heapsnapshot_writer.h"

#include <memory>
#include <string>

#include "core/bytes/buffered_out.h"
#include "core/text/base64.h"
#include "readers/heapsnapshot/heapsnapshot_wire.h"
#include "writers/heapsnapshot/heapsnapshot_edge_rows.h"
#include "writers/heapsnapshot/heapsnapshot_layout.h"
#include "writers/heapsnapshot/heapsnapshot_losses.h"
#include "writers/heapsnapshot/heapsnapshot_names.h"
#include "writers/heapsnapshot/heapsnapshot_native_writer.h"
#include "writers/heapsnapshot/heapsnapshot_node_rows.h"
#include "writers/heapsnapshot/heapsnapshot_other_tables.h"
#include "writers/heapsnapshot/heapsnapshot_string_table.h"
#include "writers/heapsnapshot/heapsnapshot_wire.h"

namespace heapglot {
namespace {

using heapsnapshot::EdgeRows;
using heapsnapshot::Externals;
using heapsnapshot::Layout;
using heapsnapshot::Lose;
using heapsnapshot::NodeNames;
using heapsnapshot::NodeRows;
using heapsnapshot::OtherTables;
using heapsnapshot::StringNumbers;
using heapsnapshot::StringTable;

// Passes: a survey of what the tables need to know beforehand, then nodes with
// their strings, edges and the other tables straight through.
enum Pass { kSurvey, kNodes, kEdges, kOthers };

class HeapsnapshotWriter : public Writer {
 public:
  HeapsnapshotWriter(ByteSink& sink, Leftovers* leftovers, Context& context)
      : out_(sink), leftovers_(leftovers), context_(context) {}

  ChunkSet Wanted(int pass) override;
  Status Accept(const pb::Chunk& chunk) override;
  Status Finish() override;

 private:
  Status Survey(const pb::Chunk& chunk);
  Status BeginGraph(const pb::Graph& graph);
  void FinishSurvey();
  // Count the losses that the survey shows, and what is made.
  void CountSurveyed();
  void CountSynthesized();
  void BeginNodes();
  void BeginEdges();
  Status WriteLeftovers();

  BufferedOut out_;
  Leftovers* const leftovers_;
  Context& context_;
  int pass_ = kSurvey;
  pb::Graph graph_;
  pb::GraphEnd totals_;
  std::uint64_t graphs_ = 0;
  std::uint64_t footer_strings_ = 0;

  StringNumbers numbers_;
  NodeNames names_{numbers_};
  Layout layout_;
  StringTable strings_{numbers_};
  NodeRows nodes_{layout_, names_, numbers_, strings_, out_};
  EdgeRows edges_{layout_, numbers_, out_};
  OtherTables others_{layout_, numbers_, out_};
};

ChunkSet HeapsnapshotWriter::Wanted(int pass) {
  pass_ = pass;
  switch (pass) {
    case kSurvey:
      return {pb::Chunk::kGraph, pb::Chunk::kVocabulary, pb::Chunk::kTypes,
              pb::Chunk::kRoots, pb::Chunk::kExternals,  pb::Chunk::kGraphEnd,
              pb::Chunk::kFooter};
    case kNodes:
      FinishSurvey();
      BeginNodes();
      return {pb::Chunk::kNodes, pb::Chunk::kStrings};
    case kEdges:
      nodes_.End(&context_.loss);
      BeginEdges();
      return {pb::Chunk::kEdges};
    case kOthers:
      edges_.End(&context_.loss);
      [[fallthrough]];
    default:
      return others_.Next();
  }
}

Status HeapsnapshotWriter::Accept(const pb::Chunk& chunk) {
  switch (pass_) {
    case kSurvey:
      return Survey(chunk);
    case kNodes:
      if (chunk.has_strings()) {
        strings_.Add(chunk.strings());
        HEAPGLOT_RETURN_IF_ERROR(nodes_.Add(chunk.strings()));
      } else if (chunk.has_nodes()) {
        HEAPGLOT_RETURN_IF_ERROR(nodes_.Add(chunk.nodes()));
      }
      HEAPGLOT_RETURN_IF_ERROR(strings_.status());
      break;
    case kEdges:
      if (chunk.has_edges()) edges_.Add(chunk.edges());
      break;
    default:
      others_.Add(chunk);
  }
  return out_.status();
}

// ------------------------------------------------------------------- survey

Status HeapsnapshotWriter::BeginGraph(const pb::Graph& graph) {
  if (++graphs_ > 1 || !graph.edges_grouped()) {
    // The pipeline merges and groups (WriterInfo).
    return {Code::kInternal, "heapsnapshot: not one graph, or not grouped"};
  }
  graph_ = graph;
  layout_.AddGraph(graph_);
  return {};
}

Status HeapsnapshotWriter::Survey(const pb::Chunk& chunk) {
  switch (chunk.body_case()) {
    case pb::Chunk::kGraph:
      return BeginGraph(chunk.graph());
    case pb::Chunk::kVocabulary:
      names_.AddVocabulary(chunk.vocabulary());
      layout_.AddVocabulary(chunk.vocabulary());
      edges_.AddVocabulary(chunk.vocabulary());
      break;
    case pb::Chunk::kStrings:
      names_.AddNames(chunk.strings());
      break;
    case pb::Chunk::kTypes:
      names_.AddTypes(chunk.types());
      break;
    case pb::Chunk::kRoots:
      return layout_.AddRoots(chunk.roots());
    case pb::Chunk::kExternals:
      return layout_.AddExternals(chunk.externals(), names_, numbers_);
    case pb::Chunk::kGraphEnd:
      totals_ = chunk.graph_end();
      break;
    case pb::Chunk::kFooter:
      // Frozen in FinishSurvey(), when the last fixed string is known.
      footer_strings_ = chunk.footer().strings();
      break;
    default:
      break;
  }
  return {};
}

void HeapsnapshotWriter::FinishSurvey() {
  names_.Finish();
  if (layout_.makes_root()) names_.set_root_ref(graph_.root_ref());
  layout_.Finish(totals_, names_, numbers_);
  numbers_.Freeze(footer_strings_);
  names_.NumberTypes();
  others_.Announce(totals_, layout_.keeps_ids());

  CountSurveyed();
  CountSynthesized();
}

void HeapsnapshotWriter::CountSurveyed() {
  LossReport& loss = context_.loss;
  Lose("heapsnapshot.type.library", names_.types_without_library(), &loss);
  Lose("heapsnapshot.type.library.told", names_.types_with_library(), &loss);
  Lose("heapsnapshot.graph.totals.native",
       graph_.has_extra_native_bytes() ? 1 : 0, &loss);
  const Externals& externals = layout_.externals();
  Lose("heapsnapshot.external.holder",
       externals.HeldByOmitted().size() + externals.HeldByDangling().size(),
       &loss);
}

void HeapsnapshotWriter::CountSynthesized() {
  LossReport& loss = context_.loss;
  const auto make = [&loss](const SynthesizedRow& row, std::uint64_t count) {
    loss.AddSynthesized(row.code, count, row.note);
  };
  make(heapsnapshot::kGroupNode,
       layout_.heads().size() + layout_.tails().size());
  make(heapsnapshot::kExternalNode, layout_.externals().size());
  if (!layout_.keeps_ids()) make(heapsnapshot::kMadeId, totals_.nodes());
}

// ------------------------------------------------------------------- tables

void HeapsnapshotWriter::BeginNodes() {
  out_.Write(heapsnapshot::kMeta);
  out_.WriteUint(layout_.node_count());
  out_.Write(",\"edge_count\":");
  out_.WriteUint(layout_.edge_count());
  out_.Write(",\"trace_function_count\":");
  out_.WriteUint(others_.trace_functions());
  if (graph_.has_extra_native_bytes()) {
    out_.Write(",\"extra_native_bytes\":");
    out_.WriteUint(graph_.extra_native_bytes());
  }
  out_.Write("},\n\"nodes\":");
  nodes_.Begin({.nodes = totals_.nodes(),
                .id_space = graph_.id_space(),
                .has_traces = others_.has_traces()});
}

void HeapsnapshotWriter::BeginEdges() {
  out_.Write(",\n\"edges\":");
  edges_.Begin();
}

Status HeapsnapshotWriter::Finish() {
  HEAPGLOT_RETURN_IF_ERROR(layout_.status());
  out_.Write(",\n\"strings\":");
  HEAPGLOT_RETURN_IF_ERROR(strings_.Write(out_));
  if (leftovers_ != nullptr) HEAPGLOT_RETURN_IF_ERROR(WriteLeftovers());
  out_.Write('}');
  out_.Flush();
  others_.Report(&context_.loss);
  strings_.Report(&context_.loss);
  return out_.status();
}

Status HeapsnapshotWriter::WriteLeftovers() {
  out_.Flush();
  HEAPGLOT_RETURN_IF_ERROR(out_.status());
  out_.Write(",\n\"");
  out_.Write(heapsnapshot::kLeftoversKey);
  out_.Write("\":\"");
  std::string text;
  Status status = leftovers_->Send([&](std::string_view piece) {
    text.clear();
    AppendBase64(piece, &text);
    out_.Write(text);
    return out_.status();
  });
  out_.Write('"');
  return status;
}

}  // namespace

constinit const WriterInfo kHeapsnapshotWriter = {
    .name = "heapsnapshot",
    .title = "V8 heap snapshot (Chrome DevTools)",
    .extensions = "heapsnapshot",
    .shows_distance = true,
    .unreachable_roots = true,
    // DevTools holds the strings and what follows them in one string, which V8
    // limits to 512 MiB.
    .max_leftovers = std::uint64_t{192} << 20,
    .fidelity = heapsnapshot::kFidelity,
    .synthesized = heapsnapshot::kSynthesized,
    .profile = heapsnapshot::ProfileOf,
    .make = [](ByteSink& sink, const WriterOptions& options,
               Context& context) -> std::unique_ptr<Writer> {
      const auto make_usual = [&sink, &context, leftovers = options.leftovers] {
        return std::make_unique<HeapsnapshotWriter>(sink, leftovers, context);
      };
      if (!options.native) return make_usual();
      return heapsnapshot::MakeNativeWriter(sink, options.profile, context,
                                            make_usual);
    },
};

}  // namespace heapglot
