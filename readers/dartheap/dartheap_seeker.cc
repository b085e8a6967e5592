#include "readers/dartheap/dartheap_seeker.h"

#include <algorithm>

namespace heapglot::dartheap {

Cursor Seeker::ReadReferences(std::uint64_t object, ObjectHead* head,
                              Copy* copy) {
  const Place place = Find(object, head);
  if (IsMapped(place.in)) return place.in;
  Cursor end = place.in;
  end.SkipUlebs(head->reference_count);
  if (!end.ok()) {
    strays_.Note(place.offset);
    return Cursor(bytes_, place.offset);
  }
  // A few bytes more, because numbers right at the end take longer to read.
  const std::size_t size = end.offset() - place.in.offset();
  const std::size_t more = std::min<std::size_t>(end.left(), 8);
  const std::size_t copied = std::min(size + more, copy->size());
  std::copy_n(place.in.data(), copied, copy->data());
  return Cursor(std::string_view(copy->data(), copied));
}

Seeker::Place Seeker::Find(std::uint64_t object, ObjectHead* head) {
  Checkpoint at = index_.checkpoints.Before(object);
  Checkpoint* run = nullptr;
  for (Checkpoint& last : last_) {
    if (last.object > object || last.object < at.object) continue;
    at = last;
    run = &last;
  }
  if (run == nullptr) {
    run = &last_[next_];
    next_ = (next_ + 1) % last_.size();
  }
  while (true) {
    // As far as one piece reaches.
    Cursor in(PieceAt(at.offset));
    std::size_t begin = 0;
    for (;; ++at.object) {
      ReadObjectHead(in, index_, head);
      if (at.object == object) break;
      in.SkipUlebs(head->reference_count);
      if (!in.ok()) break;
      begin = in.offset();
    }
    at.offset += begin;
    if (in.ok()) {
      *run = at;
      return {in, at.offset + in.offset() - begin};
    }
    if (begin > 0) continue;
    // One object is larger than a piece.
    strays_.Note(at.offset);
    in = Cursor(bytes_, at.offset);
    ReadObjectHead(in, index_, head);
    if (at.object == object) {
      *run = at;
      return {in, in.offset()};
    }
    in.SkipUlebs(head->reference_count);
    at = {at.object + 1, in.offset()};
  }
}

std::string_view Seeker::PieceAt(std::uint64_t offset) {
  if (file_ < 0) return bytes_.substr(offset);  // in memory anyway
  const std::size_t size =
      std::min<std::uint64_t>(FilePages::kMaxPiece, bytes_.size() - offset);
  const std::string_view found = pages_.Find(offset, size);
  // If it cannot be read, the mapping is used, as for the rest of the file.
  return found.empty() ? pages_.Read(file_, offset, size) : found;
}

}  // namespace heapglot::dartheap
