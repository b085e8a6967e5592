// Makes a file again from what a writer makes of its content.
#ifndef HEAPGLOT_CORE_IMAGE_IMAGE_RESTORER_H_
#define HEAPGLOT_CORE_IMAGE_IMAGE_RESTORER_H_

#include <cstdint>
#include <string_view>

#include "core/bytes/sha256.h"
#include "core/ir/checksum.h"
#include "heapglot/bytes.h"
#include "heapglot/stream.h"

namespace heapglot {

// Applies the patches of an image to what is written to it and passes the
// result on. An image is only a claim: a result that is not the promised file
// is refused.
class ImageRestorer : public ByteSink {
 public:
  // `image` must be whole (one piece) and not EMBEDDED. Both must outlive this.
  ImageRestorer(const pb::SourceImage& image, ByteSink& out)
      : image_(image), out_(out) {}

  // Errors: those of the sink; kMalformed.
  Status Write(std::string_view bytes) override;
  // Closes the sink, too. Errors: as Write(); kMalformed if the result is not
  // the file of the image.
  Status Close() override;
  std::uint64_t position() const override { return out_.position(); }

 private:
  Status Apply(std::string_view bytes, bool at_end);
  Status Insert(std::uint64_t size);
  Status Pass(std::string_view bytes);
  bool IsAsPromised();

  const pb::SourceImage& image_;
  ByteSink& out_;
  Digest128 digest_;
  Sha256 sha256_;
  int patch_ = 0;               // the next one
  std::uint64_t done_ = 0;      // bytes that it has copied and removed
  std::uint64_t inserted_ = 0;  // bytes of image_.data() that are used up
  Status status_;
};

}  // namespace heapglot

#endif  // HEAPGLOT_CORE_IMAGE_IMAGE_RESTORER_H_
