#include "readers/draft/draft_index.h"

#include <algorithm>

#include "readers/draft/draft_lookup.h"
#include "readers/draft/draft_pass.h"
#include "readers/draft/draft_scan.h"
#include "readers/draft/draft_tables.h"
#include "readers/draft/draft_tally.h"

namespace heapglot::draft {
namespace {

pb::NodeKind NodeKindOf(std::string_view name) {
  for (const NodeWord& word : kNodeWords)
    if (word.name == name) return word.known;
  const std::size_t dot = name.rfind('.');
  if (dot == std::string_view::npos) return pb::NODE_OTHER;
  for (const NodeWord& word : kOtherNodeWords)
    if (word.name == name.substr(dot + 1)) return word.known;
  return pb::NODE_OTHER;
}

EdgeWord EdgeWordOf(std::string_view name) {
  for (const EdgeWord& word : kEdgeWords)
    if (word.name == name) return word;
  const std::size_t dot = name.rfind('.');
  if (dot != std::string_view::npos) {
    for (const EdgeWord& word : kOtherEdgeWords)
      if (word.name == name.substr(dot + 1)) return word;
  }
  return {name, pb::EDGE_OTHER, pb::NAME_STRING};
}

// The words of files that are not our own: the subtypes that they declare,
// which all of their graphs share. A graph in our own files has only the words
// that it brings.
class Words {
 public:
  explicit Words(Index* index) : index_(*index) {}

  void Build() {
    if (index_.is_own) return;
    for (Type& type : index_.schema.types()) {
      if (type.kind == RecordKind::kNode) AddNodeWords(type);
      if (type.kind == RecordKind::kEdge) AddEdgeWords(type);
    }
    AddOtherNodeWord();
    AddOtherEdgeWords();
    for (Section& section : index_.sections) {
      section.shared_words = &index_.words;
      SetOtherRows(&section);
    }
  }

  // Each graph is sent with all of the words that it shares, however small it
  // is.
  Status CheckCount() const {
    const std::uint64_t most =
        std::max(kMaxSharedWords, std::uint64_t{index_.bytes.size()});
    std::uint64_t sent = 0;
    for (const Section& section : index_.sections) {
      sent += NodeWords().size() + EdgeWords().size();
      if (sent <= most || &section == &index_.sections.front()) continue;
      return {Code::kLimit,
              index_.form.Say("too many heaps for so many subtypes"),
              PlaceOf(index_.bytes, section.begin)};
    }
    return {};
  }

 private:
  static constexpr std::uint64_t kMaxSharedWords = std::uint64_t{1} << 20;

  std::vector<Word>& NodeWords() const {
    return index_.words[pb::Vocabulary::NODE_KIND];
  }
  std::vector<Word>& EdgeWords() const {
    return index_.words[pb::Vocabulary::EDGE_KIND];
  }

  void AddNodeWords(Type& type) {
    auto& words = NodeWords();
    for (Subtype& subtype : type.subtypes) {
      subtype.row = static_cast<std::uint32_t>(words.size());
      words.push_back(
          {.name = index_.names.Index(subtype.name),
           .known = static_cast<std::uint32_t>(NodeKindOf(subtype.name)),
           .source_code = static_cast<std::int64_t>(subtype.code)});
    }
  }

  void AddEdgeWords(Type& type) {
    auto& words = EdgeWords();
    for (Subtype& subtype : type.subtypes) {
      const EdgeWord word = EdgeWordOf(subtype.name);
      subtype.row = static_cast<std::uint32_t>(words.size());
      words.push_back({.name = index_.names.Index(subtype.name),
                       .known = static_cast<std::uint32_t>(word.known),
                       .source_code = static_cast<std::int64_t>(subtype.code),
                       .name_form = static_cast<std::uint32_t>(word.form)});
    }
  }

  void AddOtherNodeWord() {
    NodeWords().push_back(
        {.name = index_.names.Index("unknown"), .source_code = -1});
  }

  void AddOtherEdgeWords() {
    EdgeWords().push_back({.name = index_.names.Index("unknown"),
                           .source_code = -1,
                           .name_form = pb::NAME_STRING});
    EdgeWords().push_back({.name = index_.names.Index("field"),
                           .known = pb::EDGE_INTERNAL,
                           .source_code = -1,
                           .name_form = pb::NAME_STRING,
                           .edge_flags = pb::EDGE_SYNTHESIZED});
  }

  // Those words are at the end.
  void SetOtherRows(Section* section) const {
    section->unknown_node_row =
        static_cast<std::uint32_t>(NodeWords().size() - 1);
    section->unknown_edge_row =
        static_cast<std::uint32_t>(EdgeWords().size() - 2);
    section->field_edge_row =
        static_cast<std::uint32_t>(EdgeWords().size() - 1);
  }

