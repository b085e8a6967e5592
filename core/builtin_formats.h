// The tables of formats that come with heapglot.
#ifndef HEAPGLOT_CORE_BUILTIN_FORMATS_H_
#define HEAPGLOT_CORE_BUILTIN_FORMATS_H_

#include <span>

#include "heapglot/format.h"

namespace heapglot {

std::span<const ReaderInfo* const> BuiltinReaders();
std::span<const WriterInfo* const> BuiltinWriters();

}  // namespace heapglot

#endif  // HEAPGLOT_CORE_BUILTIN_FORMATS_H_
