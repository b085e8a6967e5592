#include "tools/validate_page.h"

#include <algorithm>
#include <utility>

#include "tools/text.h"

namespace heapglot::tool {
namespace {

constexpr std::size_t kMaxText = 512;
constexpr int kDeep = 4;

// "3 warnings", "1 error".
std::string Counted(std::uint64_t count, std::string_view what) {
  return Thousands(count) + " " + std::string(what) + (count == 1 ? "" : "s");
}

class ValidatePageText : private PageText {
 public:
  ValidatePageText(const ValidatedFile& file, const PageStyle& style,
                   bool notes)
      : PageText(style), file_(file), notes_(notes) {}

  std::string Render() {
    AddTitle();
    for (const FindingLog::Group& group : file_.validation.log.groups()) {
      if (group.rule->severity == Severity::kNote && !notes_) continue;
      AddGroup(group);
    }
    AddVerdicts();
    AddTotals();
    return Take();
  }

 private:
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

  void AddTitle() {
    const Validation& found = file_.validation;
    AddLine(Styled(kBold, EscapeForTerminal(file_.name, kMaxText)));
    std::string what = found.format.empty() ? "unknown format" : found.format;
    if (!found.dialect.empty()) what += " (" + found.dialect + ")";
    if (!file_.compression.empty()) what += ", " + HumanBytes(file_.size);
    if (found.is_whole) {
      what += ", " + Counted(found.nodes, "node") + ", " +
              Counted(found.edges, "edge");
    }
    AddWrapped(what, 2, 2, kDim);
    EndLine();
  }

  void AddGroup(const FindingLog::Group& group) {
    const Rule& rule = *group.rule;
    AddLine("  " +
            Styled(StyleOf(rule.severity),
                   FitLeft(ToString(rule.severity), 8, true)) +
            std::string(rule.id));
    for (const FindingLog::Example& example : group.examples) {
      const std::string place = ToString(example.where);
      AddWrapped((place.empty() ? "" : place + ": ") +
                     EscapeForTerminal(example.message, kMaxText),
                 kDeep, kDeep + 2);
    }
    if (group.count > group.examples.size()) {
      AddWrapped("and " + Thousands(group.count - group.examples.size()) +
                     " more of this kind",
                 kDeep, kDeep);
    }
    AddWrapped(rule.advice, kDeep, kDeep, kDim);
    AddEffects(rule);
    EndLine();
  }

  void AddEffects(const Rule& rule) {
    const std::string text = EffectsText(rule);
    if (!text.empty()) AddWrapped(text, kDeep, kDeep, kDim);
  }

  void AddVerdicts() {
    if (file_.validation.verdicts.empty()) return;
    Add("  opens in  ");
    std::string_view separator;
    for (const Verdict& verdict : file_.validation.verdicts) {
      Add(std::string(separator) + std::string(verdict.reader) + " " +
          Styled(StyleOf(verdict.outcome), ToString(verdict.outcome)));
      separator = ", ";
    }
    EndLine();
  }

  void AddTotals() {
    const Validation& found = file_.validation;
    const std::uint64_t notes = found.Count(Severity::kNote);
    std::string text = Counted(found.Count(Severity::kError), "error") + ", " +
                       Counted(found.Count(Severity::kWarning), "warning") +
                       ", " + Counted(notes, "note");
    if (notes > 0 && !notes_) text += " (-v shows notes)";
    AddLine("  found     " + text);
  }

  const ValidatedFile& file_;
  const bool notes_;
};

}  // namespace

std::string ValidatePage(const ValidatedFile& file, const PageStyle& style,
                         bool notes) {
  return ValidatePageText(file, style, notes).Render();
}

}  // namespace heapglot::tool
