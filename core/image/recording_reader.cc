#include "core/image/recording_reader.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>

#include "core/image/image_recorder.h"
#include "core/image/source_image.h"
#include "core/made.h"
#include "core/read_ahead.h"

namespace heapglot {
namespace {

using Body = pb::Chunk::BodyCase;

// If patches are larger, the source itself is the better one: it needs no
// memory.
constexpr std::uint64_t kMaxPatches = std::uint64_t{32} << 20;
constexpr std::uint64_t kFreePatches = 4096;

// Shows chunks to the writer that is tried, as long as it takes them, and
// passes them on.
class Tee : public ChunkSink {
 public:
  Tee(ChunkSet wanted, Writer& writer, ChunkSink& out)
      : wanted_(wanted), writer_(writer), out_(out) {}

  Status Accept(const pb::Chunk& chunk) override {
    Show(chunk);
    return out_.Accept(chunk);
  }
  Status AcceptOwned(pb::Chunk& chunk) override {
    Show(chunk);
    return out_.AcceptOwned(chunk);
  }
  // The status of the writer.
  const Status& status() const { return status_; }

 private:
  void Show(const pb::Chunk& chunk) {
    if (status_.ok() && wanted_.Includes(chunk))
      status_ = writer_.Accept(chunk);
  }

  const ChunkSet wanted_;
  Writer& writer_;
  ChunkSink& out_;
  Status status_;
};

// Tells errors of the writer that is tried from all others.
class TriedSink : public ChunkSink {
 public:
  explicit TriedSink(Writer& writer) : writer_(writer) {}

  Status Accept(const pb::Chunk& chunk) override {
    return status_ = writer_.Accept(chunk);
  }
  const Status& status() const { return status_; }

 private:
  Writer& writer_;
  Status status_;
};

class Recording : public RecordingReader {
 public:
  Recording(Reader& upstream, const ByteSource& source,
            const WriterInfo& writer, const Limits& limits)
      : upstream_(upstream),
        source_(source),
        writer_(writer),
        limits_(limits) {}

  Status Read(ChunkSet wanted, ChunkSink& out) override {
    if (!wanted.Has(Body::kSourceImage)) return upstream_.Read(wanted, out);
    ImageAdder pass(wanted, out);
    ImageAdder* left = &pass;
    if (!image_) HEAPGLOT_RETURN_IF_ERROR(RecordAlong(&left));
    if (left != nullptr)
      HEAPGLOT_RETURN_IF_ERROR(upstream_.Read(pass.wanted(), pass));
    return pass.Finish(*image_, source_);
  }

  Status Record() override {
    ImageAdder* nobody = nullptr;
    return RecordAlong(&nobody);
  }

 private:
  // Makes image_. May read `*pass` along with that; then it becomes nullptr.
  Status RecordAlong(ImageAdder** pass);
  // The same, unless `*needs_order` becomes true.
  Status RecordIn(ImageRecorder::Order order, ImageAdder** pass,
                  bool* needs_order);
  // Has `writer` write the stream. Its own errors go to `*tried`.
  Status Try(Writer& writer, ImageAdder** pass, Status* tried);

  Reader& upstream_;
  const ByteSource& source_;
  const WriterInfo& writer_;
  const Limits& limits_;
  std::optional<pb::SourceImage> image_;
};

Status Recording::RecordAlong(ImageAdder** pass) {
  bool needs_order = false;
  HEAPGLOT_RETURN_IF_ERROR(
      RecordIn(ImageRecorder::Order::kAny, pass, &needs_order));
  if (!needs_order) return {};
  return RecordIn(ImageRecorder::Order::kThatOfTheSource, pass, &needs_order);
}

Status Recording::RecordIn(ImageRecorder::Order order, ImageAdder** pass,
                           bool* needs_order) {
  const std::uint64_t size = source_.bytes().size();
  WriterOptions options;
  options.native = true;
  if (writer_.profile != nullptr) options.profile = writer_.profile(source_);
  Context context;  // nothing of this try is to be reported
  context.limits = limits_;
  ImageRecorder recorder(
      source_, std::min<std::uint64_t>(kMaxPatches, kFreePatches + size / 4),
      order);
  const Result<std::unique_ptr<Writer>> writer =
      Made(writer_.make(recorder, options, context), writer_.name);
  if (!writer.ok()) return writer.status();
  Status tried;
  HEAPGLOT_RETURN_IF_ERROR(Try(**writer, pass, &tried));
  if (tried.ok()) tried = recorder.Close();
  // This says nothing about the source: next time it may succeed.
  if (tried.code() == Code::kOutput) return tried;
  *needs_order = recorder.needs_order();
  if (*needs_order) return {};
  if (tried.ok()) {
    image_ = recorder.image();
    image_->set_profile(options.profile);
  } else {
    image_ = WholeImage(source_);
  }
  return {};
}

Status Recording::Try(Writer& writer, ImageAdder** pass, Status* tried) {
  constexpr ChunkSet kMost = {Body::kNodes, Body::kEdges};
  for (int number = 0; tried->ok(); ++number) {
    const ChunkSet wanted = writer.Wanted(number);
    if (wanted.empty()) {
      *tried = writer.Finish();
      return {};
    }
    const bool is_most = (wanted & kMost) == kMost;
    if (is_most && *pass != nullptr && (wanted & (*pass)->wanted()) == wanted) {
      Tee tee(wanted, writer, **pass);
      HEAPGLOT_RETURN_IF_ERROR(upstream_.Read((*pass)->wanted(), tee));
      *pass = nullptr;
      *tried = tee.status();
    } else {
      TriedSink sink(writer);
      const Status status =
          ReadAhead(upstream_, wanted, sink, limits_.max_threads);
      *tried = sink.status();
      if (tried->ok()) HEAPGLOT_RETURN_IF_ERROR(status);
    }
  }
  return {};
}

}  // namespace

std::unique_ptr<RecordingReader> MakeRecordingReader(Reader& upstream,
                                                     const ByteSource& source,
                                                     const WriterInfo& writer,
                                                     const Limits& limits) {
  return std::make_unique<Recording>(upstream, source, writer, limits);
}

}  // namespace heapglot
