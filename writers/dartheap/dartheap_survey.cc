#include "writers/dartheap/dartheap_survey.h"

#include "core/ir/word_count.h"
#include "writers/dartheap/dartheap_header.h"

namespace heapglot::dartheap {

ChunkSet Survey::Wanted() {
  return {pb::Chunk::kHeader,  pb::Chunk::kGraph, pb::Chunk::kVocabulary,
          pb::Chunk::kStrings, pb::Chunk::kTypes, pb::Chunk::kRoots,
          pb::Chunk::kNodes,   pb::Chunk::kEdges, pb::Chunk::kExternals,
          pb::Chunk::kGraphEnd};
}

Status Survey::Accept(const pb::Chunk& chunk) {
  switch (chunk.body_case()) {
    case pb::Chunk::kHeader:
      format_ = chunk.header().format();
      break;
    case pb::Chunk::kGraph:
      HEAPGLOT_RETURN_IF_ERROR(CheckGraph(chunk.graph(), ++graphs_));
      graph_ = chunk.graph();
      break;
    case pb::Chunk::kVocabulary:
      AddVocabulary(chunk.vocabulary());
      break;
    case pb::Chunk::kStrings:
      strings_.Add(chunk.strings());
      break;
    case pb::Chunk::kTypes:
      AddTypes(chunk.types());
      break;
    case pb::Chunk::kRoots:
      AddRoots(chunk.roots());
      break;
    case pb::Chunk::kExternals:
      AddExternals(chunk.externals());
      break;
    case pb::Chunk::kNodes:
      AddNodes(chunk.nodes());
      break;
    case pb::Chunk::kEdges:
      queue_.AddEdges(chunk.edges());
      break;
    case pb::Chunk::kGraphEnd:
      totals_ = chunk.graph_end();
      break;
    default:
      break;
  }
  return status();
}

void Survey::AddVocabulary(const pb::Vocabulary& vocabulary) {
  for (int i = 0; i < WordCount(vocabulary); ++i) {
    const std::uint32_t known = At(vocabulary.known(), i);
    switch (vocabulary.space()) {
      case pb::Vocabulary::NODE_KIND:
        words_.push_back({At(vocabulary.name(), i), known});
        break;
      case pb::Vocabulary::EDGE_KIND:
        edge_words_.push_back({known, At(vocabulary.name_form(), i)});
        break;
      case pb::Vocabulary::ROOT_KIND:
        root_kinds_.push_back(known);
        break;
      default:
        break;
    }
  }
}

void Survey::AddTypes(const pb::Types& types) {
  for (int i = 0; i < static_cast<int>(types.count()); ++i) {
    types_.push_back({At(types.name(), i), At(types.library_name(), i),
                      At(types.library_uri(), i), IntClass::kOther});
  }
}

void Survey::AddRoots(const pb::Roots& roots) {
  for (int i = 0; i < static_cast<int>(roots.count()); ++i) {
    if (!IsRoot(At(roots.kind(), i))) continue;
    ++roots_;
    stand_ins_.Note(At(roots.to_form(), i), At(roots.to(), i));
  }
}

void Survey::AddExternals(const pb::Externals& externals) {
  for (int i = 0; i < static_cast<int>(externals.count()); ++i) {
    const std::uint32_t form = At(externals.to_form(), i);
    stand_ins_.Note(form, At(externals.to(), i));
    external_holders_ +=
        form == pb::TO_DANGLING || form == pb::TO_IMMEDIATE ? 1 : 0;
  }
}

// -------------------------------------------------------------------- nodes

Base Survey::BaseOf(const pb::Nodes& nodes, int row) const {
  const std::uint64_t index = nodes.first() + static_cast<std::uint64_t>(row);
  if (index == 0 && graph_.root_ref() == 1) return kRoot;
  const std::uint64_t ref = At(nodes.type_ref(), row);
  const bool is_dangling =
      (At(nodes.flags(), row) & pb::NODE_TYPE_DANGLING) != 0;
  if (ref != 0 && !is_dangling) return MakeBase(BaseSpace::kType, ref - 1);
  return BaseOfKind(WordOf(nodes, row).known, At(nodes.value_form(), row),
                    At(nodes.value(), row), At(nodes.kind(), row));
}

void Survey::AddNodes(const pb::Nodes& nodes) {
  for (int row = 0; row < static_cast<int>(nodes.count()); ++row) {
    CountNodeLosses(nodes, row);
    CountValueLosses(nodes, row);
    queue_.Push(BaseOf(nodes, row), At(nodes.edge_count(), row));
  }
  queue_.Drain();
}

void Survey::CountNodeLosses(const pb::Nodes& nodes, int row) {
  const std::uint64_t node = nodes.first() + static_cast<std::uint64_t>(row);
  const std::uint32_t flags = At(nodes.flags(), row);
  if ((flags & pb::NODE_TYPE_DANGLING) != 0 || At(nodes.type_ref(), row) == 0)
    return;
  const std::uint32_t known = WordOf(nodes, row).known;
  const bool is_told = known == pb::NODE_OBJECT || known == pb::NODE_OTHER ||
                       At(nodes.value_form(), row) != pb::V_NONE;
  if (!is_told) kinds_.Add(node);
}

void Survey::CountValueLosses(const pb::Nodes& nodes, int row) {
  const std::uint64_t node = nodes.first() + static_cast<std::uint64_t>(row);
  const std::uint64_t value = At(nodes.value(), row);
  switch (At(nodes.value_form(), row)) {
    case pb::V_UINT:
      if (value >> 63 != 0) unsigned_.Add(node);
      break;
    case pb::V_BOOL:
      if (value > 1) bools_.Add(node);
      break;
    case pb::V_JSON:
    case pb::V_ARRAY:
      value_texts_.Add(node);
      break;
    default:
      break;
  }
}

// -------------------------------------------------------------------- edges

EdgeForm Survey::FormOf(const pb::Edges& edges, int row) const {
  const std::uint32_t kind = At(edges.kind(), row);
  const EdgeWord word =
      kind < edge_words_.size() ? edge_words_[kind] : EdgeWord();
  const std::uint32_t form =
      edges.name_form().empty() ? word.name_form : edges.name_form(row);
  return {.is_named = form == pb::NAME_STRING,
          .is_weak = word.known == pb::EDGE_WEAK,
          .is_numbered = form == pb::NAME_NUMBER,
          .known = word.known};
}

void Survey::TakeEdges(const pb::Edges& edges, int begin, int end) {
  for (int row = begin; row < end; ++row) {
    const EdgeForm form = FormOf(edges, row);
    const std::uint64_t name = At(edges.name(), row);
    stand_ins_.Note(At(edges.to_form(), row), At(edges.to(), row));
    CountEdgeLosses(form, name);
    if (!form.is_named) {
      ++elements_;
      continue;
    }
    if (elements_ > 0) {
      reordered_.Add(queue_.node(), 1 + elements_ - overtaken_);
      overtaken_ = elements_;
    }
    if (fields_.size() < ShapeTable::kMaxFields)
      fields_.push_back(Field::Of(name, form.is_weak));
  }
}

void Survey::CountEdgeLosses(const EdgeForm& form, std::uint64_t name) {
  const std::uint64_t node = queue_.node();
  if (form.is_weak && !form.is_named) weak_elements_.Add(node);
  if (form.is_numbered && name != elements_) indices_.Add(node);
  switch (form.known) {
    case pb::EDGE_CONTEXT:
    case pb::EDGE_INTERNAL:
    case pb::EDGE_HIDDEN:
    case pb::EDGE_SHORTCUT:
      edge_kinds_.Add(node);
      break;
    default:
      break;
  }
}

void Survey::FinishNode() {
  if (queue_.node() == 0) root_fields_ = fields_;
  shapes_.Count(queue_.tag(), fields_);
  fields_.clear();
  elements_ = 0;
  overtaken_ = 0;
}

// ------------------------------------------------------------------- at end

void Survey::Finish() {
  queue_.End();
  for (Type& type : types_)
    type.int_class =
        IntClassOf(strings_.Find(type.name), strings_.Find(type.library_uri));
  // Types without nodes get a class, too.
  std::vector<bool> has_class(types_.size(), false);
  for (const ShapeTable::Shape& shape : shapes_.shapes())
    if (SpaceOf(shape.base) == BaseSpace::kType &&
        IndexOf(shape.base) < has_class.size())
      has_class[IndexOf(shape.base)] = true;
  for (std::size_t i = 0; i < has_class.size(); ++i)
    if (!has_class[i]) shapes_.Require(MakeBase(BaseSpace::kType, i));

  for (const StandIns::Item& item : stand_ins_.items())
    shapes_.Require(BaseOfStandIn(item));
  if (makes_root()) {
    shapes_.Require(kRoot);
    root_fields_.clear();
  }
  first_id_ = makes_root() ? 2 : 1;
  stand_ins_.Freeze(first_id_ + totals_.nodes());
  shapes_.Freeze(root_fields_, MakeBase(VmClass::kOneByteString));
}

void Survey::CountLosses(Losses& losses) const {
  losses.Lose("dartheap.graph.totals.native",
              graph_.has_extra_native_bytes() ? 1 : 0);
  losses.Lose("dartheap.node.kind.classed", kinds_);
  losses.Lose("dartheap.value.unsigned", unsigned_);
  losses.Lose("dartheap.value.bool", bools_);
  losses.Lose("dartheap.value.json", value_texts_);
  losses.Lose("dartheap.edge.index.other", indices_);
  losses.Lose("dartheap.edge.order.fields", reordered_);
  losses.Lose("dartheap.edge.kind.internal", edge_kinds_);
  losses.Lose("dartheap.edge.weak.element", weak_elements_);
  losses.Lose("dartheap.external.holder", external_holders_);
}

}  // namespace heapglot::dartheap
