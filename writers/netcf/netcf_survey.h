// What must be known about a heap before the first line of its log is written.
#ifndef HEAPGLOT_WRITERS_NETCF_NETCF_SURVEY_H_
#define HEAPGLOT_WRITERS_NETCF_NETCF_SURVEY_H_

#include <algorithm>
#include <cstdint>
#include <deque>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "core/bytes/spill_buffer.h"
#include "core/bytes/spilled_rows.h"
#include "core/ir/synthesized_edges.h"
#include "core/packed_numbers.h"
#include "core/text/string_texts.h"
#include "heapglot/context.h"
#include "heapglot/stream.h"
#include "writers/netcf/netcf_losses.h"

namespace heapglot::netcf {

// What the log of a graph needs to know ahead of time.
struct Plan {
  struct Type {
    std::uint64_t id;
    std::uint64_t name;  // string
  };
  struct Root {
    std::uint64_t to;
    std::uint64_t flags;
    std::uint64_t container_ref;
    std::uint64_t container_id;
    std::uint32_t kind;
    std::uint16_t to_form;
    bool has_more;  // details that no log has
  };
  struct RootKind {
    std::uint32_t known;
    std::int64_t code;  // in the source
  };
  struct NodeKind {
    std::uint32_t known;
    std::uint64_t name;  // string
  };
  struct Run {
    std::uint32_t body;
    std::uint64_t rows;
  };
  // Some rows of a table that all graphs share.
  struct Range {
    std::uint64_t begin = 0;
    std::uint64_t size = 0;
  };

  pb::Graph graph;
  bool has_start = true;
  bool has_end = true;
  bool is_cut = false;  // the last of the lines may be
  std::vector<Type> types;
  std::vector<NodeKind> node_kinds;
  SynthesizedEdges synthesized;
  std::vector<RootKind> root_kinds;
  Range roots;  // of Survey::Root()
  Range order;  // of Survey::Run(); none: the usual order
  Range lines;  // of Survey::LineText()

  // Ids of nodes; empty if they are the position, from 1.
  PackedNumbers ids;
  bool has_ids = false;  // as the source says
  std::uint64_t max_id = 0;
  std::uint64_t nodes = 0;

  // Types in the order of their first use: a row of `types`, or a kind of node
  // whose nodes have no type, plus kKindSlot.
  static constexpr std::uint64_t kKindSlot = std::uint64_t{1} << 63;
  std::vector<std::uint64_t> type_slots;
  // The ids that are written, by row of `types` and by kind of node.
  std::vector<std::uint64_t> type_ids;
  std::vector<std::uint64_t> kind_ids;

  std::uint64_t IdOf(std::uint64_t node) const {
    return ids.size() == 0 ? node + 1 : ids[node];
  }
};

// Takes the survey pass.
//
// Memory: PackedNumbers for nodes that have ids of their own; 24 bytes a type,
// and its name; 8 bytes for each of the first 65,536 empty strings. Roots, runs
// of records and kept lines take up to 4 MiB; more is in temporary files
// (SpillBuffer).
class Survey {
 public:
  // `native`: see WriterOptions. Counts the losses that do not depend on edges.
  Survey(bool native, Losses& losses)
      : native_(native),
        losses_(losses),
        texts_(std::numeric_limits<std::size_t>::max()) {}

  ChunkSet Wanted() const {
    // On the way back, which names are empty does not matter.
    return native_ ? kNeeded : kNeeded | ChunkSet{pb::Chunk::kStrings};
  }
  // Errors: kUnsupported for more nodes than the format has ids; those of
  // SpillBuffer.
  Status Add(const pb::Chunk& chunk);

  const std::deque<Plan>& plans() const { return plans_; }
  // Rows of `plan`, once all have come.
  Plan::Root Root(const Plan& plan, std::uint64_t row) {
    return roots_[plan.roots.begin + row];
  }
  Plan::Run Run(const Plan& plan, std::uint64_t row) {
    return runs_[plan.order.begin + row];
  }
  // How many records precede the line.
  std::uint64_t PositionOf(const Plan& plan, std::uint64_t line) {
    return lines_[plan.lines.begin + line].position;
  }
  // Whether it is known where kept lines were.
  bool has_layout() const { return has_layout_; }
  // Valid until the next call.
  std::string_view LineText(const Plan& plan, std::uint64_t line);
  // Of the tables; sticky. After an error, their rows are zeros.
  Status status() const;
  // Whether a name has no text. Not to be called in the survey pass, in which a
  // name may come after what it names.
  bool IsEmpty(std::uint64_t string) const {
    return std::binary_search(empty_.begin(), empty_.end(), string);
  }
  std::string_view Text(std::uint64_t string) const {
    return texts_.Find(string);
  }
  // Reports what is made up.
  void Report(LossReport* report) const;

 private:
  static constexpr ChunkSet kNeeded = {
      pb::Chunk::kHeader,      pb::Chunk::kFooter,     pb::Chunk::kGraph,
      pb::Chunk::kTypes,       pb::Chunk::kVocabulary, pb::Chunk::kNodes,
      pb::Chunk::kRoots,       pb::Chunk::kMetadata,   pb::Chunk::kExtra,
      pb::Chunk::kRecordOrder, pb::Chunk::kGraphEnd};

  void BeginGraph(const pb::Graph& graph);
  void AddStrings(const pb::Strings& strings);
  void AddVocabulary(const pb::Vocabulary& vocabulary);
  void AddTypes(const pb::Types& types);
  void AddNodes(const pb::Nodes& nodes);
  void UseType(const pb::Nodes& nodes, int row);
  void AddRoots(const pb::Roots& roots);
  void AddExtra(const pb::Extra& extra);
  void AddOrder(const pb::RecordOrder& order);
  bool IsOrderOfAll(std::uint64_t nodes);
  Status EndGraph(const pb::GraphEnd& end);
  void SettleIds(std::uint64_t nodes);
  void SettleTypes();
  void CountNodeLosses(const pb::Nodes& nodes, int row);

  const bool native_;
  Losses& losses_;
  std::uint64_t made_ids_ = 0;
  std::uint64_t made_kind_types_ = 0;
  StringTexts texts_;
  static constexpr std::size_t kMaxEmpty = 65'536;
  std::vector<std::uint64_t> empty_;  // strings besides 0, ascending
  bool string_continues_ = false;
  std::deque<Plan> plans_;
  SpilledRows<Plan::Root> roots_{std::size_t{1} << 20};
  SpilledRows<Plan::Run> runs_{std::size_t{1} << 20};
  // A line ends where the next one begins.
  struct Line {
    std::uint64_t position;
    std::uint64_t begin;  // in line_text_
  };
  SpilledRows<Line> lines_{std::size_t{1} << 20};
  SpillBuffer line_text_{std::size_t{1} << 20};
  // Of the current graph.
  std::vector<bool> used_types_;
  std::vector<bool> used_kinds_;
  bool ids_ascend_ = true;
  bool has_layout_ = false;  // of the source
  bool line_continues_ = false;
};

}  // namespace heapglot::netcf

#endif  // HEAPGLOT_WRITERS_NETCF_NETCF_SURVEY_H_
