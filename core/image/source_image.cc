#include "core/image/source_image.h"

#include <algorithm>
#include <string>
#include <utility>

#include "core/bytes/source_digest.h"
#include "core/bytes/trail.h"
#include "core/image/image_recorder.h"
#include "core/image/image_restorer.h"
#include "core/made.h"

namespace heapglot {
namespace {

using Body = pb::Chunk::BodyCase;

// Above these, the source itself is the better patch: it needs no memory.
constexpr std::uint64_t kMaxPatches = std::uint64_t{32} << 20;
constexpr std::uint64_t kFreePatches = 4096;

// Tells errors of the reader from those of the writer.
class UpstreamErrors : public Reader {
 public:
  explicit UpstreamErrors(Reader& upstream) : upstream_(upstream) {}

  Status Read(ChunkSet wanted, ChunkSink& out) override {
    Tap tap(out);
    Status status = upstream_.Read(wanted, tap);
    if (!status.ok() && tap.ok) error_ = status;
    return status;
  }
  const Status& error() const { return error_; }

 private:
  struct Tap : ChunkSink {
    explicit Tap(ChunkSink& sink) : out(sink) {}
    Status Accept(const pb::Chunk& chunk) override {
      Status status = out.Accept(chunk);
      ok = status.ok();
      return status;
    }
    Status AcceptOwned(pb::Chunk& chunk) override {
      Status status = out.AcceptOwned(chunk);
      ok = status.ok();
      return status;
    }
    ChunkSink& out;
    bool ok = true;
  };

  Reader& upstream_;
  Status error_;
};

// Sends an image in pieces.
class ImagePieces {
 public:
  ImagePieces(const pb::SourceImage& image, const ByteSource& source,
              ChunkSink& out)
      : image_(image), source_(source), out_(out) {}

  Status Send() {
    pb::SourceImage& piece = *chunk_.mutable_source_image();
    piece.set_method(image_.method());
    piece.set_profile(image_.profile());
    piece.set_size(image_.size());
    piece.set_sha256(image_.sha256());
    data_ = image_.method() == pb::SourceImage::EMBEDDED
                ? source_.bytes()
                : std::string_view(image_.data());
    // Right behind a piece: this may be done beside something else.
    Trail trail(source_, 0, kChunkText);
    do {
      AddPatches(piece);
      const std::string_view data = data_.substr(0, kChunkText);
      data_.remove_prefix(data.size());
      piece.set_data(data.data(), data.size());
      if (image_.method() == pb::SourceImage::EMBEDDED)
        trail.Advance(source_.bytes().size() - data_.size());
      piece.set_continued(patch_ < image_.copy_size() || !data_.empty());
      HEAPGLOT_RETURN_IF_ERROR(out_.Accept(chunk_));
      piece.Clear();
    } while (patch_ < image_.copy_size() || !data_.empty());
    return {};
  }

 private:
  void AddPatches(pb::SourceImage& piece) {
    const int end =
        std::min(image_.copy_size(), patch_ + static_cast<int>(kChunkRows));
    for (; patch_ < end; ++patch_) {
      piece.add_copy(image_.copy(patch_));
      piece.add_remove(image_.remove(patch_));
      piece.add_insert(image_.insert(patch_));
    }
  }

  const pb::SourceImage& image_;
  const ByteSource& source_;
  ChunkSink& out_;
  pb::Chunk chunk_;
  int patch_ = 0;
  std::string_view data_;  // that is left
};

class ImageReader : public Reader {
 public:
  ImageReader(Reader& upstream, const pb::SourceImage& image,
              const ByteSource& source)
      : upstream_(upstream), image_(image), source_(source) {}

  Status Read(ChunkSet wanted, ChunkSink& out) override {
    if (!wanted.Has(Body::kSourceImage)) return upstream_.Read(wanted, out);
    Inserter inserter(*this, wanted, out);
    return upstream_.Read(wanted | ChunkSet{Body::kHeader}, inserter);
  }

