#include "core/compare/graph_compare.h"

#include <algorithm>
#include <initializer_list>
#include <optional>

#include "core/compare/id_match.h"
#include "core/compare/mix.h"

namespace heapglot {
namespace {

constexpr std::initializer_list<Aspect> kOwnAspects = {
    Aspect::kClasses, Aspect::kKinds,      Aspect::kNames, Aspect::kValues,
    Aspect::kSizes,   Aspect::kAttributes, Aspect::kHeaps};
constexpr std::initializer_list<Aspect> kEdgeAspects = {
    Aspect::kEdges, Aspect::kEdgeKinds, Aspect::kEdgeNames};

class Comparison {
 public:
  Comparison(Reader& a, Reader& b, const CompareOptions& options,
             GraphComparison* result)
      : options_(options),
        result_(*result),
        a_(a, Side::kA, options.aspects),
        b_(b, Side::kB, options.aspects) {}

  Status Run();

 private:
  Status ReadOnlyA();
  Status Decide();
  void IgnoreLibrariesOfOne();
  void TellHeapsOfBoth();
  bool IsSameInOrder() const;
  Status CompareByIds(IdMatch& ids);
  Status CompareByStructure();
  Status ReadLinks(TargetKey key);
  void NoteIds(const IdMatch& ids);
  // Notes which aspects differ, and whether any does.
  bool NoteDigests();
  void NoteWhatAlsoMoved(const std::array<bool, kAspects>& in_order);
  // Names the first of these aspects in which what was put together differs.
  void NoteTogether(std::initializer_list<Aspect> aspects);
  // For dumps that differ: names an aspect, if none differs by itself.
  void NoteWhatIsLeft(bool same_nodes);
  bool NamesAny() const {
    return std::ranges::count(result_.differs, true) > 0;
  }
  bool HasSameSignatures() const;
  Status Finish();

