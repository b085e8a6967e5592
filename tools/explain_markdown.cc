// The tables of README.md and docs/fidelity.md.
#include <algorithm>
#include <string>
#include <vector>

#include "heapglot/explain.h"
#include "tools/explain_page.h"

namespace heapglot::tool {
namespace {

// One sign per class, so that the matrix fits into README.md.
std::string_view SignOf(LossClass loss_class) {
  switch (loss_class) {
    case LossClass::kExact:
      return "=";
    case LossClass::kEquivalent:
      return "≈";
    case LossClass::kEmbedded:
      return "e";
    case LossClass::kApproximated:
      return "a";
    case LossClass::kDropped:
      break;
  }
  return "–";
}

std::string FateCell(const FeatureFate& fate) {
  std::string cell(SignOf(fate.usual()));
  if (fate.worst() > fate.usual())
    cell.append(" (").append(SignOf(fate.worst())).append(")");
  return cell;
}

// "| a | b |"
std::string TableRow(const std::vector<std::string>& cells) {
  std::string row = "|";
  for (const std::string& cell : cells) row += " " + cell + " |";
  return row + "\n";
}

std::string TableRule(std::size_t columns) {
  std::string row = "|";
  for (std::size_t i = 0; i < columns; ++i) row += "---|";
  return row + "\n";
}

std::string InCode(std::string_view text) {
  return "`" + std::string(text) + "`";
}

// The formats other than `to` whose dumps may have a feature.
std::string SourcesOf(Feature feature, const WriterInfo& to) {
  std::string names;
  for (const ReaderInfo* from : Readers()) {
    if (from->name == to.name || !from->produces.Has(feature)) continue;
    names += (names.empty() ? "" : ", ") + std::string(from->name);
  }
  return names;
}

std::string TableOf(const WriterInfo& to) {
  const PairFidelity pair = Explain(to);
  std::string text = "\n## To " + std::string(to.name) + "\n\n";
  text += TableRow({"feature", "class", "what happens", "code", "from"});
  text += TableRule(5);
  for (const FeatureFate& fate : pair.features) {
    bool is_first = true;
    for (const FidelityRow& row : fate.rows) {
      text += TableRow({is_first ? std::string(Title(fate.feature)) : "",
                        std::string(ToString(row.loss_class)),
                        std::string(row.note), InCode(row.code),
                        is_first ? SourcesOf(fate.feature, to) : ""});
      is_first = false;
    }
  }
  if (pair.synthesized.empty()) return text;
  text += "\nMade up, if the source has none:\n\n";
  text += TableRow({"what", "code"}) + TableRule(2);
  for (const SynthesizedRow& row : pair.synthesized)
    text += TableRow({std::string(row.note), InCode(row.code)});
  return text;
}

std::string TableOfReaders() {
  std::string text =
      "\n## Left behind by readers\n\nWhatever the target. It is embedded "
      "where the output can restore the bytes of the source: in heapir, and in "
      "leftovers.\n\n";
  text += TableRow({"from", "class", "what happens", "code"}) + TableRule(4);
  for (const ReaderInfo* const from : Readers()) {
    for (const FidelityRow& row : from->losses) {
      text += TableRow({std::string(from->name),
                        std::string(ToString(row.loss_class)),
                        std::string(row.note), InCode(row.code)});
    }
  }
  return text;
}

}  // namespace

std::string MatrixMarkdown() {
  const std::vector<const WriterInfo*> targets = LossyTargets();
  std::vector<std::string> header = {"feature", "what it is"};
  for (const WriterInfo* to : targets) header.push_back(InCode(to->name));
  std::string text = TableRow(header) + TableRule(header.size());
  for (std::size_t i = 0; i < kFeatures; ++i) {
    const auto feature = static_cast<Feature>(i);
    std::vector<std::string> cells = {InCode(Key(feature)),
                                      std::string(Title(feature))};
    for (const WriterInfo* to : targets)
      cells.push_back(FateCell(FateOf(feature, *to)));
    text += TableRow(cells);
  }
  return text +
         "\n= exact, ≈ equivalent (expressed differently), e embedded (only "
         "heapglot reads it back), a approximated, – dropped; in brackets: the "
         "worst special case.\n" +
         KeepersNote() + "\n";
}

std::string TablesMarkdown() {
  std::string text =
      "# What gets lost\n\nMade by `heapglot explain --tables` from what the "
      "formats declare (`writers/*/*_losses.h`); tests check every conversion "
      "of the corpus against it.\nThe first line of a feature is the rule, the "
      "others are special cases. `from`: the formats whose dumps may have "
      "it.\n" +
      KeepersNote() + "\n";
  for (const WriterInfo* to : LossyTargets()) text += TableOf(*to);
  return text + TableOfReaders();
}

}  // namespace heapglot::tool
