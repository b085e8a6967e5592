#include "writers/heapsnapshot/heapsnapshot_native_writer.h"

#include <optional>
#include <utility>
#include <vector>

#include "core/bytes/buffered_out.h"
#include "core/bytes/trail.h"
#include "core/column.h"
#include "readers/heapsnapshot/heapsnapshot_json.h"
#include "readers/heapsnapshot/heapsnapshot_wire.h"
#include "writers/heapsnapshot/heapsnapshot_native_rows.h"
#include "writers/heapsnapshot/heapsnapshot_native_survey.h"
#include "writers/heapsnapshot/heapsnapshot_native_tables.h"
#include "writers/heapsnapshot/heapsnapshot_native_text.h"
#include "writers/heapsnapshot/heapsnapshot_profile.h"

namespace heapglot::heapsnapshot {
namespace {

// The key of a section, with its quotes.
std::string KeyOf(const Member& member) {
  switch (member.kind) {
    case SectionKind::kSnapshot:
      return R"("snapshot")";
    case SectionKind::kNodes:
      return R"("nodes")";
    case SectionKind::kEdges:
      return R"("edges")";
    case SectionKind::kTraceFunctions:
      return R"("trace_function_infos")";
    case SectionKind::kTraceTree:
      return R"("trace_tree")";
    case SectionKind::kSamples:
      return R"("samples")";
    case SectionKind::kLocations:
      return R"("locations")";
    case SectionKind::kStrings:
      return R"("strings")";
    case SectionKind::kTable:
      return "";
    case SectionKind::kJson:
      return member.name.substr(0, member.name.size() - 1);
  }
  return "";
}

// Where edges go that are written in the same pass as the nodes before them.
struct EdgesAhead {
  EdgesAhead(const Member& member, const std::vector<bool>& signs,
             ByteSink& sink)
      : out(sink), rows(member.layout.array, signs, out) {}

  BufferedOut out;
  RowWriter rows;
};

// Passes: a survey, then the members in the order of the file. Kept members
// share a pass as far as they are in that order in the stream. Nodes and edges
// share one if the sink takes them side by side. Empty members need none.
class NativeWriter : public Writer {
 public:
  NativeWriter(ByteSink& sink, const FileLayout& layout, Context& context,
               std::function<std::unique_ptr<Writer>()> make_usual)
      : sink_(sink),
        out_(sink),
        layout_(layout),
        context_(context),
        make_usual_(std::move(make_usual)),
        text_(layout.text) {}

  ChunkSet Wanted(int pass) override;
  Status Accept(const pb::Chunk& chunk) override;
  Status Finish() override;
  bool HasPutBack() const override { return usual_ == nullptr; }

 private:
  // Between passes.
  void FinishSurvey();
  ChunkSet NextPass();
  void BeginMember(const Member& member);
  void EndMember(const Member& member);
  // Begins the edges that follow the nodes at_; false if they need their own
  // pass.
  bool BeginEdgesAhead();
  void TakeEdgesAhead();
  ChunkSet WantedBy(const Member& member) const;
  void BeginValue(const Member& member);

  Status Write(const pb::Chunk& chunk);
  // Rows of a table with a schema.
  template <typename Rows>
  void AddRows(const Rows& rows, RowWriter& writer) {
    tables_.Fill(rows, &block_);
    writer.Write(block_.numbers());
  }
  void AddTraceNodes(const pb::TraceNodes& rows);
  void AddExtraTable(const pb::ExtraTable& table);
  Status AddExtra(const pb::Extra& extra);
  void AddStrings(const pb::Strings& strings);
  void WriteString(std::string_view text, pb::StringEncoding encoding,
                   bool goes_on);

  // Moves on to the member `name` of this pass; false if it has none, or is
  // past it.
  bool MoveTo(SectionKind kind, std::string_view name);

  ByteSink& sink_;
  BufferedOut out_;
  const FileLayout layout_;
  Context& context_;
  const std::function<std::unique_ptr<Writer>()> make_usual_;
  std::unique_ptr<Writer> usual_;  // has taken over
  NativeText text_;
  bool is_surveying_ = true;
  NativeSurvey survey_;
  NativeTables tables_{survey_};
  Status status_;

