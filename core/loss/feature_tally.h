// How often each feature occurs in a stream, counted while it goes by.
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

// Counts what is other than the default, column by column; a node, class, edge,
// root, ... is one occurrence, whatever it has of a feature. Rows of tables that
// nobody looks at are counted by the totals of GraphEnd. Edges that a reader
// added (EDGE_SYNTHESIZED) are no information, and are counted apart.
// Graph.pointer_size is none, as readers infer it, and so is a root of kind
// ROOT_UNREACHABLE. Texts count if somebody reads them (kStringEncoding).
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
  // What it looks at.
  static constexpr ChunkSet kLarge = {pb::Chunk::kNodes, pb::Chunk::kEdges,
                                      pb::Chunk::kStrings};

  // A pass begins, of which the kinds in `counted` are to be counted. Each kind
  // must be counted in one pass only, and in that which has kSmall or in a
  // later one.
  void BeginPass(ChunkSet counted);
  void Add(const pb::Chunk& chunk);

  // Of what a reader has counted by itself, who has added no edges.
  void AddCounts(const FeatureCounts& counts);
  // For what a transform before it has changed.
  void Set(Feature feature, std::uint64_t count) { of(feature).count = count; }

  std::uint64_t count(Feature feature) const { return of(feature).count; }
  // Edges that are EDGE_SYNTHESIZED.
  std::uint64_t made_edges() const { return made_edges_; }
  // Indices of nodes with it, or for references of those that have them: the
  // first LossReport::kExamples.
  const std::vector<std::uint64_t>& examples(Feature feature) const {
    return of(feature).examples;
  }

 private:
  struct Count {
    std::uint64_t count = 0;
    std::vector<std::uint64_t> examples;
  };
  // Of the edges of a kind, as the vocabulary says.
  struct EdgeWord {
    std::uint32_t known = 0;
    std::uint32_t name_form = 0;
    // Whether it says more than the edge's name, target and weakness do.
    bool is_kind = false;
  };
  // What is to be known of a graph, also in later passes.
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
  // The nodes for which `has(row)` holds.
  template <typename Has>
  void AddNodesThat(const pb::Nodes& nodes, Feature feature, Has has);
  // The `count` edges for which `has(row)` holds.
  template <typename Has>
  void AddEdgesThat(const pb::Edges& edges, Feature feature,
                    std::uint64_t count, Has has);

  ChunkSet counted_;       // in this pass
  std::size_t graph_ = 0;  // ordinal + 1 of the one that we are in
  std::vector<Words> words_;
  bool continues_extra_ = false;
  bool continues_string_ = false;
  std::vector<std::uint64_t> per_kind_;  // reused
  std::array<Count, kFeatures> counts_;
  std::uint64_t made_edges_ = 0;
};

// Code under which AddTheRest() counts FeatureTally::made_edges().
extern const std::span<const SynthesizedRow> kReaderSynthesized;

// A reader that shows what `upstream` shows, and counts it: each kind of chunk in
// the first pass that asks for it, and in the first pass what is small besides.
// Both must outlive it.
std::unique_ptr<Reader> MakeTallyReader(Reader& upstream, FeatureTally& tally);

// Counts all of a stream, in one pass. Without examples, where the reader has
// counted.
Status CountFeatures(Reader& reader, FeatureTally* tally);

// Adds to the report what the writer has not counted itself: of each feature the
// occurrences beyond those in the special rows go by the rule of `to`. `home` is
// the reader of that format if the stream returns to it, and nullptr otherwise:
// what it may have read is exact; anything else, which another program has put
// into the stream, is dropped. Edges that the reader added are synthesized, but in the IR
// itself and on the way back, where they are marked or not written.
void AddTheRest(const FeatureTally& tally, const WriterInfo& to,
                const ReaderInfo* home, LossReport* report);

}  // namespace heapglot

#endif  // HEAPGLOT_CORE_LOSS_FEATURE_TALLY_H_
