#include "core/canonical/graph_digest.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <utility>

#include "core/bytes/fd.h"
#include "core/bytes/sha256.h"
#include "core/canonical/hash_numbers.h"
#include "core/canonical/hash_rows.h"
#include "core/canonical/sort_hashes.h"
#include "core/column.h"
#include "core/in_parts.h"
#include "core/ir/byte_buffer.h"
#include "core/ir/wire.h"

namespace heapglot {
namespace {

using Body = pb::Chunk::BodyCase;

constexpr char kGraphVersion[] = "heapglot graph 1\n";
// Comes before the numbers that are hashed, where different things could have
// equal numbers. Part of the digest.
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

// The node of each edge of a grouped table.
void ExpandCounts(const pb::Edges& edges, std::vector<std::uint64_t>* nodes) {
  // Most nodes have few edges. Writing kFew in any case avoids an unpredictable
  // branch.
  constexpr std::size_t kFew = 8;
  nodes->resize(edges.count() + kFew);
  std::uint64_t* at = nodes->data();
  std::uint64_t* const end = at + edges.count();
  std::uint64_t node = edges.first_node();
  for (const std::uint32_t count : edges.edges_per_node()) {
    const std::size_t rows =
        std::min<std::size_t>(count, static_cast<std::size_t>(end - at));
    std::fill_n(at, kFew, node);
    if (rows > kFew) std::fill_n(at + kFew, rows - kFew, node);
    at += rows;
    ++node;
  }
}

// One hash of two.
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
  // Reserving saves repeated moves as it grows. That is worth some address
  // space, but not as much as a source may claim.
  constexpr std::uint64_t kMostReserved = std::uint64_t{1} << 22;
  if (signatures_.empty())
    signatures_.reserve(std::min(graph.node_count(), kMostReserved));
  links_.Expect(graph.edge_count());
  labels_.Clear();
  is_grouped_ = graph.edges_grouped();
  source_ = ~std::uint64_t{0};
  unnamed_of_.clear();
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
      links_.Add(HashNumbers(HashedSort::kValue).low,
                 first + static_cast<std::size_t>(row),
                 first_node_ + At(nodes.value(), row));
  }
}

// Without ids, hash codes and traces, which differ from run to run.
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

// Edges that are processed together. Some of their labels must be hashed.
struct GraphDigest::EdgeRows {
  // Edges that lead to nodes. Nodes are numbered through all graphs.
  std::size_t links = 0;
  std::array<std::uint64_t, kRows> labels;
  std::array<std::uint32_t, kRows> from;
  std::array<std::uint32_t, kRows> to;

  // What the labels that are not known yet are made of.
  std::size_t unknown = 0;
  std::array<Hash128, kRows> words;
  std::array<std::uint64_t, kRows> name_forms;
  std::array<Hash128, kRows> names;
  // Where these labels belong.
  struct Use {
    LabelCache::Key key;
    std::size_t link = 0;
    std::uint32_t to_form = pb::TO_NODE;  // otherwise it is not a link
    std::uint64_t from = 0;
    std::uint64_t to = 0;
  };
  std::array<Use, kRows> uses;
};

void GraphDigest::AddEdges(const pb::Edges& edges) {
  const std::size_t count = edges.count();
  if (is_grouped_) {
    ExpandCounts(edges, &sources_);
  } else {
    sources_.assign(edges.from().begin(), edges.from().end());
  }
  sources_.resize(count);
  const EdgeColumns columns(edges);
  EdgeRows rows;
  for (std::size_t row = 0; row < count; row += kRows) {
    FillEdges(columns, row, std::min(count, row + kRows), &rows);
    HashLabels(&rows);
    links_.Add({rows.labels.data(), rows.links}, rows.from.data(),
               rows.to.data());
  }
}

std::uint32_t GraphDigest::NextUnnamed(std::uint64_t node) {
  if (node >= unnamed_of_.size()) unnamed_of_.resize(node + 1);
  return unnamed_of_[node]++;
}

