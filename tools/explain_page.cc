#include "tools/explain_page.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "heapglot/explain.h"
#include "tools/json.h"
#include "tools/text.h"

namespace heapglot::tool {
namespace {

// Readable on black and on white.
std::string_view ColorOf(LossClass loss_class) {
  switch (loss_class) {
    case LossClass::kExact:
    case LossClass::kEquivalent:
      return kGreen;
    case LossClass::kEmbedded:
      return kCyan;
    case LossClass::kApproximated:
      return kYellow;
    case LossClass::kDropped:
      break;
  }
  return kRed;
}

// The code without the target's name, which is elsewhere on the page.
std::string_view ShortCode(std::string_view code, std::string_view target) {
  if (code.starts_with(target)) code.remove_prefix(target.size() + 1);
  return code;
}

// As convert has it for --unreachable.
std::string_view WordOf(Unreachable unreachable) {
  switch (unreachable) {
    case Unreachable::kRoot:
      return "root";
    case Unreachable::kDrop:
      return "drop";
    case Unreachable::kKeep:
      break;
  }
  return "keep";
}

struct Line {
  std::string code;
  std::string title;
  std::string note;
};

class ExplainPageText : private PageText {
 public:
  using PageText::PageText;

  std::string Explain(const ReaderInfo& from, const WriterInfo& to,
                      std::optional<Unreachable> unreachable) {
    const PairFidelity pair = heapglot::Explain(from, to, unreachable);
    std::string title = std::string(from.name) + " to " + std::string(to.name);
    if (unreachable)
      title.append(", --unreachable ").append(WordOf(*unreachable));
    AddLine(Styled(kBold, title));
    if (pair.native && pair.unreachable == Unreachable::kKeep) {
      AddWrapped("A dump that returns to its own format stays as it is.");
      if (to.native_needs_layout) {
        AddWrapped(
            "One that has lost its layout, because it comes out of an archive "
            "or without its garbage, is converted as --from " +
            std::string(IrWriter().name) + " shows.");
      }
    }
    AddLeftovers(pair.leftovers);
    SetWidths(pair, to);
    for (int i = kLossClasses - 1; i >= 0; --i) {
      AddClass(pair, to, static_cast<LossClass>(i));
    }
    AddSynthesized(pair, to);
    return Take();
  }

  std::string Matrix() {
    AddLine(Styled(kBold, "What becomes of each feature, by target"));
    EndLine();
    const std::vector<const WriterInfo*> targets = LossyTargets();
    const auto count = static_cast<int>(targets.size());
    const bool wide = style().columns >= 2 + kKey + kTitle + count * kWideCell;
    cell_ = wide ? kWideCell
                 : std::clamp((style().columns - 2 - kKey) / count, kLeastCell,
                              kCell);
    std::string header = "  " + FitLeft("feature", kKey, true);
    if (wide) header += FitLeft("what it is", kTitle, true);
    for (const WriterInfo* to : targets)
      header += FitLeft(to->name, cell_ - 1, style().unicode) + ' ';
    AddLine(Styled(kDim, header));
    for (std::size_t i = 0; i < kFeatures; ++i) {
      AddMatrixRow(static_cast<Feature>(i), targets, wide);
    }
    EndLine();
    AddWrapped(
        "In brackets: the worst special case; --from and --to show them all. " +
        KeepersNote());
    return Take();
  }

 private:
  // The lines of this class; each feature and each special case is one.
  static std::vector<Line> LinesOf(const PairFidelity& pair,
                                   const WriterInfo& to, LossClass loss_class) {
    std::vector<Line> lines;
    for (const FeatureFate& fate : pair.features) {
      for (const FidelityRow& row : fate.rows) {
        if (row.loss_class != loss_class) continue;
        lines.push_back({std::string(ShortCode(row.code, to.name)),
                         std::string(Title(fate.feature)),
                         std::string(row.note)});
      }
    }
    return lines;
  }

