#include "core/bytes/source_digest.h"

#include <cstddef>
#include <string_view>
#include <utility>

#include "core/bytes/sha256.h"
#include "core/bytes/trail.h"
#include "core/no_exceptions.h"

namespace heapglot {
namespace {

// Between two looks at whether it is still wanted.
constexpr std::size_t kStep = std::size_t{256} << 10;

}  // namespace

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
  // Right behind a step: this is done beside something else.
  Trail trail(source_, 0, kStep);
  const std::string_view bytes = source_.bytes();
  for (std::size_t at = 0; at < bytes.size(); at += kStep) {
    if (is_over_) return {};
    const std::string_view step = bytes.substr(at, kStep);
    digest.Add(step);
    trail.Advance(at + step.size());
  }
  return digest.Finish();
}

}  // namespace heapglot
