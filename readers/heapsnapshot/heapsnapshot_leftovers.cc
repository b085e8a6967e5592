#include "readers/heapsnapshot/heapsnapshot_leftovers.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

#include "core/bytes/trail.h"
#include "core/text/base64.h"
#include "readers/heapsnapshot/heapsnapshot_json.h"
#include "readers/heapsnapshot/heapsnapshot_wire.h"

namespace heapglot::heapsnapshot {
namespace {

constexpr std::uint64_t kStep = std::uint64_t{1} << 20;
static_assert(kStep % 4 == 0);

// Reads the end of a file backwards, and gives the pages back.
class Backwards {
 public:
  explicit Backwards(const ByteSource& source)
      : source_(source), at_(source.bytes().size()) {}

  std::uint64_t at() const { return at_; }

  // Moves before `text` if it precedes this place; spaces between are skipped.
  bool Take(std::string_view text) {
    while (at_ > 0 && IsSpace(source_.bytes()[at_ - 1])) --at_;
    if (!source_.bytes().substr(0, at_).ends_with(text)) return false;
    at_ -= text.size();
    return true;
  }

  // Moves back to just after the nearest quote.
  bool FindQuote() {
    while (at_ > 0) {
      const std::uint64_t begin = at_ - std::min(at_, kStep);
      const std::string_view part = source_.bytes().substr(begin, at_ - begin);
      const std::size_t quote = part.rfind('"');
      if (quote != std::string_view::npos) {
        at_ = begin + quote + 1;
        return true;
      }
      source_.Release(begin, at_);
      at_ = begin;
    }
    return false;
  }

 private:
  const ByteSource& source_;
  std::uint64_t at_;
};

Status Unpack(const ByteSource& source, std::uint64_t begin, std::uint64_t end,
              ByteSink& out) {
  Trail trail(source, begin);
  const std::string_view text = source.bytes().substr(0, end);
  std::string bytes;
  for (std::uint64_t at = begin; at < end; at += kStep) {
    trail.Advance(at);
    bytes.clear();
    const bool is_last = end - at <= kStep;
    if (!AppendFromBase64(text.substr(at, kStep), &bytes) ||
        (!is_last && bytes.size() != kStep / 4 * 3)) {
      return {Code::kMalformed, "they are no base64", Where::Byte(at)};
    }
    HEAPGLOT_RETURN_IF_ERROR(out.Write(bytes));
  }
  return {};
}

}  // namespace

// ... , "x-heapglot-leftovers": "..." }
std::optional<LeftoversBlock> FindLeftovers(const ByteSource& source) {
  Backwards place(source);
  if (!place.Take("}") || !place.Take("\"")) return std::nullopt;
  const std::uint64_t end = place.at();
  if (!place.FindQuote()) return std::nullopt;
  const std::uint64_t begin = place.at();
  LeftoversBlock block;
  block.end = end + 1;
  if (!place.Take("\"") || !place.Take(":") || !place.Take("\"") ||
      !place.Take(kLeftoversKey) || !place.Take("\"") || !place.Take(",")) {
    return std::nullopt;
  }
  block.begin = place.at();
  block.unpack = [&source, begin, end](ByteSink& out) {
    return Unpack(source, begin, end, out);
  };
  return block;
}

}  // namespace heapglot::heapsnapshot
