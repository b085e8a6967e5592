// Byte identity: what a stream says about the bytes of its source.
#ifndef HEAPGLOT_CORE_IMAGE_SOURCE_IMAGE_H_
#define HEAPGLOT_CORE_IMAGE_SOURCE_IMAGE_H_

#include <memory>
#include <string>

#include "heapglot/bytes.h"
#include "heapglot/stream.h"

namespace heapglot {

// An image that is `source` as it is: EMBEDDED (without the data).
pb::SourceImage WholeImage(const ByteSource& source);
// The same if `xxh3_128` is the digest of `source`, which is then not read.
pb::SourceImage WholeImage(const ByteSource& source, std::string xxh3_128);

// A reader that sends what `upstream` sends, with `image` after the graphs, in
// place of any image there. Reads `source` if the image is EMBEDDED. All
// arguments must outlive the reader.
std::unique_ptr<Reader> MakeImageReader(Reader& upstream,
                                        const pb::SourceImage& image,
                                        const ByteSource& source);

// Passes on a pass that will get an image: without any image there, and without
// the footer, which follows the image at the end.
class ImageAdder : public ChunkSink {
 public:
  // For a caller that wants `wanted`.
  ImageAdder(ChunkSet wanted, ChunkSink& out) : wanted_(wanted), out_(out) {}

  // What must be read for that.
  ChunkSet wanted() const { return wanted_ | ChunkSet{pb::Chunk::kFooter}; }
  Status Accept(const pb::Chunk& chunk) override;
  Status AcceptOwned(pb::Chunk& chunk) override;
  // Call this once everything was read. Reads `source` if `image` is EMBEDDED.
  Status Finish(const pb::SourceImage& image, const ByteSource& source);

 private:
  const ChunkSet wanted_;
  ChunkSink& out_;
  pb::Chunk footer_;
};

// Puts the pieces of an image together, except for the data of an EMBEDDED one.
class ImageCollector {
 public:
  void Add(const pb::SourceImage& piece);
  // Method NONE if there was none.
  const pb::SourceImage& image() const { return image_; }

 private:
  bool is_first_ = true;
  pb::SourceImage image_;
};

// Writes the source that is embedded in the stream of `reader`.
// Errors: those of both; kMalformed if it is not the file that `image`
// describes.
Status WriteEmbedded(Reader& reader, const pb::SourceImage& image,
                     ByteSink& out);

}  // namespace heapglot

#endif  // HEAPGLOT_CORE_IMAGE_SOURCE_IMAGE_H_
