// Changes streams so that most of them keep the grammar of chunk.proto, which a
// mutator of bytes would hardly ever achieve.
#ifndef HEAPGLOT_TESTS_FUZZ_STREAM_MUTATION_H_
#define HEAPGLOT_TESTS_FUZZ_STREAM_MUTATION_H_

#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "heapglot/stream.h"

namespace heapglot::fuzz {

using Random = std::minstd_rand;
using Stream = std::vector<pb::Chunk>;

// A random number below `bound`, which must not be 0.
inline std::size_t Below(std::size_t bound, Random* random) {
  return (*random)() % bound;
}

// Lets libFuzzer change `bytes`, with its dictionary. They grow to at most
// `max_size`, or not at all if they are larger already.
void MutateBytes(std::size_t max_size, std::string* bytes);

// Changes one thing: an entry, a column, a row, a text, a chunk or the order of
// chunks. `stream` must not be empty.
void MutateStream(Random* random, Stream* stream);

// Makes `first`, counts and totals match the stream.
void RepairStream(Stream* stream);

}  // namespace heapglot::fuzz

#endif  // HEAPGLOT_TESTS_FUZZ_STREAM_MUTATION_H_
