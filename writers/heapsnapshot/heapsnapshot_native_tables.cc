#include "writers/heapsnapshot/heapsnapshot_native_tables.h"

#include <algorithm>
#include <array>
#include <string>

#include "core/column.h"
#include "core/ir/node_id.h"

namespace heapglot::heapsnapshot {
namespace {

using Schema = google::protobuf::RepeatedPtrField<pb::Graph::Field>;

const Schema& SchemaOf(const pb::Graph& graph, SectionKind kind) {
  switch (kind) {
    case SectionKind::kNodes:
      return graph.node_schema();
    case SectionKind::kEdges:
      return graph.edge_schema();
    case SectionKind::kTraceFunctions:
      return graph.trace_function_schema();
    case SectionKind::kSamples:
      return graph.sample_schema();
    default:
      return graph.location_schema();
  }
}

// Instead of the offset of a node, if there is no node. DevTools takes it for
// 1, where no node begins either.
constexpr std::uint64_t kNoNode = ~std::uint64_t{0};

}  // namespace

// Those that the reader reads as signed, and the index of an element.
std::vector<bool> NativeTables::Signs(SectionKind kind) const {
  std::vector<bool> signs;
  for (const pb::Graph::Field& field : SchemaOf(survey_.graph(), kind)) {
    const std::string& name = field.name();
    const bool is_unsigned =
        kind == SectionKind::kNodes
            ? name == kType || name == kName || name == kId ||
                  name == kSelfSize || name == kEdgeCount ||
                  name == kTraceNodeId || name == kDetachedness
        : kind == SectionKind::kEdges     ? name == kType || name == kToNode
        : kind == SectionKind::kLocations ? name == kObjectIndex
                                          : false;
    signs.push_back(!is_unsigned);
  }
  return signs;
}

void NativeTables::Fill(const pb::Nodes& nodes, RowBlock* block) {
  const Schema& schema = survey_.graph().node_schema();
  block->Reset(nodes.count(), static_cast<std::size_t>(schema.size()));
  for (int i = 0; i < schema.size(); ++i) {
    const auto at = static_cast<std::size_t>(i);
    const std::string& field = schema[i].name();
    if (field == kType) {
      block->Fill(at, nodes.kind(), [this](std::uint32_t kind) {
        return survey_.NodeCode(kind);
      });
    } else if (field == kName) {
      block->Fill(at, nodes.name(), [this](std::uint64_t string) {
        return survey_.StringNumber(string);
      });
    } else if (field == kId) {
      int row = 0;
      if (!nodes.id().empty())
        block->Fill(at, nodes.id());
      else
        block->FillAll(at, [&] { return NodeIdAt(nodes, row++); });
    } else if (field == kSelfSize) {
      block->Fill(at, nodes.self_size());
    } else if (field == kEdgeCount) {
      block->Fill(at, nodes.edge_count());
    } else if (field == kTraceNodeId) {
      block->Fill(at, nodes.trace_node());
    } else if (field == kDetachedness) {
      block->Fill(at, nodes.detachedness());
    } else {
      FillExtra(at, schema[i], nodes.extra(), block);
    }
  }
}

void NativeTables::Fill(const pb::Edges& edges, RowBlock* block) {
  const Schema& schema = survey_.graph().edge_schema();
  block->Reset(edges.count(), static_cast<std::size_t>(schema.size()));
  for (int i = 0; i < schema.size(); ++i) {
    const auto at = static_cast<std::size_t>(i);
    const std::string& field = schema[i].name();
    if (field == kType) {
      block->Fill(at, edges.kind(), [this](std::uint32_t kind) {
        return survey_.EdgeCode(kind);
      });
    } else if (field == kNameOrIndex) {
      FillNames(at, edges, block);
    } else if (field == kToNode) {
      FillTargets(at, edges.to(), edges.to_form(), block);
    } else {
      FillExtra(at, schema[i], edges.extra(), block);
    }
  }
}

void NativeTables::FillNames(std::size_t at, const pb::Edges& edges,
                             RowBlock* block) {
  if (edges.name_form().empty() && !edges.kind().empty() &&
      FillUsualNames(at, edges, block))
    return;
  int row = 0;
  block->Fill(at, edges.name(), [&](std::uint64_t name) {
    const std::uint32_t form = edges.name_form().empty()
                                   ? survey_.EdgeNameForm(At(edges.kind(), row))
                                   : edges.name_form(row);
    ++row;
    return form == pb::NAME_STRING ? survey_.StringNumber(name) : name;
  });
}

// The same if all names that are strings are the file's own; false if they are
// not. Without a branch, since it is unpredictable which names are strings.
bool NativeTables::FillUsualNames(std::size_t at, const pb::Edges& edges,
                                  RowBlock* block) const {
  // By kind; the last one is for all further kinds.
  std::array<std::uint64_t, 64> strings_before = {};
  constexpr std::uint32_t kLast = strings_before.size() - 1;
  if (survey_.edge_kinds() > kLast) return false;
  for (std::uint32_t kind = 0; kind < kLast; ++kind) {
    if (survey_.EdgeNameForm(kind) == pb::NAME_STRING)
      strings_before[kind] = survey_.first_string();
  }
  const std::uint32_t* kind = edges.kind().data();
  bool are_usual = true;
  block->Fill(at, edges.name(), [&](std::uint64_t name) {
    const std::uint64_t before = strings_before[std::min(*kind++, kLast)];
    are_usual &= name >= before;
    return name - before;
  });
  return are_usual;
}

void NativeTables::FillTargets(std::size_t at, const Targets& targets,
                               const Forms& forms, RowBlock* block) {
  int row = 0;
  if (forms.empty()) {
    block->Fill(at, targets,
                [width = NodeWidth()](std::uint64_t to) { return to * width; });
  } else {
    block->Fill(at, targets,
                [&](std::uint64_t to) { return Offset(forms[row++], to); });
  }
}

void NativeTables::Fill(const pb::Locations& rows, RowBlock* block) {
  const Schema& schema = survey_.graph().location_schema();
  block->Reset(rows.count(), static_cast<std::size_t>(schema.size()));
  for (int i = 0; i < schema.size(); ++i) {
    const auto at = static_cast<std::size_t>(i);
    const std::string& field = schema[i].name();
    if (field == kObjectIndex) {
      FillTargets(at, rows.to(), rows.to_form(), block);
    } else if (field == kScriptId) {
      block->Fill(at, rows.script_id());
    } else if (field == kLine) {
      block->Fill(at, rows.line());
    } else if (field == kColumn) {
      block->Fill(at, rows.column());
    } else {
      FillExtra(at, schema[i], rows.extra(), block);
    }
  }
}

void NativeTables::Fill(const pb::TraceFunctions& rows, RowBlock* block) {
  const Schema& schema = survey_.graph().trace_function_schema();
  block->Reset(rows.count(), static_cast<std::size_t>(schema.size()));
  const auto string = [this](std::uint64_t index) {
    return survey_.StringNumber(index);
  };
  const auto place = [](std::int64_t number) {
    return number == -1 ? kNoLine : static_cast<std::uint64_t>(number);
  };
  for (int i = 0; i < schema.size(); ++i) {
    const auto at = static_cast<std::size_t>(i);
    const std::string& field = schema[i].name();
    if (field == kFunctionId) {
      block->Fill(at, rows.function_id());
    } else if (field == kName) {
      block->Fill(at, rows.name(), string);
    } else if (field == kScriptName) {
      block->Fill(at, rows.script_name(), string);
    } else if (field == kScriptId) {
      block->Fill(at, rows.script_id());
    } else if (field == kLine) {
      block->Fill(at, rows.line(), place);
    } else if (field == kColumn) {
      block->Fill(at, rows.column(), place);
    } else {
      FillExtra(at, schema[i], rows.extra(), block);
    }
  }
}

std::size_t NativeTables::Fill(const pb::TraceNodes& rows, RowBlock* block) {
  const Schema& schema = survey_.graph().trace_node_schema();
  const int width = schema.size() - 1;
  // The children come last, or the reader would have kept the tree as JSON.
  if (width < 1 || schema[width].name() != kChildren) return 0;
  block->Reset(rows.count(), static_cast<std::size_t>(width));
  for (int i = 0; i < width; ++i) {
    const auto at = static_cast<std::size_t>(i);
    const std::string& field = schema[i].name();
    if (field == kId) {
      block->Fill(at, rows.id());
    } else if (field == kFunctionInfoIndex) {
      block->Fill(at, rows.function_index());
    } else if (field == kCount) {
      block->Fill(at, rows.alloc_count());
    } else if (field == kSize) {
      block->Fill(at, rows.alloc_size());
    } else {
      FillExtra(at, schema[i], rows.extra(), block);
    }
  }
  return static_cast<std::size_t>(width);
}

void NativeTables::Fill(const pb::Samples& rows, RowBlock* block) {
  const Schema& schema = survey_.graph().sample_schema();
  block->Reset(rows.count(), static_cast<std::size_t>(schema.size()));
  for (int i = 0; i < schema.size(); ++i) {
    const auto at = static_cast<std::size_t>(i);
    const std::string& field = schema[i].name();
    if (field == kTimestamp) {
      block->Fill(at, rows.timestamp_us());
    } else if (field == kLastAssignedId) {
      block->Fill(at, rows.last_assigned_id());
    } else {
      FillExtra(at, schema[i], rows.extra(), block);
    }
  }
}

void NativeTables::Fill(const pb::ExtraTable& table, RowBlock* block) {
  block->Reset(table.count(), static_cast<std::size_t>(table.column_size()));
  for (int i = 0; i < table.column_size(); ++i)
    FillExtra(static_cast<std::size_t>(i), table.column(i), block);
}

void NativeTables::FillExtra(std::size_t at, const pb::Graph::Field& field,
                             const ExtraColumns& extra, RowBlock* block) {
  for (const pb::ExtraColumn& column : extra)
    if (column.name() == field.name()) return FillExtra(at, column, block);
  pb::ExtraColumn none;
  none.set_type(field.type());
  FillExtra(at, none, block);
}

void NativeTables::FillExtra(std::size_t at, const pb::ExtraColumn& column,
                             RowBlock* block) {
  const bool is_node = column.type() == kNodeType;
  const auto& refs = is_node ? column.node_refs() : column.strings();
  if (!is_node && column.type() != kStringType)
    return block->Fill(at, column.ints());
  int row = 0;
  block->FillAll(at, [&] {
    const std::uint64_t ref = At(refs, row);
    const std::int64_t number = At(column.ints(), row++);
    if (ref == 0 && number != 0) return static_cast<std::uint64_t>(number);
    if (!is_node) return survey_.StringNumber(ref);
    return ref == 0 ? kNoNode : Offset(pb::TO_NODE, ref - 1);
  });
}

}  // namespace heapglot::heapsnapshot
