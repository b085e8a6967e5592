#include "readers/heapsnapshot/heapsnapshot_node_types.h"

#include "core/text/vector_cpu.h"
#include "heapglot/stream.h"

namespace heapglot::heapsnapshot {
namespace {

std::span<const SetNodeTypesVariant> FindSetNodeTypesVariants() {
  static constexpr SetNodeTypesVariant kAll[] = {
      {"plain", internal::SetNodeTypesPlain},
#ifdef HEAPGLOT_X86_KERNELS
      {"avx512", internal::SetNodeTypesAvx512},
#endif
  };
  return heapglot::internal::UsableWays(kAll);
}

// Masks instead of branches, which could not be predicted.
constexpr std::uint64_t MaskIf(bool condition) {
  return std::uint64_t{0} - std::uint64_t{condition};
}

}  // namespace

bool internal::SetNodeTypesPlain(const NodeTypeRules& rules, std::size_t rows,
                                 const NodeTypeColumns& columns) {
  const NodeTypeRule* const of_kind = rules.of_kind.data();
  const std::uint64_t first_string = rules.first_string;
  std::uint64_t has_text = 0;
  for (std::size_t row = 0; row < rows; ++row) {
    const NodeTypeRule& rule = of_kind[columns.kinds[row]];
    const std::uint64_t name = columns.names[row];
    const std::uint64_t rank = rules.class_names.Rank(name);
    columns.type_refs[row] = rule.type_ref + (rank & MaskIf(rule.is_ranked));
    const std::uint64_t mask = MaskIf(rule.has_text && name != rule.no_text);
    columns.value_forms[row] = static_cast<std::uint32_t>(pb::V_UTF8 & mask);
    columns.values[row] = (first_string + name) & mask;
    has_text |= mask;
  }
  return has_text != 0;
}

std::span<const SetNodeTypesVariant> SetNodeTypesVariants() {
  static const std::span<const SetNodeTypesVariant> variants =
      FindSetNodeTypesVariants();
  return variants;
}

bool SetNodeTypes(const NodeTypeRules& rules, std::size_t rows,
                  const NodeTypeColumns& columns) {
  static const auto set = SetNodeTypesVariants().back().set;
  return set(rules, rows, columns);
}

}  // namespace heapglot::heapsnapshot
