#include "writers/heapsnapshot/heapsnapshot_edge_rows.h"

#include <algorithm>

#include "core/ir/word_count.h"

namespace heapglot::heapsnapshot {
namespace {

// The node after those of the chunk.
std::uint64_t EndNode(const pb::Edges& edges) {
  return edges.first_node() +
         static_cast<unsigned>(edges.edges_per_node_size());
}

}  // namespace

EdgeRows::EdgeRows(Layout& layout, StringNumbers& numbers, BufferedOut& out)
    : layout_(layout),
      numbers_(numbers),
      rows_(out),
      added_(layout),
      external_(numbers.Fixed("external")),
      element_(numbers.Fixed("element")) {}

void EdgeRows::AddVocabulary(const pb::Vocabulary& vocabulary) {
  if (vocabulary.space() != pb::Vocabulary::EDGE_KIND) return;
  for (int i = 0; i < WordCount(vocabulary); ++i) {
    const std::uint32_t known = At(vocabulary.known(), i);
    const std::uint32_t name_form = At(vocabulary.name_form(), i);
    kinds_.push_back({known, name_form, EdgeFormOf(known, name_form)});
  }
}

void EdgeRows::Begin() {
  rows_.Begin();
  added_.Start();
  std::vector<EdgeForm> forms;
  forms.reserve(kinds_.size());
  for (const Kind& kind : kinds_) forms.push_back(kind.form);
  plain_.Begin(forms, numbers_, layout_.Ordinal(0));
  for (const Layout::Group& group : layout_.heads()) WriteGroup(group, 0);
}

void EdgeRows::WriteGroup(const Layout::Group& group, std::uint64_t before) {
  // From 1, as V8 numbers the children of its roots.
  std::uint64_t number = before;
  layout_.ForEachTarget(group, [&](std::uint64_t target) {
    if (group.is_weak)
      Write(EdgeType::kWeak, element_, target);
    else
      Write(EdgeType::kElement, ++number, target);
  });
}

void EdgeRows::WriteAdded(std::uint64_t node) {
  if (added_.TakeRoot(node))
    WriteGroup(layout_.added_to_root(), node_ == 0 ? position_ : 0);
  added_.TakeExternals(node, [this](std::uint64_t target) {
    Write(EdgeType::kInternal, external_, target);
  });
}

void EdgeRows::Add(const pb::Edges& edges) {
  WriteAdded(edges.first_node());
  const int written = AddPlain(edges);
  const bool has_added = added_.HasBefore(EndNode(edges));
  if (written == static_cast<int>(edges.count()) && !has_added) {
    Skip(edges);
    return;
  }
  int row = 0;
  std::uint64_t node = edges.first_node();
  for (const std::uint32_t count : edges.edges_per_node()) {
    if (has_added) WriteAdded(node);
    if (node != node_) {
      node_ = node;
      position_ = 0;
    }
    const int end = row + static_cast<int>(count);
    const int skipped = std::clamp(written - row, 0, end - row);
    position_ += static_cast<std::uint64_t>(skipped);
    for (row += skipped; row < end; ++row) AddOne(edges, row);
    ++node;
  }
}

// All edges of the chunk have been written: only notes where the edges of its
// last node continue.
void EdgeRows::Skip(const pb::Edges& edges) {
  if (edges.edges_per_node().empty()) return;
  const int last = edges.edges_per_node_size() - 1;
  const std::uint64_t node = edges.first_node() + static_cast<unsigned>(last);
  if (node != node_) position_ = 0;
  node_ = node;
  position_ += edges.edges_per_node(last);
}

// Writes the edges of a chunk in the quick way, as far as they do not depend on
// their nodes. Returns how many.
int EdgeRows::AddPlain(const pb::Edges& edges) {
  const int rows = static_cast<int>(edges.count());
  if (added_.HasBefore(EndNode(edges)) || !edges.to_form().empty() ||
      edges.kind_size() != rows || edges.name_size() != rows ||
      edges.to_size() != rows || HaveOwnNameForms(edges))
    return 0;
  for (int row = 0; row < rows;) {
    const int count = std::min(RowArray<kEdgeFields>::kMaxRows, rows - row);
    if (!plain_.Fill(edges, row, count, rows_.Reserve(count))) return row;
    rows_.Commit(count);
    row += count;
  }
  return rows;
}

bool EdgeRows::HaveOwnNameForms(const pb::Edges& edges) const {
  for (int row = 0; row < edges.name_form_size(); ++row)
    if (HasOwnNameForm(edges, row)) return true;
  return false;
}

// The type of an edge says what its name is. So an edge whose name form is not
// its kind's gets another type, and with it another kind.
EdgeForm EdgeRows::FormOf(const pb::Edges& edges, int row) {
  const Kind& kind = KindOf(edges, row);
  if (!HasOwnNameForm(edges, row)) return kind.form;
  // Without a name it can keep its type: others may have the name "" as well.
  if (edges.name_form(row) == pb::NAME_NONE &&
      kind.form.name == EdgeForm::Name::kString)
    return {kind.form.type, EdgeForm::Name::kEmpty};
  const EdgeForm own = EdgeFormOf(kind.known, edges.name_form(row));
  if (own.type != kind.form.type) losses_.AddUnusualName(node_);
  return own;
}

void EdgeRows::AddOne(const pb::Edges& edges, int row) {
  const EdgeForm form = FormOf(edges, row);
  std::uint64_t name = At(edges.name(), row);
  switch (form.name) {
    case EdgeForm::Name::kString:
      name = numbers_.OfStream(name);
      break;
    case EdgeForm::Name::kNumber:
      if (name > kMaxShownIndex) losses_.AddBigIndex(node_);
      name &= kMaxShownIndex;
      break;
    case EdgeForm::Name::kFixed:
      name = element_;
      losses_.AddWeakElement(node_);
      break;
    case EdgeForm::Name::kPosition:
      name = position_;
      break;
    case EdgeForm::Name::kEmpty:
      name = numbers_.OfStream(0);
      break;
  }
  ++position_;
  const std::uint32_t to_form = At(edges.to_form(), row);
  const std::uint64_t target =
      to_form == pb::TO_NODE        ? layout_.Ordinal(At(edges.to(), row))
      : to_form == pb::TO_OMITTED   ? layout_.omitted()
      : to_form == pb::TO_IMMEDIATE ? layout_.immediate()
                                    : layout_.dangling();
  Write(form.type, name, target);
}

void EdgeRows::End(LossReport* loss) {
  WriteAdded(Externals::kNobody);
  for (const Layout::Group& group : layout_.tails()) WriteGroup(group, 0);
  rows_.End();
  losses_.Report(loss);
}

}  // namespace heapglot::heapsnapshot
