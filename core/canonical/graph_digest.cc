#include "core/canonical/graph_digest.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <span>
#include <utility>

#include "core/bytes/fd.h"
#include "core/bytes/sha256.h"
#include "core/canonical/hash_numbers.h"
#include "core/canonical/hash_rows.h"
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

// Some bits of hashes, from the first one on: a place for each value.
struct PlaceBits {
  int skipped = 0;
  int bits = 0;

  std::size_t Of(const Hash128& hash) const {
    return bits == 0
               ? 0
               : static_cast<std::size_t>(hash.low << skipped >> (64 - bits));
  }
};

// Moves hashes to where their places are; `ends` gets where each place ends.
void Spread(std::span<const Hash128> hashes, const PlaceBits& places,
            std::vector<std::size_t>* ends, Hash128* out) {
  ends->assign(std::size_t{1} << places.bits, 0);
  for (const Hash128& hash : hashes) ++(*ends)[places.Of(hash)];
  std::size_t begin = 0;
  for (std::size_t& end : *ends) begin += std::exchange(end, begin);
  for (const Hash128& hash : hashes) out[(*ends)[places.Of(hash)]++] = hash;
}

// Sorts a few that differ, of which there may be many of one: strings of one
// length that nothing names.
void SortPlace(std::span<Hash128> hashes) {
  constexpr std::size_t kFew = 32;
  if (hashes.size() <= kFew) return std::sort(hashes.begin(), hashes.end());
  const Hash128 one = hashes[hashes.size() / 2];
  const auto same =
      std::partition(hashes.begin(), hashes.end(),
                     [&one](const Hash128& hash) { return hash < one; });
  const auto more = std::partition(
      same, hashes.end(), [&one](const Hash128& hash) { return hash == one; });
  std::sort(hashes.begin(), same);
  std::sort(more, hashes.end());
}

// Sorts hashes, which are spread evenly: by their first bits into places that
// the cache can hold, by the next ones into places of a few each, and then these.
// `spare` is as large.
void SortHashes(LargeVector<Hash128>* hashes, LargeVector<Hash128>* spare) {
  constexpr std::size_t kInPlace = 8;
  constexpr int kFirstBits = 10;
  const int bits = static_cast<int>(std::bit_width(hashes->size() / kInPlace));
  const PlaceBits first = {.bits = std::min(bits, kFirstBits)};
  const PlaceBits next = {.skipped = first.bits, .bits = bits - first.bits};
  std::vector<std::size_t> ends;
  std::vector<std::size_t> next_ends;
  Spread(*hashes, first, &ends, spare->data());
  std::size_t begin = 0;
  for (const std::size_t end : ends) {
    const std::span<Hash128> place(hashes->data() + begin, end - begin);
    Spread({spare->data() + begin, place.size()}, next, &next_ends,
           place.data());
    std::size_t at = 0;
    for (const std::size_t next_end : next_ends) {
      SortPlace(place.subspan(at, next_end - at));
      at = next_end;
    }
    begin = end;
  }
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
  // Not to be moved again and again as it grows is worth some addresses, but
  // not as many as a source may ask for.
  constexpr std::uint64_t kMostReserved = std::uint64_t{1} << 22;
  if (signatures_.empty())
    signatures_.reserve(std::min(graph.node_count(), kMostReserved));
  is_grouped_ = graph.edges_grouped();
  source_ = ~std::uint64_t{0};
  if (graph.root_ref() != 0)
    AddMark(HashNumbers(HashedSort::kTopRoot), pb::TO_NODE,
            graph.root_ref() - 1, &roots_);
}

void GraphDigest::AddNodes(const pb::Nodes& nodes) {
  const std::size_t first = signatures_.size();
  signatures_.resize(first + nodes.count());
  for (std::size_t row = 0; row < nodes.count(); row += kRows) {
    HashNodes(nodes, static_cast<int>(row),
              std::min<std::size_t>(kRows, nodes.count() - row),
              &signatures_[first + row]);
  }
  for (int row = 0; row < nodes.flags_size(); ++row) {
    if ((nodes.flags(row) & pb::NODE_SYNTHESIZED) == 0) continue;
    const std::size_t node = first + static_cast<std::size_t>(row);
    left_out_.resize(node + 1);
    left_out_[node] = true;
  }
  for (int row = 0; row < nodes.value_form_size(); ++row) {
    if (nodes.value_form(row) == pb::V_NODE)
      AddLink(HashNumbers(HashedSort::kValue).low,
              first + static_cast<std::size_t>(row),
              first_node_ + At(nodes.value(), row));
  }
}

