// Objects that are looked at out of turn.
#ifndef HEAPGLOT_READERS_DARTHEAP_DARTHEAP_SEEKER_H_
#define HEAPGLOT_READERS_DARTHEAP_DARTHEAP_SEEKER_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>

#include "core/bytes/file_pages.h"
#include "core/bytes/trail.h"
#include "heapglot/bytes.h"
#include "readers/dartheap/dartheap_index.h"
#include "readers/dartheap/dartheap_wire.h"

namespace heapglot::dartheap {

// Goes to objects that others refer to. Such ones may lie in several runs, in each
// of which the next one that is sought is not far behind the last one (a
// checkpoint may be farther), or anywhere.
//
// Most are small, and copied from the file: to map pages here and there, and to
// give them back, takes 20 us where these are of 2 MiB. Only what is larger than
// a copy is looked at where it is mapped.
//
// Memory: FilePages.
class Seeker {
 public:
  // Where references are copied to, if they are.
  using Copy = std::array<char, FilePages::kMaxPiece>;

  // Both must outlive this. The index may lack what comes after its objects.
  Seeker(const ByteSource& source, const Index& index)
      : bytes_(source.bytes()),
        file_(source.file()),
        index_(index),
        strays_(source) {
    last_.fill({0, index.objects_offset});
  }

  // Object `object` (0-based, < object_count) up to its references. Its text lasts
  // until the next call of any of these.
  // Time: that of going on from the checkpoint before it, or less.
  void ReadHead(std::uint64_t object, ObjectHead* head) { Find(object, head); }
  // The same, and a cursor at its references, to read these and nothing else. It
  // lasts as long as `copy`.
  Cursor ReadReferences(std::uint64_t object, ObjectHead* head, Copy* copy);
  // To be said now and then by who goes on from there.
  void Look(const Cursor& in) {
    if (IsMapped(in)) strays_.Note(in.offset());
  }

 private:
  struct Place {
    Cursor in;                 // in a piece, or in bytes_
    std::uint64_t offset = 0;  // of that in the file
  };

  // Behind the head of an object.
  Place Find(std::uint64_t object, ObjectHead* head);
  // What is at `offset`: copied, up to kMaxPiece bytes, or none; or all of it.
  std::string_view PieceAt(std::uint64_t offset);
  bool IsMapped(const Cursor& in) const {
    const std::less<> before;
    const char* const begin = bytes_.data();
    return !before(in.data(), begin) &&
           !before(begin + bytes_.size(), in.data());
  }

  std::string_view bytes_;
  int file_;
  const Index& index_;
  FilePages pages_;
  Strays strays_;
  // The last object of each run, and which of them is to be forgotten next.
  std::array<Checkpoint, 8> last_;
  std::size_t next_ = 0;
};

}  // namespace heapglot::dartheap

#endif  // HEAPGLOT_READERS_DARTHEAP_DARTHEAP_SEEKER_H_
