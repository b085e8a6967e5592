#include "tools/dump_summary.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <tuple>
#include <utility>

#include "core/class_label.h"
#include "core/column.h"
#include "core/ir/name_count.h"
#include "core/saturating.h"
#include "core/text/string_picker.h"
#include "core/text/string_texts.h"

namespace heapglot::tool {
namespace summary {

struct Tally {
  std::uint64_t count = 0;
  std::uint64_t self_size = 0;

  void Add(std::uint64_t size) {
    ++count;
    self_size = AddSaturating(self_size, size);
  }
};

// The entry `index` of `tallies`, which grows as needed: types may be defined
// after the nodes that use them.
Tally& TallyAt(std::vector<Tally>& tallies, std::uint64_t index) {
  if (index >= tallies.size()) tallies.resize(index + 1);
  return tallies[index];
}

// First pass: everything but text.
class CountingSink : public ChunkSink {
 public:
  static constexpr ChunkSet Wanted() {
    return {pb::Chunk::kHeader,     pb::Chunk::kSourceImage, pb::Chunk::kGraph,
            pb::Chunk::kVocabulary, pb::Chunk::kTypes,       pb::Chunk::kNodes,
            pb::Chunk::kGraphEnd,   pb::Chunk::kFooter};
  }

  Status Accept(const pb::Chunk& chunk) override {
    if (chunk.has_nodes()) {
      AddNodes(chunk.nodes());
    } else if (chunk.has_types()) {
      AddTypes(chunk.types());
    } else if (chunk.has_vocabulary()) {
      AddVocabulary(chunk.vocabulary());
    } else if (chunk.has_header()) {
      summary.header = chunk.header();
    } else if (chunk.has_source_image()) {
      AddImage(chunk.source_image());
    } else if (chunk.has_graph()) {
      summary.graphs.emplace_back().stated = chunk.graph();
    } else if (chunk.has_graph_end()) {
      EndGraph(chunk.graph_end());
    } else if (chunk.has_strings()) {
      names_.Add(chunk.strings());  // they come with the chunks that use them
    } else if (chunk.has_footer()) {
      summary.strings = names_.Others(chunk.footer().strings());
    }
    return {};
  }

  DumpSummary summary;
  std::vector<std::pair<ClassLabel, Tally>> rows;

 private:
  // Only the first piece has this.
  void AddImage(const pb::SourceImage& piece) {
    if (summary.image.method() != pb::SourceImage::NONE) return;
    summary.image.set_method(piece.method());
    summary.image.set_size(piece.size());
    summary.image.set_sha256(piece.sha256());
    summary.image.set_xxh3_128(piece.xxh3_128());
  }

  void AddNodes(const pb::Nodes& nodes) {
    const int count = static_cast<int>(nodes.count());
    for (int i = 0; i < count; ++i) {
      const std::uint64_t type_ref = At(nodes.type_ref(), i);
      const std::uint64_t self_size = At(nodes.self_size(), i);
      if (type_ref == 0) {
        TallyAt(kinds_, At(nodes.kind(), i)).Add(self_size);
      } else if ((At(nodes.flags(), i) & pb::NODE_TYPE_DANGLING) != 0) {
        undefined_.Add(self_size);
      } else {
        TallyAt(types_, type_ref - 1).Add(self_size);
      }
    }
  }

  void AddTypes(const pb::Types& types) {
    const int count = static_cast<int>(types.count());
    for (int i = 0; i < count; ++i) {
      type_labels_.push_back(
          {.name = At(types.name(), i), .library = At(types.library_uri(), i)});
    }
  }

  void AddVocabulary(const pb::Vocabulary& vocabulary) {
    if (vocabulary.space() != pb::Vocabulary::NODE_KIND) return;
    for (const std::uint64_t name : vocabulary.name()) {
      kind_labels_.push_back({.what = ClassLabel::What::kKind, .name = name});
    }
  }

  void EndGraph(const pb::GraphEnd& totals) {
    DumpSummary::OneGraph& graph = summary.graphs.back();
    graph.totals = totals;
    graph.totals.set_edges(totals.edges() - totals.edges_synthesized());
    if (totals.roots() == 0 && graph.stated.root_ref() != 0) {
      graph.totals.set_roots(1);
    }
    AddTotals(graph.totals);
    TakeRows(type_labels_, types_, ClassLabel{});
    TakeRows(kind_labels_, kinds_, ClassLabel{.what = ClassLabel::What::kKind});
    if (undefined_.count > 0) {
      rows.push_back({{.what = ClassLabel::What::kUndefinedType}, undefined_});
    }
    undefined_ = {};
  }

