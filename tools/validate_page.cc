#include "tools/validate_page.h"

#include <algorithm>
#include <utility>

#include "tools/text.h"

namespace heapglot::tool {
namespace {

constexpr std::size_t kMaxText = 512;
constexpr int kIndent = 4;
// Text wider than this is hard to read.
constexpr int kMaxTextColumns = 100;

constexpr std::string_view kBold = "1";
constexpr std::string_view kDim = "2";
constexpr std::string_view kRed = "1;31";
constexpr std::string_view kYellow = "33";
constexpr std::string_view kGreen = "32";

// "3 warnings", "1 error".
std::string Counted(std::uint64_t count, std::string_view what) {
  return Thousands(count) + " " + std::string(what) + (count == 1 ? "" : "s");
}

class Page {
 public:
  Page(const ValidatedFile& file, const PageStyle& style, bool notes)
      : file_(file), style_(style), notes_(notes) {}

  std::string Render() {
    AddTitle();
    for (const FindingLog::Group& group : file_.validation.log.groups()) {
      if (group.rule->severity == Severity::kNote && !notes_) continue;
      AddGroup(group);
    }
    AddVerdicts();
    AddTotals();
    return std::move(page_);
  }

 private:
  std::string Styled(std::string_view how, std::string_view text) const {
    if (!style_.color) return std::string(text);
    return "\x1b[" + std::string(how) + "m" + std::string(text) + "\x1b[0m";
  }
  static std::string_view StyleOf(Severity severity) {
    return severity == Severity::kError     ? kRed
           : severity == Severity::kWarning ? kYellow
                                            : kDim;
  }
  static std::string_view StyleOf(Outcome outcome) {
    return outcome == Outcome::kFails   ? kRed
           : outcome == Outcome::kWrong ? kYellow
                                        : kGreen;
  }

  // Adds `text` in lines of the page, the first one behind `indent` blanks and
  // the others behind `hanging`.
  void AddText(std::string_view text, int indent, int hanging,
               std::string_view how = {}) {
    const int columns = std::min(style_.columns, kMaxTextColumns);
    std::string line(static_cast<std::size_t>(indent), ' ');
    bool is_empty = true;
    const auto flush = [&] {
      page_ += how.empty() ? line : Styled(how, line);
      page_ += '\n';
      line.assign(static_cast<std::size_t>(hanging), ' ');
      is_empty = true;
    };
    for (std::string_view rest = text; !rest.empty();) {
      const std::size_t space = std::min(rest.find(' '), rest.size());
      const std::string_view word = rest.substr(0, space);
      const int width = DisplayColumns(line) + DisplayColumns(word) + 1;
      if (!is_empty && width > columns) flush();
      if (!is_empty) line += ' ';
      line += word;
      is_empty = false;
      rest.remove_prefix(std::min(space + 1, rest.size()));
    }
    if (!is_empty) flush();
  }

  void AddTitle() {
    const Validation& found = file_.validation;
    page_ += Styled(kBold, EscapeForTerminal(file_.name, kMaxText)) + "\n";
    std::string what = found.format.empty() ? "unknown format" : found.format;
    if (!found.dialect.empty()) what += " (" + found.dialect + ")";
    if (!file_.compression.empty()) what += ", " + HumanBytes(file_.size);
    if (found.is_whole) {
      what += ", " + Counted(found.nodes, "node") + ", " +
              Counted(found.edges, "edge");
    }
    AddText(what, 2, 2, kDim);
    page_ += '\n';
  }

  void AddGroup(const FindingLog::Group& group) {
    const Rule& rule = *group.rule;
    page_ += "  " +
             Styled(StyleOf(rule.severity),
                    FitLeft(ToString(rule.severity), 8, true)) +
             std::string(rule.id) + "\n";
    for (const FindingLog::Example& example : group.examples) {
      const std::string place = ToString(example.where);
      AddText((place.empty() ? "" : place + ": ") +
                  EscapeForTerminal(example.message, kMaxText),
              kIndent, kIndent + 2);
    }
    if (group.count > group.examples.size()) {
      AddText("and " + Thousands(group.count - group.examples.size()) +
                  " more of this kind",
              kIndent, kIndent);
    }
    AddText(rule.advice, kIndent, kIndent, kDim);
    AddEffects(rule);
    page_ += '\n';
  }

  void AddEffects(const Rule& rule) {
    const std::string text = EffectsText(rule);
    if (!text.empty()) AddText(text, kIndent, kIndent, kDim);
  }

  void AddVerdicts() {
    if (file_.validation.verdicts.empty()) return;
    page_ += "  opens in  ";
    std::string_view separator;
    for (const Verdict& verdict : file_.validation.verdicts) {
      page_ += std::string(separator) + std::string(verdict.reader) + " " +
               Styled(StyleOf(verdict.outcome), ToString(verdict.outcome));
      separator = ", ";
    }
    page_ += "\n";
  }

  void AddTotals() {
    const Validation& found = file_.validation;
    const std::uint64_t notes = found.Count(Severity::kNote);
    std::string text = Counted(found.Count(Severity::kError), "error") + ", " +
                       Counted(found.Count(Severity::kWarning), "warning") +
                       ", " + Counted(notes, "note");
    if (notes > 0 && !notes_) text += " (-v shows notes)";
    page_ += "  found     " + text + "\n";
  }

  const ValidatedFile& file_;
  const PageStyle& style_;
  const bool notes_;
  std::string page_;
};

}  // namespace

std::string ValidatePage(const ValidatedFile& file, const PageStyle& style,
                         bool notes) {
  return Page(file, style, notes).Render();
}

}  // namespace heapglot::tool
