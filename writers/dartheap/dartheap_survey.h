// What must be known about a stream before the first byte of its dartheap can
// be written.
#ifndef HEAPGLOT_WRITERS_DARTHEAP_DARTHEAP_SURVEY_H_
#define HEAPGLOT_WRITERS_DARTHEAP_DARTHEAP_SURVEY_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/column.h"
#include "core/text/string_store.h"
#include "heapglot/context.h"
#include "heapglot/status.h"
#include "heapglot/stream.h"
#include "writers/dartheap/dartheap_bases.h"
#include "writers/dartheap/dartheap_losses.h"
#include "writers/dartheap/dartheap_objects.h"
#include "writers/dartheap/dartheap_shapes.h"
#include "writers/dartheap/dartheap_stand_ins.h"

namespace heapglot::dartheap {

// What an edge is in a dartheap.
struct EdgeForm {
  bool is_named = false;  // a field; otherwise an element
  bool is_weak = false;
  bool is_numbered = false;
  std::uint32_t known = 0;  // pb::EdgeKind
};

// The first pass over a stream of another format.
//
// Memory: that of ShapeTable, StringStore, StandIns and ObjectQueue, 32 bytes a
// type, 4 a word of a vocabulary.
class Survey : private ObjectQueue::Handler {
 public:
  struct Type {
    std::uint64_t name = 0;  // strings
    std::uint64_t library_name = 0;
    std::uint64_t library_uri = 0;
    IntClass int_class = IntClass::kOther;  // after Finish()
  };
  struct Word {
    std::uint64_t name = 0;   // string
    std::uint32_t known = 0;  // pb::NodeKind
  };

  static constexpr Base kRoot = MakeBase(VmClass::kRoot);

  static ChunkSet Wanted();
  Status Accept(const pb::Chunk& chunk);
  // Ends the pass; all below is valid from then on.
  void Finish();
  // Counts what is lost in any case.
  void CountLosses(Losses& losses) const;

  // Whether object 1 has to be made: node 0 is not the root of the graph, or
  // there are other roots.
  bool makes_root() const { return graph_.root_ref() != 1 || roots_ > 0; }
  // References of that object.
  std::uint64_t root_references() const {
    return roots_ + (graph_.root_ref() != 0 ? 1 : 0);
  }
  bool IsRoot(std::uint32_t root_kind) const {
    return root_kind >= root_kinds_.size() ||
           root_kinds_[root_kind] != pb::ROOT_UNREACHABLE;
  }

  Base BaseOf(const pb::Nodes& nodes, int row) const;
  Word WordOf(const pb::Nodes& nodes, int row) const {
    const std::uint32_t word = At(nodes.kind(), row);
    return word < words_.size() ? words_[word] : Word();
  }
  EdgeForm FormOf(const pb::Edges& edges, int row) const;

  static Base BaseOfStandIn(const StandIns::Item& item) {
    if (item.form == pb::TO_DANGLING) return MakeBase(VmClass::kDangling);
    return MakeBase(item.is_rest
                        ? VmClass::kNumber
                        : IntegerClass(static_cast<std::int64_t>(item.value)));
  }
  // The object id of a target.
  std::uint64_t Target(std::uint32_t form, std::uint64_t to) const {
    return form == pb::TO_NODE ? to + first_id_ : stand_ins_.Id(form, to);
  }

  const pb::Graph& graph() const { return graph_; }
  const pb::GraphEnd& totals() const { return totals_; }
  const std::string& format() const { return format_; }
  const std::vector<Word>& words() const { return words_; }
  const std::vector<Type>& types() const { return types_; }
  const StandIns& stand_ins() const { return stand_ins_; }
  ShapeTable& shapes() { return shapes_; }
  StringStore& strings() { return strings_; }
  const Status& status() const {
    return strings_.status().ok() ? queue_.status() : strings_.status();
  }

 private:
  struct EdgeWord {
    std::uint32_t known = 0;
    std::uint32_t name_form = 0;
  };

  void AddVocabulary(const pb::Vocabulary& vocabulary);
  void AddTypes(const pb::Types& types);
  void AddRoots(const pb::Roots& roots);
  void AddExternals(const pb::Externals& externals);
  void AddNodes(const pb::Nodes& nodes);
  void CountNodeLosses(const pb::Nodes& nodes, int row);
  void CountValueLosses(const pb::Nodes& nodes, int row);
  void CountEdgeLosses(const EdgeForm& form, std::uint64_t name);

  // ObjectQueue::Handler
  void TakeEdges(const pb::Edges& edges, int begin, int end) override;
  void FinishNode() override;

  std::string format_;
  pb::Graph graph_;
  pb::GraphEnd totals_;
  std::uint64_t graphs_ = 0;
  std::vector<Word> words_;
  std::vector<EdgeWord> edge_words_;
  std::vector<std::uint32_t> root_kinds_;  // pb::RootKind, by vocabulary row
  std::vector<Type> types_;
  std::uint64_t roots_ = 0;     // that object 1 refers to
  std::uint64_t first_id_ = 1;  // of the first node
  StandIns stand_ins_;
  StringStore strings_;
  ShapeTable shapes_{kRoot};
  std::vector<Field> root_fields_;  // of node 0, if it may be the root

  // The node whose edges are being taken.
  ObjectQueue queue_{*this};
  std::vector<Field> fields_;
  std::uint64_t elements_ = 0;
  std::uint64_t overtaken_ = 0;  // how many of elements_ precede a field

  Tally kinds_, unsigned_, bools_, value_texts_;
  Tally reordered_;
  Tally weak_elements_, indices_, edge_kinds_;
  std::uint64_t external_holders_ = 0;
};

}  // namespace heapglot::dartheap

#endif  // HEAPGLOT_WRITERS_DARTHEAP_DARTHEAP_SURVEY_H_
