// Numbers that whoever makes a file cannot know.
#ifndef HEAPGLOT_CORE_PROCESS_RANDOM_H_
#define HEAPGLOT_CORE_PROCESS_RANDOM_H_

#include <array>
#include <cstdint>

namespace heapglot {

// Two random numbers, the same for the whole process, different in the next
// one. For seeds: nobody can choose keys that collide when hashed with them.
std::array<std::uint64_t, 2> ProcessRandom();

}  // namespace heapglot

#endif  // HEAPGLOT_CORE_PROCESS_RANDOM_H_
