// Looks at objects out of turn.
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

// Goes to objects that others refer to. These may be anywhere, or in several
// runs, in each of which the next object that is sought is not far after the
// last one (a checkpoint may be farther away).
//
// Most are small, and copied from the file, because mapping pages here and
// there and giving them back takes 20 us where pages are 2 MiB. Only what is
// larger than a copy is read where it is mapped.
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

  // Reads object `object` (0-based, < object_count) up to its references. Its
  // text is valid until the next call of any of these.
  // Time: at most that of reading on from the checkpoint before it.
  void ReadHead(std::uint64_t object, ObjectHead* head) { Find(object, head); }
  // The same; returns a cursor at the references, to read these and nothing
  // else. It is valid as long as `copy`.
  Cursor ReadReferences(std::uint64_t object, ObjectHead* head, Copy* copy);
  // To be called now and then while reading on from there.
  void Look(const Cursor& in) {
    if (IsMapped(in)) strays_.Note(in.offset());
  }

 private:
  struct Place {
    Cursor in;                 // in a piece, or in bytes_
    std::uint64_t offset = 0;  // of `in` in the file
  };

  // The place after the head of an object.
  Place Find(std::uint64_t object, ObjectHead* head);
  // The bytes at `offset`: a copy of at most kMaxPiece of them, empty if they
  // cannot be read. Without a file, all bytes from there on.
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
  // The last object of each run, and the index of the one to be replaced next.
  std::array<Checkpoint, 8> last_;
  std::size_t next_ = 0;
};

}  // namespace heapglot::dartheap

#endif  // HEAPGLOT_READERS_DARTHEAP_DARTHEAP_SEEKER_H_
