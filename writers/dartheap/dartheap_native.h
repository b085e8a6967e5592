// The way back: a stream of the dartheap reader becomes the original file.
#ifndef HEAPGLOT_WRITERS_DARTHEAP_DARTHEAP_NATIVE_H_
#define HEAPGLOT_WRITERS_DARTHEAP_DARTHEAP_NATIVE_H_

#include <memory>

#include "heapglot/bytes.h"
#include "heapglot/context.h"
#include "heapglot/stream.h"

namespace heapglot::dartheap {

// Restores what the reader kept and leaves out what it made up, so that the
// same bytes come out, except for numbers that were longer than necessary.
// Takes other valid streams, too, and counts what they lose.
std::unique_ptr<Writer> MakeNativeWriter(ByteSink& sink, Context& context);

}  // namespace heapglot::dartheap

#endif  // HEAPGLOT_WRITERS_DARTHEAP_DARTHEAP_NATIVE_H_