// Ids, hash codes and traces are those of one run.
void GraphDigest::HashNodes(const pb::Nodes& nodes, int first_row,
                            std::size_t rows, Hash128* hashes) const {
  std::array<Hash128, kRows> kinds;
  std::array<Hash128, kRows> types;
  std::array<Hash128, kRows> names;
  std::array<Hash128, kRows> values;
  std::array<Hash128, kRows> spaces;
  std::array<std::uint64_t, kRows> phantoms;
  const ColumnView kind(nodes.kind());
  const ColumnView type_ref(nodes.type_ref());
  const ColumnView name(nodes.name());
  const ColumnView value_form(nodes.value_form());
  const ColumnView value(nodes.value());
  const ColumnView space_ref(nodes.heap_space_ref());
  const ColumnView flags(nodes.flags());
  for (std::size_t i = 0; i < rows; ++i) {
    const int row = first_row + static_cast<int>(i);
    kinds[i] = text_.Word(pb::Vocabulary::NODE_KIND, kind[row]);
    types[i] =
        text_.Class(type_ref[row], (flags[row] & pb::NODE_TYPE_DANGLING) != 0);
    names[i] = text_.Text(name[row]);
    values[i] = text_.Value(value_form[row], value[row]);
    spaces[i] = space_ref[row] == 0 ? Hash128()
                                    : text_.Word(pb::Vocabulary::HEAP_SPACE,
                                                 space_ref[row] - 1);
    phantoms[i] = flags[row] & pb::NODE_PHANTOM;
  }
  static constexpr std::uint64_t kNothing = 0;
  const auto numbers_of = [first_row](const auto& column) {
    return column.empty() ? SameNumber(kNothing)
                          : Numbers(column.data() + first_row);
  };
  const std::array columns = {SameNumber(text_.graph_name().low),
                              SameNumber(text_.graph_name().high),
                              LowHalves(kinds.data()),
                              HighHalves(kinds.data()),
                              LowHalves(types.data()),
                              HighHalves(types.data()),
                              LowHalves(names.data()),
                              HighHalves(names.data()),
                              LowHalves(values.data()),
                              HighHalves(values.data()),
                              LowHalves(spaces.data()),
                              HighHalves(spaces.data()),
                              numbers_of(nodes.self_size()),
                              numbers_of(nodes.value_length()),
                              numbers_of(nodes.detachedness()),
                              Numbers(phantoms.data())};
  HashRows(columns, rows, hashes);
}

struct GraphDigest::EdgeColumns {
  explicit EdgeColumns(const pb::Edges& edges)
      : kind(edges.kind()),
        name_form(edges.name_form()),
        name(edges.name()),
        to_form(edges.to_form()),
        to(edges.to()),
        flags(edges.flags()) {}

  const ColumnView<std::uint32_t> kind;
  const ColumnView<std::uint32_t> name_form;
  const ColumnView<std::uint64_t> name;
  const ColumnView<std::uint32_t> to_form;
  const ColumnView<std::uint64_t> to;
  const ColumnView<std::uint32_t> flags;
};

// References whose labels are hashed together.
struct GraphDigest::EdgeRows {
  std::size_t size = 0;
  std::array<Hash128, kRows> words;
  std::array<std::uint64_t, kRows> name_forms;
  std::array<Hash128, kRows> names;
  std::array<std::uint64_t, kRows> from;
  std::array<std::uint32_t, kRows> to_forms;
  std::array<std::uint64_t, kRows> to;
};

void GraphDigest::AddEdges(const pb::Edges& edges) {
  const EdgeColumns columns(edges);
  EdgeRows rows;
  if (!is_grouped_) {
    for (int row = 0; row < static_cast<int>(edges.count()); ++row)
      AddEdge(columns, row, At(edges.from(), row), &rows);
  }
  int row = 0;
  std::uint64_t node = edges.first_node();
  for (const std::uint32_t count : edges.edges_per_node()) {
    for (std::uint32_t i = 0; i < count; ++i)
      AddEdge(columns, row++, node, &rows);
    ++node;
  }
  HashEdges(&rows);
}

void GraphDigest::AddEdge(const EdgeColumns& columns, int row,
                          std::uint64_t from, EdgeRows* rows) {
  if (from != source_) unnamed_ = 0;
  source_ = from;
  const GraphText::EdgeWord word = text_.Edge(columns.kind[row]);
  const bool is_synthesized =
      word.is_synthesized || (columns.flags[row] & pb::EDGE_SYNTHESIZED) != 0;
  if (is_synthesized) return;
  const std::uint32_t name_form =
      columns.name_form.is_there() ? columns.name_form[row] : word.name_form;
  Hash128 name;
  if (name_form == pb::NAME_STRING) {
    name = text_.Text(columns.name[row]);
  } else if (name_form == pb::NAME_NUMBER) {
    name.low = columns.name[row];
  } else if (is_grouped_) {
    // Where an edge stands is what tells it from the others.
    name.low = unnamed_++;
  }
  const std::size_t at = rows->size++;
  rows->words[at] = word.hash;
  rows->name_forms[at] = name_form;
  rows->names[at] = name;
  rows->from[at] = from;
  rows->to_forms[at] = columns.to_form[row];
  rows->to[at] = columns.to[row];
  if (rows->size == kRows) HashEdges(rows);
}

