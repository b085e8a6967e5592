#include "core/canonical/graph_digest.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <utility>

#include "core/bytes/fd.h"
#include "core/bytes/sha256.h"
#include "core/canonical/hash_numbers.h"
#include "core/column.h"
#include "core/ir/byte_buffer.h"
#include "core/ir/wire.h"

namespace heapglot {
namespace {

using Body = pb::Chunk::BodyCase;

constexpr char kGraphVersion[] = "heapglot graph 1\n";
// In front of the numbers that are hashed, where different things could be the
// same numbers. Part of the digest.
enum class HashedSort : std::uint8_t {
  kEdge = 1,
  kValue,
  kRoot,
  kTopRoot,
  kExternal
};

void AppendHash(const Hash128& hash, ByteBuffer* out) {
  char* const bytes = out->Grow(16);
  wire::StoreFixed64(hash.low, bytes);
  wire::StoreFixed64(hash.high, bytes + 8);
}

// Sorts hashes, which are spread evenly: by the first bits into places of a few
// each, and then these.
LargeVector<Hash128> SortHashes(const LargeVector<Hash128>& hashes) {
  constexpr std::size_t kInPlace = 8;
  const int bits =
      std::max(1, static_cast<int>(std::bit_width(hashes.size() / kInPlace)));
  const auto place_of = [bits](const Hash128& hash) {
    return static_cast<std::size_t>(hash.low >> (64 - bits));
  };
  std::vector<std::size_t> ends(std::size_t{1} << bits);
  for (const Hash128& hash : hashes) ++ends[place_of(hash)];
  std::size_t begin = 0;
  for (std::size_t& end : ends) begin += std::exchange(end, begin);
  LargeVector<Hash128> sorted(hashes.size());
  for (const Hash128& hash : hashes) sorted[ends[place_of(hash)]++] = hash;
  auto at = sorted.begin();
  for (const std::size_t end : ends) {
    const auto next = sorted.begin() + static_cast<std::ptrdiff_t>(end);
    std::sort(std::exchange(at, next), next);
  }
  return sorted;
}

// A hash of two.
Hash128 HashPair(const Hash128& a, const Hash128& b) {
  return HashNumbers(a.low, a.high, b.low, b.high);
}

}  // namespace

Status GraphDigest::Accept(const pb::Chunk& chunk) {
  switch (chunk.body_case()) {
    case Body::kStrings:
      text_.AddStrings(chunk.strings());
      break;
    case Body::kGraph:
      BeginGraph(chunk.graph());
      break;
    case Body::kVocabulary:
      text_.AddVocabulary(chunk.vocabulary());
      break;
    case Body::kTypes:
      text_.AddTypes(chunk.types());
      break;
    case Body::kNodes:
      AddNodes(chunk.nodes());
      break;
    case Body::kEdges:
      AddEdges(chunk.edges());
      break;
    case Body::kValues:
      AddValues(chunk.values());
      break;
    case Body::kRoots:
      AddRoots(chunk.roots());
      break;
    case Body::kExternals:
      AddExternals(chunk.externals());
      break;
    default:
      break;
  }
  return {};
}

void GraphDigest::BeginGraph(const pb::Graph& graph) {
  text_.BeginGraph(graph);
  first_node_ = signatures_.size();
  is_grouped_ = graph.edges_grouped();
  source_ = ~std::uint64_t{0};
  if (graph.root_ref() != 0)
    AddMark(HashNumbers(HashedSort::kTopRoot), pb::TO_NODE,
            graph.root_ref() - 1, &roots_);
}

void GraphDigest::AddNodes(const pb::Nodes& nodes) {
  for (int row = 0; row < static_cast<int>(nodes.count()); ++row) {
    const std::uint64_t node = signatures_.size();
    signatures_.push_back(HashOf(nodes, row));
    const std::uint32_t flags = At(nodes.flags(), row);
    if ((flags & pb::NODE_SYNTHESIZED) != 0) {
      left_out_.resize(node + 1);
      left_out_[node] = true;
    }
    if (At(nodes.value_form(), row) == pb::V_NODE)
      AddLink(HashNumbers(HashedSort::kValue).low, node,
              first_node_ + At(nodes.value(), row));
  }
}

// Ids, hash codes and traces are those of one run.
Hash128 GraphDigest::HashOf(const pb::Nodes& nodes, int row) const {
  const std::uint32_t flags = At(nodes.flags(), row);
  const Hash128 kind =
      text_.Word(pb::Vocabulary::NODE_KIND, At(nodes.kind(), row));
  const Hash128 type = text_.Class(At(nodes.type_ref(), row),
                                   (flags & pb::NODE_TYPE_DANGLING) != 0);
  const Hash128 name = text_.Text(At(nodes.name(), row));
  const Hash128 value =
      text_.Value(At(nodes.value_form(), row), At(nodes.value(), row));
  const std::uint64_t space_ref = At(nodes.heap_space_ref(), row);
  const Hash128 space =
      space_ref == 0 ? Hash128()
                     : text_.Word(pb::Vocabulary::HEAP_SPACE, space_ref - 1);
  return HashNumbers(text_.graph_name().low, text_.graph_name().high, kind.low,
                     kind.high, type.low, type.high, name.low, name.high,
                     value.low, value.high, space.low, space.high,
                     At(nodes.self_size(), row), At(nodes.value_length(), row),
                     At(nodes.detachedness(), row), flags & pb::NODE_PHANTOM);
}

void GraphDigest::AddEdges(const pb::Edges& edges) {
  if (!is_grouped_) {
    for (int row = 0; row < static_cast<int>(edges.count()); ++row)
      AddEdge(edges, row, At(edges.from(), row));
    return;
  }
  int row = 0;
  std::uint64_t node = edges.first_node();
  for (const std::uint32_t count : edges.edges_per_node()) {
    for (std::uint32_t i = 0; i < count; ++i) AddEdge(edges, row++, node);
    ++node;
  }
}

void GraphDigest::AddEdge(const pb::Edges& edges, int row, std::uint64_t from) {
  if (from != source_) unnamed_ = 0;
  source_ = from;
  const GraphText::EdgeWord word = text_.Edge(At(edges.kind(), row));
  const bool is_synthesized =
      word.is_synthesized ||
      (At(edges.flags(), row) & pb::EDGE_SYNTHESIZED) != 0;
  if (is_synthesized) return;
  const std::uint32_t name_form =
      edges.name_form().empty() ? word.name_form : edges.name_form(row);
  Hash128 name;
  if (name_form == pb::NAME_STRING) {
    name = text_.Text(At(edges.name(), row));
  } else if (name_form == pb::NAME_NUMBER) {
    name.low = At(edges.name(), row);
  } else if (is_grouped_) {
    // Where an edge stands is what tells it from the others.
    name.low = unnamed_++;
  }
  const std::uint32_t form = At(edges.to_form(), row);
  const std::uint64_t to = At(edges.to(), row);
  const Hash128 label =
      HashNumbers(HashedSort::kEdge, word.hash.low, word.hash.high, name_form,
                  name.low, name.high);
  if (form == pb::TO_NODE) {
    AddLink(label.low, first_node_ + from, first_node_ + to);
  } else {
    AddTo(from, HashNumbers(label.low, label.high, form,
                            form == pb::TO_IMMEDIATE ? to : 0));
  }
  ++edges_;
}

void GraphDigest::AddValues(const pb::Values& values) {
  if (values.owner_space() != pb::Values::OF_NODE) return;
  for (int row = 0; row < static_cast<int>(values.count()); ++row) {
    const std::uint64_t owner = At(values.owner(), row);
    const std::uint32_t form = At(values.form(), row);
    const Hash128 key = text_.Text(At(values.key(), row));
    const Hash128 label = HashNumbers(HashedSort::kValue, key.low, key.high);
    if (form == pb::V_NODE) {
      AddLink(label.low, first_node_ + owner,
              first_node_ + At(values.value(), row));
    } else {
      AddTo(owner, HashPair(label, text_.Value(form, At(values.value(), row))));
    }
  }
}

void GraphDigest::AddRoots(const pb::Roots& roots) {
  for (int row = 0; row < static_cast<int>(roots.count()); ++row) {
    const Hash128 kind =
        text_.Word(pb::Vocabulary::ROOT_KIND, At(roots.kind(), row));
    const Hash128 label = text_.Text(At(roots.label(), row));
    const Hash128 container =
        text_.Class(At(roots.container_ref(), row), false);
    AddMark(HashNumbers(HashedSort::kRoot, kind.low, kind.high,
                        At(roots.flags(), row), label.low, label.high,
                        container.low, container.high),
            At(roots.to_form(), row), At(roots.to(), row), &roots_);
  }
}

void GraphDigest::AddExternals(const pb::Externals& externals) {
  for (int row = 0; row < static_cast<int>(externals.count()); ++row) {
    const Hash128 name = text_.Text(At(externals.name(), row));
    AddMark(HashNumbers(HashedSort::kExternal, At(externals.size(), row),
                        name.low, name.high),
            At(externals.to_form(), row), At(externals.to(), row), &externals_);
  }
}

void GraphDigest::AddMark(const Hash128& label, std::uint32_t form,
                          std::uint64_t to, std::vector<Mark>* marks) const {
  marks->push_back({.label = HashNumbers(label.low, label.high, form),
                    .node = first_node_ + to,
                    .has_node = form == pb::TO_NODE});
}

void GraphDigest::AddLink(std::uint64_t label, std::uint64_t from,
                          std::uint64_t to) {
  if (from >= kMaxNodes || to >= kMaxNodes) return;
  if (links_.empty() || links_.back().size() == kBlock)
    links_.emplace_back().reserve(links_.size() > 1 ? kBlock : 0);
  links_.back().push_back({label, static_cast<std::uint32_t>(from),
                           static_cast<std::uint32_t>(to)});
}

void GraphDigest::AddTo(std::uint64_t node, const Hash128& hash) {
  const std::uint64_t at = first_node_ + node;
  if (at < signatures_.size()) signatures_[at] += hash;
}

// One step further: what a node is, and what its references lead to.
void GraphDigest::Refine() {
  // Signatures are read at random: so long before they are needed.
  constexpr std::size_t kAhead = 16;
  sums_.assign(signatures_.size(), {});
  for (const LargeVector<Link>& block : links_) {
    for (std::size_t k = 0; k < block.size(); ++k) {
      if (k + kAhead < block.size() &&
          block[k + kAhead].to < signatures_.size())
        __builtin_prefetch(&signatures_[block[k + kAhead].to]);
      const Link& link = block[k];
      if (link.to >= signatures_.size() || IsLeftOut(link.to) ||
          link.from >= sums_.size())
        continue;
      const Hash128& target = signatures_[link.to];
      sums_[link.from] += HashNumbers(link.label, target.low, target.high);
    }
  }
  for (std::size_t node = 0; node < signatures_.size(); ++node)
    signatures_[node] = HashPair(signatures_[node], sums_[node]);
}

Hash128 GraphDigest::Sum(const std::vector<Mark>& marks) const {
  Hash128 sum;
  for (const Mark& mark : marks) {
    const bool has_node = mark.has_node && mark.node < signatures_.size();
    if (has_node && IsLeftOut(mark.node)) continue;
    sum += HashPair(mark.label, has_node ? signatures_[mark.node] : Hash128());
  }
  return sum;
}

GraphIdentity GraphDigest::Finish() {
  GraphIdentity identity;
  if (signatures_.size() >= kMaxNodes) return identity;
  for (int step = 0; step < kDepth; ++step) Refine();
  const Hash128 roots = Sum(roots_);
  const Hash128 externals = Sum(externals_);
  links_.clear();
  sums_ = {};
  std::size_t node = 0;
  std::erase_if(signatures_, [&](const Hash128&) { return IsLeftOut(node++); });
  const LargeVector<Hash128> sorted = SortHashes(signatures_);

  Sha256 digest;
  ByteBuffer bytes;
  bytes.Append(kGraphVersion);
  wire::AppendVarint(sorted.size(), &bytes);
  wire::AppendVarint(edges_, &bytes);
  for (auto at = sorted.begin(); at != sorted.end();) {
    const auto end = std::find_if(
        at, sorted.end(), [at](const Hash128& other) { return other != *at; });
    const auto count = static_cast<std::uint64_t>(end - at);
    identity.ties += count - 1;
    AppendHash(*at, &bytes);
    wire::AppendVarint(count, &bytes);
    at = end;
    if (bytes.size() < kIoBuffer) continue;
    digest.Add(bytes.view());
    bytes.Clear();
  }
  AppendHash(roots, &bytes);
  AppendHash(externals, &bytes);
  digest.Add(bytes.view());
  identity.digest = digest.Finish();
  return identity;
}

}  // namespace heapglot