  Index& index_;
};

// What V8 calls the parts of a string that is made of others; programs that
// show its text look for these names.
std::string_view NameOfEdge(std::string_view field, pb::NodeKind node) {
  if (node == pb::NODE_CONS_STRING && field == "s1") return "first";
  if (node == pb::NODE_CONS_STRING && field == "s2") return "second";
  if (node == pb::NODE_SLICED_STRING && field == "source") return "parent";
  return field;
}

void NameFields(Index* index) {
  const auto name = [&](Layout& layout, pb::NodeKind node = pb::NODE_OTHER) {
    for (Field& field : layout.fields) {
      field.key = index->names.Index(field.name);
      field.edge_key = index->names.Index(NameOfEdge(field.name, node));
    }
  };
  for (Type& type : index->schema.types()) {
    if (type.kind != RecordKind::kNode && type.kind != RecordKind::kEdge)
      continue;
    name(type.layout);
    for (Subtype& subtype : type.subtypes) {
      name(subtype.layout, type.kind == RecordKind::kNode
                               ? NodeKindOf(subtype.name)
                               : pb::NODE_OTHER);
    }
  }
}

void NameTypes(const ByteSource& source, Index* index) {
  Lookup lookup(source, *index);
  for (Section& section : index->sections) {
    for (FoundType& type : section.types) {
      const std::string name = lookup.NameOfNode(type.node);
      type.name = index->names.Index(name.empty() ? "Object" : name);
    }
  }
}

// Finds what only a look at all records together can show.
Status SurveyGraphs(const ByteSource& source, Context& context, Index* index) {
  const Context before = context;
  bool crosses = false;
  HEAPGLOT_RETURN_IF_ERROR(Survey(source, context, index, &crosses));
  if (!crosses) return {};
  // That survey took references to other heaps for dangling ones. The next one
  // finds everything else again.
  context = before;
  HEAPGLOT_RETURN_IF_ERROR(context.Warn(
      index->form.Code("heap.mixed"),
      index->form.Say(
          "references lead from one heap to another: all become one graph"),
      Where::Byte(0)));
  if (!MergeSections(&index->sections)) {
    HEAPGLOT_RETURN_IF_ERROR(context.Warn(
        index->form.Code("heap.words"),
        index->form.Say("heaps that are merged have different names for a "
                        "kind: the first heap that has it names it"),
        Where::Byte(0)));
  }
  return Survey(source, context, index, &crosses);
}

// Reports a finding that occurs `count` times, at unknown places.
Status WarnOfAll(Context& context, const std::string& code,
                 const std::string& message, std::uint64_t count) {
  if (count == 0) return {};
  if (context.strict) return context.Warn(code, message, Where());
  context.Note(code, message, Where(), count);
  return {};
}

}  // namespace

Status Survey(const ByteSource& source, Context& context, Index* index,
              bool* crosses) {
  index->ForgetSurvey();
  // Nothing is wanted, so nothing is sent.
  class NoSink : public ChunkSink {
   public:
    Status Accept(const pb::Chunk&) override { return {}; }
  } nothing;
  Pass pass(source, context, ChunkSet(), &nothing, true, index);
  Status status = pass.Run();
  *crosses = pass.crosses_graphs();
  return status;
}

Status BuildIndex(const ByteSource& source, Context& context, Index* index) {
  index->bytes = source.bytes();
  index->source_size = index->bytes.size();
  Tally tally(index);
  HEAPGLOT_RETURN_IF_ERROR(Scanner(source, context, index, &tally).Run());
  ResolveNames(source, index);
  NameFields(index);
  Words words(index);
  words.Build();
  if (!tally.Settle())
    HEAPGLOT_RETURN_IF_ERROR(SurveyGraphs(source, context, index));
  HEAPGLOT_RETURN_IF_ERROR(words.CheckCount());
  const bool any_grouped =
      std::any_of(index->sections.begin(), index->sections.end(),
                  [](const Section& section) { return section.grouped; });
  if (!any_grouped) index->edge_counts = std::vector<std::uint8_t>();
  NameTypes(source, index);
  const LeftOut left_out = ResolveReferences(source, index);
  HEAPGLOT_RETURN_IF_ERROR(
      WarnOfAll(context, index->form.Code("row.reference"),
                index->form.Say("one of heapglot's own rows refers to one that "
                                "is missing; the reference is left out"),
                left_out.references));
  return WarnOfAll(
      context, index->form.Code("column.order"),
      index->form.Say("a column has cells of missing rows; they are left out"),
      left_out.columns);
}

}  // namespace heapglot::draft
