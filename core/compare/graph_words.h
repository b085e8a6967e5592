// What a dump calls things, as hashes that mean the same in every dump.
#ifndef HEAPGLOT_CORE_COMPARE_GRAPH_WORDS_H_
#define HEAPGLOT_CORE_COMPARE_GRAPH_WORDS_H_

#include <cstdint>
#include <vector>

#include "core/class_label.h"
#include "core/compare/class_rows.h"
#include "core/compare/scratch_column.h"
#include "core/ir/name_count.h"
#include "heapglot/stream.h"

namespace heapglot {

// One of the graphs of a dump. Node numbers run through all graphs.
struct GraphWords {
  struct EdgeKind {
    std::uint64_t hash = 0;
    std::uint32_t name_form = 0;
    bool is_synthesized = false;
  };

  pb::Graph stated;
  pb::GraphEnd end;
  std::uint64_t first_node = 0;
  std::uint64_t heap = 0;  // which one it is, set by TellHeaps(); otherwise 0
  // By number of the kind.
  std::vector<std::uint64_t> node_kinds;
  std::vector<EdgeKind> edge_kinds;
  std::vector<std::uint64_t> root_kinds;
  std::vector<std::uint64_t> heap_spaces;
  std::vector<ClassLabel> kind_labels;  // of nodes without a class
  std::vector<ClassLabel> types;
  // Rows of ClassRows, made when a node of the class comes.
  std::vector<std::uint32_t> kind_rows;
  std::vector<std::uint32_t> type_rows;
  std::uint32_t undefined_row = ClassRows::kNone;

  EdgeKind edge_kind(std::uint32_t number) const {
    return number < edge_kinds.size() ? edge_kinds[number] : EdgeKind{};
  }
};

// Memory: 8 bytes a string in scratch space, 28 bytes a class.
class DumpWords {
 public:
  // Takes two passes.
  Status Read(Reader& reader);

  const pb::Header& header() const { return header_; }
  const std::vector<GraphWords>& graphs() const { return graphs_; }
  std::uint64_t nodes() const { return nodes_; }
  // Strings that are not names.
  std::uint64_t strings() const { return names_.Others(strings_); }

  // The hash of string `index`; 0 if there is no such string.
  std::uint64_t TextHash(std::uint64_t index) const {
    return index < hashes_.size() ? hashes_[index] : 0;
  }
  // With the library, unless libraries are ignored.
  std::uint64_t ClassHash(const ClassLabel& label) const;
  void IgnoreLibraries() { ignores_libraries_ = true; }
  // Whether there are several heaps, and whether all of them have names.
  bool HasHeaps() const { return graphs_.size() > 1; }
  bool NamesHeaps() const;
  // Sets GraphWords::heap: by name (and by order where names are the same) or
  // by order alone.
  void TellHeaps(bool by_name);
  // Whether any class is said to be in a library.
  bool HasLibraries() const;
  // The label of a type; for a type that is not there, that of the undefined
  // class.
  ClassLabel TypeLabel(const GraphWords& graph, std::uint64_t type) const;

  // The row of the class of node `row` of a chunk.
  std::uint32_t RowOfNode(std::size_t graph, const pb::Nodes& nodes, int row,
                          Side side, ClassRows& classes);

 private:
  class OutlineSink;
  class TextSink;
  static std::uint32_t& Slot(std::vector<std::uint32_t>& rows,
                             std::uint64_t index);

  pb::Header header_;
  std::vector<GraphWords> graphs_;
  std::uint64_t nodes_ = 0;
  std::uint64_t strings_ = 1;  // indices in use
  NameCount names_;
  bool ignores_libraries_ = false;
  ScratchColumn<std::uint64_t> hashes_;
};

}  // namespace heapglot

#endif  // HEAPGLOT_CORE_COMPARE_GRAPH_WORDS_H_
