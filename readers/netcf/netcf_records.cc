// Objects, references, roots, and lines that are none of them.
#include <algorithm>
#include <limits>

#include "core/saturating.h"
#include "readers/netcf/netcf_pass.h"
#include "readers/netcf/netcf_wire.h"

namespace heapglot::netcf {
namespace {

std::uint32_t RowOf(const Root& root, const Domain& domain) {
  if (root.kind == kRootHandle && (root.flags & kFlagWeak) != 0)
    return kWeakHandle;
  if (root.kind < kRootKinds) return static_cast<std::uint32_t>(root.kind);
  const auto& kinds = domain.other_kinds;
  return kWeakHandle + 1 +
         static_cast<std::uint32_t>(
             std::lower_bound(kinds.begin(), kinds.end(), root.kind) -
             kinds.begin());
}

// What a reference or root leads to.
struct Target {
  pb::TargetForm form;
  std::uint64_t to;
};
Target Resolve(std::uint64_t id, const IdMap& nodes) {
  if (id == kNullId) return {pb::TO_OMITTED, 0};
  const std::uint64_t index = nodes.Find(id);
  if (index == IdMap::kNone) return {pb::TO_DANGLING, id};
  return {pb::TO_NODE, index};
}

// Turns ids into targets.
void ResolveEdges(pb::Edges& edges, const IdMap& nodes) {
  constexpr int kAhead = 24;
  auto& to = *edges.mutable_to();
  const int rows = to.size();
  for (int row = 0; row < rows; ++row) {
    if (row + kAhead < rows) nodes.Prefetch(to[row + kAhead]);
    const Target target = Resolve(to[row], nodes);
    to[row] = target.to;
    if (target.form != pb::TO_NODE) {
      SetSparse(edges.mutable_to_form(), row,
                static_cast<std::uint32_t>(target.form));
    }
  }
}

}  // namespace

Status Pass::SendRecords() {
  text_.Seek(domain_->begin);
  if (findings_ != nullptr) checks_.emplace(*domain_, line_, *findings_);
  strings_.BeginOthers(false);
  const std::uint64_t end_line =
      graph_ + 1 < index_.domains.size()
          ? index_.domains[graph_ + 1].begin.line
          : std::numeric_limits<std::uint64_t>::max();
  for (std::uint64_t i = 0; text_.HasLine() && text_.line() < end_line; ++i) {
    if (i % kProgressLines == 0) {
      HEAPGLOT_RETURN_IF_ERROR(context_.Proceed(
          "converting", text_.place().offset, index_.form.end));
    }
    HEAPGLOT_RETURN_IF_ERROR(SendLine());
    line_.End();
  }
  HEAPGLOT_RETURN_IF_ERROR(FlushNodes());
  HEAPGLOT_RETURN_IF_ERROR(FlushEdges());
  HEAPGLOT_RETURN_IF_ERROR(FlushRoots());
  if (Wants(pb::Chunk::kRecordOrder))
    HEAPGLOT_RETURN_IF_ERROR(order_.Send(out_));
  if (!checks_) return {};
  HEAPGLOT_RETURN_IF_ERROR(checks_->EndDomain());
  checks_.reset();
  domain_->edges = edges_;
  domain_->omitted = omitted_;
  domain_->dangling = dangling_;
  domain_->self_sizes = self_sizes_;
  return {};
}

Status Pass::SendLine() {
  line_.ReportTo(nullptr);
  const char letter = line_.Begin();
  if (line_.number() == index_.cut_line) return KeepLine();
  switch (letter) {
    case kObject:
      line_.ReportTo(findings_);
      return AddObjectLine();
    case kRoot:
      line_.ReportTo(findings_);
      return AddRootLine();
    case kType:
      return AddTypeLine();
    case kDomainStart:  // the first line
    case Line::kBlank:
      return {};
    case kDomainEnd:
      if (line_.number() != domain_->end_line) return KeepLine();
      ++position_;
      return {};
    default:
      return KeepLine();
  }
}

Status Pass::NoteOrder(pb::Chunk::BodyCase body) {
  ++position_;
  if (domain_->is_in_usual_order || !Wants(pb::Chunk::kRecordOrder)) return {};
  order_.Add(body);
  return order_.IsFull() ? order_.Send(out_) : Status();
}

Status Pass::AddTypeLine() {
  std::uint64_t id = 0;
  if (!ReadTypeId(line_, nullptr, &id)) return KeepLine();
  const IdMap::Duplicate* const duplicate =
      DuplicateAt(domain_->types, type_lines_++, &next_type_duplicate_);
  if (duplicate != nullptr) {
    if (checks_) checks_->AddDuplicateType(*duplicate, line_.Rest());
    return KeepLine();
  }
  if (checks_) checks_->AddType();
  return NoteOrder(pb::Chunk::kTypes);
}

Status Pass::AddObjectLine() {
  if (!ReadObject(line_, findings_, &object_)) return KeepLine();
  const IdMap::Duplicate* const duplicate =
      DuplicateAt(domain_->nodes, object_lines_++, &next_object_duplicate_);
  type_ = domain_->types.Find(object_.type);
  if (checks_) checks_->BeginObject(object_, type_);
  if (duplicate == nullptr) {
    HEAPGLOT_RETURN_IF_ERROR(AddReferences());
    if (checks_) checks_->EndObject(nodes_ - 1);
    return NoteOrder(pb::Chunk::kNodes);
  }
  if (checks_) {
    std::uint64_t id = 0;
    for (Line::Got got = line_.Number(&id); got != Line::Got::kEnd;
         got = line_.Number(&id)) {
      if (got == Line::Got::kNumber) {
        checks_->Reference(id,
                           Resolve(id, domain_->nodes).form != pb::TO_DANGLING);
      }
    }
    checks_->EndDuplicate(*duplicate);
  }
  return KeepLine();
}

// Adds the references of an object, and the object.
Status Pass::AddReferences() {
  const bool send = Wants(pb::Chunk::kEdges);
  pb::Edges& edges = *edges_chunk_.mutable_edges();
  if (send && edges.edges_per_node().empty()) edges.set_first_node(nodes_);
  references_ = chunk_references_ = 0;
  has_node_ = false;
  if (!send && !checks_) {
    if (Wants(pb::Chunk::kNodes)) references_ = line_.SkipNumbers();
  } else {
    HEAPGLOT_RETURN_IF_ERROR(AddEachReference(send));
  }
  if (!has_node_) AddNode(references_);
  edges_ += references_;
  if (send) {
    edges.add_edges_per_node(static_cast<std::uint32_t>(chunk_references_));
  }
  const bool is_full = nodes_chunk_.nodes().id_size() >= kNodeRows ||
                       edges.edges_per_node_size() >= kNodeRows ||
                       edges.to_size() >= kEdgeRows;
  if (!is_full) return {};
  HEAPGLOT_RETURN_IF_ERROR(FlushNodes());
  return FlushEdges();
}

Status Pass::AddEachReference(bool send) {
  pb::Edges& edges = *edges_chunk_.mutable_edges();
  std::uint64_t id = 0;
  for (Line::Got got = line_.Number(&id); got != Line::Got::kEnd;
       got = line_.Number(&id)) {
    if (got == Line::Got::kMalformed) continue;
    if (checks_) {
      const pb::TargetForm form = Resolve(id, domain_->nodes).form;
      checks_->Reference(id, form != pb::TO_DANGLING);
      omitted_ += form == pb::TO_OMITTED ? 1 : 0;
      dangling_ += form == pb::TO_DANGLING ? 1 : 0;
    }
    if (send) {
      if (edges.to_size() >= kEdgeRows) {
        ++references_;
        HEAPGLOT_RETURN_IF_ERROR(SplitReferences());
        --references_;
      }
      edges.add_to(id);  // an id until FlushEdges()
      ++chunk_references_;
    }
    // A long line is given back while it is read, even if nobody wants edges.
    if (++references_ % kEdgeRows == 0) line_.Release();
  }
  return {};
}

// Sends what there is so far of an object that fills more than a chunk.
// references_ must include the current one.
Status Pass::SplitReferences() {
  if (!has_node_) {
    AddNode(references_ + line_.CountNumbers());
    has_node_ = true;
    HEAPGLOT_RETURN_IF_ERROR(FlushNodes());
  }
  pb::Edges& edges = *edges_chunk_.mutable_edges();
  edges.add_edges_per_node(static_cast<std::uint32_t>(chunk_references_));
  HEAPGLOT_RETURN_IF_ERROR(FlushEdges());
  edges.set_first_node(nodes_ - 1);
  chunk_references_ = 0;
  line_.Release();
  return {};
}

void Pass::AddNode(std::uint64_t edges) {
  self_sizes_ = AddSaturating(self_sizes_, object_.size);
  ++nodes_;
  if (!Wants(pb::Chunk::kNodes)) return;
  pb::Nodes& nodes = *nodes_chunk_.mutable_nodes();
  const int row = nodes.id_size();
  if (row == 0) {
    for (auto* const column :
         {nodes.mutable_id(), nodes.mutable_type_ref(),
          nodes.mutable_self_size(), nodes.mutable_edge_count()})
      column->Reserve(kNodeRows);
    nodes.set_first(nodes_ - 1);
  }
  const bool is_defined = type_ != IdMap::kNone;
  nodes.mutable_id()->AddAlreadyReserved(object_.id);
  nodes.mutable_type_ref()->AddAlreadyReserved(is_defined ? type_ + 1
                                                          : object_.type);
  nodes.mutable_self_size()->AddAlreadyReserved(object_.size);
  nodes.mutable_edge_count()->AddAlreadyReserved(edges);
  if (!is_defined) {
    SetSparse(nodes.mutable_flags(), row,
              static_cast<std::uint32_t>(pb::NODE_TYPE_DANGLING));
  }
}

Status Pass::FlushNodes() {
  pb::Nodes& nodes = *nodes_chunk_.mutable_nodes();
  const int rows = nodes.id_size();
  if (rows == 0) return {};
  nodes.set_count(static_cast<std::uint32_t>(rows));
  FillColumn(nodes.mutable_flags(), rows);
  Status status = out_.Accept(nodes_chunk_);
  nodes.Clear();
  return status;
}

Status Pass::FlushEdges() {
  pb::Edges& edges = *edges_chunk_.mutable_edges();
  const int rows = edges.to_size();
  Status status;
  if (rows > 0) {
    ResolveEdges(edges, domain_->nodes);
    edges.set_first(first_edge_);
    edges.set_count(static_cast<std::uint32_t>(rows));
    FillColumn(edges.mutable_to_form(), rows);
    first_edge_ += static_cast<std::uint64_t>(rows);
    status = out_.Accept(edges_chunk_);
  }
  edges.Clear();
  return status;
}

Status Pass::AddRootLine() {
  Root root;
  if (!ReadRoot(line_, findings_, &root)) return KeepLine();
  const Target target = Resolve(root.id, domain_->nodes);
  const std::uint64_t container =
      root.has_container ? domain_->types.Find(root.container) : IdMap::kNone;
  if (checks_)
    checks_->AddRoot(root, target.form != pb::TO_DANGLING, container);
  HEAPGLOT_RETURN_IF_ERROR(NoteOrder(pb::Chunk::kRoots));
  if (!Wants(pb::Chunk::kRoots)) return {};
  pb::Roots& roots = *roots_chunk_.mutable_roots();
  const int row = roots.to_size();
  SetSparse(roots.mutable_to_form(), row,
            static_cast<std::uint32_t>(target.form));
  roots.add_to(target.to);
  roots.add_kind(RowOf(root, *domain_));
  SetSparse(roots.mutable_flags(), row, root.flags);
  if (container != IdMap::kNone)
    SetSparse(roots.mutable_container_ref(), row, container + 1);
  else if (root.has_container)
    SetSparse(roots.mutable_container_id(), row, root.container);
  return row + 1 < kNodeRows ? Status() : FlushRoots();
}

Status Pass::FlushRoots() {
  pb::Roots& roots = *roots_chunk_.mutable_roots();
  const int rows = roots.to_size();
  if (rows == 0) return {};
  roots.set_first(roots_);
  roots.set_count(static_cast<std::uint32_t>(rows));
  roots_ += static_cast<std::uint64_t>(rows);
  FillColumn(roots.mutable_to_form(), rows);
  FillColumn(roots.mutable_flags(), rows);
  FillColumn(roots.mutable_container_ref(), rows);
  FillColumn(roots.mutable_container_id(), rows);
  Status status = out_.Accept(roots_chunk_);
  roots.Clear();
  return status;
}

Status Pass::KeepLine() {
  return SendExtra(kSectionLine, position_, line_.Whole());
}

Status Pass::SendExtra(std::string_view section, std::uint64_t position,
                       std::string_view data) {
  if (!Wants(pb::Chunk::kExtra)) return {};
  pb::Extra& extra = *other_chunk_.mutable_extra();
  extra.set_format(kFormat.data(), kFormat.size());
  extra.set_section(section.data(), section.size());
  extra.set_position(position);
  do {
    const std::string_view piece = data.substr(0, kChunkText);
    data.remove_prefix(piece.size());
    extra.set_data(piece.data(), piece.size());
    extra.set_continued(!data.empty());
    HEAPGLOT_RETURN_IF_ERROR(out_.Accept(other_chunk_));
  } while (!data.empty());
  return {};
}

}  // namespace heapglot::netcf
