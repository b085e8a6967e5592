#include "core/transforms/merge_plan.h"

#include <algorithm>
#include <limits>
#include <map>
#include <string_view>
#include <utility>

#include "core/column.h"
#include "core/ir/word_count.h"
#include "core/text/utf.h"
#include "core/text_table.h"

namespace heapglot {
namespace {

using Body = pb::Chunk::BodyCase;
using WordSpace = pb::Vocabulary::Space;

// In bytes. Longer names are cut, because the merged vocabulary is in memory.
constexpr std::size_t kMaxWord = 4096;
constexpr std::size_t kMaxGraphInWord = 256;
constexpr std::size_t kMaxGraphName = 1024;

std::string_view Cut(std::string_view text, std::size_t max) {
  return text.substr(0, CutAtCodePoint(text, max));
}

// ----------------------------------------------------------- first pass

// Indices of strings; sorted and without duplicates after Finish().
class StringSet {
 public:
  void Add(std::uint64_t string) {
    if (string == 0) return;
    strings_.push_back(string);
    // Thousands of graphs may all have the same words.
    if (strings_.size() >= limit_) Finish();
  }
  void Finish() {
    std::sort(strings_.begin(), strings_.end());
    strings_.erase(std::unique(strings_.begin(), strings_.end()),
                   strings_.end());
    limit_ = std::max(kMinimum, 2 * strings_.size());
  }
  const std::vector<std::uint64_t>& strings() const { return strings_; }

 private:
  static constexpr std::size_t kMinimum = 4096;

  std::vector<std::uint64_t> strings_;
  std::size_t limit_ = kMinimum;
};

// Finds out how many graphs there are, and which strings are words.
class SurveySink : public ChunkSink {
 public:
  static constexpr ChunkSet kWanted = {Body::kGraph, Body::kVocabulary,
                                       Body::kGraphEnd};

  Status Accept(const pb::Chunk& chunk) override {
    if (chunk.has_graph()) ++graphs_;
    if (chunk.has_vocabulary()) {
      for (const std::uint64_t name : chunk.vocabulary().name()) {
        words_.Add(name);
      }
    }
    if (chunk.graph_end().trace_nodes() != 0) ++trace_trees_;
    return {};
  }

  std::uint64_t graphs() const { return graphs_; }
  std::uint64_t trace_trees() const { return trace_trees_; }
  const std::vector<std::uint64_t>& Words() {
    words_.Finish();
    return words_.strings();
  }

 private:
  std::uint64_t graphs_ = 0;
  std::uint64_t trace_trees_ = 0;
  StringSet words_;
};

// ---------------------------------------------------------- second pass

// The beginnings of those strings that are words.
class WordTexts {
 public:
  // `words` is sorted and outlives this.
  explicit WordTexts(const std::vector<std::uint64_t>& words)
      : words_(words), texts_(words.size()) {}

  void Add(const pb::Strings& strings) {
    std::string_view rest = strings.data();
    auto word = std::lower_bound(words_.begin(), words_.end(), strings.first());
    std::uint64_t index = strings.first();
    for (const std::uint32_t length : strings.length()) {
      const std::string_view text = rest.substr(0, length);
      rest.remove_prefix(text.size());
      if (word != words_.end() && *word == index) {
        std::string& whole = texts_[word++ - words_.begin()];
        // Each piece of a string that continues is one more row with its index.
        whole += Cut(text, kMaxWord - whole.size());
      }
      ++index;
    }
  }
  std::string_view Find(std::uint64_t string) const {
    const auto word = std::lower_bound(words_.begin(), words_.end(), string);
    if (word == words_.end() || *word != string) return {};
    return texts_[word - words_.begin()];
  }

 private:
  const std::vector<std::uint64_t>& words_;
  std::vector<std::string> texts_;
};

// The merged vocabulary: equal words are one.
class WordTable {
 public:
  explicit WordTable(MergePlan* plan) : plan_(*plan) { Name(""); }

