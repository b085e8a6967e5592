// Digests of inputs.
#ifndef HEAPGLOT_CORE_BYTES_SOURCE_DIGEST_H_
#define HEAPGLOT_CORE_BYTES_SOURCE_DIGEST_H_

#include <atomic>
#include <functional>
#include <string>
#include <string_view>

#include "core/small_thread.h"
#include "heapglot/bytes.h"
#include "heapglot/status.h"

namespace heapglot {

// The XXH3-128 (core/ir/checksum.h) of `bytes`, which are part of `source`.
// Releases what it has read. Calls see(piece) before each piece; if that
// returns false, the digest is no longer wanted, and "" is returned.
std::string Xxh3Of(
    const ByteSource& source, std::string_view bytes,
    const std::function<bool(std::string_view piece)>& see = nullptr);

// The SHA-256 of all bytes of a source. It takes ten times as long, so it is
// made while something else is done with the source. Releases what it has read.
class SourceDigest {
 public:
  // `source` must outlive this.
  explicit SourceDigest(const ByteSource& source) : source_(source) {}
  ~SourceDigest() { Stop(); }
  SourceDigest(const SourceDigest&) = delete;
  SourceDigest& operator=(const SourceDigest&) = delete;

  // Makes the digest in a thread of its own from now on. Call once. If no
  // thread can be started, Finish() makes it, as it does without Start().
  void Start();
  // The digest is no longer wanted: Finish() returns soon, with nothing of use.
  // May be called from any thread.
  void Stop() { is_over_ = true; }
  // The 32 bytes of the digest. Call once. Errors: kLimit (no memory for the
  // thread).
  Result<std::string> Finish();

 private:
  // "" if Stop() ends it.
  std::string Make() const;

  const ByteSource& source_;
  std::atomic<bool> is_over_ = false;
  std::string digest_;
  Status status_;
  SmallThread thread_;  // ends before what it uses
};

}  // namespace heapglot

#endif  // HEAPGLOT_CORE_BYTES_SOURCE_DIGEST_H_
