#include "core/canonical/canonical_reader.h"

#include <cstdint>
#include <vector>

#include "core/canonical/canonical_nodes.h"
#include "core/canonical/canonical_out.h"
#include "core/canonical/canonical_strings.h"
#include "core/canonical/held_tables.h"
#include "core/ir/columns.h"
#include "core/ir/index_columns.h"
#include "core/ir/unknown_json.h"

namespace heapglot {
namespace {

using Body = pb::Chunk::BodyCase;

constexpr char kLayout[] = "canonical.layout";
constexpr char kStringIds[] = "canonical.string_ids";
constexpr char kStringValues[] = "canonical.string_values";
constexpr char kExtra[] = "canonical.extra";

// Passes on what is wanted.
class SelectingSink : public ChunkSink {
 public:
  SelectingSink(ChunkSet wanted, ChunkSink& out) : wanted_(wanted), out_(out) {}
  Status Accept(const pb::Chunk& chunk) override {
    return wanted_.Includes(chunk) ? out_.Accept(chunk) : Status();
  }
  Status AcceptOwned(pb::Chunk& chunk) override {
    return wanted_.Includes(chunk) ? out_.AcceptOwned(chunk) : Status();
  }

 private:
  const ChunkSet wanted_;
  ChunkSink& out_;
};

// First pass: which graphs there are.
class OutlineSink : public ChunkSink {
 public:
  static constexpr ChunkSet kWanted = {Body::kGraph};

  Status Accept(const pb::Chunk& chunk) override {
    if (chunk.has_graph()) {
      grouped_.push_back(chunk.graph().edges_grouped());
      all_grouped_ = all_grouped_ && grouped_.back();
    }
    return {};
  }

  bool IsGrouped(std::size_t graph) const { return grouped_[graph]; }
  bool all_grouped() const { return all_grouped_; }

 private:
  std::vector<bool> grouped_;
  bool all_grouped_ = true;
};

// Second pass: keeps everything but nodes and their edges.
class HoldingSink : public ChunkSink {
 public:
  HoldingSink(const OutlineSink& outline, CanonicalStrings& strings,
              decltype(&FindReader) find)
      : outline_(outline), strings_(strings), unknown_json_(find) {}

  ChunkSet Wanted() const {
    const ChunkSet wanted =
        ChunkSet::All().Without({Body::kNodes, Body::kSourceImage});
    return outline_.all_grouped() ? wanted.Without({Body::kEdges}) : wanted;
  }

  Status Accept(const pb::Chunk& chunk) override {
    switch (chunk.body_case()) {
      case Body::kStrings:
        return strings_.Add(chunk.strings());
      case Body::kGraph:
        graphs_.emplace_back();
        return {};
      case Body::kHeader:
      case Body::kGraphEnd:
      case Body::kFooter:
        return {};
      case Body::kEdges:
        if (outline_.IsGrouped(graphs_.size() - 1)) return {};
        [[fallthrough]];
      default:
        unknown_ += UnknownNumbers(BodyOf(chunk));
        if (chunk.has_extra()) unknown_ += unknown_json_.Add(chunk.extra());
        graphs_.back().Add(chunk);
        return {};
    }
  }

  // Numbers whose meaning is not stated anywhere.
  std::uint64_t unknown() const { return unknown_; }
  HeldTables& graph(std::size_t index) { return graphs_[index]; }
  const std::vector<HeldTables>& graphs() const { return graphs_; }

 private:
  const OutlineSink& outline_;
  CanonicalStrings& strings_;
  std::vector<HeldTables> graphs_;
  std::uint64_t unknown_ = 0;
  UnknownJson unknown_json_;
};

// Third pass: sends what was kept, with nodes and edges in between.
class SendingSink : public ChunkSink {
 public:
  static constexpr ChunkSet kWanted = {Body::kHeader,   Body::kGraph,
                                       Body::kNodes,    Body::kEdges,
                                       Body::kGraphEnd, Body::kFooter};

  SendingSink(const OutlineSink& outline, HoldingSink& held,
              CanonicalStrings& strings, ChunkSink& out)
      : outline_(outline),
        held_(held),
        strings_(strings),
        out_(out),
        rows_(strings, out),
        nodes_(rows_) {}

  Status Accept(const pb::Chunk& chunk) override {
    pb::Chunk copy = chunk;
    return AcceptOwned(copy);
  }

