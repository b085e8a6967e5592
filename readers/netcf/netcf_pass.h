// One pass of the stream over an indexed log.
#ifndef HEAPGLOT_READERS_NETCF_NETCF_PASS_H_
#define HEAPGLOT_READERS_NETCF_NETCF_PASS_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "core/chunk_builder.h"
#include "heapglot/bytes.h"
#include "heapglot/context.h"
#include "heapglot/stream.h"
#include "readers/netcf/netcf_checks.h"
#include "readers/netcf/netcf_findings.h"
#include "readers/netcf/netcf_index.h"
#include "readers/netcf/netcf_line.h"
#include "readers/netcf/netcf_text.h"

namespace heapglot::netcf {

// A chunk of nodes and one of edges are full at about the same time.
inline constexpr int kEdgeRows = 4 * static_cast<int>(kChunkRows);
inline constexpr int kNodeRows = static_cast<int>(kChunkRows);

// The row of weak handles in the vocabulary of roots, after those of the known
// kinds.
inline constexpr std::uint32_t kWeakHandle = 6;

// Collects the order of records of different tables.
class Order {
 public:
  void Add(pb::Chunk::BodyCase body) {
    pb::RecordOrder& order = *chunk_.mutable_record_order();
    const int last = order.body_size() - 1;
    if (last >= 0 && order.body(last) == static_cast<std::uint32_t>(body)) {
      order.set_run(last, order.run(last) + 1);
      return;
    }
    order.add_body(static_cast<std::uint32_t>(body));
    order.add_run(1);
  }
  bool IsFull() const { return chunk_.record_order().body_size() > kNodeRows; }
  // Sends what was collected. The last run may continue in the next chunk.
  Status Send(ChunkSink& out) {
    if (chunk_.record_order().body().empty()) return {};
    Status status = out.Accept(chunk_);
    chunk_.mutable_record_order()->Clear();
    return status;
  }

 private:
  pb::Chunk chunk_;
};

// Sends one pass of the stream. The first one, which has `findings`, reads all
// records, whatever is wanted.
class Pass {
 public:
  Pass(const ByteSource& source, Index& index, Context& context,
       Findings* findings, ChunkSet wanted, ChunkSink& out)
      : source_(source),
        index_(index),
        context_(context),
        findings_(findings),
        wanted_(wanted),
        out_(out),
        text_(source, index.form, context.limits.max_string),
        line_(text_),
        strings_(out) {}

  Status Run();

 private:
  bool Wants(pb::Chunk::BodyCase kind) const { return wanted_.Has(kind); }
  bool WantsNames() const {
    return wanted_.HasUserOfNames() || Wants(pb::Chunk::kStrings);
  }
  bool WantsRecords() const {
    return findings_ != nullptr || Wants(pb::Chunk::kNodes) ||
           Wants(pb::Chunk::kEdges) || Wants(pb::Chunk::kRoots) ||
           Wants(pb::Chunk::kExtra) || Wants(pb::Chunk::kRecordOrder);
  }

  Status SendHeader();
  Status SendDomain();
  Status SendGraph();
  Status SendNames();
  Status SendWords(std::uint64_t first_other_kind);
  Status SendTypes();
  Status AddType(std::uint64_t id, std::string_view name);
  Status FlushTypes();
  Status SendMarks();
  Status SendRecords();
  Status SendLine();
  Status SendGraphEnd();
  Status SendFooter();

  Status AddTypeLine();
  Status AddObjectLine();
  Status AddReferences();
  Status AddEachReference(bool send);
  Status SplitReferences();
  void AddNode(std::uint64_t edges);
  Status AddRootLine();
  Status KeepLine();
  Status SendExtra(std::string_view section, std::uint64_t position,
                   std::string_view data);
  Status NoteOrder(pb::Chunk::BodyCase body);
  Status FlushNodes();
  Status FlushEdges();
  Status FlushRoots();

  // The duplicate that record `ordinal` of a table is, or nullptr. Call in
  // order.
  static const IdMap::Duplicate* DuplicateAt(const IdMap& ids,
                                             std::uint64_t ordinal,
                                             std::size_t* next) {
    if (*next == ids.duplicates().size() ||
        ids.duplicates()[*next].ordinal != ordinal)
      return nullptr;
    return &ids.duplicates()[(*next)++];
  }

  const ByteSource& source_;
  Index& index_;
  Context& context_;
  Findings* findings_;
  ChunkSet wanted_;
  ChunkSink& out_;
  Text text_;
  Line line_;
  StringBuilder strings_;
  std::size_t graph_ = 0;
  std::uint64_t first_word_ = 0;  // string

  // Of the current domain.
  Domain* domain_ = nullptr;
  std::optional<Checks> checks_;
  std::uint64_t types_ = 0;
  std::uint64_t type_lines_ = 0;
  std::uint64_t object_lines_ = 0;
  std::uint64_t nodes_ = 0;
  std::uint64_t roots_ = 0;
  std::uint64_t position_ = 0;  // records so far
  std::size_t next_type_duplicate_ = 0;
  std::size_t next_object_duplicate_ = 0;
  Order order_;
  std::uint64_t edges_ = 0;
  std::uint64_t omitted_ = 0;
  std::uint64_t dangling_ = 0;
  std::uint64_t self_sizes_ = 0;
  std::uint64_t first_edge_ = 0;  // of the chunk

  // Of the current object.
  Object object_;
  std::uint64_t type_ = 0;
  std::uint64_t references_ = 0;        // so far
  std::uint64_t chunk_references_ = 0;  // of these, in the chunk
  bool has_node_ = false;               // its row has been added

  // Reused from chunk to chunk.
  pb::Chunk types_chunk_;
  pb::Chunk nodes_chunk_;
  pb::Chunk edges_chunk_;
  pb::Chunk roots_chunk_;
  pb::Chunk other_chunk_;
};

}  // namespace heapglot::netcf

#endif  // HEAPGLOT_READERS_NETCF_NETCF_PASS_H_
