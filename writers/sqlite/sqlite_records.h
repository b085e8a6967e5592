// Writes records of the draft as rows.
#ifndef HEAPGLOT_WRITERS_SQLITE_SQLITE_RECORDS_H_
#define HEAPGLOT_WRITERS_SQLITE_SQLITE_RECORDS_H_

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>

#include "core/draft/draft_record_writer.h"
#include "core/sqlite/database.h"
#include "heapglot/bytes.h"
#include "writers/sqlite/sqlite_tables.h"

namespace heapglot::sqlite {

// Fills a database in a temporary file, and copies it to a sink when it is
// complete.
// Memory: the page cache (Database::kCacheKib), and a RowBatch for each table.
class RowWriter final : public draft::RecordWriter {
 public:
  explicit RowWriter(ByteSink& sink) : sink_(sink) {}

  void BeginFile(const draft::FileTraits& traits) override;
  Status EndFile(Leftovers* leftovers) override;
  Status status() const override { return status_; }

  void Declare(const draft::Type& type) override {
    if (MayDeclare()) tables_.Declare(type);
  }
  void Declare(const draft::Type& of, const draft::Subtype& subtype) override {
    if (MayDeclare()) tables_.Declare(of, subtype);
  }
  void Metadata(std::string_view key, std::string_view value) override;

  void Begin(const draft::Type& type, const draft::Subtype* subtype) override;
  void BeginNamed(const draft::Type& type,
                  const draft::Subtype* subtype) override {
    Begin(type, subtype);
  }
  void Absent() override { ++slot_; }
  void Uint(std::uint64_t value) override { Integer(value); }
  void Int(std::int64_t value) override {
    Integer(static_cast<std::uint64_t>(value));
  }
  void Hex(std::uint64_t value) override { Integer(value); }
  void Id(std::uint64_t id) override { Integer(id); }
  void StringId(std::uint64_t id) override { Integer(id); }
  void Value(std::uint64_t bits) override { Integer(bits); }
  void Double(std::uint64_t bits) override;
  void Bool(bool value) override { Integer(value ? 1 : 0); }
  void Raw(std::string_view json) override;
  void Base64(std::string_view bytes) override;
  void BeginText() override;
  void AppendText(std::string_view text) override;
  void EndText() override;
  void SubtypeField() override;
  // Not needed: all fields of what our reader makes of tables are declared.
  void Pair(std::string_view, std::string_view) override {}
  void Surplus(std::string_view) override {}
  void End() override;

  bool is_object() const override { return false; }
  bool takes_lines() const override { return false; }
  void Line(std::string_view) override {}
  void Count(std::string_view) override {}

 private:
  const Plan::Slot* NextSlot();
  void Integer(std::uint64_t value);
  void Fail(Status status);
  bool MayDeclare();
  bool BeginRows();
  void BindSequence();
  void BindRow();
  void CountRun(const OutputTable& table);
  Status EndRun();
  Status PrepareHelpers();
  Status AddHelper();
  Status MoveHelpers();
  Status Finish();

  ByteSink& sink_;
  Status status_;
  draft::FileTraits traits_;
  std::unique_ptr<Database> database_;
  Tables tables_;
  RowBatch helper_;
  bool has_tables_ = false;
  // Metadata waits for the tables, which wait for the declarations.
  std::deque<std::pair<std::string, std::string>> metadata_;
  bool is_own_ = false;            // it has hg.stream
  std::uint64_t own_strings_ = 0;  // its hg.strings

  // The current record.
  const Plan* plan_ = nullptr;
  std::size_t slot_ = 0;
  std::uint64_t key_ = 0;
  const Plan::Slot* text_ = nullptr;  // that is being written

  std::uint64_t last_source_ = 0;
  std::int64_t sequence_ = -1;
  std::uint64_t graph_ = 0;  // ordinal + 1
  // Rows of this graph so far, by table; for hg_word, by space.
  std::unordered_map<const OutputTable*, std::array<std::int64_t, 16>> rows_;
  const OutputTable* run_table_ = nullptr;
  std::int64_t run_ = 0;
};

}  // namespace heapglot::sqlite

#endif  // HEAPGLOT_WRITERS_SQLITE_SQLITE_RECORDS_H_
