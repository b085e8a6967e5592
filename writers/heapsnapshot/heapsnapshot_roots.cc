#include "writers/heapsnapshot/heapsnapshot_roots.h"

namespace heapglot::heapsnapshot {

void RootLists::Add(Key key, std::uint64_t node) {
  if (last_list_ == nullptr || key != last_key_) {
    last_key_ = key;
    last_list_ = &lists_[key];
  }
  List& list = *last_list_;
  char bytes[wire::kMaxVarint];
  const char* const end =
      wire::PutVarint(wire::ZigZag(node - list.last_), bytes);
  const auto size = static_cast<std::size_t>(end - bytes);
  if (list.newest_.size() + size > kMaxNewest) PutAway(&list);
  list.newest_.append(bytes, size);
  list.last_ = node;
  ++list.count_;
}

void RootLists::PutAway(List* list) {
  const std::uint64_t begin = nodes_.size();
  nodes_.Write(list->newest_);
  if (!list->runs_.empty() &&
      list->runs_.back().begin + list->runs_.back().size == begin) {
    list->runs_.back().size += list->newest_.size();
  } else {
    list->runs_.push_back({begin, list->newest_.size()});
  }
  list->newest_.clear();
}

}  // namespace heapglot::heapsnapshot
