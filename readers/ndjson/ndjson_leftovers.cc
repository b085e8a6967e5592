#include "readers/ndjson/ndjson_leftovers.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "core/bytes/crc32.h"
#include "core/bytes/trail.h"
#include "core/draft/draft_record.h"
#include "core/draft/draft_wire.h"
#include "core/text/base64.h"
#include "readers/draft/draft_trailer.h"
#include "readers/ndjson/ndjson_counts.h"

namespace heapglot::ndjson {
namespace {

constexpr std::uint64_t kStep = std::uint64_t{1} << 20;
// A longer line was not written by us.
constexpr std::size_t kMaxLine = Leftovers::kPiece / 3 * 4 + 256;
// The key is within this many bytes of the start of its line, however it is
// spelt.
constexpr std::size_t kNearStart = 128;

constexpr std::string_view kLineBegin =
    R"({"type":"metadata","key":"hg.leftovers","value":")";
constexpr std::string_view kLineEnd = "\"}\n";

// Leftovers that are not where they belong are looked for in this many bytes at
// each end of the file, where other metadata is and where records are appended.
constexpr std::size_t kElsewhere = std::size_t{1} << 20;

bool Mentions(std::string_view line, std::string_view word) {
  return line.substr(0, kNearStart).find(word) != std::string_view::npos;
}

bool IsPiece(std::string_view line) {
  return Mentions(line, "\"metadata\"") && Mentions(line, draft::kLeftoversKey);
}

// Where the last line of `text` begins, if it is not too long.
std::optional<std::uint64_t> LastLine(std::string_view text) {
  if (!text.ends_with('\n')) return std::nullopt;
  const std::uint64_t before =
      text.size() - 1 - std::min<std::uint64_t>(text.size() - 1, kMaxLine);
  const std::string_view part = text.substr(before, text.size() - 1 - before);
  const std::size_t end = part.rfind('\n');
  if (end != std::string_view::npos) return before + end + 1;
  return before == 0 ? std::optional<std::uint64_t>(0) : std::nullopt;
}

Status Unpack(const ByteSource& source, std::uint64_t begin, std::uint64_t end,
              ByteSink& out) {
  Trail trail(source, begin);
  std::string bytes;
  for (std::uint64_t at = begin; at < end;) {
    trail.Advance(at);
    std::string_view line = source.bytes().substr(at, end - at);
    line = line.substr(0, line.find('\n') + 1);
    if (!line.starts_with(kLineBegin) || !line.ends_with(kLineEnd))
      return {Code::kMalformed, "they are written differently",
              Where::Byte(at)};
    at += line.size();
    line.remove_prefix(kLineBegin.size());
    line.remove_suffix(kLineEnd.size());
    bytes.clear();
    if (!AppendFromBase64(line, &bytes))
      return {Code::kMalformed, "they are not base64", Where::Byte(at)};
    HEAPGLOT_RETURN_IF_ERROR(out.Write(bytes));
  }
  return {};
}

// Checks the trailer against all lines before it, most of which are read for
// their digest anyway. The reader reports what is wrong with it, and where.
class TrailerCheck {
 public:
  // The leftovers are from `begin` to `end`, and the trailer follows.
  TrailerCheck(const ByteSource& source, std::uint64_t begin, std::uint64_t end)
      : source_(source), begin_(begin), end_(end) {}

  void Add(std::string_view bytes) {
    records_.Add(bytes);
    crc32_ = Crc32(crc32_, bytes);
  }

  std::string Problem() {
    const std::string_view bytes = source_.bytes();
    if (end_ == bytes.size()) return "the trailer has been cut off";
    Trail trail(source_, begin_);
    for (std::uint64_t at = begin_; at < end_; at += kStep) {
      trail.Advance(at);
      Add(bytes.substr(at, std::min(kStep, end_ - at)));
    }
    draft::Schema none;
    draft::Record trailer;
    draft::LineError error;
    const bool is_one = draft::RecordParser(none, Limits().max_depth)
                            .Parse(bytes.substr(end_, bytes.size() - 1 - end_),
                                   end_, &trailer, &error) &&
                        trailer.kind == draft::LineKind::kTrailer;
    if (!is_one) return "the trailer is damaged";
    std::string problem =
        draft::TrailerProblem(trailer, records_.lines(), end_, crc32_);
    if (!problem.empty()) return problem;
    bool has_all = false;
    const OwnTextTable<std::uint64_t> by_name = records_.ByName(&has_all);
    const char* ignored = nullptr;
    return draft::CountsProblem(trailer.Find("counts"), by_name, has_all,
                                Limits().max_depth, &ignored);
  }

