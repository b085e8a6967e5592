// Helpers for fuzz targets: assertions that abort the program, which libFuzzer
// reports as a finding.
#ifndef HEAPGLOT_TESTS_FUZZ_REQUIRE_H_
#define HEAPGLOT_TESTS_FUZZ_REQUIRE_H_

#include <cstdio>
#include <cstdlib>
#include <string>

#include "core/check_sink.h"
#include "heapglot/bytes.h"
#include "heapglot/format.h"

namespace heapglot::fuzz {

// Prints `what` and aborts unless `condition` holds.
inline void Require(bool condition, const std::string& what) {
  if (condition) return;
  std::fprintf(stderr, "FINDING: %s\n", what.c_str());
  std::abort();
}

inline void RequireOk(const Status& status, const std::string& doing) {
  Require(status.ok(), doing + ": " + status.ToString());
}

// Runs the target on one input. Each target defines it; entry.cc calls it.
void Fuzz(std::string_view bytes);

// Whether an input may cause this error.
inline bool IsAnswer(Code code) {
  return code == Code::kMalformed || code == Code::kTruncated ||
         code == Code::kLimit || code == Code::kUnsupported;
}

// Reads `wanted` into `next` (may be nullptr). The result must be a stream that
// keeps the grammar, or an error that an input may cause, at a byte within it.
inline Status ReadChecked(Reader& reader, std::size_t size, ChunkSet wanted,
                          ChunkSink* next) {
  CheckSink check(wanted, next);
  Status status = reader.Read(wanted, check);
  if (status.ok()) {
    RequireOk(check.Finish(), "at the end");
    return status;
  }
  Require(IsAnswer(status.code()), status.ToString());
  Require(status.where().byte.value_or(0) <= size,
          "behind the end: " + status.ToString());
  return status;
}

}  // namespace heapglot::fuzz

#endif  // HEAPGLOT_TESTS_FUZZ_REQUIRE_H_
