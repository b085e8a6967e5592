#include "writers/netcf/netcf_losses.h"

namespace heapglot::netcf {
void Losses::Report(LossReport& report) const {
  for (std::size_t i = 0; i < kLosses; ++i)
    report.Add(kFidelity[i].code, kFidelity[i].loss_class, counts_[i],
               kFidelity[i].note);
}

}  // namespace heapglot::netcf
