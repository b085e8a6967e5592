#include "core/leftovers/early_leftovers.h"

#include <string>
#include <string_view>
#include <utility>

#include "core/bytes/source_digest.h"
#include "core/bytes/spool.h"
#include "core/image/source_image.h"
#include "core/image/source_only.h"
#include "core/no_exceptions.h"

namespace heapglot {
namespace {

// For the spool: what it keeps, or what is on its way to a file.
constexpr std::size_t kMemory = std::size_t{64} << 10;

// Takes the place of a dump that somebody else is reading.
class NamelessReader : public Reader {
 public:
  Status Read(ChunkSet wanted, ChunkSink& out) override {
    if (!wanted.Has(pb::Chunk::kHeader)) return {};
    pb::Chunk chunk;
    chunk.mutable_header();
    return out.Accept(chunk);
  }
};

}  // namespace

// Passes on what is still wanted.
class EarlyLeftovers::Sink : public ByteSink {
 public:
  Sink(const EarlyLeftovers& early, ByteSink& out) : early_(early), out_(out) {}

  Status Write(std::string_view bytes) override {
    if (early_.is_over_) return {Code::kCancelled, "they are not wanted"};
    if (bytes.size() > early_.max_size_ ||
        out_.position() > early_.max_size_ - bytes.size())
      return {Code::kLimit, "the leftovers are too large"};
    return out_.Write(bytes);
  }
  Status Close() override { return out_.Close(); }
  std::uint64_t position() const override { return out_.position(); }

 private:
  const EarlyLeftovers& early_;
  ByteSink& out_;
};

void EarlyLeftovers::Start() {
  thread_.Start([this] {
    if (!WithoutExceptions([this] { return Make(); }).ok()) heapir_ = nullptr;
  });
}

const ByteSource* EarlyLeftovers::Finish() {
  thread_.Join();
  return heapir_.get();
}

Status EarlyLeftovers::Make() {
  std::string digest =
      Xxh3Of(source_, source_.bytes(), [this](auto) { return !is_over_; });
  NamelessReader nameless;
  const std::unique_ptr<Reader> reader = MakeSourceOnlyReader(
      nameless, source_, WholeImage(source_, std::move(digest)));
  SpoolSink spool(kMemory);
  Sink sink(*this, spool);
  Context context;
  const std::unique_ptr<Writer> writer = ir_.make(sink, {}, context);
  HEAPGLOT_RETURN_IF_ERROR(RunPasses(*reader, *writer));
  Result<std::unique_ptr<ByteSource>> heapir = spool.TakeSource(source_.name());
  if (!heapir.ok()) return heapir.status();
  heapir_ = *std::move(heapir);
  return {};
}

}  // namespace heapglot
