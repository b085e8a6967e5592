#include "writers/dartheap/dartheap_stand_ins.h"

namespace heapglot::dartheap {

void StandIns::Add(std::uint32_t form, std::uint64_t to) {
  Sort& sort = sorts_[form == pb::TO_IMMEDIATE ? 1 : 0];
  const auto next = static_cast<std::uint32_t>(items_.size());
  if (sort.by_value.size() < kMaxItems) {
    if (sort.by_value.try_emplace(to, next).second)
      items_.push_back({form, to, false});
  } else if (sort.rest == kNone && !sort.by_value.contains(to)) {
    sort.rest = next;
    items_.push_back({form, 0, true});
  }
}

std::uint64_t StandIns::Id(std::uint32_t form, std::uint64_t to) const {
  if (form != pb::TO_DANGLING && form != pb::TO_IMMEDIATE) return 0;
  const Sort& sort = SortOf(form);
  const auto found = sort.by_value.find(to);
  const std::uint32_t position =
      found != sort.by_value.end() ? found->second : sort.rest;
  return position == kNone ? 0 : first_id_ + position;
}

}  // namespace heapglot::dartheap
