// The first look at a file: every line is checked, and what passes need to know
// ahead of time is kept.
#ifndef HEAPGLOT_READERS_DRAFT_DRAFT_INDEX_H_
#define HEAPGLOT_READERS_DRAFT_DRAFT_INDEX_H_

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/bytes/trail.h"
#include "core/draft/draft_cursor.h"
#include "core/draft/draft_form.h"
#include "core/draft/draft_record.h"
#include "core/draft/draft_schema.h"
#include "core/draft/draft_wire.h"
#include "core/id_map.h"
#include "core/id_table.h"
#include "core/saturating.h"
#include "core/text_table.h"
#include "heapglot/bytes.h"
#include "heapglot/context.h"
#include "heapglot/stream.h"
#include "readers/draft/draft_columns.h"
#include "readers/draft/draft_places.h"
#include "readers/draft/draft_shapes.h"

namespace heapglot::draft {

// Numbers names: strings of our own that come before everything else. String
// index = position + 1.
class NameTable {
 public:
  std::uint64_t Index(std::string_view text);
  std::uint64_t Index(std::string_view text, pb::StringEncoding encoding);
  struct Name {
    std::string text;
    pb::StringEncoding encoding;
  };
  const std::vector<Name>& names() const { return names_; }

 private:
  std::vector<Name> names_;
  OwnTextTable<std::uint64_t> indices_;
};

// A word of a vocabulary.
struct Word {
  std::uint64_t name = 0;
  std::uint32_t known = 0;
  std::int64_t source_code = 0;
  std::uint32_t name_form = 0;
  std::uint32_t edge_flags = 0;
  bool operator==(const Word&) const = default;
};

// A class that we found: a constructor, or one that the subtype implies.
struct FoundType {
  std::uint64_t name = 0;
  std::uint64_t node = IdMap::kNone;  // position of the constructor
};

// The words of each space.
using Vocabularies =
    std::array<std::vector<Word>, pb::Vocabulary::Space_ARRAYSIZE>;

// The lines of one graph, which are consecutive.
struct Section {
  std::uint64_t begin = 0;  // offset
  std::uint64_t end = 0;
  std::uint64_t first_node = 0;  // position among all nodes
  std::uint64_t node_count = 0;
  pb::Graph graph;
  Vocabularies own_words;
  // Index::words, once they are known, in a file whose graphs have no words of
  // their own. Shared, because a file may have many graphs and many subtypes.
  const Vocabularies* shared_words = nullptr;
  // Rows of hg. records, by table.
  std::array<std::vector<pb::Chunk>, kTableCount> tables;
  Where last_trace_node;
  std::vector<FoundType> types;  // if there are no hg.type records
  // Cells of hg.column records, until AttachColumns().
  std::vector<ColumnCells> columns;
  ColumnNames column_names;
  std::vector<pb::Chunk> extra_tables;
  bool is_merged = false;  // rows are not where the records say
  // Vocabulary rows of undeclared node and edge subtypes, and of edges that the
  // reader makes from fields of nodes.
  std::uint32_t unknown_node_row = 0;
  std::uint32_t unknown_edge_row = 0;
  std::uint32_t field_edge_row = 0;
  bool grouped = true;
  pb::GraphEnd totals;
  // In a graph whose ids are OPAQUE: the number of nodes without an id and, if
  // others have one, the id that the first of them gets; each further one gets
  // 2 more. Otherwise 0.
  std::uint64_t nodes_without_id = 0;
  std::uint64_t first_new_id = 0;

  bool HasNode(std::uint64_t position) const {
    return position - first_node < node_count;
  }
  const std::vector<Word>& Words(std::size_t space) const {
    const bool shares = own_words[space].empty() && shared_words != nullptr;
    return shares ? (*shared_words)[space] : own_words[space];
  }
  // Vocabulary rows of nodes and edges of a subtype; nullptr: an undeclared
  // one.
  std::uint32_t NodeRow(const Subtype* subtype) const {
    return subtype == nullptr ? unknown_node_row
                              : RowOf(*subtype, pb::Vocabulary::NODE_KIND);
  }
  std::uint32_t EdgeRow(const Subtype* subtype) const {
    return subtype == nullptr ? unknown_edge_row
                              : RowOf(*subtype, pb::Vocabulary::EDGE_KIND);
  }
  // Whether edges of this kind are synthesized.
  bool IsMade(std::uint32_t edge_kind) const {
    const std::vector<Word>& kinds = Words(pb::Vocabulary::EDGE_KIND);
    return edge_kind < kinds.size() &&
           (kinds[edge_kind].edge_flags & pb::EDGE_SYNTHESIZED) != 0;
  }

 private:
  // Subtypes belong to the file. In a graph with words of its own, the code of
  // a subtype is its row.
  std::uint32_t RowOf(const Subtype& subtype, std::size_t space) const {
    const std::size_t words = own_words[space].size();
    if (words == 0) return subtype.row;
    return subtype.code < words ? static_cast<std::uint32_t>(subtype.code) : 0;
  }
};

// Counted as the records of a graph come.
struct GraphCounts {
  std::uint64_t edges = 0;  // the synthesized ones included
  std::uint64_t edges_omitted = 0;
  std::uint64_t edges_dangling = 0;
  std::uint64_t edges_immediate = 0;
  std::uint64_t edges_synthesized = 0;
  std::uint64_t values = 0;
  std::uint64_t self_sizes = 0;  // at most 2^64 - 1
  std::uint64_t id_limit = 0;
  bool grouped = true;            // no edge goes back to an earlier node
  std::uint64_t last_source = 0;  // the highest one

