#include "readers/sqlite/sqlite_render.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

#include "core/draft/draft_json.h"
#include "core/text/number.h"
#include "core/text/utf.h"
#include "readers/sqlite/sqlite_wire.h"

namespace heapglot::sqlite {
namespace {

using draft::FieldType;
using draft::RecordKind;

constexpr std::uint64_t kAll = ~std::uint64_t{0};
constexpr std::uint64_t kProgressRows = 4096;

draft::Style RenderedStyle() {
  draft::Style style;
  style.trailer = false;
  return style;
}

// The order in which rows are read; most tables have it anyway.
std::string OrderOf(const InputTable& table) {
  if (table.owner >= 0) return " ORDER BY node_identifier";
  if (table.name == kNodeTable) return " ORDER BY identifier";
  if (table.name == kStringsTable) return " ORDER BY stringid";
  return "";
}

// SQL that tests for a string that is not one of the stream: draft::OwnIds.
std::string HelperTest(std::uint64_t own_strings) {
  const std::uint64_t first = 2 * std::min(own_strings, kAll >> 3);
  return "(stringid & 1 OR stringid BETWEEN " + std::to_string(first) +
         " AND " + std::to_string(first + 7) + ")";
}

bool IsText(FieldType type) {
  return type == FieldType::kInlineString || type == FieldType::kUtf8 ||
         type == FieldType::kJson;
}

}  // namespace

RowPlaces::Place RowPlaces::Find(std::uint64_t line) const {
  if (line == 0 || line > lines_) return {};
  const auto behind = std::upper_bound(
      runs_.begin(), runs_.end(), line - 1,
      [](std::uint64_t at, const Run& run) { return at < run.first_line; });
  const Run& run = *(behind - 1);
  return {run.table, run.first_row + (line - 1 - run.first_line) + 1};
}

std::string RowPlaces::Say(std::uint64_t line) const {
  const Place place = Find(line);
  if (place.table == nullptr) return "the declarations";
  return place.table->name + " row " + std::to_string(place.row);
}

Renderer::Renderer(const ByteSource& source, Database& database,
                   DatabaseSchema& schema, Context& context, ByteSink& out)
    : source_(source),
      database_(database),
      schema_(schema),
      context_(context),
      lines_(out),
      out_(out, RenderedStyle()) {}

// --------------------------------------------------------------------- rows

Status Renderer::Open(Rows& rows, std::string_view rest) {
  std::string sql = rows.table->columns.empty() ? "SELECT NULL" : "SELECT ";
  for (const std::string& column : rows.table->columns) {
    if (&column != &rows.table->columns.front()) sql += ", ";
    sql += QuoteName(column);
  }
  sql += " FROM " + QuoteName(rows.table->name) + " NOT INDEXED";
  sql.append(rest);
  Result<Statement> statement =
      PrepareOwn(database_, sql + OrderOf(*rows.table));
  if (!statement.ok()) return statement.status();
  rows.statement = std::move(*statement);
  rows.is_open = true;
  return Next(rows);
}

// Limits the rows, as a damaged tree of pages may have the same ones
// repeatedly.
Status Renderer::Next(Rows& rows) {
  Status status;
  rows.has_row = rows.statement.Next(&status);
  if (!status.ok())
    return {status.code(), status.message(), Where::Byte(rows.table->offset)};
  ++rows.row;
  if (rows_read_ % kProgressRows == 0) {
    // The lines are about as long as the file; nobody knows their exact length.
    const std::uint64_t size = source_.bytes().size();
    HEAPGLOT_RETURN_IF_ERROR(context_.Proceed(
        "reading rows", std::min(lines_.position(), size), size));
  }
  if (++rows_read_ <= source_.bytes().size()) return {};
  return {Code::kMalformed, kForm.Say("more rows than the file has bytes"),
          Where::Byte(rows.table->offset)};
}

Status Renderer::Run() {
  for (InputTable& table : schema_.tables()) RowsOf(table).table = &table;
  for (InputTable& table : schema_.side_tables()) {
    Rows& rows = RowsOf(table);
    rows.table = &table;
    HEAPGLOT_RETURN_IF_ERROR(Open(rows, ""));
  }
  if (schema_.is_own()) HEAPGLOT_RETURN_IF_ERROR(RenderRuns());
  HEAPGLOT_RETURN_IF_ERROR(RenderRest(kMetadataTable));
  HEAPGLOT_RETURN_IF_ERROR(Declare());
  for (const InputTable& table : schema_.tables())
    HEAPGLOT_RETURN_IF_ERROR(RenderRest(table.name));
  HEAPGLOT_RETURN_IF_ERROR(SkipRestOfSides());
  return out_.EndFile(nullptr);
}

// Renders the rows that no run has taken.
Status Renderer::RenderRest(std::string_view table) {
  return Render(RowsOf(*schema_.Find(table)), kAll);
}

// Renders rows in the order in which the records were written, if it is known.
Status Renderer::RenderRuns() {
  if (!schema_.Has(kRunsTable)) return {};
  Result<Statement> runs =
      PrepareOwn(database_, "SELECT table_name, rows FROM hg_runs NOT INDEXED");
  if (!runs.ok()) return runs.status();
  Status status;
  while (runs->Next(&status)) {
    InputTable* const table = schema_.Find(runs->Bytes(0));
    if (table == nullptr) continue;
    if (table->name != kMetadataTable) HEAPGLOT_RETURN_IF_ERROR(Declare());
    const std::int64_t count = std::max<std::int64_t>(runs->Integer(1), 0);
    HEAPGLOT_RETURN_IF_ERROR(
        Render(RowsOf(*table), static_cast<std::uint64_t>(count)));
  }
  return status;
}

Status Renderer::Render(Rows& rows, std::uint64_t count) {
  if (!rows.is_open) {
    const bool has_helpers =
        schema_.is_own() && rows.table->name == kStringsTable;
    HEAPGLOT_RETURN_IF_ERROR(Open(
        rows,
        has_helpers ? " WHERE NOT " + HelperTest(schema_.own_strings()) : ""));
  }
  for (; count > 0 && rows.has_row; --count) {
    HEAPGLOT_RETURN_IF_ERROR(RenderRow(rows));
    HEAPGLOT_RETURN_IF_ERROR(out_.status());
    HEAPGLOT_RETURN_IF_ERROR(Next(rows));
  }
  return {};
}

Status Renderer::RenderRow(Rows& rows) {
  places_.Add(*rows.table);
  if (rows.table->type == nullptr) return RenderMetadata(rows);
  if (rows.table->type->kind == RecordKind::kNode) return RenderNode(rows);
  return RenderFields(rows);
}

// Writes declarations, and the texts that are not strings of the stream.
Status Renderer::Declare() {
  if (std::exchange(is_declared_, true)) return {};
  for (draft::Type& type : schema_.schema().types()) {
    places_.AddDeclaration();
    out_.Declare(type);
    for (const draft::Subtype& subtype : type.subtypes) {
      places_.AddDeclaration();
      out_.Declare(type, subtype);
    }
  }
  InputTable* const strings = schema_.Find(kStringsTable);
  if (!schema_.is_own() || strings == nullptr) return {};
  Rows helpers{.table = strings, .statement = {}};
  HEAPGLOT_RETURN_IF_ERROR(
      Open(helpers, " WHERE " + HelperTest(schema_.own_strings())));
  return Render(helpers, kAll);
}

Status Renderer::RenderMetadata(const Rows& rows) {
  const std::string_view key = rows.statement.Bytes(0);
  const std::string_view value = rows.statement.Bytes(1);
  if (ClassifyUtf8(key) == pb::UTF8 && ClassifyUtf8(value) == pb::UTF8) {
    out_.Metadata(key, value);
    return {};
  }
  // Metadata records have no other field for text that is not Unicode.
  std::string line = R"({"type":"metadata","key":")";
  draft::AppendName(key, false, &line);
  line += R"(","value":")";
  draft::AppendName(value, false, &line);
  out_.Line(line + "\"}\n");
  HEAPGLOT_RETURN_IF_ERROR(CheckUtf8(rows, "key", key));
  return CheckUtf8(rows, "value", value);
}

