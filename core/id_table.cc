#include "core/id_table.h"

#include <array>

#include "core/process_random.h"

namespace heapglot {

IdHash::Seed::Seed() {
  const std::array<std::uint64_t, 2> random = ProcessRandom();
  mask = random[0];
  factor = random[1] | 1;
}

}  // namespace heapglot