  void AddSelfSize(std::uint64_t size) {
    self_sizes = AddSaturating(self_sizes, size);
  }
  void AddId(std::uint64_t id) {
    const std::uint64_t limit = id == ~std::uint64_t{0} ? id : id + 1;
    id_limit = std::max(id_limit, limit);
  }
  // `nodes` is how many have come so far.
  void AddSource(std::uint64_t source, std::uint64_t nodes) {
    if (source < last_source || source >= nodes) grouped = false;
    last_source = std::max(last_source, source);
  }
  void Store(Section* section) const;
};

struct Index {
  Index(const Form& of, std::uint64_t max_depth)
      : form(of), parser(schema, max_depth) {}
  Index(const Index&) = delete;
  Index& operator=(const Index&) = delete;

  const Form form;
  Schema schema;
  RecordParser parser;
  LineShapes shapes;
  std::string_view bytes;
  std::uint64_t source_size = 0;  // of the file
  bool is_version0 = false;
  bool is_own = false;            // has the metadata hg.stream
  std::uint64_t own_strings = 0;  // value of the metadata hg.strings
  // A string that occurs twice has two positions.
  IdMap nodes{IdMap::Numbering::kAll};
  IdMap strings{IdMap::Numbering::kAll};
  NameTable names;
  // The subtypes that the file declares, if it is not our own.
  Vocabularies words;
  std::vector<Section> sections;  // at least one
  RecordPlaces node_places;
  RecordPlaces string_places;
  // Edges of each node, the synthesized ones included; 255 = see large_counts.
  std::vector<std::uint8_t> edge_counts;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> large_counts;
  // Strings that the reader makes: each comes before the string record at that
  // position.
  std::vector<std::uint64_t> made_strings;
  // Constructors: node position to type (row + 1). Not all if a file has more.
  static constexpr std::size_t kMaxConstructors = 65'536;
  IdTable<std::uint64_t> constructors;
  // Function metadata: node position to the position of its name's string.
  IdTable<std::uint64_t> function_names;

  // Strings that are indices ("17") of array elements: position and number.
  std::vector<std::pair<std::uint64_t, std::uint64_t>> decimals;

  // No edge record yields anything but an edge: no value, string or line to
  // keep.
  bool edges_are_plain = true;

  // Matches the current line if it is known to be a record of mere numbers.
  bool Match(const NumberCursor& lines, NumberRecord* record) {
    if (!lines.numbers().empty())
      return parser.Match(lines.numbers(), lines.offset(), record);
    return lines.has_feed() &&
           shapes.Match(lines.text(), lines.offset(), record);
  }
  // Whether records of the type mean something; those of "hg." do so only in
  // our own files.
  bool Knows(const Type& type) const {
    return type.kind == RecordKind::kNode || type.kind == RecordKind::kEdge ||
           type.kind == RecordKind::kString ||
           (is_own && type.kind != RecordKind::kOpaque);
  }
  // Drops what the survey, or the tally in its place, has filled in.
  void ForgetSurvey();
  // The number that the string at `position` spells; kNone if it spells none.
  std::uint64_t DecimalOf(std::uint64_t position) const;
  // Whether a string record in our own files is no string of the stream: odd
  // ids are those of decimal texts, and the ids after the stream's strings are
  // those of the texts of oddballs. Ids after these are strings that somebody
  // has added.
  bool IsHelper(const Record& string) const;
  bool IsHelper(std::uint64_t id) const {
    return is_own &&
           (id % 2 != 0 || (id >> 1) - own_strings < kOwnTexts.size());
  }
  // The text of a helper.
  std::string HelperText(std::uint64_t id) const {
    return id % 2 != 0 ? std::to_string(id >> 1)
                       : std::string(kOwnTexts[(id >> 1) - own_strings]);
  }
  // Whether it is the first of those texts, which is string 0.
  bool IsEmptyHelper(std::uint64_t id) const {
    return is_own && own_strings != 0 && id == 2 * own_strings;
  }
  // String index of the string record at `position`.
  std::uint64_t StringIndex(std::uint64_t position) const;
  std::uint64_t EdgeCount(std::uint64_t node) const;
  // Counts one more edge of `node`. While edges are grouped, that is the last
  // node that has any, or one after it.
  void CountEdgeOf(std::uint64_t node) {
    constexpr std::uint8_t kLarge = std::numeric_limits<std::uint8_t>::max();
    std::uint8_t& count = edge_counts[node];
    if (count == kLarge)
      ++large_counts.back().second;
    else if (++count == kLarge)
      large_counts.emplace_back(node, kLarge);
  }
  const Section& SectionOf(std::uint64_t node) const;
};

// Byte, line and column of a byte. Takes the time to count the lines before it.
Where PlaceOf(std::string_view bytes, std::uint64_t offset);

// A pass that sends nothing: counts, classes, and findings about references.
// `*crosses`: whether a reference leads from one graph to another. The whole of
// `source` must have been checked.
Status Survey(const ByteSource& source, Context& context, Index* index,
              bool* crosses);

// Checks the whole of `source` and fills `*index`.
// Errors: kMalformed, kTruncated, kLimit, kUnsupported with byte, line and
// column; oddities go to context.Warn().
// Memory: README.md.
Status BuildIndex(const ByteSource& source, Context& context, Index* index);

}  // namespace heapglot::draft

#endif  // HEAPGLOT_READERS_DRAFT_DRAFT_INDEX_H_
