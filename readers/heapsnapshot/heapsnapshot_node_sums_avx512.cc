#include "core/text/vector_cpu.h"
#include "core/text/vector_intrinsics.h"
#include "readers/heapsnapshot/heapsnapshot_eight_rows.h"
#include "readers/heapsnapshot/heapsnapshot_node_sums.h"

#ifdef HEAPGLOT_X86_KERNELS

#include <algorithm>

namespace heapglot::heapsnapshot::internal {
namespace {

HEAPGLOT_AVX512 inline __m512i OneMoreWhereAny(__m512i counts,
                                               __m512i numbers) {
  return _mm512_mask_add_epi64(counts, _mm512_test_epi64_mask(numbers, numbers),
                               counts, _mm512_set1_epi64(1));
}

HEAPGLOT_AVX512 inline std::uint64_t SumOf(__m512i numbers) {
  return static_cast<std::uint64_t>(_mm512_reduce_add_epi64(numbers));
}

HEAPGLOT_AVX512 inline std::uint64_t MaxOf(__m512i numbers) {
  return _mm512_reduce_max_epu64(numbers);
}

}  // namespace

HEAPGLOT_AVX512 NodeRowSums SumNodeRowsAvx512(
    const NodeColumns& columns, std::span<const std::uint64_t> rows,
    const NodeRowSums& sums) {
  const std::size_t width = columns.width;
  if (width > kEight) return SumNodeRowsPlain(columns, rows, sums);
  const __m512i none = _mm512_setzero_si512();
  // By place; the last one is for absent columns.
  __m512i eight[kEight + 1] = {none, none, none, none, none,
                               none, none, none, none};
  const auto place_of = [](std::size_t column) {
    return std::min(column, kEight);
  };
  const std::size_t size_at = place_of(columns.self_size);
  const std::size_t trace_at = place_of(columns.trace_node);
  const std::size_t detachedness_at = place_of(columns.detachedness);
  __m512i max_type = none;
  __m512i max_name = none;
  __m512i max_id = none;
  __m512i edge_sum = none;
  __m512i size_sum = none;
  __m512i bits = none;
  __m512i with_size = none;
  __m512i with_trace = none;
  __m512i with_detachedness = none;
  std::size_t at = 0;
  for (; HasEightRows(rows, width, at); at += kEight * width) {
    LoadEightRows(&rows[at], width, eight);
    max_type = _mm512_max_epu64(max_type, eight[columns.type]);
    max_name = _mm512_max_epu64(max_name, eight[columns.name]);
    max_id = _mm512_max_epu64(max_id, eight[columns.id]);
    const __m512i edges = eight[columns.edge_count];
    const __m512i sizes = eight[size_at];
    edge_sum = _mm512_add_epi64(edge_sum, edges);
    size_sum = _mm512_add_epi64(size_sum, sizes);
    bits = _mm512_or_si512(bits, _mm512_or_si512(edges, sizes));
    with_size = OneMoreWhereAny(with_size, sizes);
    with_trace = OneMoreWhereAny(with_trace, eight[trace_at]);
    with_detachedness =
        OneMoreWhereAny(with_detachedness, eight[detachedness_at]);
  }
  NodeRowSums own = sums;
  own.max_type = std::max(own.max_type, MaxOf(max_type));
  own.max_name = std::max(own.max_name, MaxOf(max_name));
  own.max_id = std::max(own.max_id, MaxOf(max_id));
  own.edges += SumOf(edge_sum);
  own.sizes += SumOf(size_sum);
  own.bits |= static_cast<std::uint64_t>(_mm512_reduce_or_epi64(bits));
  own.with_size += SumOf(with_size);
  own.with_trace += SumOf(with_trace);
  own.with_detachedness += SumOf(with_detachedness);
  return SumNodeRowsPlain(columns, rows.subspan(at), own);
}

}  // namespace heapglot::heapsnapshot::internal

#endif  // HEAPGLOT_X86_KERNELS
