// The order grammar: what may come after what, and the totals at the ends.
#include "core/check_sink.h"

#include <google/protobuf/descriptor.h>

#include <string>

#include "core/ir/columns.h"

namespace heapglot {
namespace {

using google::protobuf::FieldDescriptor;
using Body = pb::Chunk::BodyCase;
using Space = IndexSpace;

}  // namespace

CheckSink::CheckSink(ChunkSet wanted, ChunkSink* next)
    : wanted_(wanted), next_(next) {}

Status CheckSink::Accept(const pb::Chunk& chunk) {
  HEAPGLOT_RETURN_IF_ERROR(Check(chunk));
  return next_ == nullptr ? Status() : next_->Accept(chunk);
}

Status CheckSink::Finish() const {
  if (wanted_.Has(Body::kFooter) && !ended_) {
    return {Code::kInternal, "the stream ends without a footer"};
  }
  return {};
}

void CheckSink::Announce(const pb::GraphEnd& end, std::uint64_t strings) {
  announced_ = &end;
  announced_strings_ = strings;
}

Status CheckSink::Wrong(const std::string& message) const {
  return {Code::kInternal,
          "chunk " + std::to_string(chunks_) + " (" + table_ + "): " + message};
}

Status CheckSink::Check(const pb::Chunk& chunk) {
  ++chunks_;
  body_ = chunk.body_case();
  table_ = "nothing";
  if (body_ == pb::Chunk::BODY_NOT_SET) return Wrong("it has no body");
  table_ = pb::Chunk::descriptor()->FindFieldByNumber(body_)->name();
  if (!wanted_.Includes(chunk)) return Wrong("nobody asked for it");
  HEAPGLOT_RETURN_IF_ERROR(CheckPosition(chunk));
  HEAPGLOT_RETURN_IF_ERROR(CheckBody(chunk));
  return announced_ == nullptr ? Status() : CheckAnnounced();
}

// Without either, one cannot tell where one graph ends and the next begins.
bool CheckSink::GraphBoundsKnown() const {
  return wanted_.Has(Body::kGraph) || wanted_.Has(Body::kGraphEnd);
}

// ------------------------------------------------------------------ position

Status CheckSink::CheckPosition(const pb::Chunk& chunk) {
  if (ended_) return Wrong("it comes after the footer");
  if ((chunks_ == 1) != (body_ == Body::kHeader) &&
      wanted_.Has(Body::kHeader)) {
    return Wrong("the header must be the first chunk, and only that");
  }
  if (string_continued_ && body_ != Body::kStrings)
    return Wrong("the last string is not whole");
  switch (body_) {
    case Body::kHeader:
      return {};
    case Body::kSourceImage:
      if (graph_open_ && wanted_.Has(Body::kGraphEnd))
        return Wrong("it stands in a graph");
      return {};
    case Body::kGraph:
    case Body::kFooter:
      return CheckBetweenGraphs();
    default:
      return CheckInGraph(chunk);
  }
}

Status CheckSink::CheckBetweenGraphs() {
  if (graph_open_ && wanted_.Has(Body::kGraphEnd)) {
    return Wrong("the graph before it has no end");
  }
  HEAPGLOT_RETURN_IF_ERROR(CheckSourceImageEnd());
  if (body_ == Body::kFooter) return {};
  if (image_.is_behind) return Wrong("it comes after the source's image");
  BeginGraph();
  return {};
}

Status CheckSink::CheckInGraph(const pb::Chunk& chunk) {
  if (!graph_open_) {
    if (wanted_.Has(Body::kGraph)) return Wrong("it stands outside a graph");
    BeginGraph();
  }
  if (body_ == Body::kVocabulary) {
    if (tables_begun_ && GraphBoundsKnown()) {
      return Wrong("it comes after the first table");
    }
  } else if (body_ != Body::kStrings || !chunk.strings().names()) {
    tables_begun_ = true;
  }
  return {};
}

void CheckSink::BeginGraph() {
  ++graphs_;
  graph_open_ = true;
  rows_.fill(0);
  extra_rows_.clear();
  tables_begun_ = false;
  extra_continued_ = false;
  grouped_.reset();
  for (auto& kinds : kinds_) kinds.clear();
  // Strings belong to the stream, not to a graph.
  for (std::size_t space = 0; space < kIndexSpaces; ++space) {
    if (static_cast<Space>(space) != Space::kStrings) bounds_[space] = {};
  }
  RestartOwners();
  edge_counts_.clear();
  edge_counts_done_ = 0;
  edge_count_sum_ = 0;
  edge_node_ = edge_node_seen_ = 0;
  self_size_ = external_size_ = 0;
  edge_totals_ = {};
  id_limit_ = trace_open_ = 0;
}

Status CheckSink::CheckBody(const pb::Chunk& chunk) {
  switch (body_) {
    case Body::kHeader:
      return CheckWords(chunk.header());
    case Body::kGraph:
      HEAPGLOT_RETURN_IF_ERROR(CheckWords(chunk.graph()));
      return CheckGraph(chunk.graph());
    case Body::kGraphEnd:
      return CheckGraphEnd(chunk.graph_end());
    case Body::kFooter:
      return CheckFooter(chunk.footer());
    case Body::kVocabulary:
      return CheckVocabulary(chunk.vocabulary());
    case Body::kStrings:
      return CheckStrings(chunk.strings());
    case Body::kTypes:
      HEAPGLOT_RETURN_IF_ERROR(CheckTable(chunk.types()));
      return CheckTypes(chunk.types());
    case Body::kNodes:
      HEAPGLOT_RETURN_IF_ERROR(CheckTable(chunk.nodes()));
      return CheckNodes(chunk.nodes());
    case Body::kEdges:
      HEAPGLOT_RETURN_IF_ERROR(CheckTable(chunk.edges()));
      return CheckEdges(chunk.edges());
    case Body::kRoots:
      HEAPGLOT_RETURN_IF_ERROR(CheckTable(chunk.roots()));
      return CheckRoots(chunk.roots());
    case Body::kValues:
      HEAPGLOT_RETURN_IF_ERROR(CheckTable(chunk.values()));
      return CheckValues(chunk.values());
    case Body::kExternals:
      HEAPGLOT_RETURN_IF_ERROR(CheckTable(chunk.externals()));
      return CheckExternals(chunk.externals());
    case Body::kLocations:
      HEAPGLOT_RETURN_IF_ERROR(CheckTable(chunk.locations()));
      return CheckLocations(chunk.locations());
    case Body::kTraceNodes:
      HEAPGLOT_RETURN_IF_ERROR(CheckTable(chunk.trace_nodes()));
      return CheckTraceNodes(chunk.trace_nodes());
    case Body::kTraceFunctions:
    case Body::kSamples:
    case Body::kStackFrames:
    case Body::kThreads:
      return CheckTable(BodyOf(chunk));
    case Body::kMetadata:
      HEAPGLOT_RETURN_IF_ERROR(CheckWords(chunk.metadata()));
      return CheckMetadata(chunk.metadata());
    case Body::kExtra:
      HEAPGLOT_RETURN_IF_ERROR(CheckWords(chunk.extra()));
      return CheckExtra(chunk.extra());
    case Body::kExtraTable:
      HEAPGLOT_RETURN_IF_ERROR(CheckWords(chunk.extra_table()));
      return CheckExtraTable(chunk.extra_table());
    case Body::kRecordOrder:
      return CheckRecordOrder(chunk.record_order());
    case Body::kSourceImage:
      return CheckSourceImage(chunk.source_image());
    default:
      return {};
  }
}

// ------------------------------------------------------------------- framing

Status CheckSink::CheckGraph(const pb::Graph& graph) {
  grouped_ = graph.edges_grouped();
  if (!pb::Graph::IdSpace_IsValid(graph.id_space())) {
    return Wrong("id_space is " + std::to_string(graph.id_space()));
  }
  ids_.reset();
  if (graph.id_space() == pb::Graph::OPAQUE) ids_.emplace();
  if (graph.root_ref() != 0) {
    NoteIndex(Space::kNodes, graph.root_ref() - 1, "root_ref");
  }
  for (const pb::Text* text :
       {&graph.name(), &graph.source_version(), &graph.timestamp(),
        &graph.end_name(), &graph.end_timestamp()}) {
    HEAPGLOT_RETURN_IF_ERROR(
        CheckText(text->data(), text->encoding(), "a text"));
  }
  return {};
}

Status CheckSink::CheckGraphEnd(const pb::GraphEnd& end) {
  graph_open_ = false;
  if (extra_continued_) return Wrong("the last extra data is not whole");
  HEAPGLOT_RETURN_IF_ERROR(CheckTotals(end));
  HEAPGLOT_RETURN_IF_ERROR(CheckBounds(end));
  if (trace_open_ != 0) return Wrong("trace nodes have children that miss");
  const bool has_both = wanted_.Has(Body::kNodes) && wanted_.Has(Body::kEdges);
  if (!has_both || !grouped_.value_or(true)) return {};
  return AdvanceTo(end.nodes());
}

Status CheckSink::CheckBounds(const pb::GraphEnd& end) const {
  HEAPGLOT_RETURN_IF_ERROR(CheckBound(Space::kTypes, end.types()));
  HEAPGLOT_RETURN_IF_ERROR(CheckBound(Space::kNodes, end.nodes()));
  HEAPGLOT_RETURN_IF_ERROR(CheckBound(Space::kEdges, end.edges()));
  HEAPGLOT_RETURN_IF_ERROR(CheckBound(Space::kRoots, end.roots()));
  HEAPGLOT_RETURN_IF_ERROR(
      CheckBound(Space::kTraceFunctions, end.trace_functions()));
  HEAPGLOT_RETURN_IF_ERROR(CheckBound(Space::kStackFrames, end.stack_frames()));
  HEAPGLOT_RETURN_IF_ERROR(CheckBound(Space::kThreads, end.threads()));
  if (wanted_.Has(Body::kVocabulary)) {
    HEAPGLOT_RETURN_IF_ERROR(CheckBound(
        Space::kHeapSpaces, kinds_[pb::Vocabulary::HEAP_SPACE].size()));
  }
  return {};
}

// A graph must not exceed what was announced: whoever gets the chunks relies on
// that before the graph ends.
Status CheckSink::CheckAnnounced() const {
  const pb::GraphEnd& end = *announced_;
  const bool has_more =
      Rows(Body::kNodes) > end.nodes() || Rows(Body::kEdges) > end.edges() ||
      (grouped_.value_or(false) && edge_count_sum_ > end.edges()) ||
      (end.id_limit() != 0 && id_limit_ > end.id_limit()) ||
      strings_ > announced_strings_;
  if (has_more) return Wrong("there is more than graph_end and footer say");
  HEAPGLOT_RETURN_IF_ERROR(CheckBounds(end));
  return CheckBound(Space::kStrings, announced_strings_);
}

Status CheckSink::CheckTotal(const char* what, std::uint64_t stated,
                             std::uint64_t found) const {
  if (stated == found) return {};
  return Wrong(std::string(what) + " is " + std::to_string(stated) +
               ", but the stream has " + std::to_string(found));
}

// Tables that have a total have the same name in both messages.
Status CheckSink::CheckRowTotals(const pb::GraphEnd& end) {
  for (int i = 0; i < pb::Chunk::descriptor()->field_count(); ++i) {
    const FieldDescriptor& table = *pb::Chunk::descriptor()->field(i);
    const auto body = static_cast<Body>(table.number());
    const std::string& name = table.name();
    if (!wanted_.Has(body) ||
        !pb::GraphEnd::GetDescriptor()->FindFieldByName(name)) {
      continue;
    }
    HEAPGLOT_RETURN_IF_ERROR(
        CheckTotal(name.c_str(), NumberField(end, name), Rows(body)));
  }
  return {};
}

Status CheckSink::CheckTotals(const pb::GraphEnd& end) {
  HEAPGLOT_RETURN_IF_ERROR(CheckRowTotals(end));
  if (wanted_.Has(Body::kNodes)) {
    HEAPGLOT_RETURN_IF_ERROR(
        CheckTotal("self_size_total", end.self_size_total(), self_size_));
    if (grouped_.value_or(false)) {
      HEAPGLOT_RETURN_IF_ERROR(
          CheckTotal("edges", end.edges(), edge_count_sum_));
    }
    if (end.id_limit() != 0 && end.id_limit() < id_limit_) {
      return Wrong("id_limit is " + std::to_string(end.id_limit()) +
                   ", but there is the id " + std::to_string(id_limit_ - 1));
    }
  }
  if (wanted_.Has(Body::kExternals)) {
    HEAPGLOT_RETURN_IF_ERROR(CheckTotal(
        "external_size_total", end.external_size_total(), external_size_));
  }
  if (!wanted_.Has(Body::kEdges)) return {};
  HEAPGLOT_RETURN_IF_ERROR(
      CheckTotal("edges_omitted", end.edges_omitted(), edge_totals_.omitted));
  HEAPGLOT_RETURN_IF_ERROR(CheckTotal("edges_dangling", end.edges_dangling(),
                                      edge_totals_.dangling));
  HEAPGLOT_RETURN_IF_ERROR(CheckTotal("edges_immediate", end.edges_immediate(),
                                      edge_totals_.immediate));
  // Streams that are older than this total do not have it.
  if (!wanted_.Has(Body::kVocabulary) || end.edges_synthesized() == 0)
    return {};
  return CheckTotal("edges_synthesized", end.edges_synthesized(),
                    edge_totals_.synthesized);
}

Status CheckSink::CheckFooter(const pb::Footer& footer) {
  ended_ = true;
  if (GraphBoundsKnown()) {
    if (graphs_ == 0) return Wrong("there is no graph");
    if (footer.graphs() != graphs_) {
      return Wrong("graphs is " + std::to_string(footer.graphs()) +
                   ", but the stream has " + std::to_string(graphs_));
    }
  }
  if (wanted_.Has(Body::kStrings) && footer.strings() != strings_) {
    return Wrong("strings is " + std::to_string(footer.strings()) +
                 ", but the stream has " + std::to_string(strings_));
  }
  return CheckBound(Space::kStrings, footer.strings());
}

}  // namespace heapglot
