// Eight rows of three numbers at a time, which are three registers: a column of
// them becomes one.
#include "core/text/vector_cpu.h"
#include "core/text/vector_intrinsics.h"
#include "readers/heapsnapshot/heapsnapshot_edge_rows_ways.h"

#ifdef HEAPGLOT_X86_KERNELS

#include <algorithm>
#include <array>

namespace heapglot::heapsnapshot::internal {
namespace {

constexpr std::size_t kLanes = 8;
constexpr std::size_t kWidth = 3;  // of a row

// What V8 writes, of types that fit into a register.
bool IsUsual(const EdgeRowRules& rules) {
  const EdgeColumns& columns = rules.columns;
  return columns.width == kWidth && columns.type == 0 && columns.name == 1 &&
         columns.to == 2 && rules.types.size() <= kLanes;
}

HEAPGLOT_AVX512 inline __m512i Same(std::uint64_t number) {
  return _mm512_set1_epi64(static_cast<long long>(number));
}

// Where the numbers of column kColumn are: of the first two registers, which
// have those of the first rows, and of the third one, for the other rows.
template <std::size_t kColumn>
struct Gather {
  static constexpr std::size_t kFirst =
      (2 * kLanes - kColumn + kWidth - 1) / kWidth;  // rows of the first two
  static constexpr auto kOrder = [] {
    std::array<std::uint64_t, kLanes> order = {};
    for (std::size_t row = 0; row < kLanes; ++row) {
      const std::size_t at = row * kWidth + kColumn;
      order[row] = row < kFirst ? at : at - 2 * kLanes;
    }
    return order;
  }();

  HEAPGLOT_AVX512 static inline __m512i Column(const __m512i* numbers) {
    constexpr auto kRest = static_cast<__mmask8>(0xff << kFirst);
    const __m512i order = _mm512_loadu_si512(kOrder.data());
    return _mm512_mask_permutexvar_epi64(
        _mm512_permutex2var_epi64(numbers[0], order, numbers[1]), kRest, order,
        numbers[2]);
  }
};

}  // namespace

HEAPGLOT_AVX512 bool CheckEdgeRowsAvx512(const EdgeRowRules& rules,
                                         std::span<const std::uint64_t> rows,
                                         EdgeRowSums* sums) {
  if (!IsUsual(rules)) return CheckEdgeRowsPlain(rules, rows, sums);
  std::array<std::uint64_t, kLanes> masks = {};
  std::array<std::uint64_t, kLanes> counts = {};
  for (std::size_t type = 0; type < rules.types.size(); ++type) {
    masks[type] = rules.types[type].name_mask;
    counts[type] = rules.types[type].counted;
  }
  const __m512i name_masks = _mm512_loadu_si512(masks.data());
  const __m512i type_counts = _mm512_loadu_si512(counts.data());
  const __m512i types = Same(rules.types.size());
  const __m512i nodes = Same(rules.nodes);
  const __m512i inverse = Same(rules.node_rows.inverse());
  const __m512i shift =
      Same(static_cast<std::uint64_t>(rules.node_rows.shift()));
  __m512i counted = _mm512_setzero_si512();
  __m512i max_name = _mm512_setzero_si512();
  __m512i names = _mm512_setzero_si512();
  unsigned usual = 0xff;  // a bit a lane
  const std::size_t whole = rows.size() / (kLanes * kWidth) * kLanes * kWidth;
  for (std::size_t at = 0; at < whole; at += kLanes * kWidth) {
    const std::uint64_t* const first = &rows[at];
    const __m512i numbers[kWidth] = {_mm512_loadu_si512(first),
                                     _mm512_loadu_si512(first + kLanes),
                                     _mm512_loadu_si512(first + 2 * kLanes)};
    const __m512i type = Gather<0>::Column(numbers);
    const __m512i name = Gather<1>::Column(numbers);
    const __m512i to = Gather<2>::Column(numbers);
    usual &= _mm512_cmplt_epu64_mask(type, types);
    names = _mm512_or_si512(names, name);
    counted =
        _mm512_add_epi64(counted, _mm512_permutexvar_epi64(type, type_counts));
    max_name = _mm512_max_epu64(
        max_name,
        _mm512_and_si512(name, _mm512_permutexvar_epi64(type, name_masks)));
    const __m512i ordinal =
        _mm512_rorv_epi64(_mm512_mullo_epi64(to, inverse), shift);
    usual &= _mm512_cmplt_epu64_mask(ordinal, nodes);
  }
  if (usual != 0xff || _mm512_movepi64_mask(names) != 0) return false;
  EdgeRowSums own = *sums;
  own.counted += static_cast<std::uint64_t>(_mm512_reduce_add_epi64(counted));
  own.max_name =
      std::max<std::uint64_t>(own.max_name, _mm512_reduce_max_epu64(max_name));
  if (!CheckEdgeRowsPlain(rules, rows.subspan(whole), &own)) return false;
  *sums = own;
  return true;
}

}  // namespace heapglot::heapsnapshot::internal

#endif  // HEAPGLOT_X86_KERNELS
