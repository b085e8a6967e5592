// Eight rows of three numbers at a time: the form of a kind is looked up in
// registers, and three columns become three registers of rows.
#include "core/text/vector_cpu.h"
#include "core/text/vector_intrinsics.h"
#include "writers/heapsnapshot/heapsnapshot_join_edges.h"
#include "writers/heapsnapshot/heapsnapshot_wire.h"

#ifdef HEAPGLOT_X86_KERNELS

#include <array>

namespace heapglot::heapsnapshot::internal {
namespace {

constexpr std::size_t kLanes = 8;
constexpr std::size_t kWidth = 3;
static_assert(kWidth == kEdgeFields);

using Table = std::array<std::uint64_t, kLanes>;

// Which numbers of the columns are in register kPart of the rows, with the
// first two columns side by side, and where those of the third one are.
template <std::size_t kPart>
struct Rows {
  static constexpr std::size_t At(std::size_t lane) {
    return kPart * kLanes + lane;
  }
  static constexpr Table kOrder = [] {
    Table order = {};
    for (std::size_t lane = 0; lane < kLanes; ++lane)
      order[lane] = At(lane) / kWidth + At(lane) % kWidth % 2 * kLanes;
    return order;
  }();
  static constexpr __mmask8 kThird = [] {
    unsigned mask = 0;
    for (std::size_t lane = 0; lane < kLanes; ++lane)
      mask |= At(lane) % kWidth == 2 ? 1U << lane : 0U;
    return static_cast<__mmask8>(mask);
  }();

  HEAPGLOT_AVX512 static inline void Store(__m512i first, __m512i second,
                                           __m512i third, std::uint64_t* out) {
    const __m512i order = _mm512_loadu_si512(kOrder.data());
    _mm512_storeu_si512(out + kPart * kLanes,
                        _mm512_mask_permutexvar_epi64(
                            _mm512_permutex2var_epi64(first, order, second),
                            kThird, order, third));
  }
};

// A register of of(form), by kind.
template <typename Of>
HEAPGLOT_AVX512 inline __m512i TableOf(std::span<const EdgeRowForm> forms,
                                       Of of) {
  Table table = {};
  for (std::size_t kind = 0; kind < forms.size(); ++kind)
    table[kind] = of(forms[kind]);
  return _mm512_loadu_si512(table.data());
}

}  // namespace

HEAPGLOT_AVX512 bool JoinEdgeRowsAvx512(std::span<const EdgeRowForm> forms,
                                        std::uint64_t shift,
                                        const EdgesToJoin& edges,
                                        std::uint64_t* out) {
  if (forms.size() > kLanes) return JoinEdgeRowsPlain(forms, shift, edges, out);
  const __m512i types =
      TableOf(forms, [](const EdgeRowForm& form) { return form.type; });
  const __m512i name_shifts =
      TableOf(forms, [](const EdgeRowForm& form) { return form.name_shift; });
  const __m512i of_zeros =
      TableOf(forms, [](const EdgeRowForm& form) { return form.of_zero; });
  const __m512i max_names =
      TableOf(forms, [](const EdgeRowForm& form) { return form.max_name; });
  // By kind: all bits or none; none for kinds that do not exist.
  const __m512i plain = TableOf(forms, [](const EdgeRowForm& form) {
    return form.is_plain ? ~std::uint64_t{0} : 0;
  });
  const __m512i shifts = _mm512_set1_epi64(static_cast<long long>(shift));
  const __m512i fields = _mm512_set1_epi64(kNodeFields);
  const __m512i lanes = _mm512_set1_epi64(kLanes);
  __mmask8 is_plain = 0xff;
  std::size_t row = 0;
  for (; row + kLanes <= edges.rows; row += kLanes, out += kLanes * kWidth) {
    const __m512i kinds = _mm512_cvtepu32_epi64(_mm256_loadu_si256(
        reinterpret_cast<const __m256i*>(edges.kinds + row)));
    const __m512i names = _mm512_loadu_si512(edges.names + row);
    const __m512i targets = _mm512_loadu_si512(edges.targets + row);
    const __m512i is_kind_plain = _mm512_permutexvar_epi64(kinds, plain);
    is_plain &= _mm512_mask_cmplt_epu64_mask(
        _mm512_movepi64_mask(is_kind_plain), kinds, lanes);
    is_plain &= _mm512_cmple_epu64_mask(
        names, _mm512_permutexvar_epi64(kinds, max_names));
    const __m512i type = _mm512_permutexvar_epi64(kinds, types);
    const __m512i shifted =
        _mm512_add_epi64(names, _mm512_permutexvar_epi64(kinds, name_shifts));
    const __m512i name = _mm512_mask_permutexvar_epi64(
        shifted, _mm512_testn_epi64_mask(names, names), kinds, of_zeros);
    const __m512i offset =
        _mm512_mullo_epi64(_mm512_add_epi64(targets, shifts), fields);
    Rows<0>::Store(type, name, offset, out);
    Rows<1>::Store(type, name, offset, out);
    Rows<2>::Store(type, name, offset, out);
  }
  return is_plain == 0xff &&
         JoinEdgeRowsPlain(forms, shift,
                           {edges.kinds + row, edges.names + row,
                            edges.targets + row, edges.rows - row},
                           out);
}

}  // namespace heapglot::heapsnapshot::internal

#endif  // HEAPGLOT_X86_KERNELS
