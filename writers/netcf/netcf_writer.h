// Writes GC logs of the .NET Compact Framework. What a heap looks like in one:
// README.md beside this.
#ifndef HEAPGLOT_WRITERS_NETCF_NETCF_WRITER_H_
#define HEAPGLOT_WRITERS_NETCF_NETCF_WRITER_H_

#include "heapglot/format.h"

namespace heapglot {

extern const WriterInfo kNetcfWriter;

}  // namespace heapglot

#endif  // HEAPGLOT_WRITERS_NETCF_NETCF_WRITER_H_
