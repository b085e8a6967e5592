// Byte identity: what a stream says about the bytes of its source.
#ifndef HEAPGLOT_CORE_IMAGE_SOURCE_IMAGE_H_
#define HEAPGLOT_CORE_IMAGE_SOURCE_IMAGE_H_

#include <memory>
#include <string>

#include "heapglot/format.h"

namespace heapglot {

// Tries what `writer`, of the source's own format, makes of the stream of
// `reader`, and says how to make the bytes of `source` from that: VERIFIED,
// PATCHED, or, where the patches would be large, EMBEDDED (without the data).
// Reads the stream as often as the writer does.
// Errors: those of the reader, and kOutput if the writer needs a temporary file
// that cannot be written. What else it cannot do makes it EMBEDDED.
Result<pb::SourceImage> RecordImage(Reader& reader, const ByteSource& source,
                                    const WriterInfo& writer,
                                    const Limits& limits);

// An image that is `source` as it stands: EMBEDDED (without the data).
pb::SourceImage WholeImage(const ByteSource& source);
// The same, `sha256` being its digest: does not read it.
pb::SourceImage WholeImage(const ByteSource& source, std::string sha256);

// A reader that shows what `upstream` shows, with an image behind the header in
// place of the one that may be there. `source` is read if the image is
// EMBEDDED. All must outlive the reader.
std::unique_ptr<Reader> MakeImageReader(Reader& upstream,
                                        const pb::SourceImage& image,
                                        const ByteSource& source);

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
