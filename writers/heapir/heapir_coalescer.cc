#include "writers/heapir/heapir_coalescer.h"

#include <algorithm>
#include <utility>

#include "core/ir/columns.h"

namespace heapglot::heapir {
namespace {

// More rows do not compress better.
constexpr std::size_t kRows = std::size_t{1} << 15;
// More than nodes: an object has 2 to 3 references.
constexpr std::size_t kEdgeRows = std::size_t{1} << 16;
constexpr std::size_t kTextBytes = std::size_t{1} << 19;

}  // namespace

// ------------------------------------------------------------------ strings

bool StringBuffer::Fits(const pb::Strings& strings) const {
  const pb::Strings& here = chunk_.strings();
  return empty() ||
         (!here.continued() && here.names() == strings.names() &&
          rows_ + static_cast<std::size_t>(strings.length_size()) <= kRows &&
          here.data().size() + strings.data().size() <= kTextBytes);
}

void StringBuffer::Append(const pb::Strings& strings) {
  pb::Strings& here = *chunk_.mutable_strings();
  if (empty()) {
    here.set_first(strings.first());
    here.set_names(strings.names());
  }
  here.mutable_data()->append(strings.data());
  here.set_continued(strings.continued());
  const auto added = static_cast<std::size_t>(strings.length_size());
  AppendColumns(strings, 0, added, rows_, &here);
  rows_ += added;
}

void StringBuffer::Clear() {
  chunk_.mutable_strings()->Clear();
  rows_ = 0;
}

// -------------------------------------------------------------------- edges

EdgeBuffer::EdgeBuffer() : rows_(pb::Chunk::kEdges, kEdgeRows) {}

// A full buffer is sent at once. So nothing is added to a chunk that was cut
// there when it comes again.
bool EdgeBuffer::is_full() const {
  return rows_.room() == 0 || static_cast<std::size_t>(nodes()) >= kEdgeRows;
}

bool EdgeBuffer::Fits(const pb::Edges& edges) const {
  if (empty()) return true;
  if (!rows_.Fits(edges)) return false;
  const bool is_grouped = nodes() != 0;
  if (is_grouped != (edges.edges_per_node_size() != 0)) return false;
  // The last node may have more edges.
  return !is_grouped || (edges.first_node() + 1 >= next_node() &&
                         edges.first_node() < next_node() + kEdgeRows);
}

bool EdgeBuffer::Append(const pb::Edges& edges, Rest* rest) {
  const std::uint64_t begin = rest->row;
  // Even if there are only nodes without edges.
  if (rows_.empty())
    rows_.mutable_chunk()->mutable_edges()->set_first(edges.first() + begin);
  if (edges.edges_per_node_size() == 0) {
    rest->row += std::min<std::uint64_t>(edges.count() - begin, rows_.room());
  } else {
    rest->row += AppendCounts(edges, rest);
  }
  if (rest->row != begin) rows_.Append(edges, begin, rest->row);
  return rest->row < edges.count() || rest->node < edges.edges_per_node_size();
}

std::uint64_t EdgeBuffer::AppendCounts(const pb::Edges& edges, Rest* rest) {
  const std::uint64_t room =
      std::min<std::uint64_t>(edges.count() - rest->row, rows_.room());
  std::uint64_t rows = AppendAllCounts(edges, rest);
  while (rest->node < edges.edges_per_node_size()) {
    const std::uint64_t left = edges.edges_per_node(rest->node) - rest->taken;
    const std::uint64_t count = std::min(left, room - rows);
    const auto node = edges.first_node() + static_cast<unsigned>(rest->node);
    if (!AppendCount(node, count)) break;
    rows += count;
    rest->taken += count;
    if (count < left) break;
    ++rest->node;
    rest->taken = 0;
    // Full: even nodes without edges wait for the next chunk.
    if (rows == rows_.room()) break;
  }
  return rows;
}

// The same for a chunk that fits as a whole and leaves room, as most do,
// without looking at each count. For others, does nothing and returns 0.
std::uint64_t EdgeBuffer::AppendAllCounts(const pb::Edges& edges, Rest* rest) {
  const int size = edges.edges_per_node_size();
  const bool follows = nodes() == 0 || edges.first_node() <= next_node();
  if (rest->row != 0 || rest->node != 0 || !follows ||
      edges.count() >= rows_.room() ||
      nodes() + size >= static_cast<int>(kEdgeRows))
    return 0;
  if (!AppendCount(edges.first_node(), edges.edges_per_node(0))) return 0;
  const std::uint32_t* const counts = edges.edges_per_node().data();
  rows_.mutable_chunk()->mutable_edges()->mutable_edges_per_node()->Add(
      counts + 1, counts + size);
  rest->node = size;
  return edges.count();
}

// Adds edges to the last node or to a later one; false if there is no room for
// it.
bool EdgeBuffer::AppendCount(std::uint64_t node, std::uint64_t count) {
  pb::Edges& here = *rows_.mutable_chunk()->mutable_edges();
  auto& counts = *here.mutable_edges_per_node();
  if (counts.empty()) here.set_first_node(node);
  if (node + 1 == next_node()) {
    const int last = counts.size() - 1;
    counts.Set(last, counts.Get(last) + static_cast<std::uint32_t>(count));
    return true;
  }
  // Nodes in between have no edges.
  while (next_node() < node && counts.size() < static_cast<int>(kEdgeRows))
    counts.Add(0);
  if (counts.size() >= static_cast<int>(kEdgeRows)) return false;
  counts.Add(static_cast<std::uint32_t>(count));
  return true;
}

// ---------------------------------------------------------------- coalescer

Coalescer::Coalescer(ChunkSink& out)
    : out_(out), nodes_(pb::Chunk::kNodes, kRows) {
  for (const auto kind :
       {pb::Chunk::kRoots, pb::Chunk::kValues, pb::Chunk::kExternals,
        pb::Chunk::kLocations, pb::Chunk::kTraceFunctions,
        pb::Chunk::kTraceNodes, pb::Chunk::kSamples, pb::Chunk::kStackFrames,
        pb::Chunk::kThreads})
    tables_[kind] = std::make_unique<RowBuffer>(kind, kRows);
}

Status Coalescer::Accept(const pb::Chunk& chunk) {
  switch (chunk.body_case()) {
    case pb::Chunk::kStrings:
      return AddStrings(chunk.strings());
    case pb::Chunk::kNodes:
      return AddNodes(chunk.nodes());
    case pb::Chunk::kEdges:
      return AddEdges(chunk);
    case pb::Chunk::kGraph:
    case pb::Chunk::kGraphEnd:
    case pb::Chunk::kFooter:
    case pb::Chunk::kRecordOrder:  // refers to rows that have already come
      HEAPGLOT_RETURN_IF_ERROR(FlushAll());
      return out_.Accept(chunk);
    default:
      if (RowBuffer* const rows = tables_[chunk.body_case()].get())
        return AddRows(chunk, *rows);
      HEAPGLOT_RETURN_IF_ERROR(FlushStrings());
      return out_.Accept(chunk);
  }
}

Status Coalescer::AddStrings(const pb::Strings& strings) {
  if (strings.length_size() == 0) return {};
  StringBuffer* into = nodes_.empty() ? strings_.get() : later_strings_.get();
  if (!into->Fits(strings)) {
    HEAPGLOT_RETURN_IF_ERROR(nodes_.empty() ? Status() : FlushNodes());
    into = strings_.get();
    HEAPGLOT_RETURN_IF_ERROR(out_.Accept(into->chunk()));
    into->Clear();
  }
  into->Append(strings);
  return {};
}

Status Coalescer::AddNodes(const pb::Nodes& nodes) {
  if (nodes.count() == 0) return {};
  if (!nodes_.empty()) {
    const bool fits =
        nodes_.Fits(nodes) && nodes.count() <= nodes_.room() &&
        (later_strings_->empty() || strings_->Fits(later_strings_->strings()));
    if (!fits) {
      HEAPGLOT_RETURN_IF_ERROR(FlushNodes());
    } else if (!later_strings_->empty()) {
      strings_->Append(later_strings_->strings());
      later_strings_->Clear();
    }
  }
  nodes_.Append(nodes, 0, nodes.count());
  return {};
}

Status Coalescer::AddEdges(const pb::Chunk& chunk) {
  const pb::Edges& edges = chunk.edges();
  if (edges.count() == 0 && edges.edges_per_node_size() == 0) return {};
  if (!edges_.Fits(edges)) {
    // Sent at once: when it comes again, it must not meet later nodes first.
    HEAPGLOT_RETURN_IF_ERROR(FlushNodes());
    return out_.Accept(chunk);
  }
  EdgeBuffer::Rest rest;
  for (bool more = true; more;) {
    more = edges_.Append(edges, &rest);
    if (!edges_.is_full()) break;
    HEAPGLOT_RETURN_IF_ERROR(FlushNodes());
  }
  return {};
}

Status Coalescer::AddRows(const pb::Chunk& chunk, RowBuffer& rows) {
  const google::protobuf::Message& body = BodyOf(chunk);
  const bool fits = rows.Fits(body) && (!chunk.has_values() || rows.empty() ||
                                        rows.chunk().values().owner_space() ==
                                            chunk.values().owner_space());
  if (!fits) {
    HEAPGLOT_RETURN_IF_ERROR(FlushRows(rows));
    return out_.Accept(chunk);  // at once, as in AddEdges()
  }
  if (chunk.has_values()) {
    rows.mutable_chunk()->mutable_values()->set_owner_space(
        chunk.values().owner_space());
  }
  const std::size_t count = CountOf(body);
  for (std::size_t row = 0; row < count;) {
    const std::size_t taken = std::min(count - row, rows.room());
    rows.Append(body, row, row + taken);
    row += taken;
    if (rows.room() == 0) HEAPGLOT_RETURN_IF_ERROR(FlushRows(rows));
  }
  return {};
}

Status Coalescer::FlushNodes() {
  if (!strings_->empty()) {
    HEAPGLOT_RETURN_IF_ERROR(out_.Accept(strings_->chunk()));
    strings_->Clear();
  }
  if (!nodes_.empty()) {
    HEAPGLOT_RETURN_IF_ERROR(out_.Accept(nodes_.chunk()));
    nodes_.Clear();
  }
  if (!edges_.empty()) {
    HEAPGLOT_RETURN_IF_ERROR(out_.Accept(edges_.chunk()));
    edges_.Clear();
  }
  std::swap(strings_, later_strings_);
  return {};
}

Status Coalescer::FlushStrings() {
  HEAPGLOT_RETURN_IF_ERROR(FlushNodes());
  return FlushNodes();
}

Status Coalescer::FlushRows(RowBuffer& rows) {
  if (rows.empty()) return {};
  HEAPGLOT_RETURN_IF_ERROR(FlushStrings());
  HEAPGLOT_RETURN_IF_ERROR(out_.Accept(rows.chunk()));
  rows.Clear();
  return {};
}

Status Coalescer::FlushAll() {
  HEAPGLOT_RETURN_IF_ERROR(FlushStrings());
  for (const auto& rows : tables_) {
    if (rows != nullptr) HEAPGLOT_RETURN_IF_ERROR(FlushRows(*rows));
  }
  return {};
}

}  // namespace heapglot::heapir
