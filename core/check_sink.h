// The order grammar and the column rules of chunk.proto, as a sink. The sources
// are check_sink.cc (order and totals), check_sink_columns.cc (any table),
// check_sink_nodes.cc (nodes and edges) and check_sink_tables.cc (the others).
#ifndef HEAPGLOT_CORE_CHECK_SINK_H_
#define HEAPGLOT_CORE_CHECK_SINK_H_

#include <google/protobuf/repeated_field.h>

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/id_bitmap.h"
#include "core/ir/edge_totals.h"
#include "core/ir/index_columns.h"
#include "heapglot/status.h"
#include "heapglot/stream.h"

namespace heapglot {

// Wraps a sink and refuses the first chunk that breaks a rule of chunk.proto,
// so that a reader or a transform can be tested by running it into this.
//
// Rules that need chunks which the pass does not include are not checked.
// Memory: 8 bytes for each node whose edges are still to come if nodes and
// edges are wanted, and what IdBitmap needs for ids that are OPAQUE. (Where
// IdBitmap cannot tell, duplicate ids go unnoticed.)
class CheckSink : public ChunkSink {
 public:
  // `wanted` is what the pass asked for. `next`, if any, gets every correct
  // chunk and must outlive this.
  explicit CheckSink(ChunkSet wanted, ChunkSink* next = nullptr);

  // Errors: kInternal with the number and kind of the chunk and what is wrong.
  Status Accept(const pb::Chunk& chunk) override;

  // What is wrong at the end of the pass: kInternal if the footer is missing.
  Status Finish() const;

  // Announces what the next graph ends with, and how many strings the stream
  // uses: whatever exceeds that is refused where it occurs, not only at the
  // end. Call before the first chunk of the graph. `end` must outlive it.
  void Announce(const pb::GraphEnd& end, std::uint64_t strings);

  // Whether the last string is incomplete: its next piece must come next.
  bool is_in_string() const { return string_continued_; }

  // A fingerprint of how many edges each node has: from Nodes.edge_count in a
  // pass without edges, from Edges.edges_per_node in one without nodes. Both
  // are equal if these agree, and hardly ever otherwise, unless whoever made
  // the stream knew `seed`. Only after Announce(), which bounds the sum of the
  // counts.
  std::uint64_t MarkOfEdgeCounts() const { return edge_counts_mark_; }
  void set_seed(std::uint64_t seed) { seed_ = seed; }

 private:
  // The highest index into a space so far, and where it was seen.
  struct Bound {
    std::uint64_t needed = 0;  // index + 1
    std::string column;
    std::uint64_t chunk = 0;
    pb::Chunk::BodyCase table = pb::Chunk::BODY_NOT_SET;
  };
  struct Kind {
    std::uint32_t known = 0;
    std::uint32_t name_form = 0;
  };

  Status Check(const pb::Chunk& chunk);
  Status CheckPosition(const pb::Chunk& chunk);
  Status CheckBetweenGraphs();
  Status CheckInGraph(const pb::Chunk& chunk);
  Status CheckBody(const pb::Chunk& chunk);
  Status CheckTable(const google::protobuf::Message& rows);
  Status CheckCount(std::uint64_t rows) const;
  Status CheckWords(const google::protobuf::Message& message) const;
  Status CheckFirst(std::uint64_t first, std::uint64_t count);
  Status CheckColumns(const google::protobuf::Message& rows,
                      std::uint64_t count);
  Status CheckExtraColumn(const pb::ExtraColumn& extra, std::uint64_t rows);
  Status CheckSize(const std::string& column, int size,
                   std::uint64_t rows) const;
  void NoteIndexColumns(const google::protobuf::Message& rows);

  Status CheckGraph(const pb::Graph& graph);
  Status CheckGraphEnd(const pb::GraphEnd& end);
  Status CheckBounds(const pb::GraphEnd& end) const;
  Status CheckAnnounced() const;
  Status CheckTotals(const pb::GraphEnd& end);
  Status CheckRowTotals(const pb::GraphEnd& end);
  Status CheckTotal(const char* what, std::uint64_t stated,
                    std::uint64_t found) const;
  Status CheckFooter(const pb::Footer& footer);
  Status CheckVocabulary(const pb::Vocabulary& vocabulary);
  Status CheckStrings(const pb::Strings& strings);
  Status CheckPieces(const pb::Strings& strings);
  Status CheckTypes(const pb::Types& types);
  Status CheckNodes(const pb::Nodes& nodes);
  void NoteTypes(const pb::Nodes& nodes);
  Status CheckNodeValues(const pb::Nodes& nodes);
  Status CheckEdges(const pb::Edges& edges);
  Status CheckEdgeKinds(const pb::Edges& edges);
  std::uint64_t GreatestNameOf(const pb::Edges& edges) const;
  Status CheckEdgeTargets(const pb::Edges& edges);
  Status CheckGrouping(const pb::Edges& edges);
  Status CheckRoots(const pb::Roots& roots);
  Status CheckValues(const pb::Values& values);
  Status CheckExternals(const pb::Externals& externals);
  Status CheckLocations(const pb::Locations& locations);
  Status CheckMetadata(const pb::Metadata& metadata);
  Status CheckExtra(const pb::Extra& extra);
  Status CheckExtraTable(const pb::ExtraTable& table);
  Status CheckTraceNodes(const pb::TraceNodes& nodes);
  Status CheckRecordOrder(const pb::RecordOrder& order);
  Status CheckSourceImage(const pb::SourceImage& image);
  Status CheckSourceImageEnd() const;
  Status CheckIds(const pb::Nodes& nodes);
  Status CheckUnique(const pb::Nodes& nodes);
  Status CheckValueName(std::uint64_t string);

