// What went wrong, and where in the input.
#ifndef HEAPGLOT_STATUS_H_
#define HEAPGLOT_STATUS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "heapglot/export.h"

namespace heapglot {

// The kinds of failure. ExitCode() maps them to the command's exit codes.
enum class Code {
  kOk,
  kInternal,     // a bug of ours
  kUsage,        // the caller asked for something that makes no sense
  kMalformed,    // the input breaks its format
  kTruncated,    // the input ends too early
  kLimit,        // a limit of Limits was hit, or memory ran out
  kUnsupported,  // an unknown version or feature
  kLossy,        // the conversion would lose more than was allowed
  kOutput,       // writing failed
  kInput,        // reading failed
  kCancelled,    // a consumer wants no more data, or Context::cancel was set
};

// A place in the input. Binary formats set byte; text formats set line and
// column, and also byte if lines may be as long as the file.
struct Where {
  std::optional<std::uint64_t> byte;  // offset from the start of the input
  std::uint64_t line = 0;             // 1-based, 0 = not given
  std::uint64_t column = 0;           // 1-based, 0 = not given

  static Where Byte(std::uint64_t offset) { return {.byte = offset}; }
  static Where Line(std::uint64_t line, std::uint64_t column) {
    return {.byte = std::nullopt, .line = line, .column = column};
  }
};

// Success, or the first error of an operation. Cheap to return when ok.
class [[nodiscard]] HEAPGLOT_API Status {
 public:
  Status() = default;
  // `message` says what was wrong, what was found, and what was expected. It
  // may contain text from the input; ToString() escapes it.
  Status(Code code, std::string message, Where where = {})
      : code_(code), message_(std::move(message)), where_(where) {}

  bool ok() const { return code_ == Code::kOk; }
  Code code() const { return code_; }
  const std::string& message() const { return message_; }
  const Where& where() const { return where_; }

  // One line for people: "FILE: offset 6699 (0x1a2b): message", without a
  // newline, control characters escaped, at most 500 bytes. `file` may be
  // empty.
  std::string ToString(std::string_view file = {}) const;

 private:
  Code code_ = Code::kOk;
  std::string message_;
  Where where_;
};

// The exit code of the command for `code` (README.md has the table).
HEAPGLOT_API int ExitCode(Code code);

// "offset 6699 (0x1a2b)", "12:3", or "12:3: offset 6699 (0x1a2b)"; empty if
// there is no place.
HEAPGLOT_API std::string ToString(const Where& where);

// `text` with control characters, bidirectional controls and invalid UTF-8 as
// \xNN or \uNNNN, cut to `max_bytes` at a character with "..." at the end.
HEAPGLOT_API std::string EscapeForTerminal(std::string_view text,
                                           std::size_t max_bytes = 200);

// A T, or the reason why there is none. Check ok() first: without a T, value(),
// * and -> are undefined.
template <typename T>
class [[nodiscard]] Result {
 public:
  // NOLINTNEXTLINE(google-explicit-constructor): `return value;` shall do.
  Result(T value) : value_(std::move(value)) {}
  // NOLINTNEXTLINE(google-explicit-constructor): `return error;` shall do.
  Result(Status status) : status_(std::move(status)) {
    if (status_.ok()) status_ = Status(Code::kInternal, "there is no value");
  }

  bool ok() const { return value_.has_value(); }
  const Status& status() const { return status_; }
  T& value() & { return *value_; }
  const T& value() const& { return *value_; }
  T&& value() && { return *std::move(value_); }
  T* operator->() { return &*value_; }
  const T* operator->() const { return &*value_; }
  T& operator*() & { return *value_; }
  const T& operator*() const& { return *value_; }
  T&& operator*() && { return *std::move(value_); }

 private:
  std::optional<T> value_;
  Status status_;
};

// Returns from the calling function when `expression` is not ok.
#define HEAPGLOT_RETURN_IF_ERROR(expression)           \
  do {                                                 \
    ::heapglot::Status heapglot_status = (expression); \
    if (!heapglot_status.ok()) [[unlikely]]            \
      return heapglot_status;                          \
  } while (false)

}  // namespace heapglot

#endif  // HEAPGLOT_STATUS_H_
