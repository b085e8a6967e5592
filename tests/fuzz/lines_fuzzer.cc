// Reads files of lines twice: as they are, and with a space behind each array or
// object, which keeps those of mere numbers from being read many at a time, or by
// the shape of a line before. Both say the same.
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
