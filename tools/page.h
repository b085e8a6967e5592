// Text pages for people: style, lines, tables that fit the terminal.
#ifndef HEAPGLOT_TOOLS_PAGE_H_
#define HEAPGLOT_TOOLS_PAGE_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace heapglot::tool {

struct PageStyle {
  int columns = 80;
  bool color = false;
  bool unicode = true;

  // Whether there is room for more than the most important columns.
  bool is_wide() const { return columns >= 110; }
};

// Codes of "select graphic rendition" (ECMA-48).
inline constexpr std::string_view kBold = "1";
inline constexpr std::string_view kDim = "2";
inline constexpr std::string_view kRed = "31";
inline constexpr std::string_view kGreen = "32";
inline constexpr std::string_view kYellow = "33";
inline constexpr std::string_view kCyan = "36";

// `text` (valid UTF-8) in lines of at most `columns`, the first one of at most
// `first_columns`, broken at blanks; a longer word gets its own line.
std::vector<std::string> Wrap(std::string_view text, int columns,
                              int first_columns);

// A page under construction.
class PageText {
 public:
  explicit PageText(const PageStyle& style) : style_(style) {}

  const PageStyle& style() const { return style_; }

  void Add(std::string_view text) { text_ += text; }
  // Ends the line, without blanks at its end.
  void EndLine();
  void AddLine(std::string_view text);
  // "  label     value", cut to the page; nothing if there is no value.
  void AddLabelled(std::string_view label, std::string_view value);
  // Text in lines that are no wider than the page, nor than is good to read;
  // lines after the first begin at `hanging`.
  void AddWrapped(std::string_view text, int indent = kIndent,
                  int hanging = kIndent, std::string_view code = {});

  // `text` (valid UTF-8) in exactly `columns` columns.
  std::string Fit(std::string_view text, int columns) const;
  // In colour if the page has any.
  std::string Styled(std::string_view code, std::string_view text) const;
  std::string Label(std::string_view label) const;

  std::string Take() { return std::move(text_); }

  static constexpr int kIndent = 2;
  static constexpr int kLabelColumns = 10;

 private:
  PageStyle style_;
  std::string text_;
};

// A table that drops its least important columns if the page is narrow.
class PageTable {
 public:
  struct Column {
    std::string title;
    int importance = 0;    // 0: always shown; then 1, 2, ...
    bool is_text = false;  // left-aligned, and cut if necessary
    bool is_kept = false;  // even if all its cells are empty
  };

  explicit PageTable(std::vector<Column> columns)
      : columns_(std::move(columns)) {}

  // A cell for each column; numbers are ASCII, text valid UTF-8. `code` may be
  // empty.
  struct Cell {
    std::string text;
    std::string_view code;
  };
  void AddRow(std::vector<Cell> row) { rows_.push_back(std::move(row)); }

  void AppendTo(PageText& page) const;

 private:
  std::vector<int> Measure() const;
  void Shrink(std::vector<int>* widths, int room) const;

  std::vector<Column> columns_;
  std::vector<std::vector<Cell>> rows_;
};

}  // namespace heapglot::tool

#endif  // HEAPGLOT_TOOLS_PAGE_H_
