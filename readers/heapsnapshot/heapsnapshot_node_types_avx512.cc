// Eight nodes at a time: rules and words of the bitmap are looked up side by
// side.
#include "core/text/vector_cpu.h"
#include "core/text/vector_intrinsics.h"
#include "heapglot/stream.h"
#include "readers/heapsnapshot/heapsnapshot_node_types.h"

#ifdef HEAPGLOT_X86_KERNELS

#include <array>

namespace heapglot::heapsnapshot::internal {
namespace {

constexpr std::size_t kNodes = 8;      // at a time
constexpr std::size_t kMaxRules = 16;  // in two registers
constexpr unsigned kWordBits = 64;
constexpr unsigned kWordShift = 6;   // of words
constexpr unsigned kBlockShift = 9;  // of blocks
static_assert(kWordBits * RankBitmap::kBlockWords == 1U << kBlockShift);
static_assert(sizeof(RankBitmap::Block) == 2 * sizeof(std::uint64_t));

HEAPGLOT_AVX512 inline __m512i Eight(std::uint64_t number) {
  return _mm512_set1_epi64(static_cast<long long>(number));
}

// Numbers by kind.
struct RuleTable {
  __m512i first;
  __m512i last;

  template <typename NumberOf>
  HEAPGLOT_AVX512 inline RuleTable(std::span<const NodeTypeRule> rules,
                                   NumberOf number_of) {
    std::array<std::uint64_t, kMaxRules> numbers = {};
    for (std::size_t kind = 0; kind < rules.size(); ++kind)
      numbers[kind] = number_of(rules[kind]);
    first = _mm512_loadu_si512(numbers.data());
    last = _mm512_loadu_si512(numbers.data() + kNodes);
  }

  HEAPGLOT_AVX512 inline __m512i Of(__m512i kinds) const {
    return _mm512_permutex2var_epi64(first, kinds, last);
  }
};

// How many bits of each word are set.
HEAPGLOT_AVX512 inline __m512i CountBits(__m512i words) {
  const __m512i counts = _mm512_broadcast_i32x4(
      _mm_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4));
  const __m512i nibble = _mm512_set1_epi8(15);
  const __m512i low = _mm512_and_si512(words, nibble);
  const __m512i high = _mm512_and_si512(_mm512_srli_epi64(words, 4), nibble);
  const __m512i of_bytes = _mm512_add_epi8(_mm512_shuffle_epi8(counts, low),
                                           _mm512_shuffle_epi8(counts, high));
  return _mm512_sad_epu8(of_bytes, _mm512_setzero_si512());
}

// RankBitmap::Rank().
struct Ranks {
  const std::uint64_t* words;
  const RankBitmap::Block* blocks;  // two numbers each
  __m512i size;
  __m512i members;

  HEAPGLOT_AVX512 inline explicit Ranks(const RankBitmap& bitmap)
      : words(bitmap.word_data()),
        blocks(bitmap.blocks()),
        size(Eight(bitmap.size())),
        members(Eight(bitmap.members())) {}

  HEAPGLOT_AVX512 inline __m512i Of(__m512i numbers) const {
    constexpr int kScale = sizeof(std::uint64_t);
    const __mmask8 is_in = _mm512_cmplt_epu64_mask(numbers, size);
    const __m512i none = _mm512_setzero_si512();
    const __m512i word_at = _mm512_srli_epi64(numbers, kWordShift);
    const __m512i word =
        _mm512_mask_i64gather_epi64(none, is_in, word_at, words, kScale);
    const __m512i from = _mm512_sllv_epi64(
        _mm512_set1_epi64(-1), _mm512_and_si512(numbers, Eight(kWordBits - 1)));
    const __m512i in_word = CountBits(_mm512_andnot_si512(from, word));
    const __m512i block_at =
        _mm512_slli_epi64(_mm512_srli_epi64(numbers, kBlockShift), 1);
    const __m512i before =
        _mm512_mask_i64gather_epi64(none, is_in, block_at, blocks, kScale);
    const __m512i within = _mm512_mask_i64gather_epi64(
        none, is_in, _mm512_or_si512(block_at, Eight(1)), blocks, kScale);
    constexpr unsigned kLast = RankBitmap::kBlockWords - 1;
    static_assert(RankBitmap::kWithinBits == 9);
    const __m512i word_in_block =
        _mm512_and_si512(_mm512_add_epi64(word_at, Eight(kLast)), Eight(kLast));
    const __m512i shift =
        _mm512_add_epi64(_mm512_slli_epi64(word_in_block, 3), word_in_block);
    const __m512i words_before =
        _mm512_and_si512(_mm512_srlv_epi64(within, shift),
                         Eight((1U << RankBitmap::kWithinBits) - 1));
    return _mm512_mask_add_epi64(members, is_in, before,
                                 _mm512_add_epi64(words_before, in_word));
  }
};

}  // namespace

HEAPGLOT_AVX512 bool SetNodeTypesAvx512(const NodeTypeRules& rules,
                                        std::size_t rows,
                                        const NodeTypeColumns& columns) {
  if (rules.of_kind.size() > kMaxRules)
    return SetNodeTypesPlain(rules, rows, columns);
  const RuleTable type_refs(
      rules.of_kind, [](const NodeTypeRule& rule) { return rule.type_ref; });
  const RuleTable no_texts(
      rules.of_kind, [](const NodeTypeRule& rule) { return rule.no_text; });
  std::uint64_t are_ranked = 0;  // one bit per kind
  std::uint64_t have_text = 0;
  for (std::size_t kind = 0; kind < rules.of_kind.size(); ++kind) {
    are_ranked |= std::uint64_t{rules.of_kind[kind].is_ranked} << kind;
    have_text |= std::uint64_t{rules.of_kind[kind].has_text} << kind;
  }
  const Ranks ranks(rules.class_names);
  const __m512i first_string = Eight(rules.first_string);
  unsigned has_text = 0;
  std::size_t row = 0;
  for (; row + kNodes <= rows; row += kNodes) {
    const __m512i kinds = _mm512_cvtepu32_epi64(_mm256_loadu_si256(
        reinterpret_cast<const __m256i*>(columns.kinds + row)));
    const __m512i names = _mm512_loadu_si512(columns.names + row);
    const __m512i kind_bits = _mm512_sllv_epi64(Eight(1), kinds);
    const __mmask8 is_ranked =
        _mm512_test_epi64_mask(kind_bits, Eight(are_ranked));
    const __m512i types = type_refs.Of(kinds);
    _mm512_storeu_si512(
        columns.type_refs + row,
        _mm512_mask_add_epi64(types, is_ranked, types, ranks.Of(names)));
    const __mmask8 is_text = _mm512_mask_cmpneq_epu64_mask(
        _mm512_test_epi64_mask(kind_bits, Eight(have_text)), names,
        no_texts.Of(kinds));
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(columns.value_forms + row),
                        _mm512_cvtepi64_epi32(_mm512_maskz_mov_epi64(
                            is_text, Eight(pb::V_UTF8))));
    _mm512_storeu_si512(columns.values + row,
                        _mm512_maskz_add_epi64(is_text, names, first_string));
    has_text |= is_text;
  }
  const bool has_more = SetNodeTypesPlain(
      rules, rows - row,
      {columns.kinds + row, columns.names + row, columns.type_refs + row,
       columns.value_forms + row, columns.values + row});
  return has_text != 0 || has_more;
}

}  // namespace heapglot::heapsnapshot::internal

#endif  // HEAPGLOT_X86_KERNELS