// -------------------------------------------------------------------- nodes

// Moves to the row of the node. Both tables are in the order of identifiers.
Status Renderer::SeekSide(Rows& side, std::int64_t node) {
  while (side.has_row && side.statement.Integer(side.table->owner) < node)
    HEAPGLOT_RETURN_IF_ERROR(SkipSideRow(side));
  return {};
}

// Skips a row that no node has. Our own files have some for those who query
// them (sqlite_fill.h).
Status Renderer::SkipSideRow(Rows& side) {
  if (!schema_.is_own()) {
    HEAPGLOT_RETURN_IF_ERROR(context_.Warn(
        "sqlite.row.unowned", Where::Byte(side.table->offset), [&] {
          const std::int64_t owner = side.statement.Integer(side.table->owner);
          const std::string node = "node " + std::to_string(owner);
          return kForm.Say(draft::Quoted(side.table->name) + " row " +
                           std::to_string(side.row) + ": " +
                           (side.last_owner == owner
                                ? node + " has a row there already"
                                : "there is no " + node +
                                      " whose type has its fields there"));
        }));
  }
  return Next(side);
}

Status Renderer::SkipRestOfSides() {
  if (schema_.is_own()) return {};
  for (InputTable& table : schema_.side_tables()) {
    Rows& side = RowsOf(table);
    while (side.has_row) HEAPGLOT_RETURN_IF_ERROR(SkipSideRow(side));
  }
  return {};
}

