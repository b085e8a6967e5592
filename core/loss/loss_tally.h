// One loss, counted with its first examples.
#ifndef HEAPGLOT_CORE_LOSS_LOSS_TALLY_H_
#define HEAPGLOT_CORE_LOSS_LOSS_TALLY_H_

#include <cstdint>
#include <vector>

#include "heapglot/context.h"

namespace heapglot {

// For LossReport::Add(). Memory: five numbers.
struct LossTally {
  std::uint64_t count = 0;
  std::vector<std::uint64_t> examples;  // indices of nodes

  // Counts `cases` at this node. If the same node follows at once, it is one
  // example.
  void Add(std::uint64_t node, std::uint64_t cases = 1) {
    count += cases;
    if (examples.size() < LossReport::kExamples &&
        (examples.empty() || examples.back() != node))
      examples.push_back(node);
  }
};

}  // namespace heapglot

#endif  // HEAPGLOT_CORE_LOSS_LOSS_TALLY_H_
