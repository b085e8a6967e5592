#include "readers/draft/draft_index.h"

#include <algorithm>

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

// The words of files that bring none: the subtypes that they declare.
class Words {
 public:
  Words(Index* index, Section* section) : index_(*index), section_(*section) {}

  void Build() {
    const bool own_nodes = !section_.words[pb::Vocabulary::NODE_KIND].empty();
    const bool own_edges = !section_.words[pb::Vocabulary::EDGE_KIND].empty();
    for (Type& type : index_.schema.types()) {
      if (type.kind == RecordKind::kNode) AddNodeWords(type, own_nodes);
      if (type.kind == RecordKind::kEdge) AddEdgeWords(type, own_edges);
    }
    auto& nodes = section_.words[pb::Vocabulary::NODE_KIND];
    auto& edges = section_.words[pb::Vocabulary::EDGE_KIND];
    if (!own_nodes) {
      section_.unknown_node_row = static_cast<std::uint32_t>(nodes.size());
      nodes.push_back(
          {.name = index_.names.Index("unknown"), .source_code = -1});
    }
    if (own_edges) return;
    section_.unknown_edge_row = static_cast<std::uint32_t>(edges.size());
    edges.push_back({.name = index_.names.Index("unknown"),
                     .source_code = -1,
                     .name_form = static_cast<std::uint32_t>(
                         index_.is_own ? pb::NAME_NONE : pb::NAME_STRING)});
    section_.field_edge_row = static_cast<std::uint32_t>(edges.size());
    edges.push_back({.name = index_.names.Index("field"),
                     .known = pb::EDGE_INTERNAL,
                     .source_code = -1,
                     .name_form = pb::NAME_STRING,
                     .edge_flags = pb::EDGE_SYNTHESIZED});
  }

 private:
  // Rows of hg.word are the codes of subtypes.
  static std::uint32_t OwnRow(const Subtype& subtype,
                              const std::vector<Word>& words) {
    return subtype.code < words.size()
               ? static_cast<std::uint32_t>(subtype.code)
               : 0;
  }

  void AddNodeWords(Type& type, bool own) {
    auto& words = section_.words[pb::Vocabulary::NODE_KIND];
    for (Subtype& subtype : type.subtypes) {
      if (own) {
        subtype.row = OwnRow(subtype, words);
        continue;
      }
      subtype.row = static_cast<std::uint32_t>(words.size());
      words.push_back(
          {.name = index_.names.Index(subtype.name),
           .known = static_cast<std::uint32_t>(NodeKindOf(subtype.name)),
           .source_code = static_cast<std::int64_t>(subtype.code)});
    }
  }

  void AddEdgeWords(Type& type, bool own) {
    auto& words = section_.words[pb::Vocabulary::EDGE_KIND];
    for (Subtype& subtype : type.subtypes) {
      if (own) {
        subtype.row = OwnRow(subtype, words);
        continue;
      }
      const EdgeWord word = EdgeWordOf(subtype.name);
      subtype.row = static_cast<std::uint32_t>(words.size());
      words.push_back({.name = index_.names.Index(subtype.name),
                       .known = static_cast<std::uint32_t>(word.known),
                       .source_code = static_cast<std::int64_t>(subtype.code),
                       // Our own files say it of each edge.
                       .name_form = static_cast<std::uint32_t>(
                           index_.is_own ? pb::NAME_NONE : word.form)});
    }
  }

  Index& index_;
  Section& section_;
};

void NameFields(Index* index) {
  const auto name = [&](Layout& layout) {
    for (Field& field : layout.fields)
      field.key = index->names.Index(field.name);
  };
  for (Type& type : index->schema.types()) {
    if (type.kind != RecordKind::kNode && type.kind != RecordKind::kEdge)
      continue;
    name(type.layout);
    for (Subtype& subtype : type.subtypes) name(subtype.layout);
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

// What only a look at all records together can tell.
Status SurveyGraphs(const ByteSource& source, Context& context, Index* index) {
  bool crosses = false;
  HEAPGLOT_RETURN_IF_ERROR(Survey(source, context, index, &crosses));
  if (!crosses) return {};
  HEAPGLOT_RETURN_IF_ERROR(context.Warn(
      index->form.Code("heap.mixed"),
      index->form.Say(
          "references lead from one heap to another: all is one graph"),
      Where::Byte(0)));
  MergeSections(&index->sections);
  return Survey(source, context, index, &crosses);
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
  for (Section& section : index->sections) Words(index, &section).Build();
  if (!tally.Settle())
    HEAPGLOT_RETURN_IF_ERROR(SurveyGraphs(source, context, index));
  const bool any_grouped =
      std::any_of(index->sections.begin(), index->sections.end(),
                  [](const Section& section) { return section.grouped; });
  if (!any_grouped) index->edge_counts = std::vector<std::uint8_t>();
  NameTypes(source, index);
  ResolveReferences(source, index);
  return {};
}

}  // namespace heapglot::draft
