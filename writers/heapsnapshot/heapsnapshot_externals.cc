#include "writers/heapsnapshot/heapsnapshot_externals.h"

namespace heapglot::heapsnapshot {

void Externals::Add(std::uint64_t holder, const Piece& piece) {
  omitted_ += holder == kOmitted ? 1 : 0;
  dangling_ += holder == kDangling ? 1 : 0;
  by_holder_.Add({holder, pieces_.size()});
  pieces_.Add(piece);
}

void Externals::Finish() {
  by_holder_.TakeAll([this](const Held& held) { held_.Add(held); });
}

const Status& Externals::status() const {
  if (!pieces_.status().ok()) return pieces_.status();
  return by_holder_.status().ok() ? held_.status() : by_holder_.status();
}

}  // namespace heapglot::heapsnapshot
