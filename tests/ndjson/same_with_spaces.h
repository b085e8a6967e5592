// Shared by the tests of fast paths for lines.
#ifndef HEAPGLOT_TESTS_NDJSON_SAME_WITH_SPACES_H_
#define HEAPGLOT_TESTS_NDJSON_SAME_WITH_SPACES_H_

#include <gtest/gtest.h>

#include <string>

#include "tests/ndjson/spaced_lines.h"

namespace heapglot {

// Expects the same from `files` files with and without spaces, and more than
// `least` of them to be valid.
template <typename MakeFile>
void ExpectSameWithSpaces(int files, int least, MakeFile&& make_file) {
  int good = 0;
  for (int i = 0; i < files; ++i) {
    const std::string file = make_file();
    const auto lines = LinesToSpace(file);
    const std::string expected = SpacedLines(lines, true).Reading();
    ASSERT_EQ(SpacedLines(lines, false).Reading(), expected) << file;
    good += expected.starts_with("ndjson: ") ? 0 : 1;
  }
  EXPECT_GT(good, least);
}

}  // namespace heapglot

#endif  // HEAPGLOT_TESTS_NDJSON_SAME_WITH_SPACES_H_