void GraphDigest::FillEdges(const EdgeColumns& columns, std::size_t begin,
                            std::size_t end, EdgeRows* rows) {
  // Without branches that depend on the node of the next edge, which cannot be
  // predicted.
  std::size_t links = 0;
  std::size_t unknown = 0;
  std::uint64_t left_out = 0;
  std::uint64_t source = source_;
  std::uint64_t unnamed = unnamed_;
  for (std::size_t i = begin; i < end; ++i) {
    const int row = static_cast<int>(i);
    const std::uint64_t from = sources_[i];
    unnamed &= from == source ? ~std::uint64_t{0} : 0;
    source = from;
    const std::uint32_t kind = columns.kind[row];
    const GraphText::EdgeWord& word = text_.Edge(kind);
    if (word.is_synthesized ||
        (columns.flags[row] & pb::EDGE_SYNTHESIZED) != 0) {
      ++left_out;
      continue;
    }
    const std::uint32_t form =
        columns.name_form.is_there() ? columns.name_form[row] : word.name_form;
    std::uint64_t name = columns.name[row];
    if (form != pb::NAME_STRING && form != pb::NAME_NUMBER) {
      // Only its position tells such an edge from the others.
      name = is_grouped_ ? unnamed++ : NextUnnamed(from);
    }
    const std::uint32_t to_form = columns.to_form[row];
    const bool is_link = to_form == pb::TO_NODE;
    const std::uint64_t to = columns.to[row];
    const LabelCache::Key key = LabelCache::KeyOf(kind, form, name);
    rows->from[links] = GraphLinks::NodeOf(first_node_ + from);
    rows->to[links] = GraphLinks::NodeOf(first_node_ + to);
    if (!labels_.Find(key, &rows->labels[links]) || !is_link) {
      rows->words[unknown] = word.hash;
      rows->name_forms[unknown] = form;
      rows->names[unknown] =
          form == pb::NAME_STRING ? text_.Text(name) : Hash128{name, 0};
      rows->uses[unknown++] = {key, links, to_form, first_node_ + from, to};
    }
    links += is_link ? 1 : 0;
  }
  rows->links = links;
  rows->unknown = unknown;
  source_ = source;
  unnamed_ = unnamed;
  edges_ += end - begin - left_out;
}

void GraphDigest::HashLabels(EdgeRows* rows) {
  static constexpr auto kSort = static_cast<std::uint64_t>(HashedSort::kEdge);
  std::array<Hash128, kRows> labels;
  const std::array columns = {SameNumber(kSort),
                              LowHalves(rows->words.data()),
                              HighHalves(rows->words.data()),
                              Numbers(rows->name_forms.data()),
                              LowHalves(rows->names.data()),
                              HighHalves(rows->names.data())};
  HashRows(columns, rows->unknown, labels.data());
  for (std::size_t i = 0; i < rows->unknown; ++i) {
    const Hash128& label = labels[i];
    const EdgeRows::Use& use = rows->uses[i];
    if (use.to_form == pb::TO_NODE) {
      rows->labels[use.link] = label.low;
      labels_.Add(use.key, label.low);
    } else {
      AddTo(use.from,
            HashNumbers(label.low, label.high, use.to_form,
                        use.to_form == pb::TO_IMMEDIATE ? use.to : 0));
    }
  }
}

