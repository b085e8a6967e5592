// Eight rows of three numbers at a time: three registers, which are rearranged
// to one per column.
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

// Whether rows are as V8 writes them, and types fit into a register.
bool IsUsual(const EdgeRowRules& rules) {
  const EdgeColumns& columns = rules.columns;
  return columns.width == kWidth && columns.type == 0 && columns.name == 1 &&
         columns.to == 2 && rules.types.size() <= kLanes;
}

HEAPGLOT_AVX512 inline __m512i Same(std::uint64_t number) {
  return _mm512_set1_epi64(static_cast<long long>(number));
}

// Where the numbers of column kColumn are: those of the first rows in the first
// two registers, those of the other rows in the third one.
template <std::size_t kColumn>
struct Gather {
  static constexpr std::size_t kFirst =
      (2 * kLanes - kColumn + kWidth - 1) / kWidth;  // rows in the first two
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

// Eight rows, by columns.
struct Lanes {
  __m512i types;
  __m512i names;
  __m512i offsets;  // of rows of nodes
};

HEAPGLOT_AVX512 inline Lanes LoadLanes(const std::uint64_t* rows) {
  const __m512i numbers[kWidth] = {_mm512_loadu_si512(rows),
                                   _mm512_loadu_si512(rows + kLanes),
                                   _mm512_loadu_si512(rows + 2 * kLanes)};
  return {Gather<0>::Column(numbers), Gather<1>::Column(numbers),
          Gather<2>::Column(numbers)};
}

// How many numbers the rows have that come in eights.
std::size_t Whole(std::span<const std::uint64_t> rows) {
  constexpr std::size_t kEight = kLanes * kWidth;
  return rows.size() / kEight * kEight;
}

// RowDivider, and the numbers of types and nodes.
struct Limits {
  __m512i types;
  __m512i nodes;
  __m512i inverse;
  __m512i shift;

  HEAPGLOT_AVX512 inline explicit Limits(const EdgeRowRules& rules)
      : types(Same(rules.types.size())),
        nodes(Same(rules.nodes)),
        inverse(Same(rules.node_rows.inverse())),
        shift(Same(static_cast<std::uint64_t>(rules.node_rows.shift()))) {}

  HEAPGLOT_AVX512 inline __m512i Ordinals(const Lanes& lanes) const {
    return _mm512_rorv_epi64(_mm512_mullo_epi64(lanes.offsets, inverse), shift);
  }
  // One bit for each row whose type and target are known.
  HEAPGLOT_AVX512 inline __mmask8 Known(const Lanes& lanes,
                                        __m512i ordinals) const {
    return _mm512_mask_cmplt_epu64_mask(
        _mm512_cmplt_epu64_mask(lanes.types, types), ordinals, nodes);
  }
};

constexpr __mmask8 kAllLanes = 0xff;

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
  const Limits limits(rules);
  __m512i counted = _mm512_setzero_si512();
  __m512i max_name = _mm512_setzero_si512();
  __m512i names = _mm512_setzero_si512();  // OR of all names
  __mmask8 known = kAllLanes;
  const std::size_t whole = Whole(rows);
  for (std::size_t at = 0; at < whole; at += kLanes * kWidth) {
    const Lanes lanes = LoadLanes(&rows[at]);
    known &= limits.Known(lanes, limits.Ordinals(lanes));
    names = _mm512_or_si512(names, lanes.names);
    counted = _mm512_add_epi64(
        counted, _mm512_permutexvar_epi64(lanes.types, type_counts));
    const __m512i masked = _mm512_and_si512(
        lanes.names, _mm512_permutexvar_epi64(lanes.types, name_masks));
    max_name = _mm512_max_epu64(max_name, masked);
  }
  if (known != kAllLanes || _mm512_movepi64_mask(names) != 0) return false;
  EdgeRowSums own = *sums;
  own.counted += static_cast<std::uint64_t>(_mm512_reduce_add_epi64(counted));
  own.max_name =
      std::max<std::uint64_t>(own.max_name, _mm512_reduce_max_epu64(max_name));
  if (!CheckEdgeRowsPlain(rules, rows.subspan(whole), &own)) return false;
  *sums = own;
  return true;
}

HEAPGLOT_AVX512 bool SplitEdgeRowsAvx512(
    const EdgeRowRules& rules, std::span<const std::uint64_t> first_names,
    std::span<const std::uint64_t> rows, const EdgeRowColumns& columns) {
  if (!IsUsual(rules))
    return SplitEdgeRowsPlain(rules, first_names, rows, columns);
  std::array<std::uint64_t, kLanes> firsts = {};
  std::copy_n(first_names.begin(), rules.types.size(), firsts.begin());
  const __m512i type_firsts = _mm512_loadu_si512(firsts.data());
  const Limits limits(rules);
  __mmask8 known = kAllLanes;
  std::size_t row = 0;
  const std::size_t whole = Whole(rows);
  for (std::size_t at = 0; at < whole; at += kLanes * kWidth, row += kLanes) {
    const Lanes lanes = LoadLanes(&rows[at]);
    const __m512i ordinals = limits.Ordinals(lanes);
    known &= limits.Known(lanes, ordinals);
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(columns.kinds + row),
                        _mm512_cvtepi64_epi32(lanes.types));
    _mm512_storeu_si512(
        columns.names + row,
        _mm512_add_epi64(lanes.names,
                         _mm512_permutexvar_epi64(lanes.types, type_firsts)));
    _mm512_storeu_si512(columns.targets + row, ordinals);
  }
  return known == kAllLanes &&
         SplitEdgeRowsPlain(
             rules, first_names, rows.subspan(whole),
             {columns.kinds + row, columns.names + row, columns.targets + row});
}

}  // namespace heapglot::heapsnapshot::internal

#endif  // HEAPGLOT_X86_KERNELS
