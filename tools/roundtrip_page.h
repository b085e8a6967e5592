// The output of `heapglot roundtrip`, for people and for machines.
#ifndef HEAPGLOT_TOOLS_ROUNDTRIP_PAGE_H_
#define HEAPGLOT_TOOLS_ROUNDTRIP_PAGE_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/roundtrip/round_trip.h"
#include "tools/flags.h"
#include "tools/page.h"

namespace heapglot::tool {

struct RoundTrips {
  std::uint64_t nodes = 0;  // of the input, all graphs
  std::uint64_t edges = 0;
  std::vector<RoundTrip> trips;  // in the order of --via
  bool is_exact = false;         // other bytes count as a difference

  bool Differs(const RoundTrip& trip) const {
    return trip.sameness > Sameness::kEqual ||
           (is_exact && trip.sameness == Sameness::kEqual);
  }
  bool HasDifference() const {
    for (const RoundTrip& trip : trips) {
      if (Differs(trip)) return true;
    }
    return false;
  }
};

// A table of all trips, and a section for each that brought back other bytes.
std::string RoundTripPage(const RoundTrips& trips, const OpenInput& input,
                          const PageStyle& style);

// Bytes as text: what is not printable ASCII as \xNN.
std::string EscapeBytes(std::string_view bytes);

// docs/roundtrip.md has the keys.
std::string RoundTripJson(const RoundTrips& trips, const OpenInput& input);

}  // namespace heapglot::tool

#endif  // HEAPGLOT_TOOLS_ROUNDTRIP_PAGE_H_
