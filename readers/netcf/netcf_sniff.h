// Whether an input is a GC log.
#ifndef HEAPGLOT_READERS_NETCF_NETCF_SNIFF_H_
#define HEAPGLOT_READERS_NETCF_NETCF_SNIFF_H_

#include <string_view>

#include "heapglot/format.h"

namespace heapglot::netcf {

// Decides by the first records in the first bytes of an input. README.md says
// what must not be taken for a log.
Sniff SniffLog(std::string_view head);

}  // namespace heapglot::netcf

#endif  // HEAPGLOT_READERS_NETCF_NETCF_SNIFF_H_
