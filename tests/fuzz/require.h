// What fuzz targets are made of: claims that end the program if they are wrong,
// which is a finding for libFuzzer.
#ifndef HEAPGLOT_TESTS_FUZZ_REQUIRE_H_
#define HEAPGLOT_TESTS_FUZZ_REQUIRE_H_

#include <cstdio>
#include <cstdlib>
#include <string>

#include "core/check_sink.h"
#include "heapglot/bytes.h"
#include "heapglot/format.h"

namespace heapglot::fuzz {

// Says `what` and ends the program unless `condition`.
inline void Require(bool condition, const std::string& what) {
  if (condition) return;
  std::fprintf(stderr, "FINDING: %s\n", what.c_str());
  std::abort();
}

inline void RequireOk(const Status& status, const std::string& doing) {
  Require(status.ok(), doing + ": " + status.ToString());
}

// What a target does with an input; the caller is entry.cc.
void Fuzz(std::string_view bytes);

// Whether an error is one that an input may cause.
inline bool IsAnswer(Code code) {
  return code == Code::kMalformed || code == Code::kTruncated ||
         code == Code::kLimit || code == Code::kUnsupported;
}

// Reads `wanted` into `next` (may be nullptr). What comes must be a stream that
// keeps the grammar, or an answer at a place in the input.
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
