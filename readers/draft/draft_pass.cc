#include "readers/draft/draft_pass.h"

#include <algorithm>
#include <utility>

#include "core/chunk_builder.h"
#include "core/draft/draft_values.h"
#include "core/ir/string_id.h"
#include "core/text/base64.h"
#include "core/text/utf.h"
#include "readers/draft/draft_tables.h"

namespace heapglot::draft {
namespace {

// A node has 2 to 3 edges, so chunks of nodes and of edges are full at about
// the same time.
constexpr int kEdgeRows = 4 * kChunkRows;
// Nodes right after strings, which may be their names, are kept together up to
// this many: the rows of a frame of heapir.
constexpr int kRowsWithNames = 16 * kChunkRows;
// Records between two calls of Context::Proceed().
constexpr std::uint64_t kProgressRecords = 1 << 16;

}  // namespace

// ------------------------------------------------------------------ strings

void StringChunks::AddRow(std::string_view text, pb::StringEncoding encoding) {
  pb::Strings& strings = *chunk_.mutable_strings();
  const int row = strings.length_size();
  strings.mutable_data()->append(text);
  strings.add_length(static_cast<std::uint32_t>(text.size()));
  SetSparse(strings.mutable_encoding(), row, static_cast<int>(encoding));
}

Status StringChunks::AddPieces(std::string_view text,
                               pb::StringEncoding encoding) {
  pb::Strings& strings = *chunk_.mutable_strings();
  while (text.size() > kChunkText) {
    const std::string_view piece =
        text.substr(0, CutAtCodePoint(text, kChunkText));
    text.remove_prefix(piece.size());
    // A piece may be UTF-8 even if the whole is not.
    AddRow(piece, ClassifyUtf8(piece) == pb::UTF8 ? pb::UTF8 : encoding);
    strings.set_continued(true);
    const std::uint64_t first = strings.first() + strings.length_size() - 1;
    const bool names = strings.names();
    HEAPGLOT_RETURN_IF_ERROR(Flush());
    strings.set_first(first);
    strings.set_names(names);
  }
  AddRow(text, ClassifyUtf8(text) == pb::UTF8 ? pb::UTF8 : encoding);
  return {};
}

Status StringChunks::Add(std::uint64_t index, std::string_view text,
                         pb::StringEncoding encoding, std::uint64_t source_id,
                         bool names) {
  pb::Strings& strings = *chunk_.mutable_strings();
  const int rows = strings.length_size();
  const bool full =
      rows >= static_cast<int>(kChunkRows) ||
      strings.data().size() >= kChunkText ||
      (rows > 0 &&
       (strings.names() != names ||
        strings.first() + static_cast<std::uint64_t>(rows) != index));
  if (full) HEAPGLOT_RETURN_IF_ERROR(Flush());
  if (strings.length_size() == 0) {
    strings.set_first(index);
    strings.set_names(names);
  }
  if (text.size() > kChunkText)
    HEAPGLOT_RETURN_IF_ERROR(AddPieces(text, encoding));
  else
    AddRow(text, encoding);
  SetSparse(strings.mutable_source_id(), strings.length_size() - 1, source_id);
  return {};
}

Status StringChunks::Flush() {
  pb::Strings& strings = *chunk_.mutable_strings();
  const int rows = strings.length_size();
  if (rows == 0) return {};
  FillColumn(strings.mutable_encoding(), rows);
  FillColumn(strings.mutable_source_id(), rows);
  Status status = out_.Accept(chunk_);
  strings.Clear();
  return status;
}

// --------------------------------------------------------------- the frame

Status Pass::Run() {
  HEAPGLOT_RETURN_IF_ERROR(SendHeader());
  for (Section& section : index_.sections)
    HEAPGLOT_RETURN_IF_ERROR(SendSection(section));
  if (!Wants(pb::Chunk::kFooter)) return {};
  pb::Footer& footer = *other_.mutable_footer();
  footer.set_graphs(index_.sections.size());
  footer.set_strings(index_.StringIndex(index_.strings.added()));
  return out_.Accept(other_);
}

Status Pass::SendHeader() {
  if (!Wants(pb::Chunk::kHeader)) return {};
  pb::Header& header = *other_.mutable_header();
  header.set_format(std::string(index_.form.name()));
  header.set_dialect(index_.is_version0 ? "pmx"
                     : index_.is_own    ? "heapglot"
                                        : "");
  header.set_source_size(index_.source_size);
  return out_.Accept(other_);
}

Status Pass::SendSection(Section& section) {
  section_ = &section;
  node_columns_.Clear();
  edge_columns_.Clear();
  counts_ = {};
  next_new_id_ = section.first_new_id;
  sent_values_ = pending_values_ = 0;
  const std::uint64_t last_string = last_owners_[pb::Values::OF_STRING];
  last_owners_.fill(0);
  last_owners_[pb::Values::OF_STRING] = last_string;
  type_rows_ = CountRows(section, pb::Chunk::kTypesFieldNumber);
  root_rows_ = CountRows(section, pb::Chunk::kRootsFieldNumber);
  frame_rows_ = CountRows(section, pb::Chunk::kStackFramesFieldNumber);
  HEAPGLOT_RETURN_IF_ERROR(SendGraph());
  if (&section == &index_.sections.front())
    HEAPGLOT_RETURN_IF_ERROR(SendNames());
  HEAPGLOT_RETURN_IF_ERROR(SendVocabularies());
  HEAPGLOT_RETURN_IF_ERROR(SendTables());
  HEAPGLOT_RETURN_IF_ERROR(SendLines());
  return SendEnd();
}

Status Pass::SendGraph() {
  if (!Wants(pb::Chunk::kGraph)) return {};
  pb::Graph& graph = *other_.mutable_graph();
  graph = section_->graph;
  if (!index_.is_own) graph.set_id_space(pb::Graph::TAGGED);
  graph.set_edges_grouped(section_->grouped);
  return out_.Accept(other_);
}

// The names of all graphs are sent in the first one.
Status Pass::SendNames() {
  if (!WantsNames()) return {};
  std::uint64_t index = 1;
  for (const NameTable::Name& name : index_.names.names()) {
    HEAPGLOT_RETURN_IF_ERROR(
        strings_.Add(index++, name.text, name.encoding, 0, true));
  }
  return strings_.Flush();
}

Status Pass::SendVocabularies() {
  if (!Wants(pb::Chunk::kVocabulary)) return {};
  for (std::size_t space = 0; space < section_->own_words.size(); ++space) {
    const std::vector<Word>& words = section_->Words(space);
    if (words.empty()) continue;
    pb::Vocabulary& vocabulary = *other_.mutable_vocabulary();
    vocabulary.Clear();
    vocabulary.set_space(static_cast<pb::Vocabulary::Space>(space));
    int row = 0;
    for (const Word& word : words) {
      vocabulary.add_name(word.name);
      vocabulary.add_known(word.known);
      SetSparse(vocabulary.mutable_source_code(), row, word.source_code);
      SetSparse(vocabulary.mutable_name_form(), row, word.name_form);
      SetSparse(vocabulary.mutable_edge_flags(), row, word.edge_flags);
      ++row;
    }
    FillColumn(vocabulary.mutable_source_code(), row);
    FillColumn(vocabulary.mutable_name_form(), row);
    FillColumn(vocabulary.mutable_edge_flags(), row);
    if (space != pb::Vocabulary::EDGE_KIND) {
      vocabulary.clear_name_form();
      vocabulary.clear_edge_flags();
    }
    HEAPGLOT_RETURN_IF_ERROR(out_.Accept(other_));
  }
  return {};
}

Status Pass::SendTables() {
  if (Wants(pb::Chunk::kTypes)) HEAPGLOT_RETURN_IF_ERROR(SendFoundTypes());
  for (std::size_t i = 0; i < kTableCount; ++i) {
    const auto body = static_cast<pb::Chunk::BodyCase>(kTables[i].body);
    if (!Wants(body)) continue;
    for (const pb::Chunk& chunk : section_->tables[i])
      HEAPGLOT_RETURN_IF_ERROR(out_.Accept(chunk));
  }
  if (!Wants(pb::Chunk::kExtraTable)) return {};
  for (const pb::Chunk& chunk : section_->extra_tables)
    HEAPGLOT_RETURN_IF_ERROR(out_.Accept(chunk));
  return {};
}

Status Pass::SendFoundTypes() {
  const std::vector<FoundType>& found = section_->types;
  pb::Types& types = *other_.mutable_types();
  for (std::size_t i = 0; i < found.size(); ++i) {
    const FoundType& type = found[i];
    const bool is_node = type.node != IdMap::kNone;
    types.add_name(type.name);
    types.add_class_node_ref(is_node ? type.node - section_->first_node + 1
                                     : 0);
    types.set_count(types.count() + 1);
    if (types.count() < kChunkRows && i + 1 < found.size()) continue;
    types.set_first(i + 1 - types.count());
    HEAPGLOT_RETURN_IF_ERROR(out_.Accept(other_));
    types.Clear();
  }
  return {};
}

Status Pass::SendEnd() {
  pb::GraphEnd& totals = section_->totals;
  if (survey_) counts_.Store(section_);
  if (!Wants(pb::Chunk::kGraphEnd)) return {};
  if (!section_->types.empty()) totals.set_types(section_->types.size());
  *other_.mutable_graph_end() = totals;
  return out_.Accept(other_);
}

// --------------------------------------------------------------- the lines

Status Pass::SendLines() {
  bool wanted = survey_;
  for (const auto kind :
       {pb::Chunk::kStrings, pb::Chunk::kNodes, pb::Chunk::kEdges,
        pb::Chunk::kValues, pb::Chunk::kMetadata, pb::Chunk::kExtra,
        pb::Chunk::kRecordOrder})
    wanted = wanted || Wants(kind);
  if (!wanted) return {};
  needs_edges_ = NeedsEdges();
  // The byte order mark has been reported already.
  const bool has_mark =
      section_->begin == 0 && index_.bytes.starts_with("\xEF\xBB\xBF");
  NumberCursor lines(index_.bytes, has_mark ? 3 : section_->begin,
                     section_->end);
  Trail trail(source_, section_->begin);
  LineError error;
  NumberRecord numbers;
  const Lines unwanted = UnwantedEdges();
  while (lines.Next()) {
    offset_ = lines.offset();
    if (++records_ % kProgressRecords == 0) {
      HEAPGLOT_RETURN_IF_ERROR(
          context_.Proceed("converting", offset_, index_.bytes.size()));
    }
    if (unwanted.Have(lines.text(), offset_)) {
      ++counts_.edges;
      trail.Advance(offset_);
      continue;
    }
    line_ = index_.bytes.substr(offset_, lines.next() - offset_);
    if (index_.Match(lines, &numbers)) {
      HEAPGLOT_RETURN_IF_ERROR(AddNumbers(numbers));
    } else {
      if (!index_.parser.Parse(lines.text(), offset_, &record_, &error))
        return {Code::kInput, "the input changed while it was read"};
      if (record_.kind != LineKind::kBlank) HEAPGLOT_RETURN_IF_ERROR(AddLine());
    }
    if (IsFull()) HEAPGLOT_RETURN_IF_ERROR(Flush());
    trail.Advance(offset_);
  }
  if (survey_) HEAPGLOT_RETURN_IF_ERROR(CheckWaitingColumns());
  return Flush();
}

void Pass::EndRun(pb::Chunk::BodyCase next) {
  if (run_ > 0 && Wants(pb::Chunk::kRecordOrder)) {
    pb::RecordOrder& order = *order_.mutable_record_order();
    order.add_body(noted_);
    order.add_run(run_);
  }
  noted_ = next;
  run_ = 0;
}

Status Pass::AddLine() {
  if (record_.kind == LineKind::kMetadata) return AddMetadata();
  if (record_.kind == LineKind::kTrailer) return {};
  if (record_.kind == LineKind::kData) return AddRecord();
  return IsKnownDeclaration() ? AddLayout() : AddVerbatim();
}

// Whether the record declares a type or subtype that we understand.
bool Pass::IsKnownDeclaration() {
  if (record_.kind != LineKind::kType && record_.kind != LineKind::kSubtype)
    return false;
  const char* const key = record_.kind == LineKind::kType ? "name" : "of";
  const Type* const type =
      index_.schema.FindType(Decode(record_.Find(key)), offset_);
  return type != nullptr && type->kind != RecordKind::kOpaque;
}

Status Pass::AddRecord() {
  if (!index_.Knows(*record_.type)) return AddVerbatim();
  switch (record_.type->kind) {
    case RecordKind::kNode:
      return AddNode();
    case RecordKind::kEdge:
      return AddEdge();
    case RecordKind::kString:
      return AddString();
    case RecordKind::kExtra:
      HEAPGLOT_RETURN_IF_ERROR(AddExtra());
      return AddLayout();
    case RecordKind::kValue:
      if (survey_ || Wants(pb::Chunk::kValues))
        HEAPGLOT_RETURN_IF_ERROR(AddOwnRow());
      return AddLayout();
    case RecordKind::kColumn:
      HEAPGLOT_RETURN_IF_ERROR(AddColumn());
      return AddLayout();
    default:
      return AddLayout();
  }
}

bool Pass::IsFull() const {
  // A writer that keeps the lines waits for their order; this bounds what it
  // keeps.
  constexpr std::uint64_t kMostText = 4 * kChunkText;
  const int rows =
      follows_strings_ ? kRowsWithNames : static_cast<int>(kChunkRows);
  return row_ == rows ||
         static_cast<int>(edge_chunk_.edges().count()) >= kEdgeRows ||
         pending_values_ >= static_cast<std::uint64_t>(kEdgeRows) ||
         pending_text_ >= kMostText || pending_entries_ >= kChunkRows;
}

Status Pass::AddMetadata() {
  text_.clear();
  AppendText(record_.Find("key"), &text_);
  if (index_.is_own && IsAboutFile(text_)) {
    const bool escaped =
        text_.starts_with(kEscapedPrefix) &&
        IsAboutFile(std::string_view(text_).substr(kEscapedPrefix.size()));
    if (!escaped) return AddLayout();
    text_.erase(0, kEscapedPrefix.size());
  }
  Note(pb::Chunk::kMetadata);
  pending_text_ += line_.size();
  ++pending_entries_;
  if (!Wants(pb::Chunk::kMetadata)) return {};
  pb::Metadata::Entry& entry = *metadata_.mutable_metadata()->add_entry();
  entry.mutable_key()->set_data(text_);
  entry.mutable_key()->set_encoding(ClassifyUtf8(text_));
  entry.mutable_value()->set_encoding(
      AppendText(record_.Find("value"), entry.mutable_value()->mutable_data()));
  entry.set_is_volatile(IsVolatileKey(text_));
  return {};
}

// Declarations come first. Those after the first record that is kept stay with
// these records; otherwise, each could end a chunk.
Status Pass::AddVerbatim() {
  pb::Extra& extra = *extra_.mutable_extra();
  const bool declares =
      record_.kind == LineKind::kType || record_.kind == LineKind::kSubtype;
  if (!declares && !keeps_data_) {
    keeps_data_ = true;
    if (!extra.data().empty()) HEAPGLOT_RETURN_IF_ERROR(Flush());
  }
  Note(pb::Chunk::kExtra);
  if (!Wants(pb::Chunk::kExtra)) return {};
  const bool is_long = line_.size() > kChunkText;
  if (is_long && !extra.data().empty()) {
    // It comes in pieces, which follow each other.
    HEAPGLOT_RETURN_IF_ERROR(out_.Accept(extra_));
    extra.Clear();
  }
  if (extra.data().empty()) {
    extra.set_format(std::string(index_.form.name()));
    extra.set_section(keeps_data_ ? std::string(index_.form.data_section())
                                  : index_.form.Code("record"));
    extra.set_position(records_ - 1);
  }
  std::string_view rest = line_;
  for (; rest.size() > kChunkText; rest.remove_prefix(kChunkText)) {
    extra.set_data(rest.data(), kChunkText);
    extra.set_continued(true);
    HEAPGLOT_RETURN_IF_ERROR(out_.Accept(extra_));
    extra.clear_data();
    extra.clear_continued();
  }
  extra.mutable_data()->append(rest);
  const bool is_full = is_long || extra.data().size() >= kChunkText;
  return is_full ? Flush() : Status();
}

// In our own files, such a record only spreads over lines what the stream says
// anyway.
Status Pass::AddLayout() {
  if (!index_.is_own) return AddVerbatim();
  Note(pb::Chunk::kRecordOrder);
  if (!Wants(pb::Chunk::kRecordOrder)) return {};
  std::string& lines = *order_.mutable_record_order()->mutable_lines();
  lines.append(line_);
  return lines.size() >= kChunkText ? Flush() : Status();
}

Status Pass::AddExtra() {
  if (!Wants(pb::Chunk::kExtra)) return {};
  HEAPGLOT_RETURN_IF_ERROR(Flush());
  pb::Extra& extra = *other_.mutable_extra();
  extra.Clear();
  const auto& fields = record_.layout->fields;
  for (std::size_t slot = 0; slot < fields.size(); ++slot) {
    const Token& token = record_.fields[slot];
    const std::string& name = fields[slot].name;
    Integer integer;
    if (name == "format") AppendText(token, extra.mutable_format());
    if (name == "section") AppendText(token, extra.mutable_section());
    if (name == "data" && !AppendFromBase64(token.text, extra.mutable_data()))
      extra.clear_data();
    if (name == "continued")
      extra.set_continued(token.kind == TokenKind::kTrue);
    if (name == "position" && ReadInteger(token, &integer))
      extra.set_position(integer.bits());
  }
  // A text field of protobuf must be UTF-8.
  if (ClassifyUtf8(extra.format()) != pb::UTF8) extra.clear_format();
  if (ClassifyUtf8(extra.section()) != pb::UTF8) extra.clear_section();
  return out_.Accept(other_);
}

// Takes cells of coming nodes and edges; tables have theirs already.
Status Pass::AddColumn() {
  if (section_->is_merged) return {};
  ColumnCells cells;
  ReadColumn(record_, &cells);
  const bool is_node = cells.table == "node";
  if (!is_node && cells.table != "edge") return {};
  if (!survey_ && !Wants(is_node ? pb::Chunk::kNodes : pb::Chunk::kEdges))
    return {};
  const std::uint64_t next =
      is_node ? node_ - section_->first_node : counts_.edges;
  WaitingColumns& columns = is_node ? node_columns_ : edge_columns_;
  if (survey_) columns.Forget(next);
  if (columns.is_long()) HEAPGLOT_RETURN_IF_ERROR(Flush());
  // A row that was sent cannot be changed.
  std::uint64_t missing = 0;
  if (cells.first < next ||
      !columns.Add(index_, *section_, std::move(cells), next, &missing))
    return CellsLeftOut("that are not what comes next");
  if (missing == 0) return {};
  return Warn(index_.form.Code("row.reference"), [&] {
    return index_.form.Say("a column refers to what is not there");
  });
}

Status Pass::CellsLeftOut(std::string_view of_rows) {
  return Warn(index_.form.Code("column.order"), [&] {
    return index_.form.Say("a column has cells of rows ")
        .append(of_rows)
        .append("; they are left out");
  });
}

Status Pass::CheckWaitingColumns() {
  std::ptrdiff_t left =
      node_columns_.CountBehind(node_ - section_->first_node) +
      edge_columns_.CountBehind(counts_.edges);
  for (; left > 0; --left)
    HEAPGLOT_RETURN_IF_ERROR(CellsLeftOut("that do not come"));
  return {};
}

Status Pass::AddString() {
  if (index_.IsHelper(record_)) return AddLayout();
  // Names of nodes must come right before them. What is a name does not depend
  // on what the pass wants, so every pass starts new chunks here, and waiting
  // edges do not end the chunk of the nodes to come.
  if (index_.is_own) {
    if (row_ > 0 || edge_chunk_.edges().count() > 0 || pending_values_ > 0)
      HEAPGLOT_RETURN_IF_ERROR(Flush());
    follows_strings_ = true;
  }
  Note(pb::Chunk::kStrings);
  pending_text_ += line_.size();
  const std::uint64_t position = string_++;
  if (!Wants(pb::Chunk::kStrings)) return {};
  Integer id;
  ReadInteger(record_.At(Role::kStringId), &id);
  text_.clear();
  const pb::StringEncoding encoding = AppendStringText(record_, &text_);
  return strings_.Add(index_.StringIndex(position), text_, encoding, id.bits(),
                      false);
}

Status Pass::MakeString(std::string_view text, std::uint64_t* index) {
  if (survey_) index_.made_strings.push_back(string_);
  *index = NextString();
  ++made_;
  if (!Wants(pb::Chunk::kStrings)) return {};
  return strings_.Add(*index, text, ClassifyWtf8(text), kNoStringId, false);
}

// ------------------------------------------------------------------- flush

Status Pass::Flush() {
  HEAPGLOT_RETURN_IF_ERROR(strings_.Flush());
  HEAPGLOT_RETURN_IF_ERROR(FlushNodes());
  HEAPGLOT_RETURN_IF_ERROR(FlushEdges());
  HEAPGLOT_RETURN_IF_ERROR(FlushValues());
  EndRun(pb::Chunk::BODY_NOT_SET);
  pending_text_ = pending_entries_ = 0;
  if (metadata_.metadata().entry_size() > 0) {
    HEAPGLOT_RETURN_IF_ERROR(out_.Accept(metadata_));
    metadata_.mutable_metadata()->Clear();
  }
  if (!extra_.extra().data().empty()) {
    HEAPGLOT_RETURN_IF_ERROR(out_.Accept(extra_));
    extra_.mutable_extra()->Clear();
  }
  if (order_.record_order().body_size() > 0) {
    HEAPGLOT_RETURN_IF_ERROR(out_.Accept(order_));
    order_.mutable_record_order()->Clear();
  }
  return {};
}

Status Pass::FlushNodes() {
  if (row_ == 0) return {};
  const int rows = std::exchange(row_, 0);
  first_string_ = NextString();
  follows_strings_ = false;
  if (!Wants(pb::Chunk::kNodes)) return {};
  pb::Nodes& nodes = *nodes_.mutable_nodes();
  nodes.set_count(static_cast<std::uint32_t>(rows));
  nodes.set_first(local_ + 1 - static_cast<std::uint64_t>(rows));
  for (auto* const column :
       {nodes.mutable_id(), nodes.mutable_type_ref(), nodes.mutable_name(),
        nodes.mutable_self_size(), nodes.mutable_edge_count(),
        nodes.mutable_trace_node(), nodes.mutable_detachedness(),
        nodes.mutable_identity_hash(), nodes.mutable_heap_space_ref(),
        nodes.mutable_stack_frame_ref(), nodes.mutable_value(),
        nodes.mutable_value_length()})
    FillColumn(column, rows);
  for (auto* const column :
       {nodes.mutable_kind(), nodes.mutable_flags(), nodes.mutable_value_form(),
        nodes.mutable_value_encoding()})
    FillColumn(column, rows);
  node_columns_.Take(nodes.first(), nodes.count(), nodes.mutable_extra());
  Status status = out_.Accept(nodes_);
  nodes.Clear();
  return status;
}

Status Pass::FlushEdges() {
  pb::Edges& edges = *edge_chunk_.mutable_edges();
  const int rows = static_cast<int>(edges.count());
  if (rows == 0) return {};
  edges.set_first(counts_.edges - edges.count());
  for (auto* const column : {edges.mutable_name(), edges.mutable_to()})
    FillColumn(column, rows);
  for (auto* const column :
       {edges.mutable_kind(), edges.mutable_to_form(), edges.mutable_flags()})
    FillColumn(column, rows);
  if (!edges.name_form().empty()) FillNameForms(rows);
  if (!section_->grouped) FillColumn(edges.mutable_from(), rows);
  for (auto& extra : *edges.mutable_extra())
    FillColumn(extra.mutable_strings(), rows);
  edge_columns_.Take(edges.first(), edges.count(), edges.mutable_extra());
  Status status = out_.Accept(edge_chunk_);
  edges.Clear();
  return status;
}

Status Pass::FlushValues() {
  if (pending_values_ == 0) return {};
  pending_values_ = 0;
  for (pb::Chunk& chunk : value_chunks_) {
    pb::Values& values = *chunk.mutable_values();
    const int rows = static_cast<int>(values.count());
    if (rows == 0) continue;
    values.set_first(sent_values_);
    sent_values_ += values.count();
    FillColumn(values.mutable_owner(), rows);
    FillColumn(values.mutable_key(), rows);
    FillColumn(values.mutable_form(), rows);
    FillColumn(values.mutable_value(), rows);
    FillColumn(values.mutable_length(), rows);
    FillColumn(values.mutable_encoding(), rows);
    HEAPGLOT_RETURN_IF_ERROR(out_.Accept(chunk));
    values.Clear();
  }
  return {};
}

}  // namespace heapglot::draft
