// Four rows of three numbers at a time: three registers, which are rearranged
// to one per column.
#include "core/text/vector_cpu.h"
#include "core/text/vector_intrinsics.h"
#include "readers/heapsnapshot/heapsnapshot_edge_rows_ways.h"

#ifdef HEAPGLOT_X86_KERNELS

#include <algorithm>
#include <array>

namespace heapglot::heapsnapshot::internal {
namespace {

constexpr std::size_t kRowsOfFour = 4;
constexpr std::size_t kNumbersOfFour = 12;
constexpr std::size_t kTypesOfFour = 8;  // in a table of two registers

// Whether rows are as V8 writes them, types fit into a table, and offsets of
// nodes have 32 bits: those of 64 bits cannot be multiplied.
bool IsUsualForFour(const EdgeRowRules& rules) {
  const EdgeColumns& columns = rules.columns;
  return columns.width == 3 && columns.type == 0 && columns.name == 1 &&
         columns.to == 2 && rules.types.size() <= kTypesOfFour &&
         rules.nodes <= (std::uint64_t{1} << 32) / rules.node_rows.width();
}

HEAPGLOT_AVX2 inline __m256i SameFour(std::uint64_t number) {
  return _mm256_set1_epi64x(static_cast<long long>(number));
}

// Numbers by type.
struct TypeTable {
  __m256i low;
  __m256i high;

  template <typename NumberOf>
  HEAPGLOT_AVX2 inline TypeTable(std::size_t types, NumberOf number_of) {
    std::array<std::uint32_t, kTypesOfFour> lows = {};
    std::array<std::uint32_t, kTypesOfFour> highs = {};
    for (std::size_t type = 0; type < types; ++type) {
      const std::uint64_t number = number_of(type);
      lows[type] = static_cast<std::uint32_t>(number);
      highs[type] = static_cast<std::uint32_t>(number >> 32);
    }
    low = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(lows.data()));
    high = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(highs.data()));
  }

  // The numbers of types, each of which is in both halves of its lane.
  HEAPGLOT_AVX2 inline __m256i Of(__m256i types) const {
    return _mm256_blend_epi32(_mm256_permutevar8x32_epi32(low, types),
                              _mm256_permutevar8x32_epi32(high, types), 0xaa);
  }
};

// Four rows, by columns.
struct Four {
  __m256i types;
  __m256i names;
  __m256i offsets;  // of rows of nodes

  HEAPGLOT_AVX2 inline explicit Four(const std::uint64_t* rows) {
    const auto* const at = reinterpret_cast<const __m256i*>(rows);
    const __m256i a = _mm256_loadu_si256(at);      // type name to, type
    const __m256i b = _mm256_loadu_si256(at + 1);  // name to, type name
    const __m256i c = _mm256_loadu_si256(at + 2);  // to, type name to
    types = _mm256_permute4x64_epi64(Mix(a, c, b), 0x6c);
    names = _mm256_permute4x64_epi64(Mix(b, a, c), 0xb1);
    offsets = _mm256_permute4x64_epi64(Mix(c, b, a), 0xc6);
  }

  // Lane 1 of `one`, lane 2 of `two`, and the others of `others`.
  HEAPGLOT_AVX2 static inline __m256i Mix(__m256i others, __m256i one,
                                          __m256i two) {
    return _mm256_blend_epi32(_mm256_blend_epi32(others, one, 0x0c), two, 0x30);
  }
};

// RowDivider in 32 bits, and the numbers of types and nodes.
class FourLimits {
 public:
  HEAPGLOT_AVX2 inline explicit FourLimits(const EdgeRowRules& rules)
      : types_(SameFour(rules.types.size())),
        nodes_(SameFour(rules.nodes)),
        inverse_(SameFour(rules.node_rows.inverse())),
        shift_(_mm_cvtsi32_si128(rules.node_rows.shift())),
        known_(_mm256_set1_epi64x(-1)),
        bits_(_mm256_setzero_si256()),
        offset_bits_(_mm256_setzero_si256()) {}

  // The ordinals of the nodes that `four` leads to. Notes whether all types and
  // nodes are known.
  HEAPGLOT_AVX2 inline __m256i Ordinals(const Four& four) {
    const __m256i product = _mm256_mul_epu32(four.offsets, inverse_);
    const __m256i twice = _mm256_shuffle_epi32(product, 0xa0);
    const __m256i ordinals =
        _mm256_and_si256(_mm256_srl_epi64(twice, shift_), SameFour(kLow));
    bits_ = _mm256_or_si256(bits_, four.types);
    offset_bits_ = _mm256_or_si256(offset_bits_, four.offsets);
    known_ = _mm256_and_si256(
        known_, _mm256_and_si256(_mm256_cmpgt_epi64(types_, four.types),
                                 _mm256_cmpgt_epi64(nodes_, ordinals)));
    return ordinals;
  }
  HEAPGLOT_AVX2 inline bool IsAllKnown() const {
    const __m256i high = SameFour(~kLow);
    return _mm256_testc_si256(known_, _mm256_set1_epi64x(-1)) != 0 &&
           _mm256_testz_si256(_mm256_or_si256(bits_, offset_bits_), high) != 0;
  }

