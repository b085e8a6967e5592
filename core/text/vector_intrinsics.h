// Intel's intrinsics, for code that is compiled for a processor that has them
// (core/text/vector_cpu.h).
#ifndef HEAPGLOT_CORE_TEXT_VECTOR_INTRINSICS_H_
#define HEAPGLOT_CORE_TEXT_VECTOR_INTRINSICS_H_

#if defined(__x86_64__)

// GCC 12 warns about values that its own intrinsics leave uninitialized (bug
// 105593).
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#pragma GCC diagnostic ignored "-Wuninitialized"
#endif

#include <immintrin.h>

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic pop
#endif

#endif

#endif  // HEAPGLOT_CORE_TEXT_VECTOR_INTRINSICS_H_
