#include "writers/dartheap/dartheap_survey.h"

#include <algorithm>

#include "writers/dartheap/dartheap_header.h"

namespace heapglot::dartheap {

ChunkSet Survey::Wanted() {
  return {pb::Chunk::kHeader,   pb::Chunk::kGraph, pb::Chunk::kVocabulary,
          pb::Chunk::kStrings,  pb::Chunk::kTypes, pb::Chunk::kRoots,
          pb::Chunk::kNodes,    pb::Chunk::kEdges, pb::Chunk::kExternals,
          pb::Chunk::kMetadata, pb::Chunk::kExtra, pb::Chunk::kExtraTable,
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
      edge_columns_ =
          std::max<std::uint64_t>(edge_columns_, chunk.edges().extra_size());
      queue_.AddEdges(chunk.edges());
      break;
    case pb::Chunk::kMetadata:
      metadata_ += static_cast<std::uint64_t>(chunk.metadata().entry_size());
      break;
    case pb::Chunk::kExtra:
      extras_ += chunk.extra().continued() ? 0 : 1;
      break;
    case pb::Chunk::kExtraTable:
      extras_ += chunk.extra_table().first() == 0 ? 1 : 0;
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
  for (int i = 0; i < vocabulary.known_size(); ++i) {
    const std::uint32_t known = vocabulary.known(i);
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
    type_ids_ += types.id().empty() ? 0 : 1;
    type_fields_ += At(types.field_count(), i) != 0 ? 1 : 0;
    const bool has_relation =
        At(types.super_ref(), i) != 0 || At(types.instance_size(), i) != 0 ||
        At(types.loader_ref(), i) != 0 || At(types.module(), i) != 0 ||
        At(types.class_node_ref(), i) != 0;
    type_relations_ += has_relation ? 1 : 0;
  }
  type_columns_ = std::max<std::uint64_t>(
      type_columns_, types.extra_size() + types.field_extra_size());
}

void Survey::AddRoots(const pb::Roots& roots) {
  for (int i = 0; i < static_cast<int>(roots.count()); ++i) {
    if (!IsRoot(At(roots.kind(), i))) {
      ++unreachable_;
      continue;
    }
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
  if (!nodes.id().empty()) ids_ += nodes.count();
  node_columns_ = std::max<std::uint64_t>(node_columns_, nodes.extra_size());
  queue_.Drain();
}

void Survey::CountNodeLosses(const pb::Nodes& nodes, int row) {
  const std::uint64_t node = nodes.first() + static_cast<std::uint64_t>(row);
  const std::uint32_t flags = At(nodes.flags(), row);
  if ((flags & pb::NODE_PHANTOM) != 0) phantoms_.Add(node);
  if ((flags & pb::NODE_TYPE_DANGLING) != 0) {
    dangling_types_.Add(node);
  } else if (At(nodes.type_ref(), row) != 0) {
    const std::uint32_t known = WordOf(nodes, row).known;
    const bool is_told = known == pb::NODE_OBJECT || known == pb::NODE_OTHER ||
                         At(nodes.value_form(), row) != pb::V_NONE;
    if (!is_told) kinds_.Add(node);
  }
  if (At(nodes.detachedness(), row) != 0) detached_.Add(node);
  if (At(nodes.trace_node(), row) != 0 || At(nodes.stack_frame_ref(), row) != 0)
    traces_.Add(node);
  if (At(nodes.heap_space_ref(), row) != 0) heap_spaces_.Add(node);
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
    case pb::V_NODE:
    case pb::V_DANGLING:
      value_nodes_.Add(node);
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
  // A field without a name would be none.
  return {.is_named = form == pb::NAME_STRING && At(edges.name(), row) != 0,
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
    is_reordered_ |= elements_ > 0;
    if (fields_.size() < ShapeTable::kMaxFields)
      fields_.push_back(Field::Of(name, form.is_weak));
  }
}

void Survey::CountEdgeLosses(const EdgeForm& form, std::uint64_t name) {
  if (form.is_weak) ++(form.is_named ? weak_ : weak_elements_);
  if (form.is_numbered && name != elements_) ++indices_;
  switch (form.known) {
    case pb::EDGE_CONTEXT:
    case pb::EDGE_INTERNAL:
    case pb::EDGE_HIDDEN:
    case pb::EDGE_SHORTCUT:
      ++edge_kinds_;
      break;
    default:
      break;
  }
}

void Survey::FinishNode() {
  if (queue_.node() == 0) root_fields_ = fields_;
  if (is_reordered_) reordered_.Add(queue_.node());
  shapes_.Count(queue_.tag(), fields_);
  fields_.clear();
  elements_ = 0;
  is_reordered_ = false;
}

// ------------------------------------------------------------------- at end

void Survey::Finish() {
  queue_.End();
  for (Type& type : types_)
    type.int_class =
        IntClassOf(strings_.Find(type.name), strings_.Find(type.library_uri));
  // Types that no node has, too.
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
  losses.LoseTables(totals_);
  losses.LoseGraph(graph_);
  losses.Lose("dartheap.node.id", ids_);
  losses.Lose("dartheap.node.kind", kinds_);
  losses.Lose("dartheap.node.detachedness", detached_);
  losses.Lose("dartheap.node.trace", traces_);
  losses.Lose("dartheap.node.heap_space", heap_spaces_);
  losses.Lose("dartheap.node.phantom", phantoms_);
  losses.Lose("dartheap.node.column", node_columns_);
  losses.Lose("dartheap.value.unsigned", unsigned_);
  losses.Lose("dartheap.value.bool", bools_);
  losses.Lose("dartheap.value.node", value_nodes_);
  losses.Lose("dartheap.value.text", value_texts_);
  losses.Lose("dartheap.type.id", type_ids_);
  losses.Lose("dartheap.type.dangling", dangling_types_);
  losses.Lose("dartheap.type.fields", type_fields_);
  losses.Lose("dartheap.type.relation", type_relations_);
  losses.Lose("dartheap.type.column", type_columns_);
  losses.Lose("dartheap.edge.index", indices_);
  losses.Lose("dartheap.edge.order", reordered_);
  losses.Lose("dartheap.edge.kind", edge_kinds_);
  losses.Lose("dartheap.edge.weak", weak_);
  losses.Lose("dartheap.edge.weak_element", weak_elements_);
  losses.Lose("dartheap.edge.dangling", totals_.edges_dangling());
  losses.Lose("dartheap.edge.immediate", totals_.edges_immediate());
  losses.Lose("dartheap.edge.column", edge_columns_);
  losses.Lose("dartheap.external.holder", external_holders_);
  losses.Lose("dartheap.root.kind", roots_);
  losses.Lose("dartheap.root.unreachable", unreachable_);
  losses.Lose("dartheap.metadata", metadata_);
  losses.Lose("dartheap.extra", extras_);
}

}  // namespace heapglot::dartheap