  std::uint32_t Add(WordSpace space, const MergedWord& word) {
    auto& words = plan_.words[space];
    const auto [known, is_new] = numbers_[space].try_emplace(
        word, static_cast<std::uint32_t>(words.size()));
    if (is_new) words.push_back(word);
    return known->second;
  }
  // The index of a name.
  std::uint64_t Name(const std::string& text) {
    const auto [known, is_new] = names_.try_emplace(text, plan_.names.size());
    if (is_new) plan_.names.push_back(text);
    return known->second;
  }

 private:
  MergePlan& plan_;
  std::array<std::map<MergedWord, std::uint32_t>, kVocabularies> numbers_;
  OwnTextTable<std::uint64_t> names_;
};

// What the graphs say about themselves.
class GraphFields {
 public:
  explicit GraphFields(pb::Graph* merged) : merged_(*merged) {}

  void Add(const pb::Graph& graph) {
    AddName(graph.name().data());
    if (std::exchange(is_first_, false)) {
      merged_.set_id_space(pb::Graph::UNSTABLE);
      merged_.set_flags(graph.flags());
      merged_.set_pointer_size(graph.pointer_size());
      merged_.set_edges_grouped(graph.edges_grouped());
      *merged_.mutable_source_version() = graph.source_version();
      *merged_.mutable_timestamp() = graph.timestamp();
      *merged_.mutable_end_timestamp() = graph.end_timestamp();
      return;
    }
    // The rest stays only if it is the same for all graphs.
    if (merged_.flags() != graph.flags()) merged_.clear_flags();
    if (merged_.pointer_size() != graph.pointer_size()) {
      merged_.clear_pointer_size();
    }
    if (!graph.edges_grouped()) merged_.set_edges_grouped(false);
    Compare(graph.source_version(), merged_.mutable_source_version());
    Compare(graph.timestamp(), merged_.mutable_timestamp());
    Compare(graph.end_timestamp(), merged_.mutable_end_timestamp());
  }

  void Finish() {
    if (merged_.source_version().data().empty()) merged_.clear_source_version();
    if (merged_.timestamp().data().empty()) merged_.clear_timestamp();
    if (merged_.end_timestamp().data().empty()) merged_.clear_end_timestamp();
    if (name_.empty()) return;
    merged_.mutable_name()->set_data(name_);
    merged_.mutable_name()->set_encoding(ClassifyWtf8(name_));
  }

 private:
  static void Compare(const pb::Text& text, pb::Text* merged) {
    if (text.data() != merged->data()) merged->Clear();
  }

  void AddName(std::string_view name) {
    if (name.empty() || name_is_full_) return;
    if (!name_.empty()) name_ += ", ";
    if (name_.size() + name.size() <= kMaxGraphName) {
      name_ += name;
      return;
    }
    name_is_full_ = true;
    name_ += Cut(name, kMaxGraphName - std::min(kMaxGraphName, name_.size()));
    name_ += "...";
  }

  pb::Graph& merged_;
  bool is_first_ = true;
  std::string name_;
  bool name_is_full_ = false;
};

constexpr std::uint64_t kMaxTraceId = std::numeric_limits<std::int64_t>::max();

class MergePlanSink : public ChunkSink {
 public:
  static constexpr ChunkSet kWanted = SurveySink::kWanted;

  MergePlanSink(const std::vector<std::uint64_t>& words, MergePlan* plan)
      : plan_(*plan), texts_(words), table_(plan), fields_(&plan->graph) {}

  Status Accept(const pb::Chunk& chunk) override {
    if (chunk.has_strings()) texts_.Add(chunk.strings());
    if (chunk.has_graph()) BeginGraph(chunk.graph());
    if (chunk.has_vocabulary()) AddWords(chunk.vocabulary());
    for (const std::int64_t id : chunk.trace_nodes().id()) {
      last_trace_id_ = std::max(last_trace_id_, id);
    }
    return chunk.has_graph_end() ? EndGraph(chunk.graph_end()) : Status();
  }
  void Finish() { fields_.Finish(); }

