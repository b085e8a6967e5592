// Dart VM heap snapshots. Form and choices: README.md beside this.
#ifndef HEAPGLOT_WRITERS_DARTHEAP_DARTHEAP_WRITER_H_
#define HEAPGLOT_WRITERS_DARTHEAP_DARTHEAP_WRITER_H_

#include "heapglot/format.h"

namespace heapglot {

extern const WriterInfo kDartheapWriter;

}  // namespace heapglot

#endif  // HEAPGLOT_WRITERS_DARTHEAP_DARTHEAP_WRITER_H_
