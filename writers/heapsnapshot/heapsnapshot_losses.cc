#include "writers/heapsnapshot/heapsnapshot_losses.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "core/column.h"

namespace heapglot::heapsnapshot {
namespace {

// Largest self size that DevTools shows as it is.
constexpr std::uint64_t kMaxShownSize = 0xffff'ffff;

}  // namespace

// ---------------------------------------------------------------------- nodes

void NodeLosses::Add(const NodeColumns& nodes, int rows, bool loses_ids) {
  const auto add_if = [&](auto is_lost, LossTally* tally) {
    for (int row = 0; row < rows; ++row) {
      if (is_lost(row)) tally->Add(nodes.first + static_cast<unsigned>(row));
    }
  };
  std::uint64_t max_size = 0;
  for (int row = 0; row < rows; ++row)
    max_size = std::max(max_size, std::uint64_t{nodes.self_size[row]});
  if (max_size > kMaxShownSize)
    add_if([&](int row) { return nodes.self_size[row] > kMaxShownSize; },
           &big_sizes_);
  if (loses_ids) add_if([](int) { return true; }, &ids_);
}

void NodeLosses::AddShown(std::uint32_t form, std::uint64_t value,
                          std::uint64_t node) {
  if (form == pb::V_DOUBLE && std::isnan(std::bit_cast<double>(value)))
    nans_.Add(node);
}

// Values of other forms are always dropped, by the rules of kFidelity.
void NodeLosses::AddUnshown(std::uint32_t form, std::uint64_t node) {
  if (form == pb::V_NULL || form == pb::V_BOOL)
    constants_.Add(node);
  else if (form == pb::V_INT || form == pb::V_UINT)
    integers_.Add(node);
  else if (form == pb::V_DOUBLE)
    doubles_.Add(node);
  else if (form == pb::V_NAME)
    value_names_.Add(node);
  else if (IsText(form))
    texts_.Add(node);
}

void NodeLosses::AddTraces(const NodeColumns& nodes, int rows) {
  for (int row = 0; row < rows; ++row)
    traces_ += nodes.trace_node[row] != 0 ? 1 : 0;
}

void NodeLosses::AddExternal(std::uint64_t size) {
  if (size > kMaxShownSize) ++big_sizes_.count;
}

void NodeLosses::Report(LossReport* loss) const {
  Lose("heapsnapshot.value.nan", nans_, loss);
  Lose("heapsnapshot.value.constant.unshown", constants_, loss);
  Lose("heapsnapshot.value.integer.unshown", integers_, loss);
  Lose("heapsnapshot.value.double.unshown", doubles_, loss);
  Lose("heapsnapshot.value.text.unshown", texts_, loss);
  Lose("heapsnapshot.value.name.unshown", value_names_, loss);
  Lose("heapsnapshot.value.name.cut", cut_names_, loss);
  Lose("heapsnapshot.node.name.valued", names_, loss);
  Lose("heapsnapshot.type.unshown", types_, loss);
  Lose("heapsnapshot.node.trace.kept", traces_, loss);
  Lose("heapsnapshot.type.like_other", changed_types_, loss);
  Lose("heapsnapshot.node.id.renumbered", ids_, loss);
  Lose("heapsnapshot.node.self_size.large", big_sizes_, loss);
}

// ---------------------------------------------------------------------- edges

void EdgeLosses::Report(LossReport* loss) const {
  Lose("heapsnapshot.edge.weak_index", weak_elements_, loss);
  Lose("heapsnapshot.edge.index.large", big_indices_, loss);
  Lose("heapsnapshot.edge.kind.unusual_name", unusual_names_, loss);
}

}  // namespace heapglot::heapsnapshot
