// Byte identity: what a stream says about the bytes of its source.
#ifndef HEAPGLOT_CORE_IMAGE_SOURCE_IMAGE_H_
#define HEAPGLOT_CORE_IMAGE_SOURCE_IMAGE_H_

#include <memory>
#include <string>

#include "heapglot/bytes.h"
#include "heapglot/stream.h"

namespace heapglot {

// An image that is `source` as it stands: EMBEDDED (without the data).
pb::SourceImage WholeImage(const ByteSource& source);
// The same, `xxh3_128` being its digest: does not read it.
pb::SourceImage WholeImage(const ByteSource& source, std::string xxh3_128);

// A reader that shows what `upstream` shows, with `image` behind the graphs in place
// of the one that may be there. `source` is read if the image is EMBEDDED. All
// must outlive the reader.
std::unique_ptr<Reader> MakeImageReader(Reader& upstream,
                                        const pb::SourceImage& image,
                                        const ByteSource& source);

// Passes a pass on that shall have an image: without the one that may be there, and
// with the footer behind the image, which is needed at the end only.
class ImageAdder : public ChunkSink {
 public:
  // For who wants `wanted`.
  ImageAdder(ChunkSet wanted, ChunkSink& out) : wanted_(wanted), out_(out) {}

  // What has to be read for it.
  ChunkSet wanted() const { return wanted_ | ChunkSet{pb::Chunk::kFooter}; }
  Status Accept(const pb::Chunk& chunk) override;
  Status AcceptOwned(pb::Chunk& chunk) override;
  // Once all was read. `source` is read if `image` is EMBEDDED.
  Status Finish(const pb::SourceImage& image, const ByteSource& source);

 private:
  const ChunkSet wanted_;
  ChunkSink& out_;
  pb::Chunk footer_;
};

// Puts the pieces of an image together, but for the data of an EMBEDDED one.
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
// Errors: those of both; kMalformed if it is not the file that `image` is of.
Status WriteEmbedded(Reader& reader, const pb::SourceImage& image,
                     ByteSink& out);

}  // namespace heapglot

#endif  // HEAPGLOT_CORE_IMAGE_SOURCE_IMAGE_H_