  Status AcceptOwned(pb::Chunk& chunk) override {
    switch (chunk.body_case()) {
      case Body::kHeader:
        return SendHeader(chunk.header());
      case Body::kGraph:
        return BeginGraph(chunk);
      case Body::kNodes:
        unknown_ += UnknownNumbers(chunk.nodes());
        return nodes_.AddNodes(chunk);
      case Body::kEdges:
        if (outline_.IsGrouped(graph_))
          unknown_ += UnknownNumbers(chunk.edges());
        return outline_.IsGrouped(graph_) ? nodes_.AddEdges(chunk) : Status();
      case Body::kGraphEnd:
        return EndGraph(chunk.graph_end());
      case Body::kFooter:
        return SendFooter(chunk.footer());
      default:
        return {};
    }
  }

  // Those of nodes and grouped edges.
  std::uint64_t unknown() const { return unknown_; }

 private:
  Status SendHeader(const pb::Header& header) {
    pb::Chunk chunk;
    chunk.mutable_header()->set_format(header.format());
    return out_.Accept(chunk);
  }

  Status BeginGraph(const pb::Chunk& chunk) {
    HeldTables& tables = held_.graph(graph_);
    tables.ArrangeTypes(strings_);
    rows_.BeginGraph(tables.types());
    nodes_.Begin(outline_.IsGrouped(graph_));
    HEAPGLOT_RETURN_IF_ERROR(out_.Accept(chunk));
    return tables.SendHead(rows_);
  }

  Status EndGraph(const pb::GraphEnd& totals) {
    HEAPGLOT_RETURN_IF_ERROR(nodes_.End());
    HeldTables& tables = held_.graph(graph_);
    HEAPGLOT_RETURN_IF_ERROR(tables.SendTail(rows_));
    ++graph_;
    pb::Chunk chunk;
    *chunk.mutable_graph_end() = totals;
    chunk.mutable_graph_end()->set_values(totals.values() -
                                          tables.values_of_strings());
    chunk.mutable_graph_end()->set_types(totals.types() -
                                         tables.types().merged());
    chunk.mutable_graph_end()->set_id_limit(nodes_.id_limit());
    return out_.Accept(chunk);
  }

  Status SendFooter(const pb::Footer& footer) {
    pb::Chunk chunk;
    chunk.mutable_footer()->set_graphs(footer.graphs());
    chunk.mutable_footer()->set_strings(strings_.count());
    return out_.Accept(chunk);
  }

  const OutlineSink& outline_;
  HoldingSink& held_;
  CanonicalStrings& strings_;
  ChunkSink& out_;
  CanonicalOut rows_;
  CanonicalNodes nodes_;
  std::size_t graph_ = 0;
  std::uint64_t unknown_ = 0;
};

class CanonicalReader : public Reader {
 public:
  CanonicalReader(Reader& upstream, Context& context,
                  decltype(&FindReader) find)
      : upstream_(upstream), context_(context), find_(find) {}

  Status Read(ChunkSet wanted, ChunkSink& out) override {
    SelectingSink selected(wanted, out);
    CanonicalStrings strings(selected);
    OutlineSink outline;
    HEAPGLOT_RETURN_IF_ERROR(upstream_.Read(OutlineSink::kWanted, outline));
    HoldingSink held(outline, strings, find_);
    HEAPGLOT_RETURN_IF_ERROR(upstream_.Read(held.Wanted(), held));
    SendingSink sending(outline, held, strings, selected);
    HEAPGLOT_RETURN_IF_ERROR(upstream_.Read(SendingSink::kWanted, sending));
    CountLosses(held, strings, held.unknown() + sending.unknown());
    return {};
  }

 private:
  void CountLosses(const HoldingSink& held, const CanonicalStrings& strings,
                   std::uint64_t unknown) {
    if (has_counted_) return;
    has_counted_ = true;
    std::uint64_t layouts = 0;
    std::uint64_t values = 0;
    for (const HeldTables& graph : held.graphs()) {
      layouts += graph.has_record_order() ? 1 : 0;
      values += graph.values_of_strings();
    }
    LossReport& loss = context_.loss;
    loss.Add(kLayout, LossClass::kDropped, layouts,
             "the order of records of different sorts is not kept");
    loss.Add(kStringIds, LossClass::kDropped, strings.has_ids() ? 1 : 0,
             "strings have no ids, for equal ones are one");
    loss.Add(kStringValues, LossClass::kDropped, values,
             "what is said of strings as such is not kept");
    loss.Add(kExtra, LossClass::kApproximated, unknown,
             "numbers of which nobody says what they are stay as they are: "
             "those of strings do not");
  }

  Reader& upstream_;
  Context& context_;
  decltype(&FindReader) find_;
  bool has_counted_ = false;
};

}  // namespace

std::unique_ptr<Reader> MakeCanonicalReader(Reader& upstream, Context& context,
                                            decltype(&FindReader) find) {
  return std::make_unique<CanonicalReader>(upstream, context, find);
}

}  // namespace heapglot
