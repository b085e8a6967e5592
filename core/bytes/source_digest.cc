#include "core/bytes/source_digest.h"

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

#include "core/bytes/sha256.h"
#include "core/bytes/trail.h"
#include "core/ir/checksum.h"
#include "core/no_exceptions.h"

namespace heapglot {
namespace {

// Bytes between two checks whether the digest is still wanted.
constexpr std::size_t kStep = std::size_t{256} << 10;

// Calls add(piece) for each piece of `bytes`, which are part of `source`. Stops
// and returns false when add() does.
template <typename Add>
bool ForEachPiece(const ByteSource& source, std::string_view bytes, Add add) {
  // Releases each piece at once: something else may be going on meanwhile.
  const auto begin =
      static_cast<std::uint64_t>(bytes.data() - source.bytes().data());
  Trail trail(source, begin, kStep);
  for (std::size_t at = 0; at < bytes.size(); at += kStep) {
    const std::string_view piece = bytes.substr(at, kStep);
    if (!add(piece)) return false;
    trail.Advance(begin + at + piece.size());
  }
  return true;
}

}  // namespace

std::string Xxh3Of(const ByteSource& source, std::string_view bytes,
                   const std::function<bool(std::string_view piece)>& see) {
  Digest128 digest;
  const bool is_whole =
      ForEachPiece(source, bytes, [&](std::string_view piece) {
        if (see && !see(piece)) return false;
        digest.Add(piece);
        return true;
      });
  return is_whole ? digest.value() : std::string();
}

void SourceDigest::Start() {
  thread_.Start([this] {
    status_ = WithoutExceptions([this] {
      digest_ = Make();
      return Status();
    });
  });
}

Result<std::string> SourceDigest::Finish() {
  if (!thread_.is_running()) return Make();
  thread_.Join();
  if (!status_.ok()) return status_;
  return std::move(digest_);
}

std::string SourceDigest::Make() const {
  Sha256 digest;
  const bool is_whole =
      ForEachPiece(source_, source_.bytes(), [&](std::string_view piece) {
        if (is_over_) return false;
        digest.Add(piece);
        return true;
      });
  return is_whole ? digest.Finish() : std::string();
}

}  // namespace heapglot
