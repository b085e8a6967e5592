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
// How far a key may be from its colon to be found.
constexpr std::uint64_t kMaxSpaces = 64;

// Reads the end of a file backwards, and gives the pages back.
class Backwards {
 public:
  Backwards(const ByteSource& source, std::uint64_t at)
      : source_(source), at_(at) {}

  std::uint64_t at() const { return at_; }

  // Moves before `text`, and spaces after it, if these precede this place;
  // returns whether they do.
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
      return {Code::kMalformed, "they are not base64", Where::Byte(at)};
    }
    HEAPGLOT_RETURN_IF_ERROR(out.Write(bytes));
  }
  return {};
}

// The leftovers that end the file, as we write them:
// ... , "x-heapglot-leftovers": "..." }
std::optional<LeftoversBlock> FindLast(const ByteSource& source) {
  Backwards place(source, source.bytes().size());
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

// Where the value of the key `quoted` begins, if that is a string whose opening
// quote is near. In a string of the file, the quotes of a key would be escaped.
std::optional<std::uint64_t> FindValue(const ByteSource& source,
                                       std::string_view quoted) {
  const std::string_view bytes = source.bytes();
  const std::uint64_t margin = quoted.size() + 2 * kMaxSpaces;
  Trail trail(source, 0);
  for (std::uint64_t at = 0; at < bytes.size(); at += kStep) {
    trail.Advance(at);
    const std::string_view part = bytes.substr(at, kStep + margin);
    for (std::size_t key = part.find(quoted); key != std::string_view::npos;
         key = part.find(quoted, key + 1)) {
      std::size_t i = key + quoted.size();
      while (i < part.size() && IsSpace(part[i])) ++i;
      if (i == part.size() || part[i] != ':') continue;
      do ++i;
      while (i < part.size() && IsSpace(part[i]));
      if (i < part.size() && part[i] == '"') return at + i + 1;
    }
  }
  return std::nullopt;
}

// Leftovers that another program has put something behind. They cannot be
// those of the file as it is, but must not vanish without a word.
std::optional<LeftoversBlock> FindElsewhere(const ByteSource& source) {
  const std::string_view bytes = source.bytes();
  Backwards place(source, bytes.size());
  // The usual end, that of the strings: nothing has been put behind them.
  if (!place.Take("}") || place.Take("]")) return std::nullopt;
  const std::string quoted = '"' + std::string(kLeftoversKey) + '"';
  const std::optional<std::uint64_t> begin = FindValue(source, quoted);
  if (!begin) return std::nullopt;
  const std::uint64_t end =
      std::min<std::uint64_t>(bytes.find('"', *begin), bytes.size());
  source.Release(*begin, end);
  Backwards front(source, bytes.rfind(quoted, *begin));
  front.Take(",");
  LeftoversBlock block;
  block.begin = front.at();
  block.end = std::min<std::uint64_t>(end + 1, bytes.size());
  block.unpack = [&source, begin = *begin, end](ByteSink& out) {
    return Unpack(source, begin, end, out);
  };
  block.problem_behind = [] {
    return "another program has written behind them";
  };
  return block;
}

}  // namespace

std::optional<LeftoversBlock> FindLeftovers(const ByteSource& source) {
  std::optional<LeftoversBlock> block = FindLast(source);
  return block ? block : FindElsewhere(source);
}

}  // namespace heapglot::heapsnapshot
