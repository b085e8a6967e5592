#include "core/compare/graph_words.h"

#include <algorithm>
#include <string_view>

#include "core/column.h"
#include "core/compare/mix.h"
#include "core/id_table.h"
#include "core/ir/checksum.h"
#include "core/ir/word_count.h"
#include "core/saturating.h"

namespace heapglot {
namespace {

using Body = pb::Chunk::BodyCase;

// What a word means in every VM; the word itself if that is not known.
std::uint64_t WordHash(const pb::Vocabulary& words, int row,
                       const DumpWords& dump) {
  const std::uint32_t known = At(words.known(), row);
  return known != 0 ? Mix(known) : Mix(0, dump.TextHash(At(words.name(), row)));
}

}  // namespace

// First pass: how much there is.
class DumpWords::OutlineSink : public ChunkSink {
 public:
  static constexpr ChunkSet kWanted = {Body::kHeader, Body::kGraph,
                                       Body::kGraphEnd, Body::kFooter};

  explicit OutlineSink(DumpWords& words) : words_(words) {}

  Status Accept(const pb::Chunk& chunk) override {
    if (chunk.has_header()) {
      words_.header_ = chunk.header();
    } else if (chunk.has_graph()) {
      words_.graphs_.emplace_back().stated = chunk.graph();
      words_.graphs_.back().first_node = words_.nodes_;
    } else if (chunk.has_graph_end()) {
      words_.graphs_.back().end = chunk.graph_end();
      words_.nodes_ = AddSaturating(words_.nodes_, chunk.graph_end().nodes());
    } else if (chunk.has_footer()) {
      words_.strings_ = std::max<std::uint64_t>(chunk.footer().strings(), 1);
    }
    return {};
  }

 private:
  DumpWords& words_;
};

// Second pass: strings, vocabularies and types. The strings of a vocabulary
// come before it.
class DumpWords::TextSink : public ChunkSink {
 public:
  static constexpr ChunkSet kWanted = {Body::kGraph, Body::kVocabulary,
                                       Body::kTypes, Body::kStrings};

  explicit TextSink(DumpWords& words) : words_(words) {}

  Status Accept(const pb::Chunk& chunk) override {
    if (chunk.has_strings()) {
      words_.names_.Add(chunk.strings());
      AddStrings(chunk.strings());
    } else if (chunk.has_graph()) {
      graph_ = graph_ == nullptr ? words_.graphs_.data() : graph_ + 1;
    } else if (chunk.has_vocabulary()) {
      AddVocabulary(chunk.vocabulary());
    } else if (chunk.has_types()) {
      const pb::Types& types = chunk.types();
      for (int i = 0; i < static_cast<int>(types.count()); ++i) {
        graph_->types.push_back({.name = At(types.name(), i),
                                 .library = At(types.library_uri(), i)});
      }
    }
    return {};
  }

 private:
  void AddStrings(const pb::Strings& strings) {
    std::string_view rest = strings.data();
    for (int i = 0; i < strings.length_size(); ++i) {
      const std::string_view text = rest.substr(0, strings.length(i));
      rest.remove_prefix(text.size());
      const bool goes_on =
          strings.continued() && i + 1 == strings.length_size();
      const std::uint64_t index = strings.first() + static_cast<unsigned>(i);
      if (!goes_on && !in_pieces_) {
        Set(index, Checksum(text));
        continue;
      }
      pieces_.Add(text);
      in_pieces_ = goes_on;
      if (goes_on) continue;
      Set(index, pieces_.value());
      pieces_.Reset();
    }
  }

  void Set(std::uint64_t index, std::uint64_t hash) {
    if (index >= words_.hashes_.size()) return;
    words_.hashes_[index] = hash;
    words_.hashes_.Passed(index);
  }

