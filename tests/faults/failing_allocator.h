// Has the n-th allocation of this program fail.
//
// Without sanitizers it is malloc(), calloc() and realloc() that fail, so the
// allocations of zlib and zstd do, too; with them, operator new.
#ifndef HEAPGLOT_TESTS_FAULTS_FAILING_ALLOCATOR_H_
#define HEAPGLOT_TESTS_FAULTS_FAILING_ALLOCATOR_H_

#include <cstdint>

namespace heapglot {

// From now on allocations are counted, and the n-th fails; the first one has
// number 1.
void FailAllocation(std::uint64_t n);

// No more of that. Whether there were `n` allocations.
bool StopFailing();

}  // namespace heapglot

#endif  // HEAPGLOT_TESTS_FAULTS_FAILING_ALLOCATOR_H_
