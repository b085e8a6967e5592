// Implements subset.h: what is known about each graph, and editing its chunks.
#ifndef HEAPGLOT_CORE_TRANSFORMS_SUBSET_SINK_H_
#define HEAPGLOT_CORE_TRANSFORMS_SUBSET_SINK_H_

#include <google/protobuf/message.h>

#include <array>
#include <cstdint>
#include <vector>

#include "core/ir/edge_totals.h"
#include "core/ir/unknown_json.h"
#include "core/transforms/subset.h"

namespace heapglot {

// What stays of one graph, resolved.
struct SubsetGraphPlan {
  Subset::Graph keep;   // edges and roots without those of nodes that go
  pb::GraphEnd before;  // totals
  pb::GraphEnd after;
};

struct SubsetPlan {
  std::vector<SubsetGraphPlan> graphs;
  ChunkSet dropped;
  RankBitmap strings;  // that are used, and stay
  RankBitmap texts;    // that may stay: empty if all
  std::uint64_t max_text = 0;
  bool makes_ids = false;
  bool keeps_claims = true;
  SubsetLosses losses;
};

// Edits a stream by a plan.
class SubsetSink : public ChunkSink {
 public:
  // Sends the chunks that are wanted.
  SubsetSink(SubsetPlan& plan, ChunkSet wanted, ChunkSink& out)
      : plan_(plan),
        counts_(false),
        wanted_(wanted),
        out_(&out),
        unknown_json_(nullptr) {}
  // Sends nothing, but fills in `after`, `strings` and `losses` of the plan;
  // needs all chunks of the stream. `find`: Subset::find.
  SubsetSink(SubsetPlan& plan, decltype(&FindReader) find)
      : plan_(plan), counts_(true), out_(nullptr), unknown_json_(find) {}

  // `wanted`, and the kinds that are needed for it.
  static ChunkSet Needed(ChunkSet wanted);

  Status Accept(const pb::Chunk& chunk) override;

 private:
  Status Pass();
  void CountUnknown();
  bool Edit();
  bool EditTable();
  bool EditExtraTable(pb::ExtraTable* table);
  bool EditGraph(pb::Graph* graph);
  void EditStated(pb::Graph* stated) const;
  void EditGraphEnd(pb::GraphEnd* end);
  bool EditVocabulary(pb::Vocabulary* vocabulary);
  bool EditStrings(pb::Strings* strings);
  bool EditTypes(pb::Types* types);
  bool EditNodes(pb::Nodes* nodes);
  void MakeIds(pb::Nodes* nodes) const;
  void EditEdgeCounts(const pb::Nodes& before, pb::Nodes* nodes);
  bool EditEdges(pb::Edges* edges);
  void EditSources(const pb::Edges& before, pb::Edges* edges);
  void EditEdgeNames(pb::Edges* edges);
  bool EditRoots(pb::Roots* roots);
  bool EditValues(pb::Values* values);
  bool KeepsValue(pb::Values::Owner space, std::uint64_t owner) const;
  std::uint64_t NewOwner(pb::Values::Owner space, std::uint64_t owner);
  template <typename Table>
  bool EditTargets(const KeptRows& keep, Table* table);
  // Returns how many targets are gone, and are therefore omitted.
  template <typename Table>
  std::uint64_t RenumberTargets(Table* table) const;
  void RenumberValue(std::uint32_t form,
                     google::protobuf::RepeatedField<std::uint64_t>* values,
                     google::protobuf::RepeatedField<std::uint32_t>* forms,
                     int row);
  void RenumberIndices(google::protobuf::Message* table);
  void RenumberExtra(google::protobuf::Message* table);
  void Count(pb::Chunk::BodyCase body, std::uint64_t rows);

  // Puts the rows of `table` that are in `keep` into rows_.
  template <typename Table>
  void SelectRows(const KeptRows& keep, const Table& table);

  bool KeepsRow(pb::Chunk::BodyCase table, std::uint64_t row) const;
  bool KeepsNode(std::uint64_t node) const;
  std::uint64_t NewString(std::uint64_t string);
  std::uint64_t NewRef(pb::Chunk::BodyCase table, std::uint64_t ref);
  const SubsetGraphPlan& graph() const { return plan_.graphs[graph_]; }
  // Whether nodes of the current graph, or else of the last one, go.
  bool LosesNodes() const {
    return next_graph_ > 0 && graph().keep.nodes.has_value();
  }
  const KeptRows* RowsOf(pb::Chunk::BodyCase table) const;

  SubsetPlan& plan_;
  const bool counts_;
  const ChunkSet wanted_;
  ChunkSink* const out_;
  std::size_t next_graph_ = 0;
  std::size_t graph_ = 0;
  bool is_grouped_ = false;
  pb::Chunk own_;
  const pb::Chunk* chunk_ = nullptr;  // that own_ is made from
  std::vector<int> rows_;
  std::uint64_t edges_seen_ = 0;           // of the nodes so far
  std::array<std::uint64_t, 32> sent_{};   // rows of each table in this graph
  std::vector<std::uint32_t> name_forms_;  // of kinds of edges
  pb::GraphEnd end_;                       // being counted
  UnknownJson unknown_json_;
  EdgeTotals edge_totals_;
  // Whether the last string continues in the next chunk, and its bytes so far.
  bool string_continued_ = false;
  std::uint64_t string_bytes_ = 0;
};

}  // namespace heapglot

#endif  // HEAPGLOT_CORE_TRANSFORMS_SUBSET_SINK_H_
