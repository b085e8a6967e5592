// Changes streams so that most of them keep the grammar of chunk.proto: what a
// mutator that knows bytes only would hardly ever get right.
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

// A number below `bound`, which is not 0.
inline std::size_t Below(std::size_t bound, Random* random) {
  return (*random)() % bound;
}

// Has libFuzzer change `bytes`, with its dictionary, to at most `max_size`.
void MutateBytes(std::size_t max_size, std::string* bytes);

// Changes one thing: an entry, a column, a row, a text, a chunk or their order.
// `stream` is not empty.
void MutateStream(Random* random, Stream* stream);

// Makes `first`, counts and totals say what is there.
void RepairStream(Stream* stream);

}  // namespace heapglot::fuzz

#endif  // HEAPGLOT_TESTS_FUZZ_STREAM_MUTATION_H_
