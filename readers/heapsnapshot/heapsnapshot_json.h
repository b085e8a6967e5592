// JSON by its tokens, for files of any size: nothing here recurses, and nothing
// holds a value.
#ifndef HEAPGLOT_READERS_HEAPSNAPSHOT_HEAPSNAPSHOT_JSON_H_
#define HEAPGLOT_READERS_HEAPSNAPSHOT_HEAPSNAPSHOT_JSON_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "heapglot/stream.h"

namespace heapglot::heapsnapshot {

constexpr bool IsSpace(char byte) {
  return byte == ' ' || byte == '\n' || byte == '\t' || byte == '\r';
}

// What was found at `offset`, for messages: "'x'", or "the end".
std::string Found(std::string_view bytes, std::uint64_t offset);

// Checks that a text that comes in pieces is one JSON value. Takes white space
// before it, but not after it. Memory: one bit per level of nesting.
class JsonChecker {
 public:
  enum class State { kMore, kDone, kBad, kTooDeep };

  explicit JsonChecker(std::uint64_t max_depth) : max_depth_(max_depth) {}

  // Takes the next bytes and returns how many of them belong to the value: all
  // of them as long as the state is kMore; up to its end (kDone); up to the
  // byte that is wrong (kBad, kTooDeep).
  std::size_t Feed(std::string_view bytes);
  State state() const { return state_; }
  // Whether the value is complete if nothing more comes: the end of a number
  // does not show.
  bool IsWhole() const;

 private:
  enum class Step : std::uint8_t {
    kValue,
    kFirstItem,  // or the end of the array
    kKey,
    kFirstKey,  // or the end of the object
    kColon,
    kBehindValue,
    kString,
    kEscape,
    kHex,
    kLiteral,
    kMinus,
    kZero,
    kInteger,
    kPoint,
    kFraction,
    kExponent,
    kExponentSign,
    kExponentDigits,
  };

  // Takes a byte, or sets state_. False: the byte is not part of the value.
  bool Take(char byte);
  bool TakeValue(char byte);
  bool TakeKey(char byte);
  bool TakeBehindValue(char byte);
  bool TakeInString(char byte);
  bool TakeInNumber(char byte);
  bool Open(bool is_object);
  bool Close(bool is_object);
  bool EndNumber(char byte);
  void EndValue();
  bool Bad() {
    state_ = State::kBad;
    return false;
  }

  const std::uint64_t max_depth_;
  State state_ = State::kMore;
  Step step_ = Step::kValue;
  bool is_key_ = false;  // the current string is one
  int hex_left_ = 0;
  const char* literal_ = nullptr;  // what must still come
  std::vector<bool> objects_;      // of the open containers: is it an object?
};

// A string token that was scanned.
struct StringToken {
  std::string_view raw;   // between the quotes
  bool is_plain = false;  // ASCII without escapes
};
enum class StringEnd { kOk, kCut, kBad };
// Reads a string from after its opening quote, and moves `*p` past the closing
// one; if kBad, to the wrong byte. Does not check that the bytes are UTF-8.
StringEnd ScanString(const char** p, const char* end, StringToken* token);

// Appends the text of raw[begin ...], about `max_bytes` of it at most but
// always something, cut between code points, and advances `*begin`. `raw` must
// be from ScanString(). A lone surrogate makes it WTF8, bytes that are not
// UTF-8 make it BYTES.
pb::StringEncoding AppendUnescaped(std::string_view raw, std::size_t* begin,
                                   std::size_t max_bytes, std::string* out);
// The whole text.
std::string Unescaped(std::string_view raw);

// Iterates over the members of an object, or the items of an array, that
// JsonChecker has accepted. Other values have none.
class JsonItems {
 public:
  explicit JsonItems(std::string_view container);

  // Moves to the next one; false at the end.
  bool Next();
  // The key of a member as written, without the quotes.
  std::string_view raw_key() const { return key_; }
  std::string key() const { return Unescaped(key_); }
  // The value as written.
  std::string_view value() const { return value_; }

 private:
  std::string_view rest_;
  bool is_object_ = false;
  std::string_view key_;
  std::string_view value_;
};

}  // namespace heapglot::heapsnapshot

#endif  // HEAPGLOT_READERS_HEAPSNAPSHOT_HEAPSNAPSHOT_JSON_H_
