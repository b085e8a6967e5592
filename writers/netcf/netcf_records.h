// Writes records as lines of text, in a given layout.
#ifndef HEAPGLOT_WRITERS_NETCF_NETCF_RECORDS_H_
#define HEAPGLOT_WRITERS_NETCF_NETCF_RECORDS_H_

#include <bit>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "core/bytes/buffered_out.h"
#include "heapglot/bytes.h"
#include "writers/netcf/netcf_layout.h"

namespace heapglot::netcf {

// Converts UTF-8 to the encoding of a layout. What is not UTF-8 stays as it is,
// but becomes U+FFFD in UTF-16.
class EncodingSink : public ByteSink {
 public:
  EncodingSink(ByteSink& sink, Encoding encoding)
      : sink_(sink), encoding_(encoding) {}

  Status Write(std::string_view bytes) override;
  // Ends the text: writes U+FFFD for a character that is not complete.
  Status Close() override;
  std::uint64_t position() const override { return sink_.position(); }

 private:
  void AppendUnit(std::int32_t unit);

  ByteSink& sink_;
  const Encoding encoding_;
  std::string rest_;  // of the last Write(): the start of a character
  std::string units_;
};

// A record is Begin(), elements, End(). Errors are sticky, see status().
class Records {
 public:
  Records(ByteSink& sink, const Layout& layout);

  void Begin(char letter);
  void Number(std::uint64_t number, const Spelling& spelling) {
    char* at = out_.Reserve(kMaxElement);
    if (is_plain_) [[likely]] {
      *at++ = ' ';
      out_.Commit(AppendHex(number, at));
    } else {
      out_.Commit(AppendSpelled(number, spelling, at));
    }
  }
  // Writes text after the layout's blanks or, LastWord(), after exactly one.
  void Word(std::string_view text) {
    out_.Write(layout_.between);
    out_.Write(text);
  }
  void LastWord(std::string_view text) {
    out_.Write(' ');
    out_.Write(text);
  }
  void End();

  // Writes a line as it is.
  void Line(std::string_view line);

  // Ends the text.
  Status Finish();
  const Status& status() const { return out_.status(); }
  const Layout& layout() const { return layout_; }

 private:
  static constexpr std::size_t kMaxElement = 64;

  static char* AppendHex(std::uint64_t number, char* at) {
    const int digits = number == 0 ? 1 : (67 - std::countl_zero(number)) / 4;
    for (int i = digits; i-- > 0; number >>= 4)
      at[i] = "0123456789abcdef"[number & 15];
    return at + digits;
  }
  char* AppendSpelled(std::uint64_t number, const Spelling& spelling,
                      char* at) const;
  void EndLineBefore();

  const Layout layout_;
  const bool is_plain_;  // numbers have the default spelling
  EncodingSink encoded_;
  BufferedOut out_;
  bool is_line_open_ = false;
};

}  // namespace heapglot::netcf

#endif  // HEAPGLOT_WRITERS_NETCF_NETCF_RECORDS_H_