 private:
  void BeginGraph(const pb::Graph& graph) {
    fields_.Add(graph);
    name_ = Cut(graph.name().data(), kMaxGraphInWord);
    has_root_ = graph.root_ref() != 0;
    for (auto& kinds : kinds_) kinds.clear();
    last_trace_id_ = 0;
  }

  void AddWords(const pb::Vocabulary& vocabulary) {
    const WordSpace space = vocabulary.space();
    for (int i = 0; i < WordCount(vocabulary); ++i) {
      MergedWord word;
      word.name = table_.Name(NewName(space, At(vocabulary.name(), i)));
      word.known = At(vocabulary.known(), i);
      word.source_code = vocabulary.source_code().empty()
                             ? static_cast<std::int64_t>(kinds_[space].size())
                             : vocabulary.source_code(i);
      word.name_form = At(vocabulary.name_form(), i);
      word.edge_flags = At(vocabulary.edge_flags(), i);
      kinds_[space].push_back(table_.Add(space, word));
    }
  }

  // Only the kind of a root tells which graph it belongs to.
  std::string NewName(WordSpace space, std::uint64_t string) const {
    std::string name(texts_.Find(string));
    if (space != pb::Vocabulary::ROOT_KIND || name.empty() || name_.empty()) {
      return name;
    }
    return name + " in " + name_;
  }

  Status EndGraph(const pb::GraphEnd& end) {
    // Without words there is one kind: 0 = other.
    if (end.nodes() != 0) AddOther(pb::Vocabulary::NODE_KIND);
    if (end.edges() != 0) AddOther(pb::Vocabulary::EDGE_KIND);
    if (end.roots() != 0) AddOther(pb::Vocabulary::ROOT_KIND);
    GraphMerge& merge = plan_.graphs.emplace_back();
    if (has_root_) {
      MergedWord word;
      word.name = table_.Name(name_.empty() ? "heap" : "heap " + name_);
      word.known = pb::ROOT_OTHER;
      word.source_code = -1;
      merge.root_kind = table_.Add(pb::Vocabulary::ROOT_KIND, word);
    }
    for (std::size_t space = 0; space < kVocabularies; ++space) {
      merge.kinds_begin[space] = plan_.kinds.size();
      plan_.kinds.insert(plan_.kinds.end(), kinds_[space].begin(),
                         kinds_[space].end());
    }
    merge.kinds_begin[kVocabularies] = plan_.kinds.size();
    merge.trace_ids = trace_ids_;
    trace_ids_ += static_cast<std::uint64_t>(last_trace_id_);
    if (trace_ids_ <= kMaxTraceId) return {};
    return {Code::kUnsupported,
            "the graphs cannot be put together: the ids of their trace nodes, "
            "one behind the other, take more than 63 bits"};
  }

  void AddOther(WordSpace space) {
    if (kinds_[space].empty()) kinds_[space].push_back(table_.Add(space, {}));
  }

  MergePlan& plan_;
  WordTexts texts_;
  WordTable table_;
  GraphFields fields_;
  std::uint64_t trace_ids_ = 0;

  // Of the current graph.
  std::string name_;
  bool has_root_ = false;
  std::array<std::vector<std::uint32_t>, kVocabularies> kinds_;
  std::int64_t last_trace_id_ = 0;
};

}  // namespace

Status PlanMerge(Reader& reader, MergePlan* plan) {
  *plan = MergePlan();
  SurveySink survey;
  HEAPGLOT_RETURN_IF_ERROR(reader.Read(SurveySink::kWanted, survey));
  if (survey.graphs() <= 1) {
    plan->graphs.resize(survey.graphs());
    return {};
  }
  MergePlanSink sink(survey.Words(), plan);
  ChunkSet wanted = MergePlanSink::kWanted;
  // Only several trees can have the same ids.
  if (survey.trace_trees() > 1) wanted = wanted | ChunkSet{Body::kTraceNodes};
  HEAPGLOT_RETURN_IF_ERROR(reader.Read(wanted, sink));
  sink.Finish();
  return {};
}

}  // namespace heapglot
