// The output of `heapglot explain`: for a terminal, for machines, as Markdown.
#ifndef HEAPGLOT_TOOLS_EXPLAIN_PAGE_H_
#define HEAPGLOT_TOOLS_EXPLAIN_PAGE_H_

#include <optional>
#include <string>
#include <vector>

#include "heapglot/explain.h"
#include "heapglot/format.h"
#include "tools/page.h"

namespace heapglot::tool {

// What becomes of the features of `from`, grouped by class, the worst first.
// `unreachable`: as in ConvertOptions.
std::string ExplainPage(const ReaderInfo& from, const WriterInfo& to,
                        std::optional<Unreachable> unreachable,
                        const PageStyle& style);
std::string ExplainJson(const ReaderInfo& from, const WriterInfo& to,
                        std::optional<Unreachable> unreachable);

// A line per feature, and a column per target that does not keep everything.
std::string MatrixPage(const PageStyle& style);
std::string MatrixMarkdown();  // of README.md
std::string MatrixJson();

// Parts that pages and Markdown share: what `to` does with a feature, the
// targets that do not keep everything, and a sentence about the others.
FeatureFate FateOf(Feature feature, const WriterInfo& to);
std::vector<const WriterInfo*> LossyTargets();
std::string KeepersNote();

// A table per target: docs/fidelity.md.
std::string TablesMarkdown();

}  // namespace heapglot::tool

#endif  // HEAPGLOT_TOOLS_EXPLAIN_PAGE_H_
