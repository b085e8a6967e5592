// The way back: a stream of the dartheap reader becomes the file it was.
#ifndef HEAPGLOT_WRITERS_DARTHEAP_DARTHEAP_NATIVE_H_
#define HEAPGLOT_WRITERS_DARTHEAP_DARTHEAP_NATIVE_H_

#include <memory>

#include "heapglot/bytes.h"
#include "heapglot/context.h"
#include "heapglot/stream.h"

namespace heapglot::dartheap {

// Puts back what the reader kept and leaves out what it made, so that the same
// bytes come out, save for numbers that were longer than they need to be.
// Takes other valid streams, too, and counts what gets lost of them.
std::unique_ptr<Writer> MakeNativeWriter(ByteSink& sink, Context& context);

}  // namespace heapglot::dartheap

#endif  // HEAPGLOT_WRITERS_DARTHEAP_DARTHEAP_NATIVE_H_
