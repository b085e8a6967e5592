// The names in a heapir file, without reading all of it.
#ifndef HEAPGLOT_READERS_HEAPIR_HEAPIR_NAMES_H_
#define HEAPGLOT_READERS_HEAPIR_HEAPIR_NAMES_H_

#include <functional>
#include <string_view>

#include "heapglot/status.h"

namespace heapglot::heapir {

// Calls `visit` for each string that may name a class or a kind (those of
// chunks with Strings.names), until it returns false. Other frames are skipped
// without unpacking, so this takes a small part of the time of a reader's pass,
// and does not tell whether the file is whole. Memory: the longest name and a
// frame.
// Errors: kMalformed, kTruncated, kLimit, kUnsupported.
Status ForEachName(std::string_view file,
                   const std::function<bool(std::string_view name)>& visit);

}  // namespace heapglot::heapir

#endif  // HEAPGLOT_READERS_HEAPIR_HEAPIR_NAMES_H_
