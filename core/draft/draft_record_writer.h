// Where writers send the draft's records, whatever these become in a file.
#ifndef HEAPGLOT_CORE_DRAFT_DRAFT_RECORD_WRITER_H_
#define HEAPGLOT_CORE_DRAFT_DRAFT_RECORD_WRITER_H_

#include <cstdint>
#include <string_view>

#include "core/draft/draft_schema.h"
#include "heapglot/format.h"
#include "heapglot/status.h"

namespace heapglot::draft {

// What is known of a file before its first record.
struct FileTraits {
  bool is_version0 = false;
  // Edges go back to nodes before.
  bool is_scattered = false;
  std::uint64_t nodes = 0;
  std::uint64_t edges = 0;
};

// Not thread-safe. Errors are sticky: after the first one nothing is written.
class RecordWriter {
 public:
  virtual ~RecordWriter() = default;

  // Before everything else.
  virtual void BeginFile(const FileTraits& traits) = 0;
  // Behind everything else; `leftovers` may be nullptr.
  virtual Status EndFile(Leftovers* leftovers) = 0;
  virtual Status status() const = 0;

  // Before the first record. Types and subtypes must outlive this.
  virtual void Declare(const Type& type) = 0;
  virtual void Declare(const Type& of, const Subtype& subtype) = 0;
  virtual void Metadata(std::string_view key, std::string_view value) = 0;

  // A record, then a call for each field in the order of its layout, then
  // End(). Fields that are absent at the end may be left off.
  virtual void Begin(const Type& type, const Subtype* subtype) = 0;
  // The same, of a record that has a Pair().
  virtual void BeginNamed(const Type& type, const Subtype* subtype) = 0;
  virtual void Absent() = 0;
  virtual void Uint(std::uint64_t value) = 0;
  virtual void Int(std::int64_t value) = 0;
  virtual void Hex(std::uint64_t value) = 0;
  virtual void Id(std::uint64_t id) = 0;
  virtual void StringId(std::uint64_t id) = 0;
  // 64 bits of type `value`: even ones are signed.
  virtual void Value(std::uint64_t bits) = 0;
  virtual void Double(std::uint64_t bits) = 0;
  virtual void Bool(bool value) = 0;
  // A JSON value as it is.
  virtual void Raw(std::string_view json) = 0;
  virtual void Base64(std::string_view bytes) = 0;
  virtual void BeginText() = 0;
  // Inside of a text; it may be cut between code points.
  virtual void AppendText(std::string_view text) = 0;
  virtual void EndText() = 0;
  // A text for which the record has no other field that could say what of it is
  // no Unicode: it says so by itself, if the form lets it.
  virtual void ExactText(std::string_view text) { Text(text); }
  // The subtype of the record.
  virtual void SubtypeField() = 0;
  // A field that the layout does not have: with a name, or without.
  virtual void Pair(std::string_view key, std::string_view json) = 0;
  virtual void Surplus(std::string_view json) = 0;
  virtual void End() = 0;

  // Whether fields that the layout does not have need a name in this record.
  virtual bool is_object() const = 0;

  // Whether records that a reader kept as lines can be written as they are:
  // Line(), and Count() for the type of each data record of them. If not, they
  // are to be written as all others.
  virtual bool takes_lines() const = 0;
  // A line with its end.
  virtual void Line(std::string_view line) = 0;
  virtual void Count(std::string_view type) = 0;

  void Text(std::string_view text) {
    BeginText();
    AppendText(text);
    EndText();
  }
};

}  // namespace heapglot::draft

#endif  // HEAPGLOT_CORE_DRAFT_DRAFT_RECORD_WRITER_H_
