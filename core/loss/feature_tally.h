// Counts how often each feature occurs in a stream while it goes by.
#ifndef HEAPGLOT_CORE_LOSS_FEATURE_TALLY_H_
#define HEAPGLOT_CORE_LOSS_FEATURE_TALLY_H_

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "core/ir/synthesized_edges.h"
#include "heapglot/context.h"
#include "heapglot/feature.h"
#include "heapglot/format.h"
#include "heapglot/stream.h"

namespace heapglot {

// Counts what differs from the default, column by column; a node, class, edge,
// root, ... is one occurrence, whatever it has of a feature. Rows of tables
// that nobody looks at are counted by the totals of GraphEnd. Edges that a
// reader added (EDGE_SYNTHESIZED) are not information, and are counted
// separately. Graph.pointer_size does not count, because readers infer it, nor
// does a root of kind ROOT_UNREACHABLE. Texts count if somebody reads them
// (kStringEncoding).
//
// Memory: 64 bytes a graph, 8 a kind of edge and 4 a kind of root, and five
// examples a feature.
class FeatureTally {
 public:
  // What it needs of a stream besides what comes by anyway. Few rows.
  static constexpr ChunkSet kSmall = {
      pb::Chunk::kGraph,    pb::Chunk::kVocabulary, pb::Chunk::kTypes,
      pb::Chunk::kRoots,    pb::Chunk::kMetadata,   pb::Chunk::kExtra,
      pb::Chunk::kGraphEnd, pb::Chunk::kExtraTable};
  // What it looks at only in passes that bring it anyway. Many rows.
  static constexpr ChunkSet kLarge = {pb::Chunk::kNodes, pb::Chunk::kEdges,
                                      pb::Chunk::kStrings};

  // Begins a pass in which the kinds in `counted` are counted. Each kind must
  // be counted in one pass only: in the one with kSmall, or in a later one.
  void BeginPass(ChunkSet counted);
  void Add(const pb::Chunk& chunk);

  // Adds what a reader that adds no edges has counted itself.
  void AddCounts(const FeatureCounts& counts);
  // For what an earlier transform has changed.
  void Set(Feature feature, std::uint64_t count) { of(feature).count = count; }

  std::uint64_t count(Feature feature) const { return of(feature).count; }
  // Edges that are EDGE_SYNTHESIZED.
  std::uint64_t made_edges() const { return made_edges_; }
  // Indices of nodes with the feature, or, for references, of the nodes that
  // have them: the first LossReport::kExamples.
  const std::vector<std::uint64_t>& examples(Feature feature) const {
    return of(feature).examples;
  }

 private:
  struct Count {
    std::uint64_t count = 0;
    std::vector<std::uint64_t> examples;
  };
  // The edges of a kind, as the vocabulary describes them.
  struct EdgeWord {
    std::uint32_t known = 0;
    std::uint32_t name_form = 0;
    // Whether it says more than the edge's name, target and weakness do.
    bool is_kind = false;
  };
  // What must be known about a graph, in later passes, too.
  struct Words {
    bool is_grouped = false;  // Graph.edges_grouped
    pb::Graph::IdSpace id_space = pb::Graph::IMPLICIT;
    int node_kinds = 0;  // one tells nothing apart
    std::vector<EdgeWord> edges;
    SynthesizedEdges synthesized;
    std::vector<std::uint32_t> roots;  // RootKind
  };

  Count& of(Feature feature) {
    return counts_[static_cast<std::size_t>(feature)];
  }
  const Count& of(Feature feature) const {
    return counts_[static_cast<std::size_t>(feature)];
  }
  const Words& words() const { return words_[graph_ - 1]; }
  void Add(Feature feature, std::uint64_t count) { of(feature).count += count; }
  void AddIf(bool condition, Feature feature) {
    Add(feature, condition ? 1 : 0);
  }

  void AddGraph(const pb::Graph& graph);
  void AddVocabulary(const pb::Vocabulary& vocabulary);
  static void AddEdgeWords(const pb::Vocabulary& vocabulary,
                           std::vector<EdgeWord>* words);
  void AddTypes(const pb::Types& types);
  void AddStrings(const pb::Strings& strings);
  void AddNodes(const pb::Nodes& nodes);
  void AddNodeValues(const pb::Nodes& nodes);
  void AddEdges(const pb::Edges& edges);
  void AddEdgeKinds(const pb::Edges& edges);
  void AddRoots(const pb::Roots& roots);
  void AddEnd(const pb::GraphEnd& end);
  // Counts the nodes for which `has(row)` is true.
  template <typename Has>
  void AddNodesThat(const pb::Nodes& nodes, Feature feature, Has has);
  // Counts the `count` edges for which `has(row)` is true.
  template <typename Has>
  void AddEdgesThat(const pb::Edges& edges, Feature feature,
                    std::uint64_t count, Has has);

  ChunkSet counted_;       // in this pass
  std::size_t graph_ = 0;  // ordinal + 1 of the current one
  std::vector<Words> words_;
  bool continues_extra_ = false;
  bool continues_string_ = false;
  std::vector<std::uint64_t> per_kind_;  // reused
  std::array<Count, kFeatures> counts_;
  std::uint64_t made_edges_ = 0;
};

// The code under which AddTheRest() counts FeatureTally::made_edges().
extern const std::span<const SynthesizedRow> kReaderSynthesized;

// A reader that sends what `upstream` sends, and counts it: each kind of chunk
// in the first pass that asks for it, and in the first pass also what is small.
// Both must outlive it.
std::unique_ptr<Reader> MakeTallyReader(Reader& upstream, FeatureTally& tally);

// Counts all of a stream, in one pass; without examples if the reader has
// counted.
Status CountFeatures(Reader& reader, FeatureTally* tally);

// Adds to the report what the writer has not counted itself: for each feature,
// the occurrences beyond those in the special rows go by the rule of `to`.
// `home` is the reader of that format if the stream returns to it, otherwise
// nullptr. What `home` may have read is exact; anything else, which another
// program has put into the stream, is dropped. Edges that the reader added are
// synthesized, except in the IR itself and on the way back, where they are
// marked or not written.
void AddTheRest(const FeatureTally& tally, const WriterInfo& to,
                const ReaderInfo* home, LossReport* report);

}  // namespace heapglot

#endif  // HEAPGLOT_CORE_LOSS_FEATURE_TALLY_H_
