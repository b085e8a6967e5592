// A number that who makes a file cannot know.
#ifndef HEAPGLOT_CORE_PROCESS_RANDOM_H_
#define HEAPGLOT_CORE_PROCESS_RANDOM_H_

#include <array>
#include <cstdint>

namespace heapglot {

// Two of them, the same for as long as the process lasts, and others in the next
// one. For seeds: what is hashed with them is not chosen so that it collides.
std::array<std::uint64_t, 2> ProcessRandom();

}  // namespace heapglot

#endif  // HEAPGLOT_CORE_PROCESS_RANDOM_H_
