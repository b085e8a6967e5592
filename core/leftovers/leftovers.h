// Leftovers: the dump that a file was made from, in that file or beside it, so
// that the way back restores the dump and not only what the file's format could
// hold. They are a heapir: of the dump, or, if that takes no less space and
// more time, with the dump as it was and nothing else (Header.is_source_only).
// They go with exactly the bytes that the file has (pb::Host): once another
// program has changed it, they are useless.
#ifndef HEAPGLOT_CORE_LEFTOVERS_LEFTOVERS_H_
#define HEAPGLOT_CORE_LEFTOVERS_LEFTOVERS_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "core/ir/checksum.h"
#include "heapglot/bytes.h"
#include "heapglot/format.h"

namespace heapglot {

// ------------------------------------------------------------------- reading

struct LeftoversVerdict {
  enum State {
    kNone,
    kIntact,
    kStale,    // the file is not the one that they go with
    kDamaged,  // they are not what we would have written
  };
  State state = kNone;
  std::string origin;   // format of the dump; empty if kDamaged
  std::string problem;  // if kStale or kDamaged: what is wrong, a clause
};

struct EmbeddedLeftovers {
  LeftoversVerdict verdict;
  std::uint64_t begin = 0;  // place in the file
  std::uint64_t size = 0;   // bytes in the file
  // If kIntact: the dump, or its IR, and the format that it is in.
  std::unique_ptr<ByteSource> source;
  const ReaderInfo* format = nullptr;
};

// Looks for leftovers in `file`, which has the format `format`, and checks
// them: reads all of them, and takes the digest of the rest of the file. `ir`
// reads heapir; `find` is FindReader().
// Errors: kOutput for temporary files; kLimit for `limits` and memory.
Result<EmbeddedLeftovers> FindLeftovers(const ByteSource& file,
                                        const ReaderInfo& format,
                                        const ReaderInfo& ir,
                                        decltype(&FindReader) find,
                                        const Limits& limits);

// The same for a heapir beside `file`, which must have all of the dump. Never
// kNone. Errors: as above.
Result<LeftoversVerdict> CheckSidecar(const ByteSource& sidecar,
                                      const ByteSource& file,
                                      const ReaderInfo& format,
                                      const ReaderInfo& ir,
                                      const Limits& limits);

// A reader that sends leftovers as the dump that they were: without what they
// go with. `upstream` must outlive it.
std::unique_ptr<Reader> MakeUnlabelledReader(Reader& upstream);

// ------------------------------------------------------------------- writing

// Passes on what is written to it, and takes its digest.
class DigestingSink : public ByteSink {
 public:
  explicit DigestingSink(ByteSink& out) : out_(out) {}

  Status Write(std::string_view bytes) override {
    digest_.Add(bytes);
    return out_.Write(bytes);
  }
  Status Prepare() override { return out_.Prepare(); }
  Status Close() override { return out_.Close(); }
  std::uint64_t position() const override { return out_.position(); }

  std::string digest() const { return digest_.value(); }

 private:
  ByteSink& out_;
  Digest128 digest_;
};

class EarlyLeftovers;

// Makes the leftovers of a file that is being written.
class LeftoversMaker : public Leftovers {
 public:
  // `original` sends the dump as it was before anything was changed for the
  // file; `file` is what the file, of format `format`, is written to. All
  // arguments must outlive this.
  LeftoversMaker(Reader& original, const DigestingSink& file,
                 std::string_view format, const WriterInfo& ir,
                 const Limits& limits)
      : original_(original),
        file_(file),
        format_(format),
        ir_(ir),
        limits_(limits) {}

  // `original` reads `file`, of the format `ir`, unchanged.
  void set_original_file(const ByteSource& file) { original_file_ = &file; }
  // `early`, which must outlive this, may already have made the leftovers of
  // what `original` reads.
  void set_early(EarlyLeftovers& early) { early_ = &early; }

  Status Send(
      const std::function<Status(std::string_view piece)>& take) override;
  // All at once, to a sidecar, which is not closed.
  Status WriteTo(ByteSink& sidecar);
  // How many bytes they would take now. If that is at most `most`, they are
  // kept in a temporary file where that saves making them again.
  Result<std::uint64_t> Measure(std::uint64_t most);
  // Whether all of them were sent.
  bool is_sent() const { return is_sent_; }

 private:
  // The same leftovers except for the header, which is from an earlier time;
  // nullptr if they have not been made.
  const ByteSource* Made();

  Reader& original_;
  const ByteSource* original_file_ = nullptr;
  EarlyLeftovers* early_ = nullptr;
  const DigestingSink& file_;
  const std::string_view format_;
  const WriterInfo& ir_;
  const Limits& limits_;
  std::unique_ptr<ByteSource> kept_;  // by Measure()
  bool is_sent_ = false;
};

}  // namespace heapglot

#endif  // HEAPGLOT_CORE_LEFTOVERS_LEFTOVERS_H_
