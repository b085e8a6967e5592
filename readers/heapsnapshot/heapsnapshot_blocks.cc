#include "readers/heapsnapshot/heapsnapshot_blocks.h"

#include <span>

namespace heapglot::heapsnapshot {
Status BlockChecker::Check(const NumberCursor& in, const Section& section,
                           std::size_t width,
                           const std::vector<std::size_t>& signed_columns) {
  const std::size_t size = in.block().size();
  if (size % width != 0) {
    const std::size_t row = size - size % width;
    return Malformed("the last row of " + section.name + " has " +
                         std::to_string(size % width) + " numbers instead of " +
                         std::to_string(width),
                     in.OffsetOf(row));
  }
  for (const std::size_t column : signed_columns) {
    for (std::size_t at = column; at < size; at += width) {
      if (in.block()[at] <= kMaxSigned || in.IsNegative(at)) continue;
      return Malformed(section.name + ": " + std::to_string(in.block()[at]) +
                           " is more than 63 bits",
                       in.OffsetOf(at));
    }
  }
  for (const std::uint32_t at : in.negative()) {
    const bool may_be = std::find(signed_columns.begin(), signed_columns.end(),
                                  at % width) != signed_columns.end();
    if (may_be) continue;
    return Malformed(section.name + ": found a negative number",
                     in.OffsetOf(at));
  }
  for (const std::uint32_t at : in.odd()) {
    HEAPGLOT_RETURN_IF_ERROR(Warn(
        "heapsnapshot.number.form", [&] { return in.OffsetOf(at); },
        [] { return std::string("an integer is not written like one"); }));
  }
  return {};
}

}  // namespace heapglot::heapsnapshot
