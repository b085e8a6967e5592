#include "writers/heapsnapshot/heapsnapshot_losses.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <iterator>

#include "core/column.h"

namespace heapglot::heapsnapshot {
namespace {

// Largest self size that DevTools shows as it is.
constexpr std::uint64_t kMaxShownSize = 0xffff'ffff;

}  // namespace

void Lose(std::string_view code, std::uint64_t count, LossReport* loss,
          const std::vector<std::uint64_t>& examples) {
  if (count == 0) return;
  const auto* const row =
      std::find_if(std::begin(kFidelity), std::end(kFidelity),
                   [&](const FidelityRow& it) { return it.code == code; });
  if (row == std::end(kFidelity)) std::abort();  // not declared: a bug
  loss->Add(code, row->loss_class, count, row->note, examples);
}

// ---------------------------------------------------------------------- nodes

void NodeLosses::Add(const pb::Nodes& nodes, int row, bool keeps_ids) {
  const std::uint64_t node = nodes.first() + static_cast<std::uint64_t>(row);
  if (At(nodes.self_size(), row) > kMaxShownSize) big_sizes_.Add(node);
  if (!nodes.id().empty() && !keeps_ids) ids_.Add(node);
  if (At(nodes.identity_hash(), row) != 0) hashes_.Add(node);
  if (At(nodes.value_length(), row) != 0) cut_strings_.Add(node);
  if (!nodes.extra().empty() || At(nodes.trace_node(), row) != 0 ||
      At(nodes.heap_space_ref(), row) != 0 ||
      At(nodes.stack_frame_ref(), row) != 0) {
    extras_.Add(node);
  }
  AddValue(nodes, row, node);
}

void NodeLosses::AddValue(const pb::Nodes& nodes, int row, std::uint64_t node) {
  switch (At(nodes.value_form(), row)) {
    case pb::V_LENGTH:
      lengths_.Add(node);
      break;
    case pb::V_NODE:
    case pb::V_DANGLING:
    case pb::V_JSON:
    case pb::V_ARRAY:
      others_.Add(node);
      break;
    case pb::V_DOUBLE: {
      const std::uint64_t bits = At(nodes.value(), row);
      if (std::isnan(std::bit_cast<double>(bits)))
        nans_.Add(node);
      else
        doubles_.Add(node);
      break;
    }
    default:
      break;
  }
}

void NodeLosses::AddExternal(std::uint64_t size) {
  if (size > kMaxShownSize) ++big_sizes_.count;
}

void NodeLosses::Report(LossReport* loss) const {
  const auto lose = [loss](std::string_view code, const Tally& tally) {
    Lose(code, tally.count, loss, tally.examples);
  };
  lose("heapsnapshot.value.double", doubles_);
  lose("heapsnapshot.value.nan", nans_);
  lose("heapsnapshot.value.length", lengths_);
  lose("heapsnapshot.string.length", cut_strings_);
  lose("heapsnapshot.node.id", ids_);
  lose("heapsnapshot.node.size", big_sizes_);
  lose("heapsnapshot.node.identity_hash", hashes_);
  lose("heapsnapshot.node.extra", extras_);
  lose("heapsnapshot.value.other", others_);
}

// ---------------------------------------------------------------------- edges

void EdgeLosses::Report(LossReport* loss) const {
  Lose("heapsnapshot.edge.weak_index", weak_elements_, loss);
  Lose("heapsnapshot.edge.index", big_indices_, loss);
  Lose("heapsnapshot.edge.extra", extra_edges_, loss);
}

// ----------------------------------------------------------------------- rest

void OtherLosses::Add(const pb::Chunk& chunk) {
  switch (chunk.body_case()) {
    case pb::Chunk::kGraph: {
      const pb::Graph& graph = chunk.graph();
      graph_totals_ += (graph.has_self_size_total() ? 1 : 0) +
                       (graph.has_capacity() ? 1 : 0) +
                       (graph.flags() != 0 ? 1 : 0);
      has_name_ = has_name_ || !graph.name().data().empty();
      break;
    }
    case pb::Chunk::kRoots:
      AddRoots(chunk.roots());
      break;
    case pb::Chunk::kMetadata:
      metadata_ += static_cast<std::uint64_t>(chunk.metadata().entry_size());
      break;
    case pb::Chunk::kExtra:
    case pb::Chunk::kExtraTable:
      has_extra_ = true;
      break;
    case pb::Chunk::kGraphEnd:
      totals_ = chunk.graph_end();
      break;
    default:
      break;
  }
}

void OtherLosses::AddRoots(const pb::Roots& roots) {
  for (int row = 0; row < static_cast<int>(roots.count()); ++row) {
    if (At(roots.to_form(), row) != pb::TO_NODE) ++root_targets_;
    if (At(roots.flags(), row) != 0 || At(roots.container_ref(), row) != 0 ||
        At(roots.container_id(), row) != 0 || At(roots.label(), row) != 0 ||
        At(roots.thread_ref(), row) != 0 ||
        At(roots.frame_number(), row) != 0 || !roots.extra().empty()) {
      ++root_details_;
    }
  }
}

void OtherLosses::Report(LossReport* loss) const {
  const auto lose = [loss](std::string_view code, std::uint64_t count) {
    Lose(code, count, loss);
  };
  lose("heapsnapshot.edge.omitted", totals_.edges_omitted());
  lose("heapsnapshot.edge.dangling", totals_.edges_dangling());
  lose("heapsnapshot.edge.immediate", totals_.edges_immediate());
  lose("heapsnapshot.graph.totals", graph_totals_);
  lose("heapsnapshot.graph.name", has_name_ ? 1 : 0);
  lose("heapsnapshot.value.named", totals_.values());
  lose("heapsnapshot.location", totals_.locations());
  lose("heapsnapshot.trace", totals_.trace_functions() + totals_.trace_nodes() +
                                 totals_.samples() + totals_.stack_frames() +
                                 totals_.threads());
  lose("heapsnapshot.metadata", metadata_);
  lose("heapsnapshot.root.detail", root_details_);
  lose("heapsnapshot.root.target", root_targets_);
  lose("heapsnapshot.extra", has_extra_ ? 1 : 0);
}

}  // namespace heapglot::heapsnapshot
