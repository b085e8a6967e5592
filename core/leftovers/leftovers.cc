#include "core/leftovers/leftovers.h"

#include <optional>
#include <string>
#include <utility>

#include "core/bytes/source_digest.h"
#include "core/bytes/spool.h"
#include "core/image/source_image.h"
#include "core/leftovers/early_leftovers.h"
#include "core/made.h"

namespace heapglot {
namespace {

using Body = pb::Chunk::BodyCase;

// ------------------------------------------------------------------- reading

// What a heapir says about itself.
class HeadSink : public ChunkSink {
 public:
  Status Accept(const pb::Chunk& chunk) override {
    if (chunk.has_header()) header_ = chunk.header();
    if (chunk.has_source_image()) image_.Add(chunk.source_image());
    return {};
  }
  const pb::Header& header() const { return header_; }
  const pb::SourceImage& image() const { return image_.image(); }

 private:
  pb::Header header_;
  ImageCollector image_;
};

LeftoversVerdict Damaged(std::string problem) {
  return {.state = LeftoversVerdict::kDamaged,
          .origin = {},
          .problem = std::move(problem)};
}

LeftoversVerdict Stale(const pb::Header& header, std::string problem) {
  return {.state = LeftoversVerdict::kStale,
          .origin = header.format(),
          .problem = std::move(problem)};
}

// What leftovers go with: everything before them, or, if they are beside the
// file, all of it.
std::string_view HostOf(const ByteSource& file, const LeftoversBlock* block) {
  return block == nullptr ? file.bytes() : file.bytes().substr(0, block->begin);
}

std::string DigestOf(const ByteSource& file, const LeftoversBlock* block) {
  return Xxh3Of(file, HostOf(file, block), [block](std::string_view part) {
    if (block != nullptr && block->pass) block->pass(part);
    return true;
  });
}

// The first pass over `source` finds all errors, whatever it is asked for.
// Findings about leftovers are not about the file.
Status ReadFirst(const ByteSource& source, const ReaderInfo& format,
                 const Limits& limits, ChunkSet wanted, ChunkSink& out) {
  Context context;
  context.limits = limits;
  const Result<std::unique_ptr<Reader>> reader =
      heapglot::Made(format.make(source, context), format.name);
  if (!reader.ok()) return reader.status();
  return (*reader)->Read(wanted, out);
}

// Whether a failure to read leftovers says nothing about them. Then the dump
// must not be taken for one without leftovers, either.
bool IsOfMachine(const Status& status) {
  return status.code() == Code::kOutput || status.code() == Code::kLimit;
}

// Whether the heapir `ir`, which is in `block` or beside the file, goes with
// `file`. Errors: those of the machine.
Result<LeftoversVerdict> Check(const ByteSource& ir,
                               const ReaderInfo& ir_format,
                               const ByteSource& file,
                               const LeftoversBlock* block,
                               const ReaderInfo& format, const Limits& limits,
                               HeadSink& head) {
  const Status status = ReadFirst(ir, ir_format, limits,
                                  {Body::kHeader, Body::kSourceImage}, head);
  if (IsOfMachine(status)) return status;
  if (!status.ok()) return Damaged(status.message());
  const pb::Header& header = head.header();
  if (!header.has_leftovers_of())
    return Damaged("they do not say which file they belong to");
  const pb::Host& host = header.leftovers_of();
  const std::uint64_t size = HostOf(file, block).size();
  if (host.format() != format.name) {
    return Stale(header, "they belong to a " + host.format() + ", not a " +
                             std::string(format.name));
  }
  if (host.size() != size) {
    return Stale(header, "they belong to " + std::to_string(host.size()) +
                             " bytes, but there are " + std::to_string(size));
  }
  if (host.xxh3_128() != DigestOf(file, block))
    return Stale(header, "the file has been changed since");
  if (block != nullptr && block->problem_behind) {
    std::string problem = block->problem_behind();
    if (!problem.empty()) return Stale(header, std::move(problem));
  }
  return LeftoversVerdict{.state = LeftoversVerdict::kIntact,
                          .origin = header.format(),
                          .problem = {}};
}

// Goes on from a heapir to the dump that is embedded in it.
Status TakeSource(const HeadSink& head, decltype(&FindReader) find,
                  const Limits& limits, EmbeddedLeftovers* found) {
  const ReaderInfo* const format = find(found->verdict.origin);
  if (format == nullptr || head.image().method() != pb::SourceImage::EMBEDDED)
    return {Code::kMalformed, "they should be a file, but are not"};
  // The reader of heapir has checked that this is in proportion to their size.
  const std::uint64_t size = head.image().size();
  if (size > limits.max_decompressed) {
    return {Code::kLimit, "the leftovers unpack to " + std::to_string(size) +
                              " bytes (--max-unpacked)"};
  }
  Context context;
  context.limits = limits;
  SpoolSink spool;
  const Result<std::unique_ptr<Reader>> reader = heapglot::Made(
      found->format->make(*found->source, context), found->format->name);
  if (!reader.ok()) return reader.status();
  HEAPGLOT_RETURN_IF_ERROR(WriteEmbedded(**reader, head.image(), spool));
  Result<std::unique_ptr<ByteSource>> source =
      spool.TakeSource(found->source->name());
  if (!source.ok()) return source.status();
  found->source = *std::move(source);
  found->format = format;
  HeadSink ignored;
  return ReadFirst(*found->source, *format, limits, {Body::kHeader}, ignored);
}

// ------------------------------------------------------------------- writing

// Sends a stream as leftovers of a host, or of none.
class LeftoversReader : public Reader {
 public:
  LeftoversReader(Reader& upstream, std::optional<pb::Host> host)
      : upstream_(upstream), host_(std::move(host)) {}

