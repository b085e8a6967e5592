#include "readers/dartheap/dartheap_pass.h"

#include <span>

namespace heapglot::dartheap {

Status Pass::Run() {
  HEAPGLOT_RETURN_IF_ERROR(SendHeader());
  HEAPGLOT_RETURN_IF_ERROR(SendGraph());
  HEAPGLOT_RETURN_IF_ERROR(SendVocabularies());
  HEAPGLOT_RETURN_IF_ERROR(SendTypes());
  HEAPGLOT_RETURN_IF_ERROR(SendObjects());
  HEAPGLOT_RETURN_IF_ERROR(SendExternals());
  HEAPGLOT_RETURN_IF_ERROR(SendTrailing());
  return SendEnds();
}

Status Pass::SendHeader() {
  if (!Wants(pb::Chunk::kHeader)) return {};
  pb::Header& header = *other_chunk_.mutable_header();
  header.set_format("dartheap");
  header.set_dialect(index_.is_devtools_export ? "devtools-export"
                     : index_.has_hashes       ? "dart-vm"
                                               : "dart-vm-2019");
  header.set_source_size(bytes_.size());
  return out_.Accept(other_chunk_);
}

Status Pass::SendGraph() {
  if (!Wants(pb::Chunk::kGraph)) return {};
  pb::Graph& graph = *other_chunk_.mutable_graph();
  graph.mutable_name()->set_data(index_.name.data(), index_.name.size());
  graph.mutable_name()->set_encoding(ClassifyUtf8(index_.name));
  graph.set_flags(index_.flags);
  graph.set_id_space(pb::Graph::IMPLICIT);
  graph.set_root_ref(index_.object_count > 0 ? 1 : 0);
  graph.set_pointer_size(index_.pointer_size);
  graph.set_edges_grouped(true);
  graph.set_self_size_total(index_.self_size_total);
  graph.set_capacity(index_.capacity);
  graph.set_external_size_total(index_.external_size_total);
  graph.set_edge_count(index_.reference_count);
  graph.set_node_count(index_.object_count);
  graph.set_has_identity_hashes(index_.has_hashes);
  return out_.Accept(other_chunk_);
}

std::uint64_t Pass::NameString(std::string_view text,
                               pb::StringEncoding encoding) {
  if (text.empty()) return 0;
  const std::uint64_t index = strings_.next();
  if (!strings_.wanted()) {
    strings_.Skip(1);
  } else if (name_status_.ok()) {
    name_status_ = strings_.Add(text, encoding);
  }
  return index;
}

Status Pass::SendVocabularies() {
  strings_.BeginNames(WantsNames());
  const auto send = [this](pb::Vocabulary::Space space,
                           std::span<const Word> words, bool edges) -> Status {
    pb::Vocabulary& vocabulary = *other_chunk_.mutable_vocabulary();
    vocabulary.Clear();
    vocabulary.set_space(space);
    for (const Word& word : words) {
      vocabulary.add_name(NameString(word.name));
      vocabulary.add_known(word.known);
      if (!edges) continue;
      vocabulary.add_name_form(word.name_form);
      vocabulary.add_edge_flags(word.edge_flags);
    }
    HEAPGLOT_RETURN_IF_ERROR(strings_.Flush());
    if (!Wants(pb::Chunk::kVocabulary)) return {};
    return out_.Accept(other_chunk_);
  };
  HEAPGLOT_RETURN_IF_ERROR(send(pb::Vocabulary::NODE_KIND, NodeWords(), false));
  HEAPGLOT_RETURN_IF_ERROR(send(pb::Vocabulary::EDGE_KIND, EdgeWords(), true));
  return name_status_;
}

Status Pass::SendTypes() {
  const bool send = Wants(pb::Chunk::kTypes);
  if (!strings_.wanted()) {
    strings_.SkipTo(index_.name_strings + 1);
    return {};
  }
  Cursor in(bytes_, index_.classes_offset);
  pb::Types& types = *other_chunk_.mutable_types();
  for (std::uint64_t i = 0; i < index_.class_count; ++i) {
    AddClass(in, types);
    const bool full = types.name_size() == kChunkRows ||
                      types.field_name_size() >= static_cast<int>(kEdgeRows);
    if (!full && i + 1 < index_.class_count) continue;
    types.set_count(static_cast<std::uint32_t>(types.name_size()));
    types.set_first(i + 1 - types.count());
    HEAPGLOT_RETURN_IF_ERROR(name_status_);
    HEAPGLOT_RETURN_IF_ERROR(strings_.Flush());
    if (send) HEAPGLOT_RETURN_IF_ERROR(out_.Accept(other_chunk_));
    types.Clear();
  }
  return in.ok() ? Status() : InputChanged();
}

// Reads the class as Scanner::ScanClass() does, and takes strings in the same
// order.
void Pass::AddClass(Cursor& in, pb::Types& types) {
  types.add_flags(in.Uleb());
  const std::string_view name = in.String();
  const std::string_view library_name = in.String();
  const std::string_view library_uri = in.String();
  const std::string_view reserved = in.String();
  types.add_name(NameString(name));
  if (library_name != library_name_)
    library_name_index_ = NameString(library_name);
  if (library_uri != library_uri_) library_uri_index_ = NameString(library_uri);
  library_name_ = library_name;
  library_uri_ = library_uri;
  types.add_library_name(library_name_index_);
  types.add_library_uri(library_uri_index_);
  types.add_reserved(NameString(reserved));

  const std::uint64_t field_count = in.Uleb();
  types.add_field_count(static_cast<std::uint32_t>(field_count));
  for (std::uint64_t i = 0; i < field_count && in.ok(); ++i) {
    types.add_field_flags(in.Uleb());
    types.add_field_slot(in.Uleb());
    types.add_field_name(NameString(in.String()));
    types.add_field_reserved(NameString(in.String()));
  }
}

std::uint64_t Pass::ExternalName(std::string_view text, ExternalNames& names) {
  if (text.empty()) return 0;
  const std::uint64_t next = strings_.next();
  const std::uint64_t index = names.IndexOf(text, next);
  return index == next ? NameString(text) : index;
}

Status Pass::SendExternals() {
  const bool send = Wants(pb::Chunk::kExternals);
  strings_.BeginNames(WantsNames());
  if (!strings_.wanted()) return {};
  strings_.SkipTo(index_.strings - index_.external_strings);
  Cursor in(bytes_, index_.externals_offset);
  Trail trail(source_, index_.externals_offset);
  ExternalNames names;
  pb::Externals& externals = *other_chunk_.mutable_externals();
  for (std::uint64_t i = 0; i < index_.external_count; ++i) {
    const std::uint64_t id = in.Uleb();
    const int row = externals.to_size();
    if (id - 1 < index_.object_count) {
      externals.add_to(id - 1);
    } else {
      SetSparse(externals.mutable_to_form(), row,
                static_cast<std::uint32_t>(id == 0 ? pb::TO_OMITTED
                                                   : pb::TO_DANGLING));
      externals.add_to(id);
    }
    externals.add_size(in.Uleb());
    externals.add_name(ExternalName(in.String(), names));
    if (row + 1 < static_cast<int>(kChunkRows) && i + 1 < index_.external_count)
      continue;
    externals.set_count(static_cast<std::uint32_t>(row + 1));
    externals.set_first(i - static_cast<std::uint64_t>(row));
    FillColumn(externals.mutable_to_form(), row + 1);
    HEAPGLOT_RETURN_IF_ERROR(name_status_);
    HEAPGLOT_RETURN_IF_ERROR(strings_.Flush());
    if (send) HEAPGLOT_RETURN_IF_ERROR(out_.Accept(other_chunk_));
    externals.Clear();
    trail.Advance(in.offset());
  }
  if (!in.ok()) return InputChanged();
  return {};
}

Status Pass::SendTrailing() {
  if (!Wants(pb::Chunk::kExtra)) return {};
  pb::Extra& extra = *other_chunk_.mutable_extra();
  extra.set_format("dartheap");
  extra.set_section(kTrailingSection.data(), kTrailingSection.size());
  std::uint64_t offset = index_.trailing_offset;
  Trail trail(source_, offset);
  while (offset < bytes_.size()) {
    const std::string_view piece = bytes_.substr(offset, kChunkText);
    extra.set_position(offset);
    extra.set_data(piece.data(), piece.size());
    offset += piece.size();
    extra.set_continued(offset < bytes_.size());
    HEAPGLOT_RETURN_IF_ERROR(out_.Accept(other_chunk_));
    trail.Advance(offset);
  }
  return {};
}

Status Pass::SendEnds() {
  if (Wants(pb::Chunk::kGraphEnd)) {
    pb::GraphEnd& end = *other_chunk_.mutable_graph_end();
    end.set_types(index_.class_count);
    end.set_nodes(index_.object_count);
    end.set_edges(index_.edges);
    end.set_externals(index_.external_count);
    end.set_self_size_total(index_.self_sizes);
    end.set_external_size_total(index_.external_sizes);
    end.set_edges_omitted(index_.omitted);
    end.set_edges_dangling(index_.dangling);
    end.set_edges_synthesized(index_.edges - index_.references);
    end.set_id_limit(index_.object_count + 1);
    HEAPGLOT_RETURN_IF_ERROR(out_.Accept(other_chunk_));
  }
  if (!Wants(pb::Chunk::kFooter)) return {};
  pb::Footer& footer = *other_chunk_.mutable_footer();
  footer.set_graphs(1);
  footer.set_strings(index_.strings);
  return out_.Accept(other_chunk_);
}

}  // namespace heapglot::dartheap
