#include "core/loss/reader_losses.h"

namespace heapglot {

void AddReaderLosses(const ReaderInfo& from,
                     const std::vector<Finding>& findings, bool keeps_source,
                     LossReport* report) {
  for (const FidelityRow& row : from.losses) {
    for (const Finding& finding : findings) {
      if (finding.code != row.code) continue;
      report->Add(row.code, row.loss_class, finding.count, row.note);
      if (keeps_source) report->MakeGood(row.code);
    }
  }
}

}  // namespace heapglot
