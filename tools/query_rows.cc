#include "tools/query_rows.h"

#include <cmath>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "core/bytes/sha256.h"
#include "core/text/number.h"
#include "core/text/utf.h"
#include "tools/json.h"

namespace heapglot::tool {
namespace {

// Bytes that are printed at once.
constexpr std::size_t kPiece = std::size_t{64} << 10;
// Bytes of a cell in a table; more do not fit any terminal.
constexpr std::size_t kMaxCell = 400;

// The value as text; empty for NULL.
std::string TextOf(const sqlite::Statement& row, int column) {
  std::string text;
  switch (row.TypeOf(column)) {
    case SQLITE_INTEGER:
      return std::to_string(row.Integer(column));
    case SQLITE_FLOAT:
      AppendDouble(row.Double(column), &text);
      return text;
    case SQLITE_TEXT:
      AppendPlainUtf8(row.Bytes(column), &text);
      return text;
    case SQLITE_BLOB:
      return Hex(row.Bytes(column));
    default:
      return text;
  }
}

void AppendCsvCell(std::string_view text, std::string* out) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) {
    out->append(text);
    return;
  }
  out->push_back('"');
  for (const char letter : text) {
    if (letter == '"') out->push_back('"');
    out->push_back(letter);
  }
  out->push_back('"');
}

void AppendJsonCell(const sqlite::Statement& row, int column, Json* json) {
  switch (row.TypeOf(column)) {
    case SQLITE_INTEGER:
      return json->Signed(row.Integer(column));
    case SQLITE_FLOAT:
      // JSON has no such numbers, and null would be no value.
      if (std::isinf(row.Double(column)))
        return json->String(TextOf(row, column));
      return json->Double(row.Double(column));
    case SQLITE_NULL:
      return json->Null();
    default:
      return json->String(TextOf(row, column));
  }
}

// Collects text, and prints it in pieces.
class Printer {
 public:
  Printer(const Console& console, int* exit_code)
      : console_(console), exit_code_(exit_code) {}

  std::string& text() { return text_; }
  // False if nobody reads it.
  bool Flush(std::size_t least) {
    if (text_.size() < least || text_.empty()) return true;
    *exit_code_ = console_.Print(text_);
    text_.clear();
    return *exit_code_ == 0;
  }

 private:
  const Console& console_;
  int* exit_code_;
  std::string text_;
};

Status PrintCsv(sqlite::Statement& statement, Printer& printer) {
  const int columns = statement.columns();
  for (int i = 0; i < columns; ++i) {
    if (i != 0) printer.text() += ',';
    AppendCsvCell(statement.ColumnName(i), &printer.text());
  }
  printer.text() += '\n';
  Status status;
  while (statement.Next(&status)) {
    for (int i = 0; i < columns; ++i) {
      if (i != 0) printer.text() += ',';
      AppendCsvCell(TextOf(statement, i), &printer.text());
    }
    printer.text() += '\n';
    if (!printer.Flush(kPiece)) break;
  }
  printer.Flush(0);
  return status;
}

Status PrintJson(sqlite::Statement& statement, Printer& printer) {
  const int columns = statement.columns();
  printer.text() = "[";
  Status status;
  bool is_first = true;
  while (statement.Next(&status)) {
    Json json(Json::Layout::kOneLine);
    json.BeginObject();
    for (int i = 0; i < columns; ++i) {
      json.Key(statement.ColumnName(i));
      AppendJsonCell(statement, i, &json);
    }
    json.EndObject();
    printer.text() += is_first ? "\n" : ",\n";
    is_first = false;
    std::string line = json.Take();
    line.pop_back();
    printer.text() += line;
    if (!printer.Flush(kPiece)) return status;
  }
  // Incomplete output must not be valid JSON.
  if (status.ok()) printer.text() += "\n]\n";
  printer.Flush(0);
  return status;
}

Status PrintTable(sqlite::Statement& statement, const PageStyle& style,
                  Printer& printer) {
  const int columns = statement.columns();
  std::vector<bool> is_text(static_cast<std::size_t>(columns));
  std::vector<std::vector<PageTable::Cell>> rows;
  Status status;
  while (statement.Next(&status)) {
    std::vector<PageTable::Cell>& row = rows.emplace_back();
    row.reserve(static_cast<std::size_t>(columns));
    for (int i = 0; i < columns; ++i) {
      const int type = statement.TypeOf(i);
      if (type == SQLITE_TEXT || type == SQLITE_BLOB)
        is_text[static_cast<std::size_t>(i)] = true;
      row.push_back({EscapeForTerminal(TextOf(statement, i), kMaxCell), {}});
    }
  }
  HEAPGLOT_RETURN_IF_ERROR(status);
  std::vector<PageTable::Column> titles;
  titles.reserve(static_cast<std::size_t>(columns));
  for (int i = 0; i < columns; ++i) {
    titles.push_back({.title = EscapeForTerminal(statement.ColumnName(i)),
                      .is_text = is_text[static_cast<std::size_t>(i)],
                      .is_kept = true});
  }
  PageTable table(std::move(titles));
  for (auto& row : rows) table.AddRow(std::move(row));
  PageText page(style);
  table.AppendTo(page);
  printer.text() = page.Take();
  printer.Flush(0);
  return {};
}

}  // namespace

Status PrintRows(sqlite::Statement& statement, RowsForm form,
                 const PageStyle& style, const Console& console,
                 int* exit_code) {
  Printer printer(console, exit_code);
  switch (form) {
    case RowsForm::kCsv:
      return PrintCsv(statement, printer);
    case RowsForm::kJson:
      return PrintJson(statement, printer);
    default:
      return PrintTable(statement, style, printer);
  }
}

}  // namespace heapglot::tool
