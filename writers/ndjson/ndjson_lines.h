// Records as lines.
#ifndef HEAPGLOT_WRITERS_NDJSON_NDJSON_LINES_H_
#define HEAPGLOT_WRITERS_NDJSON_NDJSON_LINES_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/bytes/buffered_out.h"
#include "heapglot/bytes.h"
#include "readers/ndjson/ndjson_schema.h"

namespace heapglot::ndjson {

// How things are spelled that can be spelled in more than one way.
struct Style {
  enum class Ids : std::uint8_t { kNumber, kHex, kDecimal };
  enum class Doubles : std::uint8_t {
    kShortest,  // 1.0, -0.0, 1e+21
    kPython,    // the same, but exponents from 1e+16 and 1e-05 on
    kExponent,  // ten digits behind the point: 1.0000000000e+00
  };
  // {"type":"node",...} instead of [2,...]. What has no code is an object
  // anyway.
  bool object = false;
  bool names = true;   // object: "subtype":"object" instead of 2
  bool twins = false;  // object: a second half "s2" is called "s1" again
  bool ascii = false;  // strings: \uNNNN for what is not ASCII
  bool crlf = false;
  Ids ids = Ids::kNumber;         // of nodes, and values
  Ids string_ids = Ids::kNumber;  // of strings
  Doubles doubles = Doubles::kShortest;
};

// Adds up what goes through it.
class SummingSink : public ByteSink {
 public:
  explicit SummingSink(ByteSink& next) : next_(next) {}
  Status Write(std::string_view bytes) override;
  Status Close() override { return {}; }
  std::uint64_t position() const override { return bytes_; }
  std::uint32_t crc32() const { return crc32_; }

 private:
  ByteSink& next_;
  std::uint64_t bytes_ = 0;
  std::uint32_t crc32_ = 0;
};

class LineWriter {
 public:
  LineWriter(ByteSink& sink, const Style& style)
      : sum_(sink), out_(sum_), style_(style) {}

  // A record, then a call for each field in the order of its layout, then
  // End(). Fields that are absent at the end may be left off.
  void Begin(const Type& type, const Subtype* subtype);
  void Absent();
  void Uint(std::uint64_t value);
  void Int(std::int64_t value);
  void Hex(std::uint64_t value);
  void Id(std::uint64_t id);
  void StringId(std::uint64_t id);
  // 64 bits of type `value`: even ones are signed.
  void Value(std::uint64_t bits);
  void Double(std::uint64_t bits);
  void Bool(bool value);
  // A JSON value as it is.
  void Raw(std::string_view json);
  void Base64(std::string_view bytes);
  void Text(std::string_view text);
  void BeginText();
  // Inside of a text; it may be cut between code points.
  void AppendText(std::string_view text);
  void EndText();
  // A field that the layout does not have: in object shape, in array shape.
  void Pair(std::string_view key, std::string_view json);
  void Surplus(std::string_view json);
  // The subtype of the record.
  void SubtypeField();
  void End();

  // A line that is no data record.
  void Line(std::string_view line);
  // Lines, each with its end; counted as `records`.
  void Lines(std::string_view lines, std::uint64_t records);
  // A record of `type` that came by Lines().
  void Count(std::string_view type);
  void Metadata(std::string_view key, std::string_view value);
  void Declare(const Type& type);
  void Declare(const Type& of, const Subtype& subtype);
  void Trailer();

  BufferedOut& out() { return out_; }
  // Whether this record is one.
  bool is_object() const { return is_object_; }
  // Texts of which a part could not be written as it is.
  std::uint64_t replaced() const { return replaced_; }

 private:
  void BeginField();
  void DeclareFields(const Layout& layout, std::size_t first);
  void Spelled(bool negative, std::uint64_t magnitude, Style::Ids ids);
  void EndLine() { out_.Write(style_.crlf ? "\r\n" : "\n"); }

  SummingSink sum_;
  BufferedOut out_;
  const Style style_;
  const Type* type_ = nullptr;
  const Subtype* subtype_ = nullptr;
  const Layout* layout_ = nullptr;
  bool is_object_ = false;
  std::size_t field_ = 0;   // of the next one
  std::size_t absent_ = 0;  // fields before it that are not written yet
  std::uint64_t records_ = 0;
  std::vector<std::pair<std::string, std::uint64_t>> counts_;
  std::size_t last_count_ = 0;
  std::uint64_t replaced_ = 0;
  std::string text_;
};

// Whether `text` can be a JSON string as it is: UTF-8.
bool IsPlainText(std::string_view text);

// The base64 of the UTF-16 units of generalized UTF-8.
std::string Utf16Of(std::string_view text);

}  // namespace heapglot::ndjson

#endif  // HEAPGLOT_WRITERS_NDJSON_NDJSON_LINES_H_
