// Writes records as lines.
#ifndef HEAPGLOT_CORE_DRAFT_DRAFT_LINES_H_
#define HEAPGLOT_CORE_DRAFT_DRAFT_LINES_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/bytes/buffered_out.h"
#include "core/draft/draft_json.h"
#include "core/draft/draft_record_writer.h"
#include "core/text_table.h"
#include "heapglot/bytes.h"
#include "heapglot/context.h"

namespace heapglot::draft {

// Choices where the same record can be spelled in more than one way.
struct Style {
  enum class Ids : std::uint8_t { kNumber, kHex, kDecimal };
  enum class Doubles : std::uint8_t {
    kShortest,  // 1.0, -0.0, 1e+21
    kPython,    // the same, but exponents from 1e+16 and 1e-05 on
    kExponent,  // ten digits after the point: 1.0000000000e+00
  };
  // {"type":"node",...} instead of [2,...]. A record is an object anyway if its
  // type has no code, or if it has a field with an undeclared name.
  bool object = false;
  // object: except where this would repeat a key or read as another record.
  bool distinct = false;
  bool names = true;   // object: "subtype":"object" instead of 2
  bool twins = false;  // object: the second half "s2" is also called "s1"
  bool ascii = false;  // strings: \uNNNN for what is not ASCII
  bool crlf = false;
  Ids ids = Ids::kNumber;         // of nodes and values
  Ids string_ids = Ids::kNumber;  // of strings
  Doubles doubles = Doubles::kShortest;
  bool trailer = true;
  bool bom = false;
  // Spaces. Declarations and the trailer have none.
  bool comma_space = false;  // "[2, 3]"
  bool colon_space = false;  // object: {"type": "node"}
  // The order of keys in objects of a type and subtype, if it is not that of
  // the declarations. "type" is one of the keys; keys that are not listed come
  // last. A subtype without an order of its own uses the first order of its
  // type.
  struct KeyOrder {
    std::string type;
    std::string subtype;  // its name; empty: none
    std::vector<std::string> keys;
  };
  std::vector<KeyOrder> orders;
  bool sorted_keys = false;  // objects: all keys sorted by their bytes instead
};

// Passes on what it gets, counting the bytes and computing their CRC-32.
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

class LineWriter final : public RecordWriter {
 public:
  // `context` gets notes about deviations from the style; may be nullptr.
  LineWriter(ByteSink& sink, Style style, Context* context = nullptr)
      : sum_(sink), file_(sum_), style_(std::move(style)), context_(context) {}

  void BeginFile(const FileTraits& traits) override;
  // Leftovers are written as metadata, before the trailer.
  Status EndFile(Leftovers* leftovers) override;
  Status status() const override { return file_.status(); }

  void Declare(const Type& type) override;
  void Declare(const Type& of, const Subtype& subtype) override;
  void Metadata(std::string_view key, std::string_view value) override;

  void Begin(const Type& type, const Subtype* subtype) override {
    Begin(type, subtype, !type.has_code || IsObject(type, subtype));
  }
  void BeginNamed(const Type& type, const Subtype* subtype) override {
    Begin(type, subtype, true);
  }
  void Absent() override;
  void Uint(std::uint64_t value) override;
  void Int(std::int64_t value) override;
  void Hex(std::uint64_t value) override;
  void Id(std::uint64_t id) override;
  void StringId(std::uint64_t id) override;
  void Value(std::uint64_t bits) override;
  void Double(std::uint64_t bits) override;
  void Bool(bool value) override;
  void Raw(std::string_view json) override;
  void Base64(std::string_view bytes) override;
  void BeginText() override;
  void AppendText(std::string_view text) override;
  void EndText() override;
  void ExactText(std::string_view text) override;
  void SubtypeField() override;
  // Pair() is for object shape, Surplus() for array shape.
  void Pair(std::string_view key, std::string_view json) override;
  void Surplus(std::string_view json) override;
  void End() override;

  bool is_object() const override { return is_object_; }
  bool takes_lines() const override { return true; }
  void Line(std::string_view line) override;
  void Count(std::string_view type) override;

 private:
  // For records whose keys are reordered: `field` of a Piece is the field's
  // slot in the layout, or one of these.
  static constexpr int kTypeKey = -1;
  static constexpr int kOtherKey = -2;
  struct Piece {
    int field;
    std::size_t begin;  // offset in held_
    std::size_t end;
    std::size_t rank;
  };
  // Positions of a layout's keys: a smaller rank comes first.
  struct Ranks {
    bool is_usual = true;  // in the order of the layout
    std::size_t of_type = 0;
    std::vector<std::size_t> of_fields;
  };

