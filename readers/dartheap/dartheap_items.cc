#include "readers/dartheap/dartheap_items.h"

#include <algorithm>
#include <bit>
#include <limits>

#include "core/text/number.h"
#include "core/text/utf.h"

namespace heapglot::dartheap {
namespace {

// A list has two or three fields. Without a limit, a hostile file could make
// the way to the items of a list as long as it likes, for each container that
// has it.
constexpr std::uint64_t kMaxListFields = 16;

}  // namespace

pb::StringEncoding AppendText(const ObjectHead& head, std::size_t begin,
                              std::size_t size, std::string* out) {
  const std::string_view part = head.text.substr(begin, size);
  switch (head.tag) {
    case kTagLatin1:
      AppendLatin1(part, out);
      return pb::UTF8;
    case kTagUtf16:
      return AppendUtf16Le(part, out);
    default:
      out->append(part);
      return ClassifyUtf8(part);
  }
}

std::optional<pb::StringEncoding> AppendName(const ObjectHead& head,
                                             std::string* out) {
  const bool has_text =
      head.tag == kTagLatin1 || head.tag == kTagUtf16 || head.tag == kTagName;
  if (!has_text) return std::nullopt;
  if (head.text.size() <= kMaxCopiedText)
    return AppendText(head, 0, head.text.size(), out);
  const std::size_t size = head.tag == kTagName
                               ? CutAtCodePoint(head.text, kMaxCopiedText)
                               : kMaxCopiedText;
  const pb::StringEncoding encoding = AppendText(head, 0, size, out);
  out->append("...");
  return encoding;
}

ItemCursor::ItemCursor(const Index& index, const Container& container,
                       Seeker* seeker)
    : index_(index),
      seeker_(*seeker),
      role_(container.role),
      list_id_(container.list + 1),
      in_(std::string_view()) {
  ObjectHead list;
  in_ = seeker_.ReadReferences(container.list, &list, &list_);
  const Class& of = index.ClassOf(list.class_id);
  const bool has_items = of.kind.role == Role::kList &&
                         of.field_count <= kMaxListFields &&
                         list.reference_count > of.field_count;
  if (!has_items) return;
  in_.SkipUlebs(of.field_count);
  slots_ = std::min(container.length, list.reference_count - of.field_count);
  slots_left_ = slots_;
}

bool ItemCursor::Next() {
  if (role_ == Role::kMap) return NextOfMap();
  while (slots_left_ > 0) {
    seeker_.Look(in_);
    --slots_left_;
    item_.target = in_.Uleb();
    if (role_ == Role::kSet && IsDeleted(item_.target)) continue;
    item_.naming = Item::Naming::kIndex;
    item_.number = number_++;
    return true;
  }
  return false;
}

bool ItemCursor::NextOfMap() {
  if (value_is_next_) {
    value_is_next_ = false;
    NameByPair("value ");
    item_.target = value_;
    ++number_;
    return true;
  }
  while (slots_left_ >= 2) {
    seeker_.Look(in_);
    slots_left_ -= 2;
    const std::uint64_t key = in_.Uleb();
    value_ = in_.Uleb();
    if (IsDeleted(key)) continue;
    if (NameByKey(key)) {
      item_.target = value_;
      ++number_;
    } else {
      NameByPair("key ");
      item_.target = key;
      value_is_next_ = true;
    }
    return true;
  }
  return false;
}

bool ItemCursor::NameByKey(std::uint64_t key) {
  if (key - 1 >= index_.object_count) return false;
  ObjectHead head;
  seeker_.ReadHead(key - 1, &head);
  const Class& of = index_.ClassOf(head.class_id);
  item_.naming = Item::Naming::kText;
  item_.encoding = pb::UTF8;
  item_.text.clear();
  switch (head.tag) {
    case kTagNull:
      item_.text = "null";
      return true;
    case kTagBool:
      item_.text = head.value != 0 ? "true" : "false";
      return true;
    case kTagInt: {
      const std::int64_t value = IntegerValue(index_, of.kind.role, head);
      // Up to the largest index that all consumers take for one.
      if (value >= 0 && value < std::numeric_limits<std::uint32_t>::max()) {
        item_.naming = Item::Naming::kIndex;
        item_.number = static_cast<std::uint64_t>(value);
      } else {
        AppendSigned(value, &item_.text);
      }
      return true;
    }
    case kTagDouble:
      AppendDouble(std::bit_cast<double>(head.value), &item_.text);
      return true;
    case kTagName:
      // Other objects can have a NameData, too: a function as a key is an
      // object.
      if (of.kind.role != Role::kString) return false;
      [[fallthrough]];
    case kTagLatin1:
    case kTagUtf16:
      item_.encoding = *AppendName(head, &item_.text);
      return true;
    default:
      return false;
  }
}

void ItemCursor::NameByPair(std::string_view part) {
  item_.naming = Item::Naming::kText;
  item_.encoding = pb::UTF8;
  item_.text = part;
  AppendUnsigned(number_, &item_.text);
}

}  // namespace heapglot::dartheap
