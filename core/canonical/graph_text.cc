#include "core/canonical/graph_text.h"

#include "core/canonical/hash_numbers.h"
#include "core/column.h"
#include "core/ir/word_count.h"

namespace heapglot {
namespace {

// Sorts of values, whichever way a source spells them. The numbers are part of
// the digest.
enum class ValueSort : std::uint8_t {
  kNone,
  kNull,
  kBool,
  kInteger,
  kDouble,
  kText,
  kName,
  kLength,
  kBytes,
  kJson,
  kArray,
  kDangling,
};

ValueSort SortOf(std::uint32_t form) {
  switch (form) {
    case pb::V_NULL:
      return ValueSort::kNull;
    case pb::V_BOOL:
      return ValueSort::kBool;
    case pb::V_INT:
    case pb::V_UINT:
      return ValueSort::kInteger;
    case pb::V_DOUBLE:
      return ValueSort::kDouble;
    case pb::V_LATIN1:
    case pb::V_UTF16:
    case pb::V_UTF8:
    case pb::V_STRING_ID:
      return ValueSort::kText;
    case pb::V_NAME:
      return ValueSort::kName;
    case pb::V_LENGTH:
      return ValueSort::kLength;
    case pb::V_BYTES:
      return ValueSort::kBytes;
    case pb::V_JSON:
      return ValueSort::kJson;
    case pb::V_ARRAY:
      return ValueSort::kArray;
    case pb::V_DANGLING:
      return ValueSort::kDangling;
    default:
      return ValueSort::kNone;
  }
}

}  // namespace

void GraphText::BeginGraph(const pb::Graph& graph) {
  graph_name_ = Hash128Of(graph.name().data());
  for (auto& words : words_) words.clear();
  edges_.clear();
  classes_.clear();
}

void GraphText::AddStrings(const pb::Strings& strings) {
  std::string_view rest = strings.data();
  for (int row = 0; row < strings.length_size(); ++row) {
    const std::string_view text = rest.substr(0, strings.length(row));
    rest.remove_prefix(text.size());
    const bool goes_on =
        strings.continued() && row + 1 == strings.length_size();
    if (!goes_on && !in_pieces_) {
      texts_.push_back(Hash128Of(text));
      continue;
    }
    if (!in_pieces_) pieces_.Reset();
    pieces_.Add(text);
    in_pieces_ = goes_on;
    if (!goes_on) texts_.push_back(pieces_.hash());
  }
}

void GraphText::AddVocabulary(const pb::Vocabulary& vocabulary) {
  for (int row = 0; row < WordCount(vocabulary); ++row) {
    const std::uint32_t known = At(vocabulary.known(), row);
    const Hash128 word =
        known != 0 ? HashNumbers(known) : Text(At(vocabulary.name(), row));
    words_[vocabulary.space()].push_back(word);
    if (vocabulary.space() != pb::Vocabulary::EDGE_KIND) continue;
    const std::uint32_t flags = At(vocabulary.edge_flags(), row);
    edges_.push_back({.hash = word,
                      .name_form = At(vocabulary.name_form(), row),
                      .is_synthesized = (flags & pb::EDGE_SYNTHESIZED) != 0});
  }
}

void GraphText::AddTypes(const pb::Types& types) {
  for (int row = 0; row < static_cast<int>(types.count()); ++row) {
    const Hash128 name = Text(At(types.name(), row));
    const Hash128 library = Text(At(types.library_uri(), row));
    classes_.push_back(
        HashNumbers(name.low, name.high, library.low, library.high));
  }
}

Hash128 GraphText::Class(std::uint64_t ref, bool is_dangling) const {
  if (ref == 0) return {};
  if (is_dangling || ref > classes_.size()) return HashNumbers(0);
  return classes_[ref - 1];
}

Hash128 GraphText::Value(std::uint32_t form, std::uint64_t value) const {
  const ValueSort sort = SortOf(form);
  switch (sort) {
    case ValueSort::kNone:
    case ValueSort::kNull:
    case ValueSort::kDangling:
      return HashNumbers(sort);
    case ValueSort::kBool:
    case ValueSort::kInteger:
    case ValueSort::kDouble:
    case ValueSort::kLength:
      return HashNumbers(sort, value);
    default: {
      const Hash128 text = Text(value);
      return HashNumbers(sort, text.low, text.high);
    }
  }
}

}  // namespace heapglot
