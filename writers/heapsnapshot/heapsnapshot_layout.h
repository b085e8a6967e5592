// The nodes that a V8 heap snapshot has in addition to those of the source, and
// the position of all of them.
#ifndef HEAPGLOT_WRITERS_HEAPSNAPSHOT_HEAPSNAPSHOT_LAYOUT_H_
#define HEAPGLOT_WRITERS_HEAPSNAPSHOT_HEAPSNAPSHOT_LAYOUT_H_

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "heapglot/stream.h"
#include "writers/heapsnapshot/heapsnapshot_externals.h"
#include "writers/heapsnapshot/heapsnapshot_names.h"
#include "writers/heapsnapshot/heapsnapshot_roots.h"

namespace heapglot::heapsnapshot {

// Order of nodes:
//   0        the root, without a name, if the source does not have one like it
//   1        (GC roots), if the source has no node for it
//   ...      the source's nodes
//   ...      a native node for each piece of external memory
//   ...      (omitted), (dangling reference) and (small integer), if something
//            refers to them or is held by them
//   ...      a group for each kind of root in use; a chain of groups where its
//            roots have to be farther away
//   last     (end), unless the last node has no edges anyway: VS Code's parser
//            does not support a dominator as the last node
// The root leads to (GC roots) or the source's node for it. All children of the
// root are synthetic, since DevTools takes any other one for a window. They
// include all synthetic nodes that nothing else holds, so that nothing is
// unreachable without need.
//
// V8's own root stays the root: its shortcuts make windows, but only as edges
// of the root.
class Layout {
 public:
  // A synthetic node and what it leads to.
  struct Group {
    std::uint64_t name = 0;                   // string number
    std::vector<std::uint64_t> targets = {};  // ordinals
    Externals::Range held = {};               // after these
    // And after these, what roots hold; nullptr: there are no roots.
    const RootLists::List* roots = nullptr;
    bool is_weak = false;  // keeps none of them alive

    std::uint64_t size() const {
      return targets.size() + held.size() +
             (roots != nullptr ? roots->count() : 0);
    }
  };
  // The survey.
  void AddGraph(const pb::Graph& graph) {
    root_ref_ = graph.root_ref();
    id_space_ = graph.id_space();
  }
  void AddVocabulary(const pb::Vocabulary& vocabulary);
  // Errors: those of the temporary file.
  Status AddRoots(const pb::Roots& roots);
  // Errors: those of the temporary files.
  Status AddExternals(const pb::Externals& externals, const NodeNames& names,
                      StringNumbers& numbers);
  // Ends the survey; all below is valid from then on, unless status() is an
  // error.
  void Finish(const pb::GraphEnd& totals, const NodeNames& names,
              StringNumbers& numbers);

  std::uint64_t node_count() const { return node_count_; }
  std::uint64_t edge_count() const { return edge_count_; }
  // Ordinal of the source's node `index`.
  std::uint64_t Ordinal(std::uint64_t index) const { return shift_ + index; }
  std::uint64_t omitted() const { return omitted_; }
  std::uint64_t dangling() const { return dangling_; }
  std::uint64_t immediate() const { return immediate_; }
  // Whether the source's own ids are those of the file.
  bool keeps_ids() const { return keeps_ids_; }

  // Whether node 0 is not the source's. Valid after the vocabulary.
  bool makes_root() const { return root_ref_ != 1 || !has_shortcuts_; }
  // What else the source's root leads to, if it is node 0; otherwise empty.
  const Group& added_to_root() const { return added_to_root_; }
  // The nodes before the source's, and those after the external memory.
  const std::vector<Group>& heads() const { return heads_; }
  const std::vector<Group>& tails() const { return tails_; }
  // Calls visit(ordinal) for all that a group leads to, in order.
  template <typename Visit>
  void ForEachTarget(const Group& group, Visit&& visit) {
    for (const std::uint64_t target : group.targets) visit(target);
    for (std::uint64_t i = group.held.begin; i < group.held.end; ++i)
      visit(ExternalOrdinal(externals_.HeldAt(i).piece));
    if (group.roots == nullptr) return;
    roots_.ForEach(*group.roots, [this, &visit](std::uint64_t node) {
      visit(Ordinal(node));
    });
  }
  // Whether all of it could be kept and read. Errors: those of the temporary
  // files.
  const Status& status() const {
    return roots_.status().ok() ? externals_.status() : roots_.status();
  }
  Externals& externals() { return externals_; }
  std::uint64_t ExternalOrdinal(std::uint64_t piece) const {
    return first_external_ + piece;
  }
  // The id of a node that is not the source's: above the ids of the source's
  // nodes; 1 for the root, unless the source's own ids are kept.
  std::uint64_t SynthesizedId(std::uint64_t ordinal) const;

 private:
  // The number of a node that is not the source's, among such nodes.
  std::uint64_t NumberOfMade(std::uint64_t ordinal) const;
  // Whether ids below `limit` leave room for those of made nodes. All nodes
  // must have been added.
  bool CanKeepIds(std::uint64_t limit) const;
  // Adds the node that stands in for targets and holders, and returns its
  // ordinal; 0 if nothing needs it.
  std::uint64_t AddStandIn(std::string_view name, std::uint64_t references,
                           const Externals::Range& held,
                           StringNumbers& numbers);
  // The group of node 0, and the one that groups of roots hang from.
  Group& Root() { return makes_root() ? heads_.front() : added_to_root_; }
  Group& ParentOfGroups() {
    return makes_root() ? heads_.back() : added_to_root_;
  }
  void AddRootGroups(const NodeNames& names, StringNumbers& numbers);
  void AddEnd(StringNumbers& numbers);
  // Adds a group for roots of a kind, still without them, as the last tail.
  void AddRootGroup(std::uint32_t kind, std::uint32_t distance,
                    const NodeNames& names, StringNumbers& numbers);
  std::uint32_t KnownRootKind(std::uint32_t kind) const;
  // The name of a group of roots of a kind, in parentheses.
  std::string RootGroupName(std::uint32_t kind, const NodeNames& names) const;

  struct RootKind {
    std::uint32_t known;
    std::uint64_t name;  // stream's string
  };

  std::uint64_t root_ref_ = 0;
  bool has_shortcuts_ = false;
  pb::Graph::IdSpace id_space_ = pb::Graph::IMPLICIT;
  bool keeps_ids_ = false;
  std::vector<RootKind> root_kinds_;  // by vocabulary row
  std::array<std::uint64_t, pb::RootKind_ARRAYSIZE> kinds_alike_ = {};
  RootLists roots_;
  Externals externals_;
  Group added_to_root_;
  std::vector<Group> heads_;
  std::vector<Group> tails_;
  std::uint64_t shift_ = 0;
  std::uint64_t source_nodes_ = 0;
  std::uint64_t first_external_ = 0;
  std::uint64_t id_limit_ = 0;
  std::uint64_t omitted_ = 0;
  std::uint64_t dangling_ = 0;
  std::uint64_t immediate_ = 0;
  std::uint64_t node_count_ = 0;
  std::uint64_t edge_count_ = 0;
};

}  // namespace heapglot::heapsnapshot

#endif  // HEAPGLOT_WRITERS_HEAPSNAPSHOT_HEAPSNAPSHOT_LAYOUT_H_
