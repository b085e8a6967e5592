#include "writers/heapsnapshot/heapsnapshot_join_edges.h"

#include "writers/heapsnapshot/heapsnapshot_wire.h"

namespace heapglot::heapsnapshot {
namespace {

std::span<const JoinEdgeRowsVariant> FindJoinVariants() {
  static constexpr JoinEdgeRowsVariant kAll[] = {
      {"plain", internal::JoinEdgeRowsPlain},
#ifdef HEAPGLOT_X86_KERNELS
      {"avx512", internal::JoinEdgeRowsAvx512},
#endif
  };
  return heapglot::internal::UsableWays(kAll);
}

}  // namespace

bool internal::JoinEdgeRowsPlain(std::span<const EdgeRowForm> forms,
                                 std::uint64_t shift, const EdgesToJoin& edges,
                                 std::uint64_t* out) {
  // Copies: the compiler assumes that the loop may write to `edges`.
  const auto [kinds, names, targets, rows] = edges;
  bool is_plain = true;
  for (std::size_t i = 0; i < rows; ++i, out += kEdgeFields) {
    if (kinds[i] >= forms.size()) return false;
    const EdgeRowForm& form = forms[kinds[i]];
    is_plain &= form.is_plain && names[i] <= form.max_name;
    out[0] = form.type;
    out[1] = names[i] == 0 ? form.of_zero : names[i] + form.name_shift;
    out[2] = (shift + targets[i]) * kNodeFields;
  }
  return is_plain;
}

std::span<const JoinEdgeRowsVariant> JoinEdgeRowsVariants() {
  static const std::span<const JoinEdgeRowsVariant> variants =
      FindJoinVariants();
  return variants;
}

bool JoinEdgeRows(std::span<const EdgeRowForm> forms, std::uint64_t shift,
                  const EdgesToJoin& edges, std::uint64_t* out) {
  static const auto join = JoinEdgeRowsVariants().back().join;
  return join(forms, shift, edges, out);
}

}  // namespace heapglot::heapsnapshot
