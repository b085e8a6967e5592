// What a reader has found in a source and put into no chunk.
#ifndef HEAPGLOT_CORE_LOSS_READER_LOSSES_H_
#define HEAPGLOT_CORE_LOSS_READER_LOSSES_H_

#include <vector>

#include "heapglot/context.h"
#include "heapglot/format.h"

namespace heapglot {

// Adds the findings that are losses (ReaderInfo::losses) to the report.
// `keeps_source`: the output has all that makes the source's bytes again, so
// the losses are embedded.
void AddReaderLosses(const ReaderInfo& from,
                     const std::vector<Finding>& findings, bool keeps_source,
                     LossReport* report);

}  // namespace heapglot

#endif  // HEAPGLOT_CORE_LOSS_READER_LOSSES_H_
