#include "readers/heapsnapshot/heapsnapshot_index_tables.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "readers/heapsnapshot/heapsnapshot_json.h"
#include "readers/heapsnapshot/heapsnapshot_trace_tree.h"

namespace heapglot::heapsnapshot {
namespace {

constexpr std::size_t kMaxTraceNodes =
    std::numeric_limits<std::uint32_t>::max();

// Whether there is nothing between the brackets. "[,]" is not empty, but wrong.
bool IsEmptyArray(std::string_view array) {
  return std::all_of(array.begin() + 1, array.end() - 1, IsSpace);
}

class TableIndexer {
 public:
  TableIndexer(BlockChecker& blocks, Index* index)
      : blocks_(blocks), index_(*index) {}

  Status Run();

 private:
  Status CheckTable(Section* section);
  Status CheckRows(const NumberCursor& in, const Section& section,
                   const std::vector<MetaField>& fields);
  Status CheckTraceTree(Section* section);

  BlockChecker& blocks_;
  Index& index_;
};

Status TableIndexer::Run() {
  for (Section& section : index_.sections.list) {
    switch (section.kind) {
      case SectionKind::kTraceFunctions:
      case SectionKind::kSamples:
      case SectionKind::kLocations:
        HEAPGLOT_RETURN_IF_ERROR(CheckTable(&section));
        break;
      default:
        break;
    }
  }
  // It refers to functions, which may come after it.
  for (Section& section : index_.sections.list) {
    if (section.kind == SectionKind::kTraceTree)
      HEAPGLOT_RETURN_IF_ERROR(CheckTraceTree(&section));
  }
  return {};
}

Status TableIndexer::CheckTable(Section* section) {
  const bool is_location = section->kind == SectionKind::kLocations;
  const bool is_function = section->kind == SectionKind::kTraceFunctions;
  const std::vector<MetaField>& fields =
      is_location   ? index_.meta.location_fields
      : is_function ? index_.meta.trace_function_fields
                    : index_.meta.sample_fields;
  std::uint64_t& rows = is_location   ? index_.location_count
                        : is_function ? index_.trace_function_count
                                      : index_.sample_count;
  if (IsEmptyArray(TextOf(blocks_.bytes(), section->value))) return {};
  if (fields.empty() || (is_location && !FindField(fields, kObjectIndex))) {
    section->kind = SectionKind::kTable;
    HEAPGLOT_RETURN_IF_ERROR(blocks_.Warn(
        "heapsnapshot.table.fields",
        "meta does not say what the numbers of " + section->name + " are",
        section->key.begin));
    return blocks_.ForEach(*section, 1, [&](const NumberCursor& in) {
      return blocks_.Check(in, *section, 1, {0});
    });
  }
  return blocks_.ForEach(
      *section, fields.size(), [&](const NumberCursor& in) -> Status {
        HEAPGLOT_RETURN_IF_ERROR(CheckRows(in, *section, fields));
        rows += in.block().size() / fields.size();
        return {};
      });
}

Status TableIndexer::CheckRows(const NumberCursor& in, const Section& section,
                               const std::vector<MetaField>& fields) {
  std::vector<std::size_t> signed_columns;
  for (std::size_t i = 0; i < fields.size(); ++i) signed_columns.push_back(i);
  HEAPGLOT_RETURN_IF_ERROR(
      blocks_.Check(in, section, fields.size(), signed_columns));
  const auto column = [&](SectionKind kind, std::string_view name) {
    return section.kind == kind ? FindField(fields, name) : std::nullopt;
  };
  for (const std::string_view name : {kName, kScriptName}) {
    const auto at = column(SectionKind::kTraceFunctions, name);
    for (std::size_t i = at.value_or(in.block().size()); i < in.block().size();
         i += fields.size()) {
      if (in.block()[i] < index_.string_count()) continue;
      return Malformed(section.name + ": " + std::string(name) + " is string " +
                           std::to_string(in.block()[i]) + " of " +
                           std::to_string(index_.string_count()),
                       in.OffsetOf(i));
    }
  }
  const auto at = column(SectionKind::kLocations, kObjectIndex);
  for (std::size_t i = at.value_or(in.block().size()); i < in.block().size();
       i += fields.size()) {
    std::uint64_t node = 0;
    if (index_.node_rows.Divide(in.block()[i], index_.node_count, &node))
      continue;
    HEAPGLOT_RETURN_IF_ERROR(blocks_.Warn(
        "heapsnapshot.location.dangling", [&] { return in.OffsetOf(i); },
        [] {
          return std::string("locations: no node begins at object_index");
        }));
  }
  return {};
}

// A tree that is not as meta says, or refers to functions that are not there,
// is kept as JSON.
Status TableIndexer::CheckTraceTree(Section* section) {
  const std::string_view text = TextOf(blocks_.bytes(), section->value);
  TraceTreeCursor in(text, index_.meta.trace_node_fields);
  Trail trail(blocks_.source(), section->value.begin);
  std::vector<std::uint32_t> open;  // nodes whose children come
  std::vector<std::uint32_t>& children = index_.trace_children;
  const auto function =
      FindField(index_.meta.trace_node_fields, kFunctionInfoIndex);
  TraceTreeCursor::Event event = in.Next();
  for (; event < TraceTreeCursor::Event::kEnd; event = in.Next()) {
    trail.Advance(section->value.begin + in.offset());
    if (event == TraceTreeCursor::Event::kClose) {
      open.pop_back();
      continue;
    }
    const bool is_known =
        !function || in.row()[*function].value < index_.trace_function_count;
    if (!is_known || children.size() == kMaxTraceNodes) break;
    if (!open.empty()) ++children[open.back()];
    open.push_back(static_cast<std::uint32_t>(children.size()));
    children.push_back(0);
  }
  if (event == TraceTreeCursor::Event::kEnd) return {};
  children.clear();
  children.shrink_to_fit();
  section->kind = SectionKind::kJson;
  return blocks_.Warn("heapsnapshot.trace_tree",
                      "trace_tree is not as meta describes it",
                      section->value.begin + in.offset());
}

}  // namespace

Status IndexTables(BlockChecker& blocks, Index* index) {
  return TableIndexer(blocks, index).Run();
}

}  // namespace heapglot::heapsnapshot