  void AddVocabulary(const pb::Vocabulary& words) {
    for (int i = 0; i < WordCount(words); ++i) {
      const std::uint64_t hash = WordHash(words, i, words_);
      if (words.space() == pb::Vocabulary::EDGE_KIND) {
        const bool synthesized =
            (At(words.edge_flags(), i) & pb::EDGE_SYNTHESIZED) != 0;
        graph_->edge_kinds.push_back(
            {hash, At(words.name_form(), i), synthesized});
      } else if (words.space() == pb::Vocabulary::NODE_KIND) {
        graph_->node_kinds.push_back(hash);
        graph_->kind_labels.push_back(
            {.what = ClassLabel::What::kKind, .name = At(words.name(), i)});
      } else if (words.space() == pb::Vocabulary::ROOT_KIND) {
        graph_->root_kinds.push_back(hash);
      } else {
        graph_->heap_spaces.push_back(hash);
      }
    }
  }

  DumpWords& words_;
  GraphWords* graph_ = nullptr;
  ChecksumOfPieces pieces_;
  bool in_pieces_ = false;
};

bool DumpWords::NamesHeaps() const {
  return std::ranges::none_of(graphs_, [](const GraphWords& graph) {
    return graph.stated.name().data().empty();
  });
}

void DumpWords::TellHeaps(bool by_name) {
  IdTable<std::uint64_t> heaps;  // of each name so far
  for (GraphWords& graph : graphs_) {
    const std::uint64_t name =
        by_name ? Checksum(graph.stated.name().data()) : 0;
    graph.heap = Mix(name, ++heaps[name]);
  }
}

Status DumpWords::Read(Reader& reader) {
  OutlineSink outline(*this);
  HEAPGLOT_RETURN_IF_ERROR(reader.Read(OutlineSink::kWanted, outline));
  HEAPGLOT_RETURN_IF_ERROR(hashes_.Create(strings_));
  hashes_[0] = Checksum({});
  TextSink texts(*this);
  return reader.Read(TextSink::kWanted, texts);
}

std::uint64_t DumpWords::ClassHash(const ClassLabel& label) const {
  return Mix(static_cast<std::uint64_t>(label.what), TextHash(label.name),
             ignores_libraries_ ? 0 : TextHash(label.library));
}

bool DumpWords::HasLibraries() const {
  return std::ranges::any_of(graphs_, [](const GraphWords& graph) {
    return std::ranges::any_of(
        graph.types, [](const ClassLabel& type) { return type.library != 0; });
  });
}

ClassLabel DumpWords::TypeLabel(const GraphWords& graph,
                                std::uint64_t type) const {
  if (type < graph.types.size()) return graph.types[type];
  return {.what = ClassLabel::What::kUndefinedType};
}

std::uint32_t& DumpWords::Slot(std::vector<std::uint32_t>& rows,
                               std::uint64_t index) {
  if (index >= rows.size()) rows.resize(index + 1, ClassRows::kNone);
  return rows[index];
}

std::uint32_t DumpWords::RowOfNode(std::size_t graph, const pb::Nodes& nodes,
                                   int row, Side side, ClassRows& classes) {
  GraphWords& words = graphs_[graph];
  const std::uint64_t type_ref = At(nodes.type_ref(), row);
  const bool dangling = (At(nodes.flags(), row) & pb::NODE_TYPE_DANGLING) != 0;
  std::uint32_t* slot = &words.undefined_row;
  ClassLabel label = {.what = ClassLabel::What::kUndefinedType};
  if (type_ref == 0) {
    const std::uint32_t kind = At(nodes.kind(), row);
    const bool known = kind < words.kind_labels.size();
    label = known ? words.kind_labels[kind]
                  : ClassLabel{.what = ClassLabel::What::kKind};
    slot = &Slot(words.kind_rows, known ? kind : words.kind_labels.size());
  } else if (!dangling && type_ref <= words.types.size()) {
    label = words.types[type_ref - 1];
    slot = &Slot(words.type_rows, type_ref - 1);
  }
  if (ignores_libraries_) label.library = 0;
  if (*slot == ClassRows::kNone) {
    *slot = classes.RowOf(ClassHash(label), label, side);
  }
  return *slot;
}

}  // namespace heapglot