  // The members of this pass: at_ is open, those before end_ are still to come.
  std::size_t at_ = 0;
  std::size_t end_ = 0;
  bool is_first_member_ = true;
  RowBlock block_;
  std::optional<RowWriter> rows_;
  std::optional<EdgesAhead> edges_ahead_;
  std::optional<TreeWriter> tree_;
  bool is_first_string_ = true;
  bool is_in_string_ = false;        // the last string continues
  bool is_appending_names_ = false;  // after the strings of the file
  std::optional<JsonChecker> json_;
  bool is_new_section_ = true;  // no piece of it has come
  bool is_wanted_section_ = false;
};

// --------------------------------------------------------------------- passes

ChunkSet NativeWriter::Wanted(int pass) {
  if (pass == 0) return NativeSurvey::Wanted();
  if (is_surveying_) FinishSurvey();
  if (usual_ != nullptr) return usual_->Wanted(pass - 1);
  if (!status_.ok()) return {};
  const ChunkSet wanted = NextPass();
  return status_.ok() ? wanted : ChunkSet();
}

Status NativeWriter::Accept(const pb::Chunk& chunk) {
  if (is_surveying_) return survey_.Accept(chunk);
  if (usual_ != nullptr) return usual_->Accept(chunk);
  HEAPGLOT_RETURN_IF_ERROR(Write(chunk));
  return out_.status();
}

void NativeWriter::FinishSurvey() {
  is_surveying_ = false;
  if (!survey_.IsNative()) {
    usual_ = make_usual_();
    return;
  }
  status_ = survey_.Finish(layout_);
  if (!status_.ok()) return;
  if (layout_.has_bom) out_.Write("\xef\xbb\xbf");
  out_.Write(layout_.before);
  out_.Write('{');
}

// Ends the members of the previous pass and begins those of the next one.
ChunkSet NativeWriter::NextPass() {
  const std::vector<Member>& members = survey_.members();
  const bool are_strings =
      at_ < end_ && members[at_].kind == SectionKind::kStrings;
  if (are_strings && survey_.needs_names() && !is_appending_names_) {
    is_appending_names_ = true;
    return {pb::Chunk::kStrings};
  }
  while (at_ < end_) {
    EndMember(members[at_]);
    if (++at_ < end_) BeginMember(members[at_]);
  }
  for (; at_ < members.size(); ++at_) {
    BeginMember(members[at_]);
    ChunkSet wanted = WantedBy(members[at_]);
    if (!wanted.empty()) {
      end_ = at_ + 1;
      for (; end_ < members.size(); ++end_) {
        if (!members[end_ - 1].SharesPass(members[end_])) break;
        wanted = wanted | WantedBy(members[end_]);
      }
      if (BeginEdgesAhead()) wanted = wanted | WantedBy(members[end_++]);
      return wanted;
    }
    EndMember(members[at_]);
  }
  return {};
}

ChunkSet NativeWriter::WantedBy(const Member& member) const {
  const pb::GraphEnd& totals = survey_.totals();
  const auto if_any = [](std::uint64_t rows, pb::Chunk::BodyCase body) {
    return rows > 0 ? ChunkSet{body} : ChunkSet();
  };
  switch (member.kind) {
    case SectionKind::kNodes:
      return if_any(totals.nodes(), pb::Chunk::kNodes);
    case SectionKind::kEdges:
      return if_any(totals.edges(), pb::Chunk::kEdges);
    case SectionKind::kTraceFunctions:
      return if_any(totals.trace_functions(), pb::Chunk::kTraceFunctions);
    case SectionKind::kTraceTree:
      return if_any(totals.trace_nodes(), pb::Chunk::kTraceNodes);
    case SectionKind::kSamples:
      return if_any(totals.samples(), pb::Chunk::kSamples);
    case SectionKind::kLocations:
      return if_any(totals.locations(), pb::Chunk::kLocations);
    case SectionKind::kStrings:
      return {pb::Chunk::kStrings};
    case SectionKind::kTable:
      return {pb::Chunk::kExtraTable};
    case SectionKind::kJson:
      return {pb::Chunk::kExtra};
    default:
      return {};
  }
}

// -------------------------------------------------------------------- members

void NativeWriter::BeginMember(const Member& member) {
  if (!is_first_member_) out_.Write(',');
  is_first_member_ = false;
  out_.Write(member.layout.before_key);
  if (member.kind == SectionKind::kTable) {
    out_.Write('"');
    text_.Write(member.name, pb::UTF8, out_);
    out_.Write('"');
  } else {
    out_.Write(KeyOf(member));
  }
  out_.Write(member.layout.before_colon);
  out_.Write(':');
  out_.Write(member.layout.after_colon);
  BeginValue(member);
}

void NativeWriter::BeginValue(const Member& member) {
  switch (member.kind) {
    case SectionKind::kSnapshot:
      out_.Write(survey_.snapshot_object());
      break;
    case SectionKind::kJson:
      json_.emplace(context_.limits.max_depth);
      break;
    case SectionKind::kTraceTree:
      tree_.emplace(member.layout.array, out_);
      tree_->Begin();
      break;
    case SectionKind::kStrings:
      out_.Write('[');
      break;
    case SectionKind::kTable:
      // The first rows show how many columns there are.
      rows_.reset();
      break;
    default:
      if (edges_ahead_ && member.kind == SectionKind::kEdges) break;
      rows_.emplace(member.layout.array, tables_.Signs(member.kind), out_);
      rows_->Begin();
  }
}

void NativeWriter::EndMember(const Member& member) {
  const ArrayLayout& array = member.layout.array;
  switch (member.kind) {
    case SectionKind::kSnapshot:
      break;
    case SectionKind::kJson:
      if (status_.ok() && !json_->IsWhole()) {
        status_ = {Code::kMalformed,
                   "heapsnapshot: a section that was kept is not whole"};
      }
      break;
    case SectionKind::kTraceTree:
      tree_->End();
      break;
    case SectionKind::kStrings:
      out_.Write(is_first_string_ ? array.empty : array.last);
      out_.Write(']');
      survey_.SetStringsWritten();
      break;
    default:
      if (edges_ahead_ && member.kind == SectionKind::kEdges) {
        TakeEdgesAhead();
        break;
      }
      if (!rows_) {
        rows_.emplace(array, std::vector<bool>{true}, out_);
        rows_->Begin();
      }
      rows_->End();
  }
  out_.Write(member.layout.after_value);
}

bool NativeWriter::BeginEdgesAhead() {
  const std::vector<Member>& members = survey_.members();
  if (members[at_].kind != SectionKind::kNodes || at_ + 1 == members.size())
    return false;
  const Member& edges = members[at_ + 1];
  if (edges.kind != SectionKind::kEdges) return false;
  ByteSink* const ahead = sink_.Ahead();
  if (ahead == nullptr) return false;
  edges_ahead_.emplace(edges, tables_.Signs(edges.kind), *ahead);
  edges_ahead_->rows.Begin();
  return true;
}

void NativeWriter::TakeEdgesAhead() {
  edges_ahead_->rows.End();
  edges_ahead_->out.Flush();
  out_.Flush();
  for (const Status& status : {edges_ahead_->out.status(), sink_.TakeAhead()})
    if (status_.ok()) status_ = status;
  edges_ahead_.reset();
}

bool NativeWriter::MoveTo(SectionKind kind, std::string_view name) {
  const std::vector<Member>& members = survey_.members();
  std::size_t to = at_;
  while (to < end_ && (members[to].kind != kind || members[to].name != name))
    ++to;
  if (to == end_) return false;
  while (at_ < to) {
    EndMember(members[at_]);
    BeginMember(members[++at_]);
  }
  return true;
}

Status NativeWriter::Finish() {
  if (usual_ != nullptr) return usual_->Finish();
  HEAPGLOT_RETURN_IF_ERROR(status_);
  out_.Write('}');
  out_.Write(layout_.after);
  out_.Flush();
  return out_.status();
}

// --------------------------------------------------------------------- tables

Status NativeWriter::Write(const pb::Chunk& chunk) {
  if (at_ >= end_) return {};
  switch (chunk.body_case()) {
    case pb::Chunk::kNodes:
      AddRows(chunk.nodes(), *rows_);
      break;
    case pb::Chunk::kEdges:
      AddRows(chunk.edges(), edges_ahead_ ? edges_ahead_->rows : *rows_);
      break;
    case pb::Chunk::kLocations:
      AddRows(chunk.locations(), *rows_);
      break;
    case pb::Chunk::kTraceFunctions:
      AddRows(chunk.trace_functions(), *rows_);
      break;
    case pb::Chunk::kTraceNodes:
      AddTraceNodes(chunk.trace_nodes());
      break;
    case pb::Chunk::kSamples:
      AddRows(chunk.samples(), *rows_);
      break;
    case pb::Chunk::kExtraTable:
      AddExtraTable(chunk.extra_table());
      break;
    case pb::Chunk::kExtra:
      return AddExtra(chunk.extra());
    case pb::Chunk::kStrings:
      AddStrings(chunk.strings());
      break;
    default:
      break;
  }
  return {};
}

void NativeWriter::AddTraceNodes(const pb::TraceNodes& rows) {
  const std::size_t width = tables_.Fill(rows, &block_);
  if (width == 0) return;
  const std::uint64_t* numbers = block_.numbers().data();
  for (int row = 0; row < static_cast<int>(rows.count()); ++row) {
    tree_->Write(numbers, width, At(rows.child_count(), row));
    numbers += width;
  }
}

void NativeWriter::AddExtraTable(const pb::ExtraTable& table) {
  if (table.count() == 0 || table.column().empty() ||
      !MoveTo(SectionKind::kTable, table.name()))
    return;
  const auto width = static_cast<std::size_t>(table.column_size());
  if (!rows_) {
    rows_.emplace(survey_.members()[at_].layout.array,
                  std::vector<bool>(width, true), out_);
    rows_->Begin();
  }
  tables_.Fill(table, &block_);
  rows_->Write(block_.numbers());
}

Status NativeWriter::AddExtra(const pb::Extra& extra) {
  if (extra.format() != kFormat || extra.section() != kSectionExtra) return {};
  std::string_view piece = extra.data();
  if (is_new_section_) {
    const std::size_t head = HeadOfSection(piece).size();
    is_wanted_section_ = MoveTo(SectionKind::kJson, piece.substr(0, head));
    piece.remove_prefix(head);
  }
  is_new_section_ = !extra.continued();
  if (!is_wanted_section_) return {};
  // A kept section is written only if it is JSON.
  const std::size_t taken = json_->Feed(piece);
  out_.Write(piece.substr(0, taken));
  const bool is_bad =
      taken < piece.size() || (is_new_section_ && !json_->IsWhole());
  if (!is_bad) return {};
  return {Code::kMalformed, "heapsnapshot: the section " +
                                KeyOf(survey_.members()[at_]) +
                                " that was kept is not one JSON value"};
}

// -------------------------------------------------------------------- strings

void NativeWriter::AddStrings(const pb::Strings& strings) {
  // First come those of the file, and then, if needed, the names.
  if (is_appending_names_ && strings.first() == 1 && !is_in_string_)
    WriteString("", pb::UTF8, false);
  std::string_view rest = strings.data();
  for (int row = 0; row < strings.length_size(); ++row) {
    const std::string_view text = rest.substr(0, strings.length(row));
    rest.remove_prefix(text.size());
    const bool is_name = strings.first() + static_cast<std::uint64_t>(row) <
                         survey_.first_string();
    if (is_name != is_appending_names_) continue;
    const auto encoding =
        static_cast<pb::StringEncoding>(At(strings.encoding(), row));
    WriteString(text, encoding,
                strings.continued() && row + 1 == strings.length_size());
  }
}

void NativeWriter::WriteString(std::string_view text,
                               pb::StringEncoding encoding, bool goes_on) {
  const ArrayLayout& layout = survey_.members()[at_].layout.array;
  if (!is_in_string_) {
    if (is_first_string_) {
      out_.Write(layout.first);
    } else {
      out_.Write(layout.row.before);
      out_.Write(',');
      out_.Write(layout.row.after);
    }
    is_first_string_ = false;
    out_.Write('"');
  }
  text_.Write(text, encoding, out_);
  is_in_string_ = goes_on;
  if (!goes_on) out_.Write('"');
}

}  // namespace

std::unique_ptr<Writer> MakeNativeWriter(
    ByteSink& sink, std::string_view profile, Context& context,
    std::function<std::unique_ptr<Writer>()> make_usual) {
  const std::optional<FileLayout> layout = ParseProfile(profile);
  return std::make_unique<NativeWriter>(sink, layout.value_or(FileLayout()),
                                        context, std::move(make_usual));
}

std::string ProfileOf(const ByteSource& source) {
  Trail trail(source);
  std::uint64_t furthest = 0;
  const std::optional<FileLayout> layout =
      DetectLayout(source.bytes(), [&](std::uint64_t offset) {
        // It goes over the strings a second time.
        if (offset < furthest) trail = Trail(source, offset);
        furthest = offset;
        trail.Advance(offset);
      });
  return layout ? FormatProfile(*layout) : std::string();
}

}  // namespace heapglot::heapsnapshot