  void Comma() {
    out_->Write(',');
    if (style_.comma_space) out_->Write(' ');
  }
  void Colon() {
    out_->Write(':');
    if (style_.colon_space) out_->Write(' ');
  }
  // Writes a name without quotes.
  void WriteName(std::string_view name, Spelling spelling) {
    if (spelling <= as_it_is_) [[likely]]
      out_->Write(name);
    else
      WriteEscapedName(name);
  }
  void WriteEscapedName(std::string_view name);
  // Writes a value given as JSON; strings are made ASCII if the style asks for
  // it.
  void WriteJson(std::string_view json) {
    if (style_.ascii && json.starts_with('"'))
      WriteAsAscii(json);
    else
      out_->Write(json);
  }
  void WriteAsAscii(std::string_view json);
  // BeginKey() begins a key of an object; EndKey() ends it and writes the
  // colon.
  void BeginKey(int field);
  void EndKey() {
    out_->Write('"');
    Colon();
  }
  // nullptr if the keys are in the usual order.
  const Ranks* RanksOf(const Layout& layout, std::string_view type,
                       std::string_view subtype);
  Ranks FindRanks(const Layout& layout, std::string_view type,
                  std::string_view subtype) const;
  std::vector<std::string> KeysOf(const Layout& layout, std::string_view type,
                                  std::string_view subtype) const;
  void Hold();
  void EndHeld();
  // Makes room for `size` bytes of a value.
  void Grow(std::size_t size) {
    if (ranks_ != nullptr && held_.size() + size > kMaxHeld) StopHolding();
  }
  void StopHolding();
  void EndPieces();
  void WritePieces();
  std::string_view TextOf(const Piece& piece) const {
    return std::string_view(held_).substr(piece.begin, piece.end - piece.begin);
  }
  // Begins a line, after ending the previous one if it still lacks its end.
  void BeginLine() {
    if (lacks_end_) EndLine();
    lacks_end_ = false;
  }

  bool IsObject(const Type& type, const Subtype* subtype) {
    if (!style_.object || !style_.distinct) return style_.object;
    const Layout& layout = subtype != nullptr ? subtype->layout : type.layout;
    if (!layout.has_keys) ++unnamed_;
    return layout.has_keys;
  }
  void Begin(const Type& type, const Subtype* subtype, bool is_object);
  void CountRecord(const Type& type);
  void WriteNulls();
  void BeginField();
  void DeclareFields(const Layout& layout, std::size_t first);
  void Spelled(bool negative, std::uint64_t magnitude, Style::Ids ids);
  void EndLine();
  Status WriteLeftovers(Leftovers& leftovers);
  void Trailer();

  // Larger records are not reordered.
  static constexpr std::size_t kMaxHeld = std::size_t{1} << 20;

  SummingSink sum_;
  BufferedOut file_;
  BufferedOut* out_ = &file_;  // or &*hold_
  const Style style_;
  // Names with this spelling or a lower one need no escapes.
  const Spelling as_it_is_ = style_.ascii ? Spelling::kAscii : Spelling::kUtf8;
  Context* const context_;
  bool has_trailer_ = true;
  const Type* type_ = nullptr;
  const Subtype* subtype_ = nullptr;
  const Layout* layout_ = nullptr;
  bool is_object_ = false;
  std::size_t field_ = 0;   // slot of the next field
  std::size_t absent_ = 0;  // fields before it whose nulls are not written yet
  std::uint64_t records_ = 0;
  std::uint64_t unnamed_ = 0;  // records that cannot be objects
  std::vector<std::pair<std::string, std::uint64_t>> counts_;
  OwnTextTable<std::size_t> count_rows_;  // index in counts_
  std::size_t last_count_ = 0;
  const Type* counted_ = nullptr;  // the type of last_count_, if known
  std::string text_;

  bool lacks_end_ = false;  // of the last line, which was copied as it was

  // Keyed by layout; layouts outlive this (RecordWriter::Begin()).
  std::unordered_map<const Layout*, Ranks> all_ranks_;
  const Layout* ranked_ = nullptr;  // the layout of last_ranks_
  const Ranks* last_ranks_ = nullptr;
  // For the record that is held; nullptr if none is.
  const Ranks* ranks_ = nullptr;
  std::string held_;
  std::unique_ptr<ByteSink> held_sink_;
  std::optional<BufferedOut> hold_;
  std::vector<Piece> pieces_;
};

// The UTF-16LE bytes of generalized UTF-8.
std::string Utf16Of(std::string_view text);

}  // namespace heapglot::draft

#endif  // HEAPGLOT_CORE_DRAFT_DRAFT_LINES_H_
