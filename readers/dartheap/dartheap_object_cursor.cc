#include "readers/dartheap/dartheap_object_cursor.h"

namespace heapglot::dartheap {

void ObjectCursor::Refill() {
  at_ = 0;
  run_.count = 0;
  if (!takes_ahead_) return;
  run_offset_ = in_.offset();
  TakeUlebs(bytes_.substr(run_offset_), &run_);
}

void ObjectCursor::FindPlace() {
  if (at_ == run_.count) return;
  const std::uint64_t passed = in_.offset() - run_offset_;
  // A number takes at least a byte, and in most texts, every byte looks like
  // one.
  const std::size_t most =
      std::min(run_.count, at_ + (passed - run_.ends[at_ - 1]));
  const std::uint16_t* const begin = run_.ends.data();
  const std::uint16_t* const end = begin + most;
  const std::uint16_t* place = end - 1;
  if (*place != passed) place = std::lower_bound(begin + at_, end, passed);
  at_ = place != end && *place == passed
            ? static_cast<std::size_t>(place - begin) + 1
            : run_.count;
}

}  // namespace heapglot::dartheap
