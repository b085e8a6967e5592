#include "core/leftovers/leftovers_tail.h"

#include <cstdint>
#include <string>
#include <string_view>

#include "core/bytes/trail.h"

namespace heapglot {
namespace {

constexpr std::uint64_t kStep = std::uint64_t{256} << 10;

std::uint64_t LittleEndian(std::string_view bytes) {
  std::uint64_t value = 0;
  for (std::size_t i = 8; i-- > 0;)
    value = value << 8 | static_cast<unsigned char>(bytes[i]);
  return value;
}

Status Copy(const ByteSource& source, std::uint64_t begin, std::uint64_t end,
            ByteSink& out) {
  Trail trail(source, begin);
  const std::string_view bytes = source.bytes().substr(0, end);
  for (std::uint64_t at = begin; at < end; at += kStep) {
    trail.Advance(at);
    HEAPGLOT_RETURN_IF_ERROR(out.Write(bytes.substr(at, kStep)));
  }
  return {};
}

}  // namespace

std::optional<std::uint64_t> LeftoversBegin(std::string_view bytes) {
  if (!bytes.ends_with(kLeftoversMagic) || bytes.size() < kLeftoversEnd)
    return std::nullopt;
  const std::uint64_t end = bytes.size() - kLeftoversEnd;
  const std::uint64_t size = LittleEndian(bytes.substr(end));
  return size <= end ? std::optional(end - size) : std::nullopt;
}

Status WriteLeftoversTail(
    Leftovers& leftovers,
    const std::function<Status(std::string_view bytes)>& write) {
  std::uint64_t size = 0;
  HEAPGLOT_RETURN_IF_ERROR(leftovers.Send([&](std::string_view piece) {
    size += piece.size();
    return write(piece);
  }));
  std::string tail;
  for (int shift = 0; shift < 64; shift += 8)
    tail.push_back(static_cast<char>(size >> shift & 0xFF));
  return write(tail.append(kLeftoversMagic));
}

std::optional<LeftoversBlock> FindLeftovers(const ByteSource& source) {
  const std::string_view bytes = source.bytes();
  const std::optional<std::uint64_t> begin = LeftoversBegin(bytes);
  if (!begin) return std::nullopt;
  LeftoversBlock block;
  block.begin = *begin;
  block.end = bytes.size();
  block.unpack = [&source, from = *begin, to = bytes.size() - kLeftoversEnd](
                     ByteSink& out) { return Copy(source, from, to, out); };
  return block;
}

}  // namespace heapglot