Status Renderer::RenderNode(const Rows& rows) {
  const draft::Layout& common = rows.table->type->layout;
  const auto column_of = [&](draft::Role role) {
    return schema_.plain_node()
        .slots[static_cast<std::size_t>(common.Slot(role))]
        .column;
  };
  const std::int64_t id =
      rows.statement.Integer(column_of(draft::Role::kIdentifier));
  const std::int64_t code =
      rows.statement.Integer(column_of(draft::Role::kSubtype));
  const NodeSubtype* const known =
      schema_.FindNodeSubtype(static_cast<std::uint64_t>(code));
  const NodeSubtype& node = known != nullptr ? *known : schema_.plain_node();
  Rows* side = nullptr;
  if (node.side != nullptr) {
    Rows& of = RowsOf(*node.side);
    HEAPGLOT_RETURN_IF_ERROR(SeekSide(of, id));
    if (of.has_row && of.statement.Integer(of.table->owner) == id) side = &of;
  }
  out_.Begin(*rows.table->type, node.subtype);
  const std::vector<draft::Field>& fields =
      node.subtype != nullptr ? node.subtype->layout.fields : common.fields;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    const NodeSlot& slot = node.slots[i];
    const Rows* const from = slot.is_side ? side : &rows;
    if (from == nullptr || slot.column < 0)
      out_.Absent();
    else
      HEAPGLOT_RETURN_IF_ERROR(Field(*from, slot.column, fields[i]));
  }
  out_.End();
  if (side == nullptr) return {};
  side->last_owner = id;
  return Next(*side);
}

// ------------------------------------------------------------------- fields

Status Renderer::RenderFields(const Rows& rows) {
  const draft::Type& type = *rows.table->type;
  out_.Begin(type, nullptr);
  std::size_t slot = 0;
  for (std::size_t i = 0; i < rows.table->fields.size(); ++i) {
    // Not a field, or a duplicate.
    if (rows.table->fields[i].name.empty()) continue;
    HEAPGLOT_RETURN_IF_ERROR(
        Field(rows, static_cast<int>(i), type.layout.fields[slot++]));
  }
  out_.End();
  return {};
}

Status Renderer::Wrong(const Rows& rows, const draft::Field& field) const {
  return {Code::kMalformed,
          kForm.Say(places_.Last() + ": the field " +
                    draft::Quoted(field.name) + " is not of its type"),
          Where::Byte(rows.table->offset)};
}

