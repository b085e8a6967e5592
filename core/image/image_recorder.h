// Finds out how to make a file from what a writer makes of its content.
#ifndef HEAPGLOT_CORE_IMAGE_IMAGE_RECORDER_H_
#define HEAPGLOT_CORE_IMAGE_IMAGE_RECORDER_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/bytes/trail.h"
#include "core/ir/checksum.h"
#include "heapglot/bytes.h"
#include "heapglot/stream.h"

namespace heapglot {

// Compares what is written to it with `source` and keeps the differences as
// patches (pb::SourceImage). After a difference, it looks for the place where
// both match again in the next 64 KiB of either, nearest first, and gives up
// when that takes too long in proportion to the source.
// What goes Ahead() is compared as a whole, without patches, by a digest that
// nobody can predict.
// Memory: 128 KiB, and the patches.
class ImageRecorder : public ByteSink {
 public:
  // kAny: a part of the output may go Ahead().
  enum class Order { kAny, kThatOfTheSource };

  // `source` must outlive this. Patches that take more than `max_cost` bytes
  // are not worth it.
  ImageRecorder(const ByteSource& source, std::uint64_t max_cost,
                Order order = Order::kThatOfTheSource)
      : source_(source.bytes()),
        trail_(source),
        max_cost_(max_cost),
        order_(order) {}

  // Errors: kCancelled once the patches, or the time that they take, are not
  // worth it.
  Status Write(std::string_view bytes) override;
  // Takes the rest of the source. Errors: as Write().
  Status Close() override;
  std::uint64_t position() const override { return position_; }
  ByteSink* Ahead() override;
  // Errors: as Write(); kCancelled if it is not the same.
  Status TakeAhead() override;

  // Whether it failed because of what went Ahead(). Then patches may still be
  // found with Order::kThatOfTheSource.
  bool needs_order() const { return needs_order_; }
  // After Close(): complete except for the profile; VERIFIED or PATCHED.
  const pb::SourceImage& image() const { return image_; }

 private:
  class Part : public ByteSink {
   public:
    Status Write(std::string_view bytes) override;
    Status Close() override { return {}; }
    std::uint64_t position() const override { return size_; }
    Hash128 hash() const { return digest_.hash(); }

   private:
    Digest128 digest_{SeedOfParts()};
    std::uint64_t size_ = 0;
  };
  static std::uint64_t SeedOfParts();
  // The same text follows after `output` bytes of the output and `source` bytes
  // of the source.
  struct Alignment {
    std::size_t output;
    std::size_t source;
  };

  Status Drain(bool at_end);
  Status Resync(bool at_end);
  bool TakePart(const Part& part);
  bool IsTooMuchWork() const;
  std::size_t FindSlot(std::string_view source, const char* gram);
  bool FindAlignment(std::string_view output, std::string_view source,
                     Alignment* found);
  Status AddPatch(const Alignment& patch);
  std::string_view Rest() const { return source_.substr(source_position_); }
  // Takes what is the same in both; returns its length.
  std::size_t Match(std::string_view output);
  void Advance(std::size_t size);

  std::string_view source_;
  Trail trail_;  // at source_position_
  const std::uint64_t max_cost_;
  const Order order_;
  Part ahead_;
  bool needs_order_ = false;
  std::uint64_t position_ = 0;
  std::size_t source_position_ = 0;
  std::uint64_t copied_ = 0;  // bytes since the last patch
  std::uint64_t cost_ = 0;
  std::uint64_t work_ = 0;  // bytes and slots seen while looking for alignments
  std::string pending_;     // output that differs from the source
  std::size_t pending_begin_ = 0;
  std::size_t window_ = 0;  // how much output to wait for; an index
  std::vector<std::uint32_t> table_;
  Digest128 digest_;  // of the source up to source_position_
  pb::SourceImage image_;
  Status status_;
};

}  // namespace heapglot

#endif  // HEAPGLOT_CORE_IMAGE_IMAGE_RECORDER_H_
