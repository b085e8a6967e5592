#include "readers/heapsnapshot/heapsnapshot_trace_tree.h"

#include "readers/heapsnapshot/heapsnapshot_json.h"

namespace heapglot::heapsnapshot {

TraceTreeCursor::TraceTreeCursor(std::string_view text,
                                 const std::vector<MetaField>& fields)
    : text_(text), p_(text.data() + 1), end_(text.data() + text.size()) {
  if (fields.size() < 2) return;
  has_children_ = fields.back().name == kChildren;
  row_.resize(fields.size() - 1);
  for (const MetaField& field : fields) {
    may_be_negative_.push_back(field.name != kFunctionInfoIndex &&
                               field.name != kCount && field.name != kSize);
  }
}

bool TraceTreeCursor::Take(char byte) {
  while (p_ != end_ && IsSpace(*p_)) ++p_;
  if (p_ == end_ || *p_ != byte) return false;
  ++p_;
  return true;
}

TraceTreeCursor::Event TraceTreeCursor::Next() {
  if (Take(']')) {
    is_first_ = false;
    return depth_-- == 0 ? Event::kEnd : Event::kClose;
  }
  if (!is_first_ && !Take(',')) return Event::kBad;
  return ReadRow();
}

TraceTreeCursor::Event TraceTreeCursor::ReadRow() {
  if (!has_children_) return Event::kBad;
  for (std::size_t i = 0; i < row_.size(); ++i) {
    while (p_ != end_ && IsSpace(*p_)) ++p_;
    Integer& number = row_[i];
    if (!ScanInteger(&p_, end_, &number)) return Event::kBad;
    const bool fits =
        number.is_negative ? may_be_negative_[i] : number.value >> 63 == 0;
    if (!fits || !Take(',')) return Event::kBad;
  }
  if (!Take('[')) return Event::kBad;
  is_first_ = true;
  ++depth_;
  return Event::kNode;
}

}  // namespace heapglot::heapsnapshot
