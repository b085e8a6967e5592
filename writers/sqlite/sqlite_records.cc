#include "writers/sqlite/sqlite_records.h"

#include <bit>
#include <cmath>
#include <utility>

#include "core/draft/draft_json.h"
#include "core/draft/draft_values.h"
#include "core/leftovers/leftovers_tail.h"
#include "core/text/base64.h"
#include "core/text/utf.h"
#include "writers/sqlite/sqlite_fill.h"

namespace heapglot::sqlite {
namespace {

using draft::FieldType;
using draft::RecordKind;

// Small files have small pages, since there are some 40 tables.
constexpr std::uint64_t kFewRows = 20'000;
constexpr int kSmallPage = 1024;
constexpr int kLargePage = 16'384;
// The parameter of strings.data.
constexpr int kTextOfString = 2;
// Of a value that has been read before.
constexpr std::uint64_t kMaxDepth = 1000;

}  // namespace

void RowWriter::Fail(Status status) {
  if (status_.ok() && !status.ok()) status_ = std::move(status);
}

// --------------------------------------------------------------- the frame

void RowWriter::BeginFile(const draft::FileTraits& traits) {
  traits_ = traits;
  Result<std::unique_ptr<Database>> database = Database::Create(
      kName, traits.nodes + traits.edges < kFewRows ? kSmallPage : kLargePage);
  if (!database.ok()) return Fail(database.status());
  database_ = std::move(*database);
}

// A database has all its tables before their rows, and so has what our reader
// makes of it.
bool RowWriter::MayDeclare() {
  if (has_tables_) {
    Fail({Code::kMalformed,
          "sqlite: a type is declared after the first record"});
  }
  return !has_tables_;
}

// Called when everything has been declared.
bool RowWriter::BeginRows() {
  if (!status_.ok()) return false;
  if (has_tables_) return true;
  has_tables_ = true;
  Fail(tables_.Create(*database_, traits_.is_scattered));
  if (is_own_) Fail(PrepareHelpers());
  auto waiting = std::exchange(metadata_, {});
  for (const auto& [key, value] : waiting) Metadata(key, value);
  return status_.ok();
}

void RowWriter::Metadata(std::string_view key, std::string_view value) {
  if (key == draft::kStreamKey) is_own_ = true;
  if (key == "hg.strings") draft::ReadIndex(value, &own_strings_);
  if (!has_tables_) {
    metadata_.emplace_back(key, value);
    return;
  }
  if (!status_.ok()) return;
  OutputTable& table = *tables_.Find(kMetadataTable);
  int parameter = 1;
  for (const std::string_view text : {key, value}) {
    table.rows.BeginText();
    AppendPlainUtf8(text, table.rows.text());
    table.rows.EndText(parameter++);
  }
  Fail(table.rows.EndRow());
  CountRun(table);
}

// Texts that are not strings of the stream come when they are first referred
// to, an order that a reader does not restore. So they wait and are sorted at
// the end: the same content makes the same file.
Status RowWriter::PrepareHelpers() {
  // No key: they come in any order, and are sorted once.
  HEAPGLOT_RETURN_IF_ERROR(
      database_->Run("CREATE TEMP TABLE helper (stringid INTEGER, data TEXT)"));
  return helper_.Open(*database_, "temp.helper", 2);
}

Status RowWriter::AddHelper() {
  RowBatch& strings = plan_->main->rows;
  helper_.SetInteger(1, static_cast<std::int64_t>(key_));
  helper_.SetText(2, strings.TextOf(kTextOfString));
  strings.DropRow();
  return helper_.EndRow();
}

Status RowWriter::MoveHelpers() {
  if (!is_own_) return {};
  HEAPGLOT_RETURN_IF_ERROR(helper_.Close());
  return database_->Run(
      "INSERT INTO strings (stringid, data) SELECT stringid, data FROM "
      "temp.helper ORDER BY stringid; DROP TABLE temp.helper");
}

Status RowWriter::EndFile(Leftovers* leftovers) {
  BeginRows();
  HEAPGLOT_RETURN_IF_ERROR(status_);
  HEAPGLOT_RETURN_IF_ERROR(Finish());
  HEAPGLOT_RETURN_IF_ERROR(database_->CopyTo(sink_));
  if (leftovers == nullptr) return {};
  return WriteLeftoversTail(*leftovers, [this](std::string_view bytes) {
    return sink_.Write(bytes);
  });
}

Status RowWriter::Finish() {
  HEAPGLOT_RETURN_IF_ERROR(EndRun());
  HEAPGLOT_RETURN_IF_ERROR(tables_.Close());
  HEAPGLOT_RETURN_IF_ERROR(MoveHelpers());
  HEAPGLOT_RETURN_IF_ERROR(AddIndices(traits_.is_scattered, *database_));
  if (is_own_) HEAPGLOT_RETURN_IF_ERROR(FillColumns(tables_, *database_));
  HEAPGLOT_RETURN_IF_ERROR(AddStatistics(tables_, *database_));
  // The views do not know the columns of other programs, and would show NULL or
  // 0 for what is there.
  if (is_own_) HEAPGLOT_RETURN_IF_ERROR(AddViews(tables_, *database_));
  HEAPGLOT_RETURN_IF_ERROR(
      database_->Run("PRAGMA application_id=" + std::to_string(kApplicationId) +
                     ";PRAGMA user_version=1"));
  return database_->Commit();
}

// -------------------------------------------------------------------- fields

void RowWriter::Begin(const draft::Type& type, const draft::Subtype* subtype) {
  slot_ = 0;
  key_ = 0;
  plan_ = BeginRows()
              ? tables_.Find(subtype != nullptr ? subtype->layout : type.layout)
              : nullptr;
}

// nullptr: nothing is to be written.
const Plan::Slot* RowWriter::NextSlot() {
  const std::size_t slot = slot_++;
  if (plan_ == nullptr || slot >= plan_->slots.size()) return nullptr;
  return &plan_->slots[slot];
}

void RowWriter::Integer(std::uint64_t value) {
  const Plan::Slot* const slot = NextSlot();
  if (slot == nullptr) return;
  if (slot_ == plan_->key + 1) key_ = value;
  slot->table->rows.SetInteger(slot->parameter,
                               static_cast<std::int64_t>(value));
}

// NaN would become NULL, and -0.0 the integer 0.
void RowWriter::Double(std::uint64_t bits) {
  const Plan::Slot* const slot = NextSlot();
  if (slot == nullptr) return;
  const auto value = std::bit_cast<double>(bits);
  if (!std::isnan(value)) slot->table->rows.SetDouble(slot->parameter, value);
  const bool is_lost = std::isnan(value) || (value == 0 && std::signbit(value));
  if (is_lost && slot->bits_parameter != 0)
    slot->table->rows.SetInteger(slot->bits_parameter,
                                 static_cast<std::int64_t>(bits));
}

void RowWriter::Raw(std::string_view json) {
  if (slot_ >= (plan_ == nullptr ? 0 : plan_->slots.size())) {
    ++slot_;
    return;
  }
  const FieldType type = plan_->slots[slot_].type;
  draft::JsonCursor in(json, kMaxDepth);
  draft::Token token;
  in.Value(&token);
  draft::Integer integer;
  std::uint64_t bits = 0;
  if (type == FieldType::kJson) {
    const Plan::Slot& slot = *NextSlot();
    slot.table->rows.SetText(slot.parameter, json);
  } else if (token.is_null()) {
    Absent();
  } else if (type == FieldType::kF64) {
    if (draft::ReadDouble(token, &bits)) Double(bits);
  } else if (type == FieldType::kBool) {
    Bool(token.kind == draft::TokenKind::kTrue);
  } else if (type == FieldType::kBase64) {
    std::string bytes;
    AppendFromBase64(token.text, &bytes);
    Base64(bytes);
  } else if (type == FieldType::kInlineString || type == FieldType::kUtf8) {
    std::string text;
    draft::AppendText(token, &text);
    Text(text);
  } else {
    draft::ReadInteger(token, &integer);
    Integer(integer.bits());
  }
}

void RowWriter::Base64(std::string_view bytes) {
  const Plan::Slot* const slot = NextSlot();
  if (slot == nullptr) return;
  slot->table->rows.SetBlob(slot->parameter, bytes);
}

void RowWriter::BeginText() {
  text_ = NextSlot();
  if (text_ != nullptr) text_->table->rows.BeginText();
}

void RowWriter::AppendText(std::string_view text) {
  if (text_ != nullptr) AppendPlainUtf8(text, text_->table->rows.text());
}

void RowWriter::EndText() {
  if (text_ != nullptr) text_->table->rows.EndText(text_->parameter);
}

void RowWriter::SubtypeField() {
  Integer(plan_ == nullptr ? 0 : plan_->subtype);
}

// ---------------------------------------------------------------------- rows

// Edges keep their order by their number among the edges of their source or, if
// they go back to earlier sources, among all edges.
void RowWriter::BindSequence() {
  if (key_ != last_source_ && !traits_.is_scattered) sequence_ = -1;
  last_source_ = key_;
  plan_->main->rows.SetInteger(5, ++sequence_);
}

void RowWriter::BindRow() {
  if (plan_->kind == RecordKind::kGraph) {
    ++graph_;
    rows_.clear();
  }
  const std::size_t space = plan_->kind == RecordKind::kWord ? key_ : 0;
  auto& rows = rows_[plan_->main];
  std::int64_t& row = rows[space % rows.size()];
  plan_->main->rows.SetInteger(1, static_cast<std::int64_t>(graph_) - 1);
  plan_->main->rows.SetInteger(2, ++row);
}

void RowWriter::End() {
  if (plan_ == nullptr) return;
  const bool is_helper = is_own_ && plan_->kind == RecordKind::kString &&
                         (key_ % 2 != 0 || key_ >= 2 * own_strings_);
  if (is_helper) return Fail(AddHelper());
  const bool is_edge = plan_->kind == RecordKind::kEdge;
  if (is_edge)
    BindSequence();
  else if (plan_->kind != RecordKind::kNode &&
           plan_->kind != RecordKind::kString)
    BindRow();
  Fail(plan_->main->rows.EndRow());
  if (plan_->side != nullptr && status_.ok()) {
    plan_->side->rows.SetInteger(1, static_cast<std::int64_t>(key_));
    Fail(plan_->side->rows.EndRow());
  }
  CountRun(*plan_->main);
}

// The order of records is kept as runs of rows of a table. Only a stream of
// ours needs it; the form's own texts (draft::OwnIds) come first anyway.
void RowWriter::CountRun(const OutputTable& table) {
  if (!is_own_) return;
  if (run_table_ != &table) Fail(EndRun());
  run_table_ = &table;
  ++run_;
}

Status RowWriter::EndRun() {
  const std::int64_t rows = std::exchange(run_, 0);
  if (rows == 0) return {};
  RowBatch& runs = tables_.Find(kRunsTable)->rows;
  runs.SetText(1, run_table_->name);
  runs.SetInteger(2, rows);
  return runs.EndRow();
}

}  // namespace heapglot::sqlite
