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

// The XXH3-128 (core/ir/checksum.h) of `bytes`, which are of `source`; what it has
// read it gives back. `see` is shown each piece before; with its `false` the
// digest is not wanted any more, and "".
std::string Xxh3Of(
    const ByteSource& source, std::string_view bytes,
    const std::function<bool(std::string_view piece)>& see = nullptr);

// The SHA-256 of all bytes of a source, which takes ten times as long: made while
// something else is done with it. What it has read it gives back.
class SourceDigest {
 public:
  // `source` must outlive this.
  explicit SourceDigest(const ByteSource& source) : source_(source) {}
  ~SourceDigest() { Stop(); }
  SourceDigest(const SourceDigest&) = delete;
  SourceDigest& operator=(const SourceDigest&) = delete;

  // Makes it in a thread of its own from now on. Once. Where no thread can be
  // had, Finish() makes it, as it does without this.
  void Start();
  // It is not wanted any more: Finish() is over soon, with nothing of use. From
  // any thread.
  void Stop() { is_over_ = true; }
  // Its 32 bytes. Once. Errors: kLimit (no memory for the thread).
  Result<std::string> Finish();

 private:
  // "" if it is over before that.
  std::string Make() const;

  const ByteSource& source_;
  std::atomic<bool> is_over_ = false;
  std::string digest_;
  Status status_;
  SmallThread thread_;  // ends before what it uses
};

}  // namespace heapglot

#endif  // HEAPGLOT_CORE_BYTES_SOURCE_DIGEST_H_
