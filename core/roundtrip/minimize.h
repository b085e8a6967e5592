// The smallest part of a dump that still shows a defect.
#ifndef HEAPGLOT_CORE_ROUNDTRIP_MINIMIZE_H_
#define HEAPGLOT_CORE_ROUNDTRIP_MINIMIZE_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "core/roundtrip/round_trip.h"
#include "heapglot/bytes.h"
#include "heapglot/format.h"

namespace heapglot {

struct MinimizeOptions {
  RoundTripOptions trip;
  std::uint64_t max_tries = 2000;
  // Called after each try, with the size of the smallest part so far. May be
  // empty.
  std::function<void(std::uint64_t tries, std::uint64_t nodes,
                     std::uint64_t size)>
      progress;
};

struct MinimizedDump {
  // A file of the format that shows what was asked for. nullptr if not even the
  // whole dump shows it once it is written anew: what was seen then came from
  // the spelling of the file.
  std::unique_ptr<ByteSource> dump;
  RoundTrip trip;  // of what was written
  // The names that differ on the trip of the source
  // (StreamDifference::Names()), but no longer when all of it is written anew:
  // they come from its spelling.
  std::vector<std::string> of_spelling;
  std::uint64_t nodes = 0;  // of `dump`, and below
  std::uint64_t edges = 0;
  std::uint64_t tries = 0;
  bool is_minimal = false;  // no try is left; else `max_tries` were made
};

// Makes `source`, of `format`, smaller as long as a trip to `shown.via` and
// back shows the same (SortOf()) as `shown`, which is the trip of `source`. If
// some of the differences vanish when it is written anew, "the same" is what is
// left then.
//
// Delta debugging: nodes first, in large parts (so that a large dump soon
// becomes small), then whole tables, edges, rows of the others, types, and
// strings. Every try writes a file and takes a trip; each one that succeeds is
// the input of the next, so the first ones take as long as three trips of
// `source`, and the rest next to nothing.
// Memory: that of a trip, and 1.1 bits for each row.
// Errors: as TakeRoundTrip().
Result<MinimizedDump> Minimize(const ByteSource& source,
                               const ReaderInfo& format, const RoundTrip& shown,
                               const MinimizeOptions& options);

}  // namespace heapglot

#endif  // HEAPGLOT_CORE_ROUNDTRIP_MINIMIZE_H_
