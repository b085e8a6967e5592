#include "writers/netcf/netcf_losses.h"

namespace heapglot::netcf {

void Losses::Report(LossReport& report) const {
  for (std::size_t i = 0; i < kLosses; ++i)
    report.Add(kFidelity[i].code, kFidelity[i].loss_class, tallies_[i].count,
               kFidelity[i].note, tallies_[i].examples);
}

}  // namespace heapglot::netcf
