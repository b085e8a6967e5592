#include "writers/heapsnapshot/heapsnapshot_layout.h"

#include <algorithm>
#include <string>
#include <utility>

#include "core/column.h"
#include "core/ir/word_count.h"

namespace heapglot::heapsnapshot {
namespace {

// The most groups in a chain.
constexpr std::uint32_t kMaxDistance = 64;
// Once there are this many tails, no more chains are made, however many kinds
// of roots there are.
constexpr std::size_t kMaxChains = std::size_t{1} << 16;

std::string_view GroupName(std::uint32_t known) {
  switch (known) {
    case pb::ROOT_LOCAL:
      return "(Stack)";
    case pb::ROOT_FINALIZER:
      return "(Finalizer queue)";
    case pb::ROOT_HANDLE:
      return "(Handles)";
    case pb::ROOT_STATIC:
      return "(Statics)";
    case pb::ROOT_INTERNED:
      return "(Interned strings)";
    case pb::ROOT_VM:
      return "(VM)";
    case pb::ROOT_JNI_GLOBAL:
      return "(JNI globals)";
    case pb::ROOT_JNI_LOCAL:
      return "(JNI locals)";
    case pb::ROOT_THREAD:
      return "(Threads)";
    case pb::ROOT_MONITOR:
      return "(Monitors)";
    case pb::ROOT_CLASS:
      return "(Classes)";
    case pb::ROOT_DEBUGGER:
      return "(Debugger)";
    case pb::ROOT_WEAK:
      return "(Weak roots)";
    case pb::ROOT_NATIVE_STACK:
      return "(Native stack)";
    case pb::ROOT_REF_CLEANUP:
      return "(Reference cleanup)";
    case pb::ROOT_CONSERVATIVE:
      return "(Conservative roots)";
    case pb::ROOT_UNREACHABLE:
      return "(Unreachable)";
    default:
      return "(Other roots)";
  }
}

}  // namespace

void Layout::AddVocabulary(const pb::Vocabulary& vocabulary) {
  const int rows = WordCount(vocabulary);
  if (vocabulary.space() == pb::Vocabulary::EDGE_KIND) {
    for (int i = 0; i < rows; ++i) {
      if (At(vocabulary.known(), i) == pb::EDGE_SHORTCUT) has_shortcuts_ = true;
    }
  }
  if (vocabulary.space() != pb::Vocabulary::ROOT_KIND) return;
  for (int i = 0; i < rows; ++i) {
    std::uint32_t known = At(vocabulary.known(), i);
    if (!pb::RootKind_IsValid(static_cast<int>(known))) known = pb::ROOT_OTHER;
    root_kinds_.push_back({known, At(vocabulary.name(), i)});
    ++kinds_alike_[known];
  }
}

Status Layout::AddRoots(const pb::Roots& roots) {
  for (int i = 0; i < static_cast<int>(roots.count()); ++i) {
    if (At(roots.to_form(), i) != pb::TO_NODE) continue;
    roots_.Add({At(roots.kind(), i), At(roots.distance(), i)},
               At(roots.to(), i));
  }
  return roots_.status();
}

Status Layout::AddExternals(const pb::Externals& externals,
                            const NodeNames& names, StringNumbers& numbers) {
  for (int i = 0; i < static_cast<int>(externals.count()); ++i) {
    const std::uint32_t form = At(externals.to_form(), i);
    const std::uint64_t holder = form == pb::TO_NODE ? At(externals.to(), i)
                                 : form == pb::TO_OMITTED
                                     ? Externals::kOmitted
                                     : Externals::kDangling;
    std::string name = "external memory";
    if (At(externals.name(), i) != 0)
      name.append(" (").append(names.Text(externals.name(i))).append(")");
    externals_.Add(holder, {At(externals.size(), i), numbers.Fixed(name)});
  }
  return externals_.status();
}

void Layout::Finish(const pb::GraphEnd& totals, const NodeNames& names,
                    StringNumbers& numbers) {
  source_nodes_ = totals.nodes();
  if (makes_root()) {
    heads_.push_back({StringNumbers::kEmpty, {}});
    if (root_ref_ == 0) heads_.push_back({numbers.Fixed("(GC roots)"), {}});
    shift_ = heads_.size();
    Root().targets.push_back(root_ref_ == 0 ? 1 : Ordinal(root_ref_ - 1));
  }

  externals_.Finish();
  first_external_ = Ordinal(source_nodes_);
  node_count_ = first_external_ + externals_.size();
  omitted_ = AddStandIn("(omitted)", totals.edges_omitted(),
                        externals_.HeldByOmitted(), numbers);
  dangling_ = AddStandIn("(dangling reference)", totals.edges_dangling(),
                         externals_.HeldByDangling(), numbers);
  immediate_ =
      AddStandIn("(small integer)", totals.edges_immediate(), {}, numbers);
  AddRootGroups(names, numbers);
  AddEnd(numbers);
  keeps_ids_ = CanKeepIds(totals.id_limit());
  id_limit_ = keeps_ids_ ? totals.id_limit() : source_nodes_ + 1;

  edge_count_ =
      totals.edges() + externals_.HeldByNodes().size() + added_to_root_.size();
  for (const Group& head : heads_) edge_count_ += head.size();
  for (const Group& tail : tails_) edge_count_ += tail.size();
}

bool Layout::CanKeepIds(std::uint64_t limit) const {
  // Other ids mean nothing when two snapshots are compared, or may occur twice.
  if (id_space_ != pb::Graph::OPAQUE) return false;
  // The ids of made nodes follow, two apart. If they did not fit, they would
  // wrap around to the ids of other nodes. Room is required for at least one
  // more than the root, so that ids are not kept below a limit that is the
  // greatest number only because it could not be greater.
  constexpr std::uint64_t kMax = ~std::uint64_t{0};
  const std::uint64_t last =
      std::max<std::uint64_t>(NumberOfMade(node_count_ - 1), 1);
  return limit != 0 && limit <= kMax - 2 * last;
}

std::uint64_t Layout::AddStandIn(std::string_view name,
                                 std::uint64_t references,
                                 const Externals::Range& held,
                                 StringNumbers& numbers) {
  if (references == 0 && held.size() == 0) return 0;
  tails_.push_back({.name = numbers.Fixed(name), .held = held});
  Root().targets.push_back(node_count_);
  return node_count_++;
}

void Layout::AddEnd(StringNumbers& numbers) {
  const bool ends_in_leaf =
      tails_.empty() ? externals_.size() > 0 : tails_.back().size() == 0;
  if (ends_in_leaf) return;
  Root().targets.push_back(node_count_++);
  tails_.push_back({numbers.Fixed("(end)"), {}});
}

void Layout::AddRootGroups(const NodeNames& names, StringNumbers& numbers) {
  tails_.reserve(tails_.size() + roots_.lists().size() + 1);
  for (const auto& [key, list] : roots_.lists()) {
    AddRootGroup(key.kind, key.distance, names, numbers);
    tails_.back().roots = &list;
  }
}

void Layout::AddRootGroup(std::uint32_t kind, std::uint32_t distance,
                          const NodeNames& names, StringNumbers& numbers) {
  const std::uint64_t name = numbers.Fixed(RootGroupName(kind, names));
  // Groups hang from (GC roots) if that is ours; otherwise, they are beside it.
  ParentOfGroups().targets.push_back(node_count_++);
  tails_.push_back({name, {}});
  const std::uint32_t farthest =
      tails_.size() < kMaxChains ? std::min(distance, kMaxDistance) : 0;
  const auto depth =
      std::max<std::uint32_t>(static_cast<std::uint32_t>(heads_.size()), 1);
  for (std::uint32_t at = depth; at + 1 < farthest; ++at) {
    tails_.back().targets.push_back(node_count_++);
    tails_.push_back({name, {}});
  }
  tails_.back().is_weak = KnownRootKind(kind) == pb::ROOT_WEAK;
}

std::uint32_t Layout::KnownRootKind(std::uint32_t kind) const {
  return kind < root_kinds_.size() ? root_kinds_[kind].known
                                   : static_cast<std::uint32_t>(pb::ROOT_OTHER);
}

std::string Layout::RootGroupName(std::uint32_t kind,
                                  const NodeNames& names) const {
  const std::uint32_t known = KnownRootKind(kind);
  // Use the source's own words where ours do not tell its kinds apart.
  const std::string_view name =
      kind < root_kinds_.size() ? names.Text(root_kinds_[kind].name) : "";
  if ((kinds_alike_[known] > 1 || known == pb::ROOT_OTHER) && !name.empty()) {
    return std::string("(").append(name).append(")");
  }
  return std::string(GroupName(known));
}

// Heads come first, then the nodes after the source's; 0 is for the root.
std::uint64_t Layout::NumberOfMade(std::uint64_t ordinal) const {
  if (ordinal < shift_) return ordinal;
  return ordinal - source_nodes_ + (makes_root() ? 0 : 1);
}

std::uint64_t Layout::SynthesizedId(std::uint64_t ordinal) const {
  const std::uint64_t number = NumberOfMade(ordinal);
  if (number == 0 && !keeps_ids_) return 1;
  // Odd, as V8's own are.
  return keeps_ids_ ? (id_limit_ | 1) + 2 * number
                    : 2 * (id_limit_ + number - 1) + 1;
}

}  // namespace heapglot::heapsnapshot
