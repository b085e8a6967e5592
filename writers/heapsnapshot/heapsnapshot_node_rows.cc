#include "writers/heapsnapshot/heapsnapshot_node_rows.h"

#include <algorithm>
#include <span>

#include "core/column.h"
#include "core/ir/node_id.h"

namespace heapglot::heapsnapshot {
namespace {

// Whether a node may have a value that is not its name. Not if nodes have no
// values, or if the values are the names, as in V8's dumps.
bool HasOtherValues(const pb::Nodes& nodes) {
  const std::span names = SpanOf(nodes.name());
  const std::span values = SpanOf(nodes.value());
  const std::span forms = SpanOf(nodes.value_form());
  if (forms.empty()) return false;
  if (names.empty() || values.empty()) return true;
  unsigned has = 0;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const bool is_name = IsText(forms[i]) && values[i] == names[i];
    has |= unsigned{forms[i] != pb::V_NONE} &
           (unsigned{!is_name} | unsigned{names[i] == 0});
  }
  return has != 0;
}

// Whether all nodes have names.
bool AreNamed(const pb::Nodes& nodes) {
  bool has_none = nodes.name().empty();
  for (const std::uint64_t name : nodes.name()) has_none |= name == 0;
  return !has_none;
}

}  // namespace

void NodeRows::Begin(const Stream& stream) {
  stream_ = stream;
  rows_.Begin();
  WriteGroups(layout_.heads(), 0);
  added_edges_.Start();
}

void NodeRows::WriteGroups(const std::vector<Layout::Group>& groups,
                           std::uint64_t first_ordinal) {
  std::uint64_t ordinal = first_ordinal;
  for (const Layout::Group& group : groups) {
    Write({.type = NodeType::kSynthetic,
           .name = group.name,
           .id = layout_.SynthesizedId(ordinal++),
           .self_size = 0,
           .edge_count = group.size()});
  }
}

Status NodeRows::Add(const pb::Strings& strings) {
  made_budget_.Add(strings.data().size());
  // After the last node they are not needed. In V8's dumps, that may be all of
  // them.
  if (seen_ < stream_.nodes) window_.Add(strings);
  return window_.status();
}

Status NodeRows::Add(const pb::Nodes& chunk) {
  const NodeColumns nodes(chunk);
  const Ids ids = IdsOf(nodes);
  const int rows = static_cast<int>(chunk.count());
  const bool has_values = HasOtherValues(chunk);
  const bool may_hide = has_values && !chunk.name().empty();
  const bool is_plain =
      !may_hide && AreNamed(chunk) &&
      !added_edges_.HasBefore(nodes.first + static_cast<unsigned>(rows));
  if (is_plain)
    AddNamed(nodes, ids, rows);
  else
    AddAny(nodes, ids, rows, may_hide);
  if (has_values) CountValues(nodes, rows);
  if (stream_.has_traces) losses_.AddTraces(nodes, rows);
  losses_.Add(nodes, rows,
              !layout_.keeps_ids() && HasNodeIds(stream_.id_space, chunk));
  seen_ += chunk.count();
  window_.Clear();
  return window_.status();
}

NodeRows::Ids NodeRows::IdsOf(const NodeColumns& nodes) const {
  const bool keeps = layout_.keeps_ids();
  const bool has_column = keeps && nodes.id.is_there();
  return {.column_mask = has_column ? ~std::uint64_t{0} : 0,
          .factor = keeps ? 1U : 2U,
          .shift = keeps ? 0U : 1U};
}

