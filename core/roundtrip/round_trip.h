// What becomes of a dump that is converted to another format and back.
#ifndef HEAPGLOT_CORE_ROUNDTRIP_ROUND_TRIP_H_
#define HEAPGLOT_CORE_ROUNDTRIP_ROUND_TRIP_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/compare/stream_compare.h"
#include "heapglot/bytes.h"
#include "heapglot/context.h"
#include "heapglot/convert.h"
#include "heapglot/format.h"
#include "heapglot/status.h"

namespace heapglot {

enum class Sameness {
  kIdentical,  // the same bytes
  kEqual,      // other bytes, of the same content
  kChanged,    // other content
  kFailed,     // it did not get there, or not back
};

// "identical", "equal", "changed", "failed".
std::string_view ToString(Sameness sameness);

// The first place at which two files differ.
struct ByteDifference {
  std::uint64_t offset = 0;
  // 1-based, in bytes; 0 for binary formats.
  std::uint64_t line = 0;
  std::uint64_t column = 0;
  // Some bytes from that offset on; empty at the end of the file.
  std::string before;
  std::string after;
};

// One conversion of a trip.
struct Leg {
  std::uint64_t size = 0;          // bytes of what came out
  std::uint64_t sidecar_size = 0;  // and of what came out beside it
  LossReport loss;
  std::vector<Finding> findings;
};

struct RoundTrip {
  const WriterInfo* via = nullptr;  // as given to TakeRoundTrip()
  Sameness sameness = Sameness::kIdentical;
  Leg there;
  Leg back;
  std::optional<ByteDifference> bytes;  // unless identical or failed
  StreamDifference content;             // kChanged
  Status failure;                       // kFailed
  bool failed_on_the_way_back = false;
};

struct RoundTripOptions {
  Limits limits;
  bool strict = false;  // when the input is read
  // The intermediate carries leftovers, or has a sidecar if it has no room for
  // them.
  bool embed = true;
  // Like Context::progress. May be empty.
  std::function<void(std::string_view phase, std::uint64_t done,
                     std::uint64_t total)>
      progress;
  StreamCompareOptions compare;
};

// Whether a dump can be converted to a format and back.
bool CanReturn(const WriterInfo& via);

// Converts `source`, which must be of `format` and readable, to `via`, and the
// result back to its format, and compares that with `source`.
// The intermediate and, if it differs, the result are in memory up to 16 MiB,
// otherwise in unlinked temporary files. Memory: that of Convert() and of
// CompareStreams().
// Errors: those that are not properties of formats and input: kLimit, kOutput,
// kInput. All others are kFailed.
Result<RoundTrip> TakeRoundTrip(const ByteSource& source,
                                const ReaderInfo& format, const WriterInfo& via,
                                const RoundTripOptions& options);

// The sort of the outcome of a trip: two dumps with the same sort show the same
// defect. It has the names of tables and columns that changed, or the failure.
std::string SortOf(const RoundTrip& trip);

}  // namespace heapglot

#endif  // HEAPGLOT_CORE_ROUNDTRIP_ROUND_TRIP_H_