  Status CheckText(std::string_view text, int encoding, const char* what);
  Status CheckTarget(std::uint32_t form, std::uint64_t to);
  Status CheckValue(std::uint32_t form, std::uint64_t value,
                    std::uint32_t encoding);
  Status CheckKind(pb::Vocabulary::Space space, std::uint32_t kind);
  Status CheckKinds(
      pb::Vocabulary::Space space,
      const google::protobuf::RepeatedField<std::uint32_t>& kinds);
  Status CheckName(std::uint64_t string, const char* what);
  // Moves on to the edges of `node`; checks that the nodes before it have all
  // of theirs.
  Status AdvanceTo(std::uint64_t node);
  Status AdvanceOver(
      const google::protobuf::RepeatedField<std::uint32_t>& edges_per_node);
  void AddEdgeCounts(const pb::Nodes& nodes);
  void DropEdgeCounts();
  template <typename Counts>
  void MarkEdgeCounts(std::uint64_t first_node, const Counts& counts);

  void BeginGraph();
  void RestartTable();
  void RestartOwners();
  void NoteIndex(IndexSpace space, std::uint64_t index, std::string_view what);
  Status CheckBound(IndexSpace space, std::uint64_t total) const;
  std::uint64_t& Rows(pb::Chunk::BodyCase body) { return rows_[body]; }
  std::uint64_t Rows(pb::Chunk::BodyCase body) const { return rows_[body]; }
  bool GraphBoundsKnown() const;
  Status Wrong(const std::string& message) const;

  ChunkSet wanted_;
  ChunkSink* next_;
  const pb::GraphEnd* announced_ = nullptr;  // of this graph
  std::uint64_t announced_strings_ = 0;
  std::uint64_t seed_ = 0;
  std::uint64_t edge_counts_mark_ = 0;

  // State of the stream.
  std::uint64_t chunks_ = 0;
  pb::Chunk::BodyCase body_ = pb::Chunk::BODY_NOT_SET;  // of this chunk
  std::string table_;                                   // its name
  std::uint64_t graphs_ = 0;
  bool graph_open_ = false;
  bool ended_ = false;
  std::uint64_t strings_ = 1;           // indices in use
  bool string_continued_ = false;       // the last string is incomplete
  bool string_is_name_ = false;         // its pieces are marked `names`
  bool string_ends_with_half_ = false;  // of a pair of surrogates
  // Runs [begin, end) of strings that are in chunks marked `names`.
  std::vector<std::pair<std::uint64_t, std::uint64_t>> names_;
  std::array<Bound, kIndexSpaces> bounds_;
  std::uint64_t value_names_ = 1;  // first string since the last nodes
  // What the pieces of the source's image add up to so far.
  struct Image {
    bool begun = false;
    bool continued = false;
    bool is_behind = false;  // after the graphs; none may follow
    pb::SourceImage::Method method = pb::SourceImage::NONE;
    std::uint64_t size = 0;      // as stated
    std::uint64_t data = 0;      // bytes
    std::uint64_t inserted = 0;  // bytes
    std::uint64_t copied = 0;    // bytes
  };
  Image image_;

  // State of the current graph.
  std::array<std::uint64_t, kChunkKinds> rows_{};
  std::map<std::string, std::uint64_t> extra_rows_;
  bool tables_begun_ = false;  // no more vocabulary
  bool extra_continued_ = false;
  std::optional<bool> grouped_;
  std::array<std::vector<Kind>, pb::Vocabulary::Space_ARRAYSIZE> kinds_;
  std::array<std::uint64_t, pb::Values::Owner_ARRAYSIZE> last_owner_{};
  // For the nodes from edge_node_ on, if both nodes and edges are wanted: runs
  // of nodes with the same count. A file can have very many nodes in very few
  // bytes.
  struct EdgeCounts {
    std::uint64_t count;
    std::uint64_t nodes;
  };
  std::vector<EdgeCounts> edge_counts_;
  std::size_t edge_counts_done_ = 0;
  std::uint64_t edge_count_sum_ = 0;
  std::uint64_t edge_node_ = 0;       // the node whose edges are coming
  std::uint64_t edge_node_seen_ = 0;  // how many of them came
  std::uint64_t self_size_ = 0;
  std::uint64_t external_size_ = 0;
  EdgeTotals edge_totals_;
  std::uint64_t id_limit_ = 0;    // of the ids so far
  std::optional<IdBitmap> ids_;   // if ids must be unique
  std::uint64_t trace_open_ = 0;  // children still to come
};

}  // namespace heapglot

#endif  // HEAPGLOT_CORE_CHECK_SINK_H_