 private:
  static constexpr std::uint64_t kLow = 0xffffffff;

  __m256i types_;
  __m256i nodes_;
  __m256i inverse_;
  __m128i shift_;
  __m256i known_;        // all bits set while all types and nodes are known
  __m256i bits_;         // OR of all types
  __m256i offset_bits_;  // OR of all offsets
};

// How many numbers the rows have that come in fours.
std::size_t WholeFours(std::span<const std::uint64_t> rows) {
  return rows.size() / kNumbersOfFour * kNumbersOfFour;
}

}  // namespace

HEAPGLOT_AVX2 bool CheckEdgeRowsAvx2(const EdgeRowRules& rules,
                                     std::span<const std::uint64_t> rows,
                                     EdgeRowSums* sums) {
  if (!IsUsualForFour(rules)) return CheckEdgeRowsPlain(rules, rows, sums);
  const TypeTable masks(rules.types.size(), [&](std::size_t type) {
    return rules.types[type].name_mask;
  });
  const TypeTable counts(rules.types.size(), [&](std::size_t type) {
    return rules.types[type].counted;
  });
  FourLimits limits(rules);
  __m256i counted = _mm256_setzero_si256();
  __m256i max_name = _mm256_setzero_si256();
  __m256i names = _mm256_setzero_si256();  // OR of all names
  const std::size_t whole = WholeFours(rows);
  for (std::size_t at = 0; at < whole; at += kNumbersOfFour) {
    const Four four(&rows[at]);
    limits.Ordinals(four);
    names = _mm256_or_si256(names, four.names);
    const __m256i types = _mm256_shuffle_epi32(four.types, 0xa0);
    counted = _mm256_add_epi64(counted, counts.Of(types));
    // Names with the sign bit are rejected below.
    const __m256i named = _mm256_and_si256(four.names, masks.Of(types));
    max_name = _mm256_blendv_epi8(max_name, named,
                                  _mm256_cmpgt_epi64(named, max_name));
  }
  if (!limits.IsAllKnown() ||
      _mm256_movemask_pd(_mm256_castsi256_pd(names)) != 0)
    return false;
  EdgeRowSums own = *sums;
  std::array<std::uint64_t, kRowsOfFour> lanes = {};
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(lanes.data()), counted);
  for (const std::uint64_t lane : lanes) own.counted += lane;
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(lanes.data()), max_name);
  for (const std::uint64_t lane : lanes)
    own.max_name = std::max(own.max_name, lane);
  if (!CheckEdgeRowsPlain(rules, rows.subspan(whole), &own)) return false;
  *sums = own;
  return true;
}

HEAPGLOT_AVX2 bool SplitEdgeRowsAvx2(const EdgeRowRules& rules,
                                     std::span<const std::uint64_t> first_names,
                                     std::span<const std::uint64_t> rows,
                                     const EdgeRowColumns& columns) {
  if (!IsUsualForFour(rules))
    return SplitEdgeRowsPlain(rules, first_names, rows, columns);
  const TypeTable firsts(rules.types.size(),
                         [&](std::size_t type) { return first_names[type]; });
  const __m256i low_halves = _mm256_setr_epi32(0, 2, 4, 6, 0, 2, 4, 6);
  FourLimits limits(rules);
  std::size_t row = 0;
  const std::size_t whole = WholeFours(rows);
  for (std::size_t at = 0; at < whole;
       at += kNumbersOfFour, row += kRowsOfFour) {
    const Four four(&rows[at]);
    const __m256i ordinals = limits.Ordinals(four);
    _mm_storeu_si128(reinterpret_cast<__m128i*>(columns.kinds + row),
                     _mm256_castsi256_si128(
                         _mm256_permutevar8x32_epi32(four.types, low_halves)));
    const __m256i types = _mm256_shuffle_epi32(four.types, 0xa0);
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(columns.names + row),
                        _mm256_add_epi64(four.names, firsts.Of(types)));
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(columns.targets + row),
                        ordinals);
  }
  return limits.IsAllKnown() &&
         SplitEdgeRowsPlain(
             rules, first_names, rows.subspan(whole),
             {columns.kinds + row, columns.names + row, columns.targets + row});
}

}  // namespace heapglot::heapsnapshot::internal

#endif  // HEAPGLOT_X86_KERNELS
