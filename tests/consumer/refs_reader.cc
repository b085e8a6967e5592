// A format of its own: "refs 1", then one line per object: its id, its size in
// bytes, and the ids of the objects that it refers to.
#include <heapglot/format.h>

#include <algorithm>
#include <charconv>
#include <unordered_map>
#include <vector>

namespace {
using namespace heapglot;

constexpr std::string_view kMagic = "refs 1\n";
constexpr std::size_t kMaxReferences = 100'000;  // per object

class RefsReader : public Reader {
 public:
  explicit RefsReader(const ByteSource& source) : file_(source.bytes()) {}

  // Each pass reads the whole file, whatever is wanted, so that the totals are
  // the same.
  Status Read(ChunkSet wanted, ChunkSink& out) override {
    if (indices_.empty()) HEAPGLOT_RETURN_IF_ERROR(FindObjects());
    const auto send = [&](const pb::Chunk& chunk) {
      return wanted.Includes(chunk) ? out.Accept(chunk) : Status();
    };
    pb::Chunk chunk;
    chunk.mutable_header()->set_format("refs");
    HEAPGLOT_RETURN_IF_ERROR(send(chunk));
    chunk.mutable_graph()->set_id_space(pb::Graph::UNSTABLE);
    chunk.mutable_graph()->set_edges_grouped(true);
    HEAPGLOT_RETURN_IF_ERROR(send(chunk));
    pb::GraphEnd end;
    for (at_ = kMagic.size(); at_ < file_.size();) {
      pb::Chunk edges;
      HEAPGLOT_RETURN_IF_ERROR(
          ReadObjects(*chunk.mutable_nodes(), *edges.mutable_edges(), end));
      HEAPGLOT_RETURN_IF_ERROR(send(chunk));
      HEAPGLOT_RETURN_IF_ERROR(send(edges));
    }
    *chunk.mutable_graph_end() = end;
    HEAPGLOT_RETURN_IF_ERROR(send(chunk));
    chunk.mutable_footer()->set_graphs(1);
    chunk.mutable_footer()->set_strings(1);  // the empty one
    return send(chunk);
  }

 private:
  // Reads as many objects as fill a chunk.
  Status ReadObjects(pb::Nodes& nodes, pb::Edges& edges, pb::GraphEnd& end) {
    nodes.Clear();
    nodes.set_first(end.nodes());
    edges.set_first(end.edges());
    edges.set_first_node(end.nodes());
    while (at_ < file_.size() && nodes.id_size() < int{kChunkRows} &&
           edges.to_size() < int{kChunkRows}) {
      HEAPGLOT_RETURN_IF_ERROR(ReadLine());
      nodes.add_id(line_[0]);
      nodes.add_self_size(line_[1]);
      nodes.add_edge_count(line_.size() - 2);
      edges.add_edges_per_node(static_cast<std::uint32_t>(line_.size() - 2));
      const std::uint64_t total = end.self_size_total();
      end.set_self_size_total(total + std::min(line_[1], ~total));  // saturates
      for (std::size_t i = 2; i < line_.size(); ++i) {
        const auto found = indices_.find(line_[i]);
        const bool is_there = found != indices_.end();
        edges.add_to_form(is_there ? pb::TO_NODE : pb::TO_DANGLING);
        edges.add_to(is_there ? found->second : line_[i]);
        if (!is_there) end.set_edges_dangling(end.edges_dangling() + 1);
      }
    }
    nodes.set_count(static_cast<std::uint32_t>(nodes.id_size()));
    edges.set_count(static_cast<std::uint32_t>(edges.to_size()));
    end.set_nodes(end.nodes() + nodes.count());
    end.set_edges(end.edges() + edges.count());
    return {};
  }

  // Collects the ids, since edges may refer to objects that come later.
  Status FindObjects() {
    if (!file_.starts_with(kMagic)) return Wrong("expected \"refs 1\"");
    for (at_ = kMagic.size(); at_ < file_.size();) {
      const std::size_t begin = at_;
      HEAPGLOT_RETURN_IF_ERROR(ReadLine());
      if (indices_.emplace(line_[0], indices_.size()).second) continue;
      at_ = begin;
      return Wrong("the id comes twice");
    }
    return {};
  }
  // Reads the numbers of a line into line_.
  Status ReadLine() {
    const std::size_t size = file_.substr(at_).find('\n');
    if (size == file_.npos)
      return {Code::kTruncated, "the last line has no end", Where::Byte(at_)};
    const char* next = file_.data() + at_;
    const char* const end = next + size;
    line_.clear();
    for (bool is_last = false; !is_last; ++next) {
      std::uint64_t number = 0;
      const auto [stop, error] = std::from_chars(next, end, number);
      if (error != std::errc()) return Wrong("expected a number");
      if (stop != end && *stop != ' ') return Wrong("expected a space");
      line_.push_back(number);
      is_last = stop == end;
      next = stop;
    }
    if (line_.size() < 2) return Wrong("expected an id and a size");
    // All references of an object go into one chunk.
    if (line_.size() - 2 > kMaxReferences)
      return {Code::kLimit, "too many references", Where::Byte(at_)};
    at_ += size + 1;
    return {};
  }
  Status Wrong(const char* message) const {
    return {Code::kMalformed, message, Where::Byte(at_)};
  }

  const std::string_view file_;
  std::size_t at_ = 0;
  std::vector<std::uint64_t> line_;
  std::unordered_map<std::uint64_t, std::uint64_t> indices_;  // by id
};
}  // namespace

extern const ReaderInfo kRefsReader = {
    .name = "refs",
    .title = "objects and references",
    .extensions = "refs",
    .produces = {Feature::kNode, Feature::kNodeId, Feature::kNodeSelfSize,
                 Feature::kEdge, Feature::kEdgeOrder, Feature::kEdgeDangling},
    .sniff =
        [](std::string_view head) {
          return head.starts_with(kMagic) ? Sniff::kYes : Sniff::kNo;
        },
    .make = [](const ByteSource& source, Context&) -> std::unique_ptr<Reader> {
      return std::make_unique<RefsReader>(source);
    }};