void GraphDigest::AddValues(const pb::Values& values) {
  if (values.owner_space() != pb::Values::OF_NODE) return;
  for (int row = 0; row < static_cast<int>(values.count()); ++row) {
    const std::uint64_t owner = At(values.owner(), row);
    const std::uint32_t form = At(values.form(), row);
    const Hash128 key = text_.Text(At(values.key(), row));
    const Hash128 label = HashNumbers(HashedSort::kValue, key.low, key.high);
    if (form == pb::V_NODE) {
      links_.Add(label.low, first_node_ + owner,
                 first_node_ + At(values.value(), row));
    } else {
      AddTo(first_node_ + owner,
            HashPair(label, text_.Value(form, At(values.value(), row))));
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

void GraphDigest::AddTo(std::uint64_t node, const Hash128& hash) {
  if (node < signatures_.size()) signatures_[node] += hash;
}

void GraphDigest::DropEmptyLinks() {
  const std::uint64_t nodes = signatures_.size();
  if (left_out_.empty() && links_.node_limit() <= nodes) return;
  links_.DropIf([this, nodes](std::uint32_t from, std::uint32_t to) {
    return from >= nodes || to >= nodes || IsLeftOut(to);
  });
}

// One step further: hashes what a node is and what its references lead to.
void GraphDigest::Refine(std::span<const Hash128> signatures, bool in_order,
                         unsigned threads, Hash128* refined) const {
  const std::size_t nodes = signatures.size();
  const auto hash_rows = [&](std::size_t first, std::size_t rows) {
    Hash128* const sums = refined + first;
    const std::array columns = {LowHalves(&signatures[first]),
                                HighHalves(&signatures[first]), LowHalves(sums),
                                HighHalves(sums)};
    HashRows(columns, rows, sums);
  };
  if (!in_order) {
    std::fill_n(refined, nodes, Hash128());
    links_.AddHashes(signatures, refined);
    for (std::size_t node = 0; node < nodes; node += kRows)
      hash_rows(node, std::min(kRows, nodes - node));
    return;
  }
  InParts(threads, (nodes + kNodesInPart - 1) / kNodesInPart,
          [&](std::size_t part) {
            const std::size_t first = part * kNodesInPart;
            const std::size_t rows = std::min(kNodesInPart, nodes - first);
            std::fill_n(refined + first, rows, Hash128());
            links_.AddHashes(static_cast<std::uint32_t>(first),
                             static_cast<std::uint32_t>(first + rows),
                             signatures, refined);
            hash_rows(first, rows);
          });
}

Hash128 GraphDigest::Sum(const std::vector<Mark>& marks,
                         std::span<const Hash128> signatures) const {
  Hash128 sum;
  for (const Mark& mark : marks) {
    const bool has_node = mark.has_node && mark.node < signatures.size();
    if (has_node && IsLeftOut(mark.node)) continue;
    sum += HashPair(mark.label, has_node ? signatures[mark.node] : Hash128());
  }
  return sum;
}

GraphIdentity GraphDigest::Finish(unsigned threads) {
  GraphIdentity identity;
  if (signatures_.size() >= GraphLinks::kMaxNodes) return identity;
  if (signatures_.size() < kFewNodes) threads = 1;
  DropEmptyLinks();
  std::vector<Hash128> sums(signatures_.size());
  std::span<Hash128> now = signatures_;
  std::span<Hash128> next = sums;
  const bool in_order = links_.AreInOrder();
  for (int step = 0; step < kDepth; ++step) {
    Refine(now, in_order, threads, next.data());
    std::swap(now, next);
  }
  const Hash128 roots = Sum(roots_, now);
  const Hash128 externals = Sum(externals_, now);
  links_.Clear();
  if (!left_out_.empty()) {
    std::size_t node = 0;
    const auto end =
        std::remove_if(now.begin(), now.end(),
                       [&](const Hash128&) { return IsLeftOut(node++); });
    now = now.first(static_cast<std::size_t>(end - now.begin()));
  }

  Sha256 digest;
  ByteBuffer bytes;
  bytes.Append(kGraphVersion);
  wire::AppendVarint(now.size(), &bytes);
  wire::AppendVarint(edges_, &bytes);
  SortHashes(now, next, threads, [&](std::span<const Hash128> sorted) {
    for (auto at = sorted.begin(); at != sorted.end();) {
      const auto end =
          std::find_if(at, sorted.end(),
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
  });
  AppendHash(roots, &bytes);
  AppendHash(externals, &bytes);
  digest.Add(bytes.view());
  identity.digest = digest.Finish();
  return identity;
}

}  // namespace heapglot
