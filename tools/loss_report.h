// What a conversion lost, for people (a few lines) and machines (JSON).
#ifndef HEAPGLOT_TOOLS_LOSS_REPORT_H_
#define HEAPGLOT_TOOLS_LOSS_REPORT_H_

#include <cstddef>
#include <string>
#include <string_view>

#include "heapglot/context.h"
#include "heapglot/format.h"
#include "tools/console.h"
#include "tools/flags.h"

namespace heapglot::tool {

// The class of that name; kDropped if there is none.
inline LossClass ParseLossClass(std::string_view word) {
  for (std::size_t i = 0; i < kLossClasses; ++i) {
    const auto loss_class = static_cast<LossClass>(i);
    if (ToString(loss_class) == word) return loss_class;
  }
  return LossClass::kDropped;
}

// Prints a line for each class in use, and one for what was synthesized: what
// was lost, with counts, and how many features were not. If verbose, prints
// each code with its explanation.
void PrintLosses(const LossReport& losses, const WriterInfo& to,
                 const Console& console);

// The loss report of --report: heapglot.report.v1.LossReport. Size and checksum
// are those of the decompressed content. Takes a pass over the source for the
// checksum.
std::string LossReportJson(const LossReport& losses, const OpenInput& input,
                           const WriterInfo& to);

}  // namespace heapglot::tool

#endif  // HEAPGLOT_TOOLS_LOSS_REPORT_H_