void GraphDigest::HashEdges(EdgeRows* rows) {
  static constexpr auto kSort = static_cast<std::uint64_t>(HashedSort::kEdge);
  std::array<Hash128, kRows> labels;
  const std::array columns = {SameNumber(kSort),
                              LowHalves(rows->words.data()),
                              HighHalves(rows->words.data()),
                              Numbers(rows->name_forms.data()),
                              LowHalves(rows->names.data()),
                              HighHalves(rows->names.data())};
  HashRows(columns, rows->size, labels.data());
  for (std::size_t i = 0; i < rows->size; ++i) {
    const Hash128& label = labels[i];
    const std::uint32_t form = rows->to_forms[i];
    const std::uint64_t to = rows->to[i];
    if (form == pb::TO_NODE) {
      AddLink(label.low, first_node_ + rows->from[i], first_node_ + to);
    } else {
      AddTo(rows->from[i], HashNumbers(label.low, label.high, form,
                                       form == pb::TO_IMMEDIATE ? to : 0));
    }
  }
  edges_ += rows->size;
  rows->size = 0;
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
  if (links_.empty() || links_.back().size() == LinkBlock::kLinks) {
    const std::size_t room = links_.size() > 1 ? LinkBlock::kLinks : 0;
    LinkBlock& block = links_.emplace_back();
    block.labels.reserve(room);
    block.ends.reserve(room);
  }
  links_.back().labels.push_back(label);
  links_.back().ends.push_back(
      {static_cast<std::uint32_t>(from), static_cast<std::uint32_t>(to)});
  node_limit_ = std::max({node_limit_, from + 1, to + 1});
}

void GraphDigest::AddTo(std::uint64_t node, const Hash128& hash) {
  const std::uint64_t at = first_node_ + node;
  if (at < signatures_.size()) signatures_[at] += hash;
}

void GraphDigest::DropEmptyLinks() {
  if (left_out_.empty() && node_limit_ <= signatures_.size()) return;
  for (LinkBlock& block : links_) {
    std::size_t kept = 0;
    for (std::size_t k = 0; k < block.size(); ++k) {
      const Ends ends = block.ends[k];
      if (ends.to >= signatures_.size() || IsLeftOut(ends.to) ||
          ends.from >= signatures_.size())
        continue;
      block.labels[kept] = block.labels[k];
      block.ends[kept++] = ends;
    }
    block.labels.resize(kept);
    block.ends.resize(kept);
  }
}

// One step further: what a node is, and what its references lead to.
void GraphDigest::Refine() {
  if (signatures_.empty()) return;
  std::array<Hash128, kRows> hashes;
  for (const LinkBlock& block : links_) {
    for (std::size_t at = 0; at < block.size(); at += kRows) {
      const std::size_t rows = std::min(kRows, block.size() - at);
      const Ends* const ends = &block.ends[at];
      for (std::size_t i = 0; i < rows; ++i)
        hashes[i] = signatures_[ends[i].to];
      const std::array columns = {Numbers(&block.labels[at]),
                                  LowHalves(hashes.data()),
                                  HighHalves(hashes.data())};
      HashRows(columns, rows, hashes.data());
      for (std::size_t i = 0; i < rows; ++i) sums_[ends[i].from] += hashes[i];
    }
  }
  const std::array columns = {
      LowHalves(signatures_.data()), HighHalves(signatures_.data()),
      LowHalves(sums_.data()), HighHalves(sums_.data())};
  HashRows(columns, signatures_.size(), signatures_.data());
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
  DropEmptyLinks();
  for (int step = 0; step < kDepth; ++step) {
    sums_.assign(signatures_.size(), {});
    Refine();
  }
  const Hash128 roots = Sum(roots_);
  const Hash128 externals = Sum(externals_);
  links_.clear();
  if (!left_out_.empty()) {
    std::size_t node = 0;
    std::erase_if(signatures_,
                  [&](const Hash128&) { return IsLeftOut(node++); });
  }
  SortHashes(&signatures_, &sums_);

  Sha256 digest;
  ByteBuffer bytes;
  bytes.Append(kGraphVersion);
  wire::AppendVarint(signatures_.size(), &bytes);
  wire::AppendVarint(edges_, &bytes);
  for (auto at = signatures_.begin(); at != signatures_.end();) {
    const auto end =
        std::find_if(at, signatures_.end(),
                     [at](const Hash128& other) { return other != *at; });
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