  Status Read(ChunkSet wanted, ChunkSink& out) override {
    Relabel relabel(host_, out);
    return upstream_.Read(wanted, relabel);
  }

 private:
  class Relabel : public ChunkSink {
   public:
    Relabel(const std::optional<pb::Host>& host, ChunkSink& out)
        : host_(host), out_(out) {}
    Status Accept(const pb::Chunk& chunk) override {
      if (!chunk.has_header()) return out_.Accept(chunk);
      pb::Chunk labelled = chunk;
      pb::Header& header = *labelled.mutable_header();
      if (host_)
        *header.mutable_leftovers_of() = *host_;
      else
        header.clear_leftovers_of();
      return out_.Accept(labelled);
    }
    Status AcceptOwned(pb::Chunk& chunk) override {
      return chunk.has_header() ? Accept(chunk) : out_.AcceptOwned(chunk);
    }

   private:
    const std::optional<pb::Host>& host_;
    ChunkSink& out_;
  };

  Reader& upstream_;
  const std::optional<pb::Host> host_;
};

// Cuts what is written to it into pieces.
class PieceSink : public ByteSink {
 public:
  explicit PieceSink(const std::function<Status(std::string_view)>& take)
      : take_(take) {}

  Status Write(std::string_view bytes) override {
    position_ += bytes.size();
    while (status_.ok() && !bytes.empty()) {
      const std::string_view part =
          bytes.substr(0, Leftovers::kPiece - piece_.size());
      bytes.remove_prefix(part.size());
      piece_.append(part);
      if (piece_.size() == Leftovers::kPiece) Take();
    }
    return status_;
  }
  Status Close() override {
    if (status_.ok() && !piece_.empty()) Take();
    return status_;
  }
  std::uint64_t position() const override { return position_; }

 private:
  void Take() {
    status_ = take_(piece_);
    piece_.clear();
  }

  const std::function<Status(std::string_view)>& take_;
  std::string piece_;
  std::uint64_t position_ = 0;
  Status status_;
};

// Counts bytes, and keeps them as long as they are no more than `most`.
class KeepingSink : public ByteSink {
 public:
  explicit KeepingSink(std::uint64_t most) : most_(most) {}

  Status Write(std::string_view bytes) override {
    position_ += bytes.size();
    if (position_ > most_) return {};
    // If there is no room for them, they can still be counted.
    if (!spool_.Write(bytes).ok()) most_ = 0;
    return {};
  }
  Status Close() override { return {}; }
  std::uint64_t position() const override { return position_; }

  // nullptr if they are too many, or could not be kept.
  std::unique_ptr<ByteSource> Take() {
    if (position_ > most_) return nullptr;
    Result<std::unique_ptr<ByteSource>> kept = spool_.TakeSource("leftovers");
    return kept.ok() ? *std::move(kept) : nullptr;
  }

