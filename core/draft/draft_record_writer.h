// Where writers send the draft's records, in whatever form a file stores them.
#ifndef HEAPGLOT_CORE_DRAFT_DRAFT_RECORD_WRITER_H_
#define HEAPGLOT_CORE_DRAFT_DRAFT_RECORD_WRITER_H_

#include <cstdint>
#include <string_view>

#include "core/draft/draft_schema.h"
#include "heapglot/format.h"
#include "heapglot/status.h"

namespace heapglot::draft {

// What is known about a file before its first record.
struct FileTraits {
  bool is_version0 = false;
  // Edges are not grouped by source node.
  bool is_scattered = false;
  std::uint64_t nodes = 0;
  std::uint64_t edges = 0;
};

// Not thread-safe. Errors are sticky: after the first one, nothing is written.
class RecordWriter {
 public:
  virtual ~RecordWriter() = default;

  // Called first.
  virtual void BeginFile(const FileTraits& traits) = 0;
  // Called last; `leftovers` may be nullptr.
  virtual Status EndFile(Leftovers* leftovers) = 0;
  virtual Status status() const = 0;

  // Called before the first record. Types and subtypes must outlive this.
  virtual void Declare(const Type& type) = 0;
  virtual void Declare(const Type& of, const Subtype& subtype) = 0;
  virtual void Metadata(std::string_view key, std::string_view value) = 0;

  // Begins a record. Then comes a call for each field, in the order of its
  // layout, then End(). Absent fields at the end may be left out.
  virtual void Begin(const Type& type, const Subtype* subtype) = 0;
  // The same, for a record that has a Pair().
  virtual void BeginNamed(const Type& type, const Subtype* subtype) = 0;
  virtual void Absent() = 0;
  virtual void Uint(std::uint64_t value) = 0;
  virtual void Int(std::int64_t value) = 0;
  virtual void Hex(std::uint64_t value) = 0;
  virtual void Id(std::uint64_t id) = 0;
  virtual void StringId(std::uint64_t id) = 0;
  // 64 bits of type `value`: even ones are signed integers.
  virtual void Value(std::uint64_t bits) = 0;
  virtual void Double(std::uint64_t bits) = 0;
  virtual void Bool(bool value) = 0;
  // A JSON value, written as it is.
  virtual void Raw(std::string_view json) = 0;
  virtual void Base64(std::string_view bytes) = 0;
  virtual void BeginText() = 0;
  // A piece of a text; pieces are cut only between code points.
  virtual void AppendText(std::string_view text) = 0;
  virtual void EndText() = 0;
  // A text that has no other field in the record for what is not Unicode: it is
  // written so that nothing is lost, if the form can do that.
  virtual void ExactText(std::string_view text) { Text(text); }
  // The subtype of the record.
  virtual void SubtypeField() = 0;
  // A field that is not in the layout: with a name, or without.
  virtual void Pair(std::string_view key, std::string_view json) = 0;
  virtual void Surplus(std::string_view json) = 0;
  virtual void End() = 0;

  // Whether this record needs a name for fields that are not in the layout.
  virtual bool is_object() const = 0;

  // Whether records that a reader kept as lines can be written as they are,
  // with Line(), and Count() for the type of each data record among them. If
  // not, they must be written like all others.
  virtual bool takes_lines() const = 0;
  // `line` includes its line end.
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