  // What the lists below do not show.
  void AddLeftovers(LeftoversPlace place) {
    if (place == LeftoversPlace::kEmbedded) {
      AddWrapped(
          "What is dropped or approximated is embedded as well, so that "
          "heapglot can restore it. The lists show what other programs get, "
          "and heapglot with --embed none.");
    } else if (place == LeftoversPlace::kSidecar) {
      AddWrapped(
          "There is no room to embed what is dropped or approximated. With "
          "--sidecar FILE, it is written to FILE, so that heapglot can restore "
          "it.");
    }
  }

  void SetWidths(const PairFidelity& pair, const WriterInfo& to) {
    const auto widen = [this](const Line& line) {
      code_ = std::max(code_, static_cast<int>(line.code.size()) + 2);
      title_ = std::max(title_, static_cast<int>(line.title.size()) + 2);
    };
    for (std::size_t i = 0; i < kLossClasses; ++i) {
      for (const Line& line : LinesOf(pair, to, static_cast<LossClass>(i)))
        widen(line);
    }
    for (const SynthesizedRow& row : pair.synthesized) {
      code_ = std::max(
          code_, static_cast<int>(ShortCode(row.code, to.name).size()) + 2);
    }
    if (!style().is_wide()) title_ = 0;
  }

  void AddClass(const PairFidelity& pair, const WriterInfo& to,
                LossClass loss_class) {
    const std::vector<Line> lines = LinesOf(pair, to, loss_class);
    if (lines.empty()) return;
    EndLine();
    AddLine(Styled(ColorOf(loss_class), ToString(loss_class)));
    for (const Line& line : lines) AddRow(line);
  }

  void AddSynthesized(const PairFidelity& pair, const WriterInfo& to) {
    if (pair.synthesized.empty()) return;
    EndLine();
    AddLine(Styled(kBold, "synthesized") + ", if the source has none");
    for (const SynthesizedRow& row : pair.synthesized) {
      AddRow({std::string(ShortCode(row.code, to.name)),
              {},
              std::string(row.note)});
    }
  }

  void AddRow(const Line& line) {
    const int indent = kIndent + code_ + title_;
    Add("  " + FitLeft(line.code, code_, style().unicode));
    if (title_ > 0)
      Add(Styled(kDim, FitLeft(line.title, title_, style().unicode)));
    const int room = style().columns - indent;
    bool is_first = true;
    for (const std::string& text : Wrap(line.note, room, room)) {
      if (!is_first) Add(std::string(static_cast<std::size_t>(indent), ' '));
      is_first = false;
      AddLine(text);
    }
  }

  void AddMatrixRow(Feature feature,
                    const std::vector<const WriterInfo*>& targets, bool wide) {
    Add("  " + FitLeft(Key(feature), kKey, style().unicode));
    if (wide)
      Add(Styled(kDim, FitLeft(Title(feature), kTitle, style().unicode)));
    for (const WriterInfo* to : targets) {
      const FeatureFate fate = FateOf(feature, *to);
      const std::string_view word = Word(fate.usual(), wide);
      std::string rest;
      if (fate.worst() > fate.usual()) {
        rest.append(" (").append(ToString(fate.worst()).substr(0, 1));
        rest += ")";
      }
      Add(Styled(ColorOf(fate.usual()), word) +
          FitLeft(rest, cell_ - static_cast<int>(word.size()), true));
    }
    EndLine();
  }

  std::string_view Word(LossClass loss_class, bool wide) const {
    if (cell_ < kCell && loss_class == LossClass::kEmbedded) return "embed.";
    if (cell_ < kCell && loss_class == LossClass::kApproximated) return "appr.";
    if (!wide && loss_class == LossClass::kEquivalent) return "equiv.";
    if (!wide && loss_class == LossClass::kApproximated) return "approx.";
    return ToString(loss_class);
  }

  static constexpr int kKey = 20;
  static constexpr int kTitle = 38;
  static constexpr int kCell = 13;       // "embedded (d)"
  static constexpr int kWideCell = 18;   // "approximated (d)"
  static constexpr int kLeastCell = 11;  // "equiv. (d)"