Status Renderer::Field(const Rows& rows, int column,
                       const draft::Field& field) {
  const Statement& row = rows.statement;
  const int bits = rows.table->bits;
  // Only of what SQLite has no value for.
  const bool has_bits = field.type == FieldType::kF64 && bits >= 0 &&
                        row.TypeOf(bits) == SQLITE_INTEGER &&
                        (row.IsNull(column) || row.Double(column) == 0);
  if (has_bits) {
    out_.Double(static_cast<std::uint64_t>(row.Integer(bits)));
    return {};
  }
  switch (row.TypeOf(column)) {
    case SQLITE_INTEGER:
      Number(row, column, field);
      return {};
    case SQLITE_FLOAT:
      if (field.type == FieldType::kF64) {
        out_.Double(std::bit_cast<std::uint64_t>(row.Double(column)));
      } else {
        std::string text;
        AppendDouble(row.Double(column), &text);
        // JSON has no number for it.
        const bool is_text = field.type == FieldType::kJson &&
                             !std::isfinite(row.Double(column));
        if (is_text)
          out_.Text(text);
        else
          out_.Raw(text);
      }
      return {};
    case SQLITE_TEXT:
      return Text(rows, column, field);
    case SQLITE_BLOB:
      if (field.type != FieldType::kBase64 && !IsMixed(rows, column))
        return Wrong(rows, field);
      out_.Base64(row.Bytes(column));
      return {};
    default:
      out_.Absent();
      return {};
  }
}

void Renderer::Number(const Statement& row, int column,
                      const draft::Field& field) {
  const std::int64_t value = row.Integer(column);
  const auto bits = static_cast<std::uint64_t>(value);
  switch (field.type) {
    case FieldType::kBool:
      return value >> 1 == 0 ? out_.Bool(value != 0) : out_.Int(value);
    case FieldType::kF64:
      return out_.Double(
          std::bit_cast<std::uint64_t>(static_cast<double>(value)));
    case FieldType::kValue:
      return out_.Value(bits);
    case FieldType::kId:
      return out_.Id(bits);
    case FieldType::kStringId:
      return out_.StringId(bits);
    case FieldType::kAddr:
      return out_.Hex(bits);
    case FieldType::kU64:
      return out_.Uint(bits);
    default:
      return out_.Int(value);
  }
}

// A lone surrogate is not UTF-8 either, but has a meaning.
Status Renderer::CheckUtf8(const Rows& rows, std::string_view field,
                           std::string_view text) {
  if (ClassifyWtf8(text) != pb::BYTES) return {};
  return context_.Warn(
      "sqlite.string.bytes", Where::Byte(rows.table->offset), [&] {
        return kForm.Say(places_.Last() + ": the field " +
                         draft::Quoted(field) + " is not UTF-8");
      });
}

Status Renderer::Text(const Rows& rows, int column, const draft::Field& field) {
  const std::string_view text = rows.statement.Bytes(column);
  if (text.size() > context_.limits.max_string) {
    return {Code::kLimit,
            kForm.Say(places_.Last() + ": a text of " +
                      std::to_string(text.size()) +
                      " bytes, more than --max-string allows"),
            Where::Byte(rows.table->offset)};
  }
  const bool is_mixed = IsMixed(rows, column);
  if (field.type != FieldType::kJson || is_mixed) {
    if (!IsText(field.type) && !is_mixed) return Wrong(rows, field);
    if (ClassifyUtf8(text) == pb::UTF8) {
      out_.Text(text);
      return {};
    }
    out_.ExactText(text);
    // The text of strings is checked where the lines are read.
    return field.role == draft::Role::kData ? Status()
                                            : CheckUtf8(rows, field.name, text);
  }
  draft::JsonCursor in(text, context_.limits.max_depth);
  draft::Token token;
  const bool is_json = in.Value(&token) && in.AtEnd() &&
                       text.find_first_of("\r\n") == std::string_view::npos;
  if (!is_json) return Wrong(rows, field);
  out_.Raw(text);
  return {};
}

}  // namespace heapglot::sqlite
