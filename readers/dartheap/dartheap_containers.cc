#include "readers/dartheap/dartheap_containers.h"

#include <algorithm>
#include <string_view>

#include "core/ir/wire.h"

namespace heapglot::dartheap {
namespace {

// Numbers of a record: the distance of the object from that of the previous
// record, the distance of the list from the object (ZigZag), and the rest
// unchanged.
constexpr std::size_t kNumbers = 6;
constexpr std::size_t kMaxRecord = kNumbers * wire::kMaxVarint;

}  // namespace

void Containers::Add(const Container& container) {
  char* to = records_.Reserve(kMaxRecord);
  for (const std::uint64_t number :
       {container.object - last_object_,
        wire::ZigZag(container.list - container.object), container.length,
        static_cast<std::uint64_t>(container.role), container.edges,
        container.strings})
    to = wire::PutVarint(number, to);
  records_.Commit(to);
  last_object_ = container.object;
}

bool Containers::Cursor::Next() {
  SpillBuffer& records = containers_.records_;
  const std::uint64_t left = records.size() - offset_;
  if (left == 0) return false;
  const std::string_view bytes =
      records.View(offset_, std::min<std::uint64_t>(left, kMaxRecord));
  std::string_view rest = bytes;
  std::uint64_t object = 0;
  std::uint64_t list = 0;
  std::uint64_t role = 0;
  for (std::uint64_t* const number : {&object, &list, &container_.length, &role,
                                      &container_.edges, &container_.strings}) {
    if (!wire::TakeVarint(&rest, number)) return false;  // status() says why
  }
  container_.object += object;
  container_.list = container_.object + wire::UnZigZag(list);
  container_.role = static_cast<Role>(role);
  offset_ += bytes.size() - rest.size();
  return true;
}

}  // namespace heapglot::dartheap
