#include "core/image/source_image.h"

#include <algorithm>
#include <string>
#include <utility>

#include "core/bytes/source_digest.h"
#include "core/bytes/trail.h"
#include "core/image/image_restorer.h"

namespace heapglot {
namespace {

using Body = pb::Chunk::BodyCase;

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
    piece.set_xxh3_128(image_.xxh3_128());
    data_ = image_.method() == pb::SourceImage::EMBEDDED
                ? source_.bytes()
                : std::string_view(image_.data());
    // Releases each piece at once: something else may be going on meanwhile.
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
    ImageAdder adder(wanted, out);
    HEAPGLOT_RETURN_IF_ERROR(upstream_.Read(adder.wanted(), adder));
    return adder.Finish(image_, source_);
  }

 private:
  Reader& upstream_;
  const pb::SourceImage& image_;
  const ByteSource& source_;
};

// Writes the data of the images that are sent to it.
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

pb::SourceImage WholeImage(const ByteSource& source) {
  return WholeImage(source, Xxh3Of(source, source.bytes()));
}

pb::SourceImage WholeImage(const ByteSource& source, std::string xxh3_128) {
  pb::SourceImage image;
  image.set_method(pb::SourceImage::EMBEDDED);
  image.set_size(source.bytes().size());
  image.set_xxh3_128(std::move(xxh3_128));
  return image;
}

std::unique_ptr<Reader> MakeImageReader(Reader& upstream,
                                        const pb::SourceImage& image,
                                        const ByteSource& source) {
  return std::make_unique<ImageReader>(upstream, image, source);
}

Status ImageAdder::Accept(const pb::Chunk& chunk) {
  if (chunk.has_footer()) footer_ = chunk;
  const bool is_passed = !chunk.has_source_image() && !chunk.has_footer();
  return is_passed ? out_.Accept(chunk) : Status();
}

Status ImageAdder::AcceptOwned(pb::Chunk& chunk) {
  const bool is_passed = !chunk.has_source_image() && !chunk.has_footer();
  return is_passed ? out_.AcceptOwned(chunk) : Accept(chunk);
}

Status ImageAdder::Finish(const pb::SourceImage& image,
                          const ByteSource& source) {
  HEAPGLOT_RETURN_IF_ERROR(ImagePieces(image, source, out_).Send());
  return wanted_.Includes(footer_) ? out_.AcceptOwned(footer_) : Status();
}

void ImageCollector::Add(const pb::SourceImage& piece) {
  if (is_first_) {
    image_.set_method(piece.method());
    image_.set_profile(piece.profile());
    image_.set_size(piece.size());
    image_.set_sha256(piece.sha256());
    image_.set_xxh3_128(piece.xxh3_128());
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
  // Without patches, a restorer only checks the result.
  pb::SourceImage plain = image;
  plain.clear_copy();
  ImageRestorer restorer(plain, out);
  DataSink sink(restorer);
  HEAPGLOT_RETURN_IF_ERROR(reader.Read({Body::kSourceImage}, sink));
  return restorer.Close();
}

}  // namespace heapglot
