// Whatever a reader accepts can be written in every format, read there, and
// converted back: from the IR, and from a file with leftovers or a sidecar, to
// the same bytes.
//
// The bytes of an input select one round trip; HEAPGLOT_FUZZ_ALL_WAYS=1 takes
// all of them, for -minimize_crash.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "core/ir/checksum.h"
#include "core/roundtrip/round_trip.h"
#include "tests/fuzz/require.h"

namespace heapglot::fuzz {
namespace {

// Collects the format that an IR file says it was made from.
class OriginSink : public ChunkSink {
 public:
  Status Accept(const pb::Chunk& chunk) override {
    if (chunk.has_header()) origin_ = chunk.header().format();
    return {};
  }
  const std::string& origin() const { return origin_; }

 private:
  std::string origin_;
};

// The worst result that a round trip may have.
Sameness WorstAllowed(const ReaderInfo& format, const WriterInfo& via,
                      const std::string& origin, bool embed) {
  const bool is_ir = &format == &IrReader();
  const bool keeps_all = via.keeps_source_image || via.name == format.name;
  if (!embed && !keeps_all) return Sameness::kChanged;
  if (!is_ir) return Sameness::kIdentical;
  // A dump that returns to its origin is what it was before it became IR. The
  // layout that another program gave an IR file is not kept.
  return via.name == origin ? Sameness::kChanged : Sameness::kEqual;
}

std::string Describe(const RoundTrip& trip) {
  std::string text = SortOf(trip) + "; " + trip.failure.ToString();
  if (trip.bytes) text += "; at byte " + std::to_string(trip.bytes->offset);
  return text;
}

void FuzzTrip(const ByteSource& source, const ReaderInfo& format,
              const WriterInfo& via, const std::string& origin, bool embed) {
  RoundTripOptions options;
  options.embed = embed;
  const Result<RoundTrip> trip = TakeRoundTrip(source, format, via, options);
  const std::string title = std::string(format.name) + " via " +
                            std::string(via.name) +
                            (embed ? ": " : ", nothing embedded: ");
  if (!trip.ok()) {
    Require(trip.status().code() == Code::kLimit,
            title + trip.status().ToString());
    return;
  }
  // How to restore the source is a claim of the IR file like any other, and may
  // be wrong.
  if (&format == &IrReader() && via.name == origin &&
      trip->sameness == Sameness::kFailed) {
    Require(IsAnswer(trip->failure.code()), title + Describe(*trip));
    return;
  }
  Require(trip->sameness <= WorstAllowed(format, via, origin, embed),
          title + Describe(*trip));
}

}  // namespace

void Fuzz(std::string_view bytes) {
  static const bool all_ways = std::getenv("HEAPGLOT_FUZZ_ALL_WAYS") != nullptr;
  static const std::size_t kWays = 2 * Writers().size();
  const auto source = ByteSource::FromMemory(bytes);
  for (const ReaderInfo* const format : Readers()) {
    Context context;
    const auto reader = format->make(*source, context);
    OriginSink origin;
    if (!ReadChecked(*reader, bytes.size(), ChunkSet::All(), &origin).ok())
      continue;
    for (std::size_t way = 0; way < kWays; ++way) {
      if (!all_ways && way != Checksum(bytes) % kWays) continue;
      const bool embed = way % 2 != 0;
      FuzzTrip(*source, *format, *Writers()[way / 2], origin.origin(), embed);
    }
  }
}

}  // namespace heapglot::fuzz