// Writes nodes one by one. `may_hide`: some may be shown by their text instead
// of their name.
void NodeRows::AddAny(const NodeColumns& nodes, const Ids& ids, int rows,
                      bool may_hide) {
  const std::uint64_t trace_mask = TraceMask();
  const bool has_added =
      added_edges_.HasBefore(nodes.first + static_cast<unsigned>(rows));
  for (int row = 0; row < rows; ++row) {
    const std::uint64_t index = nodes.first + static_cast<std::uint64_t>(row);
    std::uint64_t edges = nodes.edge_count[row];
    if (has_added && added_edges_.HasBefore(index + 1))
      edges += added_edges_.Take(index);
    const bool hides = may_hide && names_.HidesName(nodes, row);
    if (hides) [[unlikely]]
      losses_.AddName(index);
    const NodeName name =
        hides ? names_.NameOfText(nodes, row) : names_.Name(nodes, row);
    if (name.is_changed) [[unlikely]]
      losses_.AddChangedType(index);
    Write({.type = name.type,
           .name = NumberOf(name, nodes, row),
           .id = ids.Of(nodes.id[row], index),
           .self_size = nodes.self_size[row],
           .edge_count = edges,
           .trace_node = nodes.trace_node[row] & trace_mask,
           .detachedness = nodes.detachedness[row]});
  }
}

// The number of the string of a node's name, which may be made now.
std::uint64_t NodeRows::NumberOf(const NodeName& name, const NodeColumns& nodes,
                                 int row) {
  if (!name.is_made()) return name.number;
  if (name.made == NodeName::Made::kInteger)
    return strings_.AddMade(nodes.value_form[row], nodes.value[row]);
  made_text_.clear();
  if (names_.AppendMade(nodes, row, window_, made_budget_, &made_text_))
    losses_.AddCutName(nodes.first + static_cast<unsigned>(row));
  return strings_.AddMade(made_text_);
}

// Writes, column by column, nodes that have names, which are not hidden, and no
// added edges.
void NodeRows::AddNamed(const NodeColumns& nodes, const Ids& ids, int rows) {
  constexpr int kFields = kNodeFields;
  for (int row = 0; row < rows;) {
    const int count = std::min(RowArray<kNodeFields>::kMaxRows, rows - row);
    std::uint64_t* const block = rows_.Reserve(count);
    const auto fill = [&](int field, auto number_of) {
      for (int i = 0; i < count; ++i)
        block[i * kFields + field] = number_of(row + i);
    };
    const std::uint64_t first = nodes.first;
    fill(0, [&](int at) {
      return static_cast<std::uint64_t>(names_.TypeOfNode(nodes, at));
    });
    fill(1, [&, shift = numbers_.OfStream(1) - 1](int at) {
      return shift + nodes.name[at];
    });
    fill(2, [&](int at) {
      return ids.Of(nodes.id[at], first + static_cast<unsigned>(at));
    });
    fill(3, [&](int at) { return nodes.self_size[at]; });
    fill(4, [&](int at) { return nodes.edge_count[at]; });
    fill(5, [&, mask = TraceMask()](int at) {
      return nodes.trace_node[at] & mask;
    });
    fill(6, [&](int at) { return nodes.detachedness[at]; });
    rows_.Commit(count);
    row += count;
  }
}

void NodeRows::CountValues(const NodeColumns& nodes, int rows) {
  for (int row = 0; row < rows; ++row) {
    const std::uint32_t form = nodes.value_form[row];
    if (form == pb::V_NONE) continue;
    const std::uint64_t index = nodes.first + static_cast<std::uint64_t>(row);
    if (names_.ShowsValue(nodes, row)) [[likely]]
      losses_.AddShown(form, nodes.value[row], index);
    else
      losses_.AddUnshown(form, index);
    if (names_.HidesType(nodes, row)) losses_.AddUnshownType(index);
  }
}

void NodeRows::End(LossReport* loss) {
  std::uint64_t ordinal = layout_.ExternalOrdinal(0);
  for (std::uint64_t i = 0; i < layout_.externals().size(); ++i) {
    const Externals::Piece external = layout_.externals().PieceAt(i);
    losses_.AddExternal(external.size);
    Write({.type = NodeType::kNative,
           .name = external.name,
           .id = layout_.SynthesizedId(ordinal++),
           .self_size = external.size,
           .edge_count = 0});
  }
  WriteGroups(layout_.tails(), ordinal);
  rows_.End();
  losses_.Report(loss);
}

}  // namespace heapglot::heapsnapshot
