#include "tools/page.h"

#include <algorithm>
#include <numeric>

#include "heapglot/status.h"
#include "tools/text.h"

namespace heapglot::tool {
namespace {

// Blanks between columns.
constexpr int kGap = 2;
// Text is not cut to less than this.
constexpr int kLeastText = 16;
// Wider prose is hard to read.
constexpr int kMaxTextColumns = 100;

}  // namespace

std::vector<std::string> Wrap(std::string_view text, int columns,
                              int first_columns) {
  std::vector<std::string> lines;
  int used = 0;
  while (!text.empty()) {
    const std::string_view word = text.substr(0, text.find(' '));
    text.remove_prefix(std::min(word.size() + 1, text.size()));
    const int width = DisplayColumns(word);
    const int room = lines.size() <= 1 ? first_columns : columns;
    if (lines.empty() || (used > 0 && used + 1 + width > room)) {
      lines.emplace_back(word);
      used = width;
      continue;
    }
    lines.back().append(" ").append(word);
    used += 1 + width;
  }
  return lines;
}

void PageText::EndLine() {
  while (text_.ends_with(' ')) text_.pop_back();
  text_ += '\n';
}

std::string PageText::Label(std::string_view label) const {
  return std::string(kIndent, ' ') +
         Styled(kDim, FitLeft(label, kLabelColumns, true));
}

void PageText::AddLabelled(std::string_view label, std::string_view value) {
  if (value.empty()) return;
  const std::string clean = EscapeForTerminal(value, 1000);
  const int room = style_.columns - kLabelColumns - kIndent;
  text_ += Label(label) + Fit(clean, std::max(room, 10));
  EndLine();
}

void PageText::AddLine(std::string_view text) {
  text_ += text;
  EndLine();
}

void PageText::AddWrapped(std::string_view text, int indent, int hanging,
                          std::string_view code) {
  const int columns = std::min(style_.columns, kMaxTextColumns);
  for (const std::string& line :
       Wrap(text, columns - hanging, columns - indent)) {
    text_.append(static_cast<std::size_t>(indent), ' ');
    AddLine(Styled(code, line));
    indent = hanging;
  }
}

std::string PageText::Fit(std::string_view text, int columns) const {
  return FitLeft(text, columns, style_.unicode);
}

std::string PageText::Styled(std::string_view code,
                             std::string_view text) const {
  if (!style_.color || text.empty() || code.empty()) return std::string(text);
  return "\033[" + std::string(code) + "m" + std::string(text) + "\033[0m";
}

// As wide as the widest cell; 0 if all are empty and the column is not kept.
std::vector<int> PageTable::Measure() const {
  std::vector<int> widths(columns_.size());
  for (const std::vector<Cell>& row : rows_) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      widths[i] = std::max(widths[i], DisplayColumns(row[i].text));
    }
  }
  for (std::size_t i = 0; i < widths.size(); ++i) {
    if (widths[i] == 0 && !columns_[i].is_kept) continue;
    widths[i] = std::max(widths[i], DisplayColumns(columns_[i].title));
  }
  return widths;
}

// Removes columns (sets their width to 0) until the rest fits with its texts
// cut, then cuts the texts.
void PageTable::Shrink(std::vector<int>* widths, int room) const {
  const auto used = [&](bool cut) {
    int sum = PageText::kIndent - kGap;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      const int width = (*widths)[i];
      if (width == 0) continue;
      sum += kGap +
             (cut && columns_[i].is_text ? std::min(width, kLeastText) : width);
    }
    return sum;
  };
  int least_important = 0;
  for (const Column& column : columns_) {
    least_important = std::max(least_important, column.importance);
  }
  for (; least_important > 0 && used(true) > room; --least_important) {
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      if (columns_[i].importance == least_important) (*widths)[i] = 0;
    }
  }
  // Cut the widest text first, a column at a time.
  while (used(false) > room) {
    int* widest = nullptr;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      int& width = (*widths)[i];
      if (!columns_[i].is_text || width <= kLeastText) continue;
      if (widest == nullptr || width > *widest) widest = &width;
    }
    if (widest == nullptr) return;
    --*widest;
  }
}

void PageTable::AppendTo(PageText& page) const {
  std::vector<int> widths = Measure();
  Shrink(&widths, page.style().columns);
  // Blanks at the end are not styled, so that EndLine() finds them.
  const auto cell = [&](std::size_t i, std::string_view text,
                        std::string_view code) {
    if (!columns_[i].is_text)
      return page.Styled(code, PadLeft(text, widths[i]));
    const std::string fit = page.Fit(text, widths[i]);
    const std::size_t end = fit.find_last_not_of(' ') + 1;
    return page.Styled(code, fit.substr(0, end)) + fit.substr(end);
  };
  const auto line = [&](const auto& text_of) {
    std::string gap(PageText::kIndent, ' ');
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      if (widths[i] == 0) continue;
      page.Add(gap + text_of(i));
      gap.assign(kGap, ' ');
    }
    page.EndLine();
  };
  line([&](std::size_t i) { return cell(i, columns_[i].title, kDim); });
  for (const std::vector<Cell>& row : rows_) {
    line([&](std::size_t i) { return cell(i, row[i].text, row[i].code); });
  }
}

}  // namespace heapglot::tool
