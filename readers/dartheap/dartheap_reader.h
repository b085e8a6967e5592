// Reads heap snapshots of the Dart VM. Layout, sources, quirks and memory:
// README.md beside this.
#ifndef HEAPGLOT_READERS_DARTHEAP_DARTHEAP_READER_H_
#define HEAPGLOT_READERS_DARTHEAP_DARTHEAP_READER_H_

#include "heapglot/format.h"

namespace heapglot {

extern const ReaderInfo kDartheapReader;
// What its findings mean to those who write such files.
extern const Validator kDartheapValidator;

}  // namespace heapglot

#endif  // HEAPGLOT_READERS_DARTHEAP_DARTHEAP_READER_H_
