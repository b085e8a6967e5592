// Makes the n-th allocation of this program fail.
//
// Without sanitizers, malloc(), calloc() and realloc() fail, and so do the
// allocations of zlib and zstd; with sanitizers, only operator new fails.
#ifndef HEAPGLOT_TESTS_FAULTS_FAILING_ALLOCATOR_H_
#define HEAPGLOT_TESTS_FAULTS_FAILING_ALLOCATOR_H_

#include <cstdint>

namespace heapglot {

// Starts to count allocations, and makes the n-th fail; the first has number 1.
void FailAllocation(std::uint64_t n);

// Stops that. Returns whether there were `n` allocations.
bool StopFailing();

}  // namespace heapglot

#endif  // HEAPGLOT_TESTS_FAULTS_FAILING_ALLOCATOR_H_
