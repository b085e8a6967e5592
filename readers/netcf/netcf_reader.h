// Reads GC logs of the .NET Compact Framework. Layout, sources, quirks and
// memory: README.md beside this.
#ifndef HEAPGLOT_READERS_NETCF_NETCF_READER_H_
#define HEAPGLOT_READERS_NETCF_NETCF_READER_H_

#include "heapglot/format.h"

namespace heapglot {

extern const ReaderInfo kNetcfReader;
// What its findings mean to those who write such files.
extern const Validator kNetcfValidator;

}  // namespace heapglot

#endif  // HEAPGLOT_READERS_NETCF_NETCF_READER_H_
