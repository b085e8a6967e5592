// The output of `heapglot validate`: for people, machines and code scanners.
#ifndef HEAPGLOT_TOOLS_VALIDATE_PAGE_H_
#define HEAPGLOT_TOOLS_VALIDATE_PAGE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "heapglot/validate.h"
#include "tools/page.h"

namespace heapglot::tool {

// What was found in one input.
struct ValidatedFile {
  std::string name;              // as the user gave it
  std::string_view compression;  // "none", ...; empty if it was not opened
  std::uint64_t size = 0;        // decompressed
  Validation validation;
  Status status = {};  // why it could not be read; then the rest is unknown
};

// A block per rule, the worst first. Notes are only counted, unless `notes`.
std::string ValidatePage(const ValidatedFile& file, const PageStyle& style,
                         bool notes);
std::string ValidateJson(const std::vector<ValidatedFile>& files);
// SARIF 2.1.0 (OASIS): one run, one result per place.
std::string ValidateSarif(const std::vector<ValidatedFile>& files);

// "devtools fails, vscode wrong"; empty if no reader is affected.
std::string EffectsText(const Rule& rule);

// All rules, those for any format first.
std::string RulesJson();
// The same in Markdown, as in docs/validate.md.
std::string RulesMarkdown();
// The rules of one format, or the common ones.
struct RuleSet {
  std::string_view format;  // empty: any
  std::span<const Rule> rules;
  std::span<const std::string_view> readers;
};
std::vector<RuleSet> AllRules();

}  // namespace heapglot::tool

#endif  // HEAPGLOT_TOOLS_VALIDATE_PAGE_H_
