// The first look at a dartheap file: every byte is checked, and what later
// passes need to know ahead of time is kept.
#ifndef HEAPGLOT_READERS_DARTHEAP_DARTHEAP_INDEX_H_
#define HEAPGLOT_READERS_DARTHEAP_DARTHEAP_INDEX_H_

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "heapglot/bytes.h"
#include "heapglot/context.h"
#include "heapglot/status.h"
#include "readers/dartheap/dartheap_checkpoints.h"
#include "readers/dartheap/dartheap_classes.h"
#include "readers/dartheap/dartheap_containers.h"
#include "readers/dartheap/dartheap_wire.h"

namespace heapglot::dartheap {

// What the reference at a position of an object is.
struct Slot {
  std::uint64_t name = 0;  // string index, or the number of an element
  EdgeWord word = EdgeWord::kElement;
};

// Slots are read and edges written this many at a time: there is room for as
// many more behind the last one.
inline constexpr std::size_t kSlotsAtOnce = 4;

// No such slot.
inline constexpr std::uint32_t kNoSlot = ~std::uint32_t{0};

// A class, as far as its objects need it. The rest is read again for the Types
// chunks.
struct Class {
  std::uint64_t field_count = 0;
  std::uint64_t first_slot = 0;  // into Index::slots
  std::uint32_t slot_count = 0;  // slots past it are elements
  // The slot that leads to the function (closures) or to the list with the
  // items (containers).
  std::uint32_t link_slot = kNoSlot;
  ClassKind kind;

  // The slot at a position that is not a named field or is past the fields.
  Slot ElementAt(std::uint64_t slot) const {
    return {slot >= field_count ? slot - field_count : slot,
            kind.role == Role::kWeakArray ? EdgeWord::kWeakElement
                                          : EdgeWord::kElement};
  }
};

struct Index {
  // Header.
  std::uint64_t flags = 0;
  std::string_view name;
  std::uint64_t self_size_total = 0;  // as stated, like the next three
  std::uint64_t capacity = 0;
  std::uint64_t external_size_total = 0;
  std::uint64_t reference_count = 0;

  // Offsets of the first records of sections.
  std::uint64_t classes_offset = 0;
  std::uint64_t objects_offset = 0;
  std::uint64_t externals_offset = 0;
  std::uint64_t hashes_offset = 0;
  std::uint64_t trailing_offset = 0;

  std::uint64_t object_count = 0;
  std::uint64_t external_count = 0;
  bool has_hashes = false;
  // Bytes of a word: 4 if some object's size is an odd multiple of 8 (objects
  // are aligned to two words), else 8.
  std::uint32_t pointer_size = 8;
  bool is_devtools_export = false;  // its strings are NameData

  std::vector<Class> classes;
  std::uint64_t class_count = 0;  // of `classes`, once all are there
  // The kinds by class id, that of no class first. Nodes look at these, which
  // stay in the cache.
  std::vector<ClassKind> kinds;
  std::vector<Slot> slots;
  // String indices that the names of vocabularies, classes and fields take:
  // 1 .. name_strings.
  std::uint64_t name_strings = 0;
  // String indices in use: 0, names, those of objects, those of externals.
  std::uint64_t strings = 0;
  std::uint64_t external_strings = 0;
  Containers containers;
  Checkpoints checkpoints;

  // True sums.
  std::uint64_t references = 0;      // in the file, without synthesized ones
  std::uint64_t edges = 0;           // with synthesized ones
  std::uint64_t omitted = 0;         // of `edges`
  std::uint64_t dangling = 0;        // of `edges`
  std::uint64_t self_sizes = 0;      // saturating
  std::uint64_t external_sizes = 0;  // saturating

  // The class of an object; a default one for class id 0 or beyond the last.
  const Class& ClassOf(std::uint64_t class_id) const {
    static constexpr Class kNoClass{
        .kind = {.node = NodeWord::kUnknown, .role = Role::kPlain}};
    // class_id is 1-based: 0 wraps around and is beyond the last, too.
    return class_id - 1 < class_count ? classes[class_id - 1] : kNoClass;
  }
};

// Objects between two calls of Context::Proceed().
inline constexpr std::uint64_t kProgressObjects = 1 << 16;

// The first object from `object` on before which Proceed() is called.
constexpr std::uint64_t NextProgress(std::uint64_t object) {
  return (object + kProgressObjects - 1) / kProgressObjects * kProgressObjects;
}

// One object up to its references.
struct ObjectHead {
  std::uint64_t class_id = 0;
  std::uint64_t self_size = 0;
  std::uint64_t tag = 0;
  std::uint64_t value = 0;       // bool, int (two's complement), double (bits)
  std::uint64_t length = 0;      // strings: full length; LengthData
  std::string_view text;         // strings and NameData, as in the file
  std::uint64_t text_units = 0;  // how long `text` claims to be, in units
  bool is_signed = false;        // how the integer was written
  std::uint64_t reference_count = 0;
};

// Reads the data after a tag that is neither kTagNone nor kTagNull.
bool ReadObjectData(Cursor& in, const Index& index, ObjectHead* head);

// Reads an object up to its references. False for an unknown tag (the cursor
// is then right after it), true otherwise; ask the cursor whether it read
// anything.
inline bool ReadObjectHead(Cursor& in, const Index& index, ObjectHead* head) {
  *head = {};
  std::array<std::uint64_t, 3> first;
  in.Ulebs(first.data(), first.size());
  head->class_id = first[0];
  head->self_size = first[1];
  head->tag = first[2];
  // Most have no data.
  if (head->tag > kTagNull && !ReadObjectData(in, index, head)) return false;
  head->reference_count = in.Uleb();
  return true;
}

// The value of an integer in two's complement, whatever the width it was
// written in.
std::int64_t IntegerValue(const Index& index, Role role,
                          const ObjectHead& head);

// Whether this is an event of the VM service that holds a part of a snapshot,
// rather than a snapshot.
bool IsServiceEvent(std::string_view bytes);

// Checks the whole of `source` and fills `*index`.
// Errors: kTruncated, kMalformed, kLimit; oddities go to context.Warn().
// Memory: that of Checkpoints and Containers, 34 bytes per class, 16 per field.
Status BuildIndex(const ByteSource& source, Context& context, Index* index);

}  // namespace heapglot::dartheap

#endif  // HEAPGLOT_READERS_DARTHEAP_DARTHEAP_INDEX_H_
