#include "writers/netcf/netcf_survey.h"

#include <algorithm>

#include "core/column.h"
#include "core/ir/node_id.h"
#include "core/ir/word_count.h"
#include "readers/netcf/netcf_wire.h"

namespace heapglot::netcf {
namespace {

// Whether no id occurs twice, and none is kNullId. `max` is the highest.
bool AreUnique(const PackedNumbers& ids, std::uint64_t max) {
  // Ids that were counted up are close together: use a bit for each.
  if (max / 32 < ids.size()) {
    std::vector<bool> seen(max + 1);
    seen[kNullId] = true;
    for (std::uint64_t i = 0; i < ids.size(); ++i) {
      if (seen[ids[i]]) return false;
      seen[ids[i]] = true;
    }
    return true;
  }
  std::vector<std::uint32_t> sorted(ids.size());
  for (std::uint64_t i = 0; i < sorted.size(); ++i)
    sorted[i] = static_cast<std::uint32_t>(ids[i]);
  std::sort(sorted.begin(), sorted.end());
  return sorted.front() != kNullId &&
         std::adjacent_find(sorted.begin(), sorted.end()) == sorted.end();
}

}  // namespace

// ------------------------------------------------------------------ Survey

Status Survey::Add(const pb::Chunk& chunk) {
  switch (chunk.body_case()) {
    case pb::Chunk::kHeader:
      has_layout_ = chunk.header().source_size() != 0;
      break;
    case pb::Chunk::kGraph:
      BeginGraph(chunk.graph());
      break;
    case pb::Chunk::kStrings:
      AddStrings(chunk.strings());
      break;
    case pb::Chunk::kVocabulary:
      AddVocabulary(chunk.vocabulary());
      break;
    case pb::Chunk::kTypes:
      AddTypes(chunk.types());
      break;
    case pb::Chunk::kNodes:
      AddNodes(chunk.nodes());
      break;
    case pb::Chunk::kRoots:
      AddRoots(chunk.roots());
      break;
    case pb::Chunk::kExtra:
      AddExtra(chunk.extra());
      break;
    case pb::Chunk::kRecordOrder:
      AddOrder(chunk.record_order());
      break;
    case pb::Chunk::kGraphEnd:
      return EndGraph(chunk.graph_end());
    default:
      break;
  }
  return {};
}

void Survey::BeginGraph(const pb::Graph& graph) {
  Plan& plan = plans_.emplace_back();
  plan.graph = graph;
  plan.roots.begin = roots_.size();
  plan.order.begin = runs_.size();
  plan.lines.begin = lines_.size();
  used_types_.clear();
  used_kinds_.clear();
  ids_ascend_ = true;
}

void Survey::AddStrings(const pb::Strings& strings) {
  if (strings.names()) texts_.Add(strings);
  const int rows = strings.length_size();
  for (int i = 0; i < rows && empty_.size() < kMaxEmpty; ++i) {
    const bool is_piece =
        (i == 0 && string_continues_) || (i + 1 == rows && strings.continued());
    if (strings.length(i) == 0 && !is_piece)
      empty_.push_back(strings.first() + static_cast<std::uint64_t>(i));
  }
  if (rows > 0) string_continues_ = strings.continued();
}

void Survey::AddVocabulary(const pb::Vocabulary& vocabulary) {
  Plan& plan = plans_.back();
  plan.synthesized.Add(vocabulary);
  const int rows = WordCount(vocabulary);
  for (int i = 0; i < rows; ++i) {
    const std::uint32_t known = At(vocabulary.known(), i);
    switch (vocabulary.space()) {
      case pb::Vocabulary::NODE_KIND:
        plan.node_kinds.push_back({known, At(vocabulary.name(), i)});
        break;
      case pb::Vocabulary::ROOT_KIND: {
        const std::int64_t code =
            vocabulary.source_code().empty() ? i : vocabulary.source_code(i);
        plan.root_kinds.push_back({known, code});
        break;
      }
      default:
        break;
    }
  }
}

void Survey::AddTypes(const pb::Types& types) {
  std::vector<Plan::Type>& known = plans_.back().types;
  for (int i = 0; i < static_cast<int>(types.count()); ++i) {
    const std::uint64_t id =
        types.id().empty() ? known.size() + 1 : types.id(i);
    known.push_back({id, At(types.name(), i)});
  }
}

void Survey::AddNodes(const pb::Nodes& nodes) {
  Plan& plan = plans_.back();
  plan.has_ids = plan.has_ids || HasNodeIds(plan.graph.id_space(), nodes);
  for (int row = 0; row < static_cast<int>(nodes.count()); ++row) {
    const std::uint64_t id = NodeIdAt(nodes, row);
    ids_ascend_ = ids_ascend_ && id > plan.max_id;
    plan.max_id = std::max(plan.max_id, id);
    plan.ids.Add(id);
    UseType(nodes, row);
    if (!native_) CountNodeLosses(nodes, row);
  }
}

void Survey::UseType(const pb::Nodes& nodes, int row) {
  if ((At(nodes.flags(), row) & pb::NODE_TYPE_DANGLING) != 0) return;
  Plan& plan = plans_.back();
  const std::uint64_t ref = At(nodes.type_ref(), row);
  const bool has_type = ref != 0;
  const std::uint64_t slot = has_type ? ref - 1 : At(nodes.kind(), row);
  std::vector<bool>& used = has_type ? used_types_ : used_kinds_;
  if (slot >= used.size()) used.resize(slot + 1);
  if (used[slot]) return;
  used[slot] = true;
  plan.type_slots.push_back(has_type ? slot : slot | Plan::kKindSlot);
}

void Survey::CountNodeLosses(const pb::Nodes& nodes, int row) {
  const Plan& plan = plans_.back();
  const std::uint64_t kind = At(nodes.kind(), row);
  const std::uint32_t known =
      kind < plan.node_kinds.size() ? plan.node_kinds[kind].known : 0;
  // A node without a type shows its kind as its type.
  const bool loses_kind =
      At(nodes.type_ref(), row) != 0 && known != pb::NODE_OBJECT;
  const std::uint64_t node = nodes.first() + static_cast<std::uint64_t>(row);
  losses_.AddNode(loses_kind, Loss::kNodeKind, node);
  losses_.AddNode(At(nodes.self_size(), row) > kMaxNumber, Loss::kNodeSize,
                  node);
}

void Survey::AddRoots(const pb::Roots& roots) {
  Plan& plan = plans_.back();
  for (int i = 0; i < static_cast<int>(roots.count()); ++i) {
    const std::uint32_t kind = At(roots.kind(), i);
    // Not a real root, but a way into what no root reaches.
    if (kind < plan.root_kinds.size() &&
        plan.root_kinds[kind].known == pb::ROOT_UNREACHABLE)
      continue;
    roots_.Add({.to = At(roots.to(), i),
                .flags = At(roots.flags(), i),
                .container_ref = At(roots.container_ref(), i),
                .container_id = At(roots.container_id(), i),
                .kind = kind,
                .to_form = static_cast<std::uint16_t>(At(roots.to_form(), i)),
                .has_more = At(roots.label(), i) != 0 ||
                            At(roots.thread_ref(), i) != 0 ||
                            At(roots.frame_number(), i) != 0 ||
                            !roots.extra().empty()});
    ++plan.roots.size;
  }
}

void Survey::AddExtra(const pb::Extra& extra) {
  Plan& plan = plans_.back();
  const bool is_own = native_ && extra.format() == kFormat;
  if (is_own && extra.section() == kSectionDomain) {
    plan.has_start = plan.has_start && extra.data() != kDomainWithoutStart;
    plan.has_end = plan.has_end && extra.data() != kDomainWithoutEnd;
    plan.is_cut = plan.is_cut || extra.data() == kDomainCut;
  } else if (is_own && extra.section() == kSectionLine) {
    if (!line_continues_) {
      has_layout_ = has_layout_ || extra.position() != 0;
      const std::uint64_t position =
          has_layout_ ? extra.position() : ~std::uint64_t{0};
      lines_.Add({position, line_text_.size()});
      ++plan.lines.size;
    }
    line_text_.Write(extra.data());
    line_continues_ = extra.continued();
  }
}

void Survey::AddOrder(const pb::RecordOrder& order) {
  if (!native_) return;
  for (int i = 0; i < order.body_size(); ++i)
    runs_.Add({order.body(i), At(order.run(), i)});
  plans_.back().order.size += static_cast<std::uint64_t>(order.body_size());
}

Status Survey::EndGraph(const pb::GraphEnd& end) {
  Plan& plan = plans_.back();
  // 0 is not an object, and one more id stands for objects that do not exist.
  if (end.nodes() >= kMaxNumber) {
    return {Code::kUnsupported,
            "a log cannot have more than 4,294,967,294 objects"};
  }
  plan.nodes = end.nodes();
  SettleIds(end.nodes());
  SettleTypes();
  // An order that does not match the rows is a lie.
  if (!IsOrderOfAll(end.nodes())) plan.order = {};
  return status();
}

bool Survey::IsOrderOfAll(std::uint64_t nodes) {
  const Plan& plan = plans_.back();
  std::uint64_t rows = 0;
  for (std::uint64_t i = 0; i < plan.order.size; ++i) rows += Run(plan, i).rows;
  return rows == plan.types.size() + nodes + plan.roots.size;
}

std::string_view Survey::LineText(const Plan& plan, std::uint64_t line) {
  const std::uint64_t row = plan.lines.begin + line;
  const std::uint64_t begin = lines_[row].begin;
  const std::uint64_t end =
      row + 1 < lines_.size() ? lines_[row + 1].begin : line_text_.size();
  // Lost rows are zeros.
  return status().ok() ? line_text_.View(begin, end - begin)
                       : std::string_view();
}

Status Survey::status() const {
  for (const Status* const status : {&roots_.status(), &runs_.status(),
                                     &lines_.status(), &line_text_.status()})
    if (!status->ok()) return *status;
  return {};
}

void Survey::SettleIds(std::uint64_t nodes) {
  Plan& plan = plans_.back();
  if (!plan.has_ids) {
    plan.ids.Clear();
    plan.max_id = 0;
    made_ids_ += nodes;
    return;
  }
  if (native_) return;
  const bool is_good = plan.max_id <= kMaxNumber &&
                       (ids_ascend_ || AreUnique(plan.ids, plan.max_id));
  if (is_good) return;
  plan.ids.Clear();
  plan.max_id = 0;
  losses_.Add(Loss::kNodeId, nodes);
}

void Survey::SettleTypes() {
  Plan& plan = plans_.back();
  plan.kind_ids.resize(used_kinds_.size());
  plan.type_ids.resize(plan.types.size());
  for (std::size_t i = 0; i < plan.types.size(); ++i)
    plan.type_ids[i] = plan.types[i].id;
  if (native_) return;
  for (std::uint64_t i = 0; i < plan.types.size(); ++i)
    if (i >= used_types_.size() || !used_types_[i])
      plan.type_slots.push_back(i);
  for (std::uint64_t i = 0; i < plan.type_slots.size(); ++i) {
    const std::uint64_t slot = plan.type_slots[i];
    if ((slot & Plan::kKindSlot) != 0) {
      plan.kind_ids[slot & ~Plan::kKindSlot] = i + 1;
      ++made_kind_types_;
    } else if (slot < plan.type_ids.size()) {
      plan.type_ids[slot] = i + 1;
    }
  }
}

void Survey::Report(LossReport* report) const {
  report->AddSynthesized(kMadeId.code, made_ids_, kMadeId.note);
  report->AddSynthesized(kKindType.code, made_kind_types_, kKindType.note);
}

}  // namespace heapglot::netcf