  void AddTotals(const pb::GraphEnd& graph) {
    pb::GraphEnd& all = summary.totals;
    all.set_types(all.types() + graph.types());
    all.set_nodes(all.nodes() + graph.nodes());
    all.set_edges(all.edges() + graph.edges());
    all.set_roots(all.roots() + graph.roots());
    all.set_externals(all.externals() + graph.externals());
    all.set_self_size_total(
        AddSaturating(all.self_size_total(), graph.self_size_total()));
    all.set_external_size_total(
        AddSaturating(all.external_size_total(), graph.external_size_total()));
  }

  // Moves the counts of a graph to `rows`.
  void TakeRows(std::vector<ClassLabel>& labels, std::vector<Tally>& tallies,
                const ClassLabel& unknown) {
    for (std::size_t i = 0; i < tallies.size(); ++i) {
      if (tallies[i].count == 0) continue;
      rows.emplace_back(i < labels.size() ? labels[i] : unknown, tallies[i]);
    }
    labels.clear();
    tallies.clear();
  }

  NameCount names_;
  // Of the current graph.
  std::vector<ClassLabel> type_labels_;  // by type
  std::vector<ClassLabel> kind_labels_;  // by number of the node kind
  std::vector<Tally> types_;
  std::vector<Tally> kinds_;  // nodes without a type
  Tally undefined_;           // nodes of types that the source does not define
};

// One row for each name and library: graphs may share classes, and a class may
// be loaded twice.
template <typename TextOf>
std::vector<TypeSummary> MergeByName(
    const std::vector<std::pair<ClassLabel, Tally>>& rows, TextOf text_of) {
  std::map<std::pair<std::string, std::string_view>, Tally> merged;
  for (const auto& [label, tally] : rows) {
    const auto key = std::pair(ClassName(label.what, text_of(label.name)),
                               text_of(label.library));
    Tally& sum = merged[key];
    sum.count += tally.count;
    sum.self_size = AddSaturating(sum.self_size, tally.self_size);
  }
  std::vector<TypeSummary> types;
  types.reserve(merged.size());
  for (const auto& [key, tally] : merged) {
    types.push_back({.name = key.first,
                     .library = std::string(key.second),
                     .count = tally.count,
                     .self_size = tally.self_size});
  }
  return types;
}

// The summary of what was counted.
template <typename TextOf>
DumpSummary Complete(CountingSink& counts, TextOf text_of) {
  DumpSummary summary = std::move(counts.summary);
  summary.types = MergeByName(counts.rows, text_of);
  TellApart(summary.types);
  std::stable_sort(summary.types.begin(), summary.types.end(),
                   [](const TypeSummary& a, const TypeSummary& b) {
                     return std::tie(a.self_size, a.count) >
                            std::tie(b.self_size, b.count);
                   });
  return summary;
}

}  // namespace summary

Result<DumpSummary> Summarize(Reader& reader) {
  summary::CountingSink counts;
  HEAPGLOT_RETURN_IF_ERROR(
      reader.Read(summary::CountingSink::Wanted(), counts));
  std::vector<std::uint64_t> indices;
  for (const auto& [label, tally] : counts.rows) {
    indices.push_back(label.name);
    indices.push_back(label.library);
  }
  StringPicker strings(std::move(indices));
  HEAPGLOT_RETURN_IF_ERROR(strings.Pick(reader));
  return summary::Complete(
      counts, [&](std::uint64_t string) { return strings.Text(string); });
}

struct Summarizer::State {
  // Names are as long as in the dump, except for monsters.
  static constexpr std::size_t kMaxName = std::size_t{64} << 10;

  summary::CountingSink counts;
  StringTexts names{kMaxName};
};

Summarizer::Summarizer() : state_(std::make_unique<State>()) {}
Summarizer::~Summarizer() = default;

Status Summarizer::Accept(const pb::Chunk& chunk) {
  if (chunk.has_strings() && chunk.strings().names())
    state_->names.Add(chunk.strings());
  return state_->counts.Accept(chunk);
}

DumpSummary Summarizer::Finish() {
  return summary::Complete(state_->counts, [this](std::uint64_t string) {
    return state_->names.Find(string);
  });
}

}  // namespace heapglot::tool
