// Reads files of lines twice: as they are, and with a space after each array or
// object, which disables the fast paths for many lines of numbers at a time and
// for lines of the same shape as an earlier one. Both must give the same.
#include <string_view>

#include "tests/fuzz/require.h"
#include "tests/ndjson/spaced_lines.h"

namespace heapglot::fuzz {

void Fuzz(std::string_view bytes) {
  const auto lines = LinesToSpace(bytes);
  Require(
      SpacedLines(lines, false).Reading() == SpacedLines(lines, true).Reading(),
      "lines of numbers are read in another way");
}

}  // namespace heapglot::fuzz
