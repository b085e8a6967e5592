// The items of Dart's containers, which are in a list that the container only
// refers to.
#ifndef HEAPGLOT_READERS_DARTHEAP_DARTHEAP_ITEMS_H_
#define HEAPGLOT_READERS_DARTHEAP_DARTHEAP_ITEMS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "heapglot/stream.h"
#include "readers/dartheap/dartheap_index.h"
#include "readers/dartheap/dartheap_seeker.h"

namespace heapglot::dartheap {

// Longest text, in bytes, that is copied from an object to name another one or
// an edge. Bounded because a file may have any number of them share one text.
inline constexpr std::size_t kMaxCopiedText = 1024;

// Appends the text of a string or NameData as UTF-8 (generalized where the
// encoding returned says so). `begin` and `size` pick a part, in bytes of
// head.text; for UTF-16 they must be even.
pb::StringEncoding AppendText(const ObjectHead& head, std::size_t begin,
                              std::size_t size, std::string* out);

// Appends the text of an object as a name: at most kMaxCopiedText bytes of it.
// Nothing if the object has no text.
std::optional<pb::StringEncoding> AppendName(const ObjectHead& head,
                                             std::string* out);

// One way from a container to an item.
struct Item {
  enum class Naming { kIndex, kText };
  Naming naming = Naming::kIndex;
  std::uint64_t number = 0;                // kIndex
  std::string text;                        // kText
  pb::StringEncoding encoding = pb::UTF8;  // kText
  std::uint64_t target = 0;  // as in the file: 1-based, 0 = omitted
};

// Iterates over the items of a container, in order.
//   list: item i is element i
//   set: live item n is element n
//   map: a string or number as key names its value; for other keys there are
//        two items, "key n" and "value n", for live pair number n
// Time: that of reading its slots, including deleted ones, and a seek per map
// entry. Memory: one name, one Copy.
class ItemCursor {
 public:
  // `index` and `seeker` must outlive this.
  ItemCursor(const Index& index, const Container& container, Seeker* seeker);
  ItemCursor(const ItemCursor&) = delete;
  ItemCursor& operator=(const ItemCursor&) = delete;

  // Moves to the next item; false at the end.
  bool Next();
  const Item& item() const { return item_; }
  // Number of slots of the list that were read.
  std::uint64_t slots_read() const { return slots_ - slots_left_; }

 private:
  bool NextOfMap();
  // Whether `target` marks a slot as deleted: it is the list itself.
  bool IsDeleted(std::uint64_t target) const { return target == list_id_; }
  // Names item_ by the key object, if it is of a kind that can name.
  bool NameByKey(std::uint64_t key);
  void NameByPair(std::string_view part);

  const Index& index_;
  Seeker& seeker_;
  Role role_;
  std::uint64_t list_id_;
  Seeker::Copy list_;  // if it is small
  Cursor in_;          // at the next slot of the list
  std::uint64_t slots_ = 0;
  std::uint64_t slots_left_ = 0;
  std::uint64_t number_ = 0;    // of the next live item or pair
  bool value_is_next_ = false;  // the key of a pair was item_
  std::uint64_t value_ = 0;
  Item item_;
};

}  // namespace heapglot::dartheap

#endif  // HEAPGLOT_READERS_DARTHEAP_DARTHEAP_ITEMS_H_