 private:
  const ByteSource& source_;
  const std::uint64_t begin_;
  const std::uint64_t end_;
  RecordCounts records_;
  std::uint32_t crc32_ = 0;
};

// The leftovers before the trailer, or before the end of a file without one.
std::optional<LeftoversBlock> FindLast(const ByteSource& source) {
  const std::string_view bytes = source.bytes();
  std::uint64_t end = bytes.size();
  std::optional<std::uint64_t> line = LastLine(bytes);
  if (line && Mentions(bytes.substr(*line), draft::kTrailerType)) end = *line;
  std::uint64_t begin = end;
  std::uint64_t kept = end;
  while ((line = LastLine(bytes.substr(0, begin))) &&
         Mentions(bytes.substr(*line, begin - *line), draft::kLeftoversKey)) {
    begin = *line;
    if (kept - begin < kStep) continue;
    source.Release(begin, kept);
    kept = begin;
  }
  if (begin == end) return std::nullopt;
  LeftoversBlock block;
  block.begin = begin;
  block.end = end;
  block.unpack = [&source, begin, end](ByteSink& out) {
    return Unpack(source, begin, end, out);
  };
  const auto trailer = std::make_shared<TrailerCheck>(source, begin, end);
  block.pass = [trailer](std::string_view part) { trailer->Add(part); };
  block.problem_behind = [trailer] { return trailer->Problem(); };
  return block;
}

// The first line in `part` of the file that has a piece of leftovers.
std::optional<std::uint64_t> FindLine(std::string_view part) {
  const std::string quoted = '"' + std::string(draft::kLeftoversKey) + '"';
  for (std::size_t key = part.find(quoted); key != std::string_view::npos;
       key = part.find(quoted, key + 1)) {
    // Looks no further back, since a line may have very many of these keys.
    const std::size_t near = key - std::min(key, kNearStart);
    const std::size_t feed = part.substr(near, key - near).rfind('\n');
    if (feed == std::string_view::npos && near != 0) continue;
    const std::size_t begin =
        feed == std::string_view::npos ? 0 : near + feed + 1;
    if (IsPiece(part.substr(begin))) return begin;
  }
  return std::nullopt;
}

// Leftovers that another program has moved, or put something behind. They
// cannot be those of the file as it is, but must not vanish without a word.
std::optional<LeftoversBlock> FindElsewhere(const ByteSource& source) {
  const std::string_view bytes = source.bytes();
  const std::uint64_t tail =
      bytes.size() - std::min<std::uint64_t>(bytes.size(), kElsewhere);
  std::optional<std::uint64_t> begin = FindLine(bytes.substr(0, kElsewhere));
  if (!begin) {
    begin = FindLine(bytes.substr(tail));
    if (!begin) return std::nullopt;
    *begin += tail;
  }
  std::uint64_t end = *begin;
  Trail trail(source, end);
  while (IsPiece(bytes.substr(end))) {
    trail.Advance(end);
    const std::size_t feed = bytes.substr(end, kMaxLine).find('\n');
    if (feed == std::string_view::npos) break;
    end += feed + 1;
  }
  LeftoversBlock block;
  block.begin = *begin;
  block.end = end;
  block.unpack = [&source, begin = *begin, end](ByteSink& out) {
    return Unpack(source, begin, end, out);
  };
  block.problem_behind = [] {
    return "the file no longer ends with them and its trailer";
  };
  return block;
}

}  // namespace

std::optional<LeftoversBlock> FindLeftovers(const ByteSource& source) {
  std::optional<LeftoversBlock> block = FindLast(source);
  return block ? block : FindElsewhere(source);
}

}  // namespace heapglot::ndjson