 private:
  class Inserter : public ChunkSink {
   public:
    Inserter(ImageReader& reader, ChunkSet wanted, ChunkSink& out)
        : reader_(reader), wanted_(wanted), out_(out) {}
    Status Accept(const pb::Chunk& chunk) override {
      if (chunk.has_source_image()) return {};
      if (!chunk.has_header()) return out_.Accept(chunk);
      if (wanted_.Includes(chunk)) {
        HEAPGLOT_RETURN_IF_ERROR(out_.Accept(chunk));
      }
      return ImagePieces(reader_.image_, reader_.source_, out_).Send();
    }
    Status AcceptOwned(pb::Chunk& chunk) override {
      const bool is_passed = !chunk.has_source_image() && !chunk.has_header();
      return is_passed ? out_.AcceptOwned(chunk) : Accept(chunk);
    }

   private:
    ImageReader& reader_;
    ChunkSet wanted_;
    ChunkSink& out_;
  };

  Reader& upstream_;
  const pb::SourceImage& image_;
  const ByteSource& source_;
};

// Writes the data of the images that it is sent.
class DataSink : public ChunkSink {
 public:
  explicit DataSink(ByteSink& out) : out_(out) {}
  Status Accept(const pb::Chunk& chunk) override {
    return out_.Write(chunk.source_image().data());
  }

 private:
  ByteSink& out_;
};

}  // namespace

Result<pb::SourceImage> RecordImage(Reader& reader, const ByteSource& source,
                                    const WriterInfo& writer,
                                    const Limits& limits) {
  const std::string_view bytes = source.bytes();
  WriterOptions options;
  options.native = true;
  if (writer.profile != nullptr) options.profile = writer.profile(source);
  Context context;  // nothing of this try is to be reported
  context.limits = limits;
  ImageRecorder recorder(
      source,
      std::min<std::uint64_t>(kMaxPatches, kFreePatches + bytes.size() / 4));
  SourceDigest digest(source);
  if (limits.max_threads > 1) digest.Start();
  UpstreamErrors upstream(reader);
  const Result<std::unique_ptr<Writer>> out =
      Made(writer.make(recorder, options, context), writer.name);
  if (!out.ok()) return out.status();
  Status status = RunPasses(upstream, **out, limits.max_threads);
  if (!upstream.error().ok()) return upstream.error();
  if (status.ok()) status = recorder.Close();
  // No answer at all: another day it would be another one.
  if (status.code() == Code::kOutput) return status;
  Result<std::string> sha256 = digest.Finish();
  if (!sha256.ok()) return sha256.status();
  pb::SourceImage image = WholeImage(source, *std::move(sha256));
  if (!status.ok()) return image;
  const pb::SourceImage& recorded = recorder.image();
  image.clear_method();
  image.MergeFrom(recorded);
  image.set_profile(options.profile);
  return image;
}

pb::SourceImage WholeImage(const ByteSource& source) {
  // Without a thread it cannot fail.
  return WholeImage(source, *SourceDigest(source).Finish());
}

pb::SourceImage WholeImage(const ByteSource& source, std::string sha256) {
  pb::SourceImage image;
  image.set_method(pb::SourceImage::EMBEDDED);
  image.set_size(source.bytes().size());
  image.set_sha256(std::move(sha256));
  return image;
}

std::unique_ptr<Reader> MakeImageReader(Reader& upstream,
                                        const pb::SourceImage& image,
                                        const ByteSource& source) {
  return std::make_unique<ImageReader>(upstream, image, source);
}

void ImageCollector::Add(const pb::SourceImage& piece) {
  if (is_first_) {
    image_.set_method(piece.method());
    image_.set_profile(piece.profile());
    image_.set_size(piece.size());
    image_.set_sha256(piece.sha256());
  }
  is_first_ = false;
  image_.mutable_copy()->MergeFrom(piece.copy());
  image_.mutable_remove()->MergeFrom(piece.remove());
  image_.mutable_insert()->MergeFrom(piece.insert());
  if (image_.method() != pb::SourceImage::EMBEDDED) {
    image_.mutable_data()->append(piece.data());
  }
}

Status WriteEmbedded(Reader& reader, const pb::SourceImage& image,
                     ByteSink& out) {
  // Without patches a restorer only checks the result.
  pb::SourceImage plain = image;
  plain.clear_copy();
  ImageRestorer restorer(plain, out);
  DataSink sink(restorer);
  HEAPGLOT_RETURN_IF_ERROR(reader.Read({Body::kSourceImage}, sink));
  return restorer.Close();
}

}  // namespace heapglot