 private:
  // For the spool: what it keeps, or what is on its way to a file.
  static constexpr std::size_t kMemory = std::size_t{64} << 10;

  std::uint64_t most_;
  std::uint64_t position_ = 0;
  SpoolSink spool_{kMemory};
};

}  // namespace

Result<EmbeddedLeftovers> FindLeftovers(const ByteSource& file,
                                        const ReaderInfo& format,
                                        const ReaderInfo& ir,
                                        decltype(&FindReader) find,
                                        const Limits& limits) {
  EmbeddedLeftovers found;
  if (format.find_leftovers == nullptr) return found;
  const std::optional<LeftoversBlock> block = format.find_leftovers(file);
  if (!block) return found;
  found.begin = block->begin;
  found.size = block->end - block->begin;
  SpoolSink spool;
  Status status = block->unpack(spool);
  if (status.code() == Code::kMalformed) {
    found.verdict = Damaged(status.message());
    return found;
  }
  if (!status.ok()) return status;
  Result<std::unique_ptr<ByteSource>> source = spool.TakeSource(file.name());
  if (!source.ok()) return source.status();
  HeadSink head;
  Result<LeftoversVerdict> verdict =
      Check(**source, ir, file, &*block, format, limits, head);
  if (!verdict.ok()) return verdict.status();
  found.verdict = *std::move(verdict);
  if (found.verdict.state != LeftoversVerdict::kIntact) return found;
  found.source = *std::move(source);
  found.format = &ir;
  if (!head.header().is_source_only()) return found;
  status = TakeSource(head, find, limits, &found);
  if (status.ok()) return found;
  if (IsOfMachine(status)) return status;
  found.verdict = Damaged(status.message());
  found.source = nullptr;
  return found;
}

Result<LeftoversVerdict> CheckSidecar(const ByteSource& sidecar,
                                      const ByteSource& file,
                                      const ReaderInfo& format,
                                      const ReaderInfo& ir,
                                      const Limits& limits) {
  HeadSink head;
  Result<LeftoversVerdict> verdict =
      Check(sidecar, ir, file, nullptr, format, limits, head);
  if (verdict.ok() && head.header().is_source_only())
    return Damaged("they are not the whole dump");
  return verdict;
}

std::unique_ptr<Reader> MakeUnlabelledReader(Reader& upstream) {
  return std::make_unique<LeftoversReader>(upstream, std::nullopt);
}

Status LeftoversMaker::Send(
    const std::function<Status(std::string_view piece)>& take) {
  PieceSink pieces(take);
  HEAPGLOT_RETURN_IF_ERROR(WriteTo(pieces));
  HEAPGLOT_RETURN_IF_ERROR(pieces.Close());
  is_sent_ = true;
  return {};
}

Status LeftoversMaker::WriteTo(ByteSink& sidecar) {
  pb::Host host;
  host.set_format(std::string(format_));
  host.set_size(file_.position());
  host.set_xxh3_128(file_.digest());
  if (original_file_ != nullptr && ir_.relabel != nullptr) {
    const Result<bool> is_written = ir_.relabel(*original_file_, host, sidecar);
    if (!is_written.ok()) return is_written.status();
    if (*is_written) return {};
  }
  LeftoversReader reader(original_, std::move(host));
  if (const ByteSource* const made = Made()) {
    HeadSink head;
    HEAPGLOT_RETURN_IF_ERROR(reader.Read({Body::kHeader}, head));
    return ir_.replace_header(*made, head.header(), sidecar);
  }
  Context context;  // nothing is lost on the way into the IR
  context.limits = limits_;
  const std::unique_ptr<Writer> writer = ir_.make(sidecar, {}, context);
  return RunPasses(reader, *writer, limits_.max_threads);
}

Result<std::uint64_t> LeftoversMaker::Measure(std::uint64_t most) {
  const bool is_slow = original_file_ == nullptr && Made() == nullptr;
  KeepingSink sink(is_slow && ir_.replace_header != nullptr ? most : 0);
  HEAPGLOT_RETURN_IF_ERROR(WriteTo(sink));
  kept_ = sink.Take();
  return sink.position();
}

const ByteSource* LeftoversMaker::Made() {
  if (ir_.replace_header == nullptr) return nullptr;
  if (kept_ != nullptr) return kept_.get();
  return early_ != nullptr ? early_->Finish() : nullptr;
}

}  // namespace heapglot