  int cell_ = 0;
  int code_ = 0;
  int title_ = 0;  // 0: no such column
};

void AddFate(const FeatureFate& fate, Json& json) {
  json.BeginObject();
  json.Add("feature", Key(fate.feature));
  json.Add("title", Title(fate.feature));
  json.Add("class", ToString(fate.usual()));
  json.Add("worst", ToString(fate.worst()));
  json.Key("cases");
  json.BeginArray();
  for (const FidelityRow& row : fate.rows) {
    json.BeginObject();
    json.Add("code", row.code);
    json.Add("class", ToString(row.loss_class));
    json.Add("detail", row.note);
    json.EndObject();
  }
  json.EndArray();
  json.EndObject();
}

void AddPair(const PairFidelity& pair, Json& json) {
  LossClass worst = LossClass::kExact;
  json.Key("features");
  json.BeginArray();
  for (const FeatureFate& fate : pair.features) {
    AddFate(fate, json);
    worst = std::max(worst, fate.worst());
  }
  json.EndArray();
  json.Key("synthesized");
  json.BeginArray();
  for (const SynthesizedRow& row : pair.synthesized) {
    json.BeginObject();
    json.Add("code", row.code);
    json.Add("detail", row.note);
    json.EndObject();
  }
  json.EndArray();
  json.Add("worst", ToString(worst));
}

}  // namespace

FeatureFate FateOf(Feature feature, const WriterInfo& to) {
  PairFidelity all = Explain(to);
  return std::move(all.features[static_cast<std::size_t>(feature)]);
}

std::vector<const WriterInfo*> LossyTargets() {
  std::vector<const WriterInfo*> targets;
  for (const WriterInfo* to : Writers()) {
    const PairFidelity pair = Explain(*to);
    if (std::any_of(pair.features.begin(), pair.features.end(),
                    [](const FeatureFate& fate) {
                      return fate.worst() > LossClass::kExact;
                    })) {
      targets.push_back(to);
    }
  }
  return targets;
}

std::string KeepersNote() {
  const std::vector<const WriterInfo*> lossy = LossyTargets();
  std::vector<std::string_view> keepers;
  for (const WriterInfo* to : Writers()) {
    if (std::find(lossy.begin(), lossy.end(), to) == lossy.end())
      keepers.push_back(to->name);
  }
  const std::string names = Enumerate(keepers, "and");
  std::string note = (names.empty() ? "A" : names + " keeps everything. A") +
                     " dump that returns to its own format stays as it is";
  std::vector<std::string_view> by_layout;
  for (const WriterInfo* to : Writers()) {
    if (to->native_needs_layout) by_layout.push_back(to->name);
  }
  if (!by_layout.empty()) {
    note += " (in " + Enumerate(by_layout, "and") +
            ", not if it comes out of an archive or without its garbage)";
  }
  return note + ".";
}

std::string ExplainPage(const ReaderInfo& from, const WriterInfo& to,
                        std::optional<Unreachable> unreachable,
                        const PageStyle& style) {
  return ExplainPageText(style).Explain(from, to, unreachable);
}

std::string MatrixPage(const PageStyle& style) {
  return ExplainPageText(style).Matrix();
}

std::string ExplainJson(const ReaderInfo& from, const WriterInfo& to,
                        std::optional<Unreachable> unreachable) {
  const PairFidelity pair = Explain(from, to, unreachable);
  Json json;
  json.BeginObject();
  json.Add("from", from.name);
  json.Add("to", to.name);
  json.AddBool("native", pair.native);
  json.Add("leftovers", ToString(pair.leftovers));
  json.Add("unreachable", WordOf(pair.unreachable));
  AddPair(pair, json);
  json.EndObject();
  return json.Take();
}

std::string MatrixJson() {
  Json json;
  json.BeginObject();
  json.Key("targets");
  json.BeginArray();
  for (const WriterInfo* to : Writers()) {
    json.BeginObject();
    json.Add("to", to->name);
    AddPair(Explain(*to), json);
    json.EndObject();
  }
  json.EndArray();
  json.EndObject();
  return json.Take();
}

}  // namespace heapglot::tool
