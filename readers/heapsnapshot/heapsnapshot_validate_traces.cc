#include "readers/heapsnapshot/heapsnapshot_validate_traces.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/bytes/trail.h"
#include "readers/heapsnapshot/heapsnapshot_json.h"
#include "readers/heapsnapshot/heapsnapshot_rules.h"

namespace heapglot::heapsnapshot {
namespace {

// From each row, DevTools takes the function, which must exist, and the
// children, whose "length" it asks for: that of null is an error, that of a
// number is not. Of the tree itself, it reads one row. It looks at nothing
// else.
class TraceChecker {
 public:
  TraceChecker(const ByteSource& source, const Context& context,
               const Meta& meta, const Span& tree, FindingLog& log)
      : source_(source),
        max_depth_(context.limits.max_depth),
        meta_(meta),
        tree_(tree),
        text_(TextOf(source.bytes(), tree)),
        log_(log) {}

  void Run();

 private:
  struct Open {
    bool is_rows = false;  // a tree, or children
    std::size_t items = 0;
  };

  void Walk();
  void CheckValue();
  void Close();
  // Moves past a text or a number, and returns it, a text without its quotes.
  std::string_view TakeScalar();
  void CheckFunction(std::string_view number);
  void Broken(const std::string& message) {
    log_.Add(RuleFor("trace.broken"), message, Where::Byte(tree_.begin + at_));
  }

  const ByteSource& source_;
  const std::uint64_t max_depth_;
  const Meta& meta_;
  const Span tree_;
  const std::string_view text_;
  FindingLog& log_;
  std::size_t function_ = 0;  // fields of a row
  std::size_t children_ = 0;
  std::size_t at_ = 0;  // in text_
  std::vector<Open> open_;
};

void TraceChecker::Run() {
  if (meta_.trace_function_fields.empty())
    return Broken("meta has no trace_function_info_fields");
  const auto function = FindField(meta_.trace_node_fields, kFunctionInfoIndex);
  const auto children = FindField(meta_.trace_node_fields, kChildren);
  if (!function || !children) {
    return Broken(
        "meta has no trace_node_fields with function_info_index and children");
  }
  function_ = *function;
  children_ = *children;
  Walk();
}

void TraceChecker::Walk() {
  Trail trail(source_, tree_.begin);
  while (at_ < text_.size()) {
    const char byte = text_[at_];
    if (IsSpace(byte) || byte == ',' || byte == ':') {
      ++at_;
    } else if (byte == ']' || byte == '}') {
      if (open_.empty()) return;
      Close();
      ++at_;
      trail.Advance(tree_.begin + at_);
    } else {
      CheckValue();
      if (open_.empty() || open_.size() > max_depth_) return;
    }
  }
}

void TraceChecker::Close() {
  const Open row = open_.back();
  open_.pop_back();
  if (!row.is_rows) return;
  const bool is_root = open_.empty();
  const std::size_t width = meta_.trace_node_fields.size();
  const std::size_t left = is_root ? row.items : row.items % width;
  const bool is_short = left <= std::max(function_, children_);
  if (is_short && (is_root || left != 0)) {
    Broken("a row of trace_tree has " + std::to_string(left) +
           " values instead of " + std::to_string(width));
  }
}

void TraceChecker::CheckValue() {
  const bool is_nested = text_[at_] == '[' || text_[at_] == '{';
  bool is_function = false;
  bool is_children = open_.empty();
  if (!is_children) {
    Open& row = open_.back();
    const std::size_t item = row.items++;
    const std::size_t width = meta_.trace_node_fields.size();
    const bool is_read = row.is_rows && (open_.size() > 1 || item < width);
    is_function = is_read && item % width == function_;
    is_children = is_read && item % width == children_;
  }
  if (is_nested) {
    if (is_function)
      Broken("the function of a row of trace_tree is not a number");
    open_.push_back({.is_rows = is_children && text_[at_] == '['});
    ++at_;
    return;
  }
  const bool is_text = text_[at_] == '"';
  const std::string_view value = TakeScalar();
  if (is_function) CheckFunction(value);
  if (is_children && (is_text ? !value.empty() : value == "null"))
    Broken("the children of a row of trace_tree are not an array");
}

std::string_view TraceChecker::TakeScalar() {
  const std::size_t begin = at_;
  if (text_[at_] == '"') {
    const char* p = text_.data() + begin + 1;
    StringToken token;
    const bool is_whole =
        ScanString(&p, text_.data() + text_.size(), &token) == StringEnd::kOk;
    at_ = is_whole ? static_cast<std::size_t>(p - text_.data()) : text_.size();
    return token.raw;
  }
  at_ = std::min(text_.find_first_of(",:]} \n\t\r", begin), text_.size());
  return text_.substr(begin, at_ - begin);
}

void TraceChecker::CheckFunction(std::string_view number) {
  double value = 0;
  const char* const end = number.data() + number.size();
  const auto [stop, error] = std::from_chars(number.data(), end, value);
  const bool is_index = error == std::errc() && stop == end && value >= 0 &&
                        value == std::floor(value);
  if (!is_index)
    return Broken("the function of a row of trace_tree is not a number");
  const std::uint64_t stated = meta_.trace_function_count.value_or(0);
  if (value < static_cast<double>(stated)) return;
  log_.Add(RuleFor("trace.function"),
           "trace_tree refers to function " + std::string(number) +
               ", but trace_function_count is " + std::to_string(stated),
           Where::Byte(tree_.begin + at_));
}

}  // namespace

void CheckTraces(const ByteSource& source, const Context& context,
                 const Meta& meta, const Span& tree, FindingLog& log) {
  TraceChecker(source, context, meta, tree, log).Run();
}

}  // namespace heapglot::heapsnapshot