  const CompareOptions& options_;
  GraphComparison& result_;
  ClassRows classes_;
  ComparedDump a_;
  ComparedDump b_;
};

Status Comparison::Run() {
  HEAPGLOT_RETURN_IF_ERROR(options_.same_bytes ? ReadOnlyA() : Decide());
  return Finish();
}

// The other dump would give the same result.
Status Comparison::ReadOnlyA() {
  HEAPGLOT_RETURN_IF_ERROR(a_.ReadWords());
  HEAPGLOT_RETURN_IF_ERROR(a_.ReadNodes(classes_));
  HEAPGLOT_RETURN_IF_ERROR(a_.ReadLinks(TargetKey::kPosition));
  result_.same = true;
  result_.matched_by = MatchedBy::kBytes;
  if (a_.has_ids()) result_.ids = GraphComparison::Ids::kSame;
  return {};
}

// What one of the dumps cannot say is not a difference.
void Comparison::IgnoreLibrariesOfOne() {
  if (a_.words().HasLibraries() == b_.words().HasLibraries()) return;
  a_.words().IgnoreLibraries();
  b_.words().IgnoreLibraries();
  result_.ignores_libraries = true;
}

// Many formats have only one heap, into which others were merged.
void Comparison::TellHeapsOfBoth() {
  if (!a_.words().HasHeaps() || !b_.words().HasHeaps()) return;
  const bool by_name = a_.words().NamesHeaps() && b_.words().NamesHeaps();
  a_.words().TellHeaps(by_name);
  b_.words().TellHeaps(by_name);
}

Status Comparison::Decide() {
  HEAPGLOT_RETURN_IF_ERROR(a_.ReadWords());
  HEAPGLOT_RETURN_IF_ERROR(b_.ReadWords());
  IgnoreLibrariesOfOne();
  TellHeapsOfBoth();
  HEAPGLOT_RETURN_IF_ERROR(a_.ReadNodes(classes_));
  HEAPGLOT_RETURN_IF_ERROR(b_.ReadNodes(classes_));
  HEAPGLOT_RETURN_IF_ERROR(ReadLinks(TargetKey::kPosition));
  IdMatch ids(a_, b_, options_.aspects);
  NoteIds(ids);
  const bool differs = NoteDigests();
  result_.same = !differs && IsSameInOrder();
  result_.matched_by = MatchedBy::kPosition;
  if (result_.same) return {};
  if (options_.match == Match::kStructure) return CompareByStructure();
  const bool comparable = ids.HasComparableIds();
  if (options_.match == Match::kIds) {
    if (comparable) return CompareByIds(ids);
    return {Code::kUsage,
            "the nodes cannot be told by their ids: not both have ids, or "
            "they are of different sorts"};
  }
  if (comparable && ids.IsOneProcess()) return CompareByIds(ids);
  return CompareByStructure();
}

Status Comparison::ReadLinks(TargetKey key) {
  HEAPGLOT_RETURN_IF_ERROR(a_.ReadLinks(key));
  return b_.ReadLinks(key);
}

void Comparison::NoteIds(const IdMatch& ids) {
  if (!ids.HasComparableIds()) return;
  result_.ids = ids.HasSameIds() ? GraphComparison::Ids::kSame
                                 : GraphComparison::Ids::kDifferent;
  for (const GraphWords& graph : a_.words().graphs()) {
    result_.ids_may_move |= graph.stated.id_space() != pb::Graph::OPAQUE;
  }
}

bool Comparison::NoteDigests() {
  bool any = a_.totals().nodes != b_.totals().nodes;
  for (std::size_t i = 0; i < kAspects; ++i) {
    result_.differs[i] = a_.digests()[i] != b_.digests()[i];
    any |= result_.differs[i];
  }
  // The values may be the same, but belong to other edges.
  const bool has_other_values = a_.edge_values() != b_.edge_values();
  result_.differs[static_cast<std::size_t>(Aspect::kValues)] |=
      has_other_values;
  return any || has_other_values;
}

bool Comparison::IsSameInOrder() const {
  std::uint64_t in_b = 0;
  for (std::uint64_t in_a = 0; in_a < a_.nodes(); ++in_a) {
    if (!a_.Counts(in_a)) continue;
    while (in_b < b_.nodes() && !b_.Counts(in_b)) ++in_b;
    if (in_b == b_.nodes() || a_.own[in_a] != b_.own[in_b] ||
        a_.links[in_a] != b_.links[in_b]) {
      return false;
    }
    ++in_b;
    a_.own.Passed(in_a);
    a_.links.Passed(in_a);
    b_.own.Passed(in_b);
    b_.links.Passed(in_b);
  }
  while (in_b < b_.nodes() && !b_.Counts(in_b)) ++in_b;
  return in_b == b_.nodes();
}

Status Comparison::CompareByIds(IdMatch& ids) {
  HEAPGLOT_RETURN_IF_ERROR(ReadLinks(TargetKey::kId));
  ids.Compare(classes_, options_.max_nodes, &result_);
  result_.matched_by = MatchedBy::kIds;
  result_.same = !NoteDigests() && result_.changes.total() == 0;
  if (result_.same || NamesAny()) return {};
  result_.differs[static_cast<std::size_t>(Aspect::kSizes)] =
      result_.changes.grown + result_.changes.shrunk > 0 &&
      options_.aspects.Has(Aspect::kSizes);
  if (!NamesAny()) NoteTogether(kOwnAspects);
  if (!NamesAny()) NoteTogether(kEdgeAspects);
  return {};
}

// Round by round: what a node is, then also what it refers to, and so on.
Status Comparison::CompareByStructure() {
  result_.matched_by = MatchedBy::kStructure;
  const std::array<bool, kAspects> in_order = result_.differs;
  HEAPGLOT_RETURN_IF_ERROR(a_.BeginSignatures());
  HEAPGLOT_RETURN_IF_ERROR(b_.BeginSignatures());
  const bool same_nodes = HasSameSignatures();
  bool same = same_nodes;
  result_.depth = 0;
  while (same && result_.depth < options_.depth) {
    HEAPGLOT_RETURN_IF_ERROR(ReadLinks(TargetKey::kSignature));
    a_.RefineSignatures();
    b_.RefineSignatures();
    ++result_.depth;
    same = !NoteDigests() && HasSameSignatures();
    NoteWhatAlsoMoved(in_order);
  }
  if (result_.depth == 0) {
    // What edges and roots lead to shows which of them differ.
    HEAPGLOT_RETURN_IF_ERROR(ReadLinks(TargetKey::kSignature));
    same = !NoteDigests() && same;
    NoteWhatAlsoMoved(in_order);
  }
  result_.same = same;
  if (!same) NoteWhatIsLeft(same_nodes);
  return {};
}

void Comparison::NoteTogether(std::initializer_list<Aspect> aspects) {
  for (const Aspect aspect : aspects) {
    const auto i = static_cast<std::size_t>(aspect);
    if (!options_.aspects.Has(aspect) || a_.together()[i] == b_.together()[i])
      continue;
    result_.differs[i] = true;
    return;
  }
}

// All nodes together have the same sizes, say, but the nodes differ; or edges
// have the same names, but the edges differ.
void Comparison::NoteWhatIsLeft(bool same_nodes) {
  if (NamesAny()) return;
  if (!same_nodes) {
    NoteTogether(kOwnAspects);
    // Named values are not part of what was put together.
    if (!NamesAny())
      result_.differs[static_cast<std::size_t>(Aspect::kValues)] = true;
    return;
  }
  NoteDigests();
  if (!NamesAny()) NoteTogether(kEdgeAspects);
  // The same edges, but not from the same nodes.
  for (const Aspect aspect : kEdgeAspects) {
    if (NamesAny()) return;
    result_.differs[static_cast<std::size_t>(aspect)] =
        options_.aspects.Has(aspect);
  }
}

// An edge to a node that looks different looks different, too. If the edges are
// the same by position, they are not the cause.
void Comparison::NoteWhatAlsoMoved(const std::array<bool, kAspects>& in_order) {
  for (std::size_t i = 0; i < kAspects; ++i) {
    result_.differs[i] = result_.differs[i] && in_order[i];
  }
}

bool Comparison::HasSameSignatures() const {
  const auto digest = [](const ComparedDump& dump) {
    std::uint64_t sum = 0;
    for (std::uint64_t node = 0; node < dump.nodes(); ++node) {
      if (dump.Counts(node)) sum += Mix(dump.signature[node]);
      dump.signature.Passed(node);
    }
    return sum;
  };
  return a_.totals().nodes == b_.totals().nodes && digest(a_) == digest(b_);
}

Status Comparison::Finish() {
  result_.header_a = a_.words().header();
  result_.a = a_.totals();
  result_.header_b =
      options_.same_bytes ? result_.header_a : b_.words().header();
  result_.b = options_.same_bytes ? result_.a : b_.totals();
  std::vector<std::uint32_t> place;
  HEAPGLOT_RETURN_IF_ERROR(
      classes_.Finish(a_.reader(), b_.reader(), &result_.classes, &place));
  for (ClassDifference& difference : result_.classes) {
    if (options_.same_bytes) difference.b = difference.a;
  }
  for (NodeDifference& node : result_.nodes) {
    node.class_index = place[node.class_index];
  }
  return {};
}

}  // namespace

Status CompareGraphs(Reader& a, Reader& b, const CompareOptions& options,
                     GraphComparison* result) {
  *result = {};
  return Comparison(a, b, options, result).Run();
}

}  // namespace heapglot
