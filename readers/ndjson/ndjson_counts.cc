#include "readers/ndjson/ndjson_counts.h"

#include <algorithm>

#include "core/draft/draft_json.h"
#include "core/draft/draft_wire.h"

namespace heapglot::ndjson {
namespace {

// None of what is looked at is nested.
constexpr std::uint64_t kDepth = 16;

// Goes on to the value of the next key of an object.
bool TakeMember(draft::JsonCursor& in, char before, draft::Token* key,
                draft::Token* value) {
  return in.Take(before) && in.Value(key) && in.Take(':') && in.Value(value);
}

// The part of a line that tells its type; "" if that stands elsewhere.
std::string_view TypePart(std::string_view start) {
  if (start.starts_with('[')) return start.substr(0, start.find_first_of(",]"));
  draft::JsonCursor in(start, kDepth);
  draft::Token key, type;
  if (!TakeMember(in, '{', &key, &type) || key.text != "type") return {};
  if (type.kind != draft::TokenKind::kString) return {};
  return start.substr(0,
                      static_cast<std::size_t>(in.position() - start.data()));
}

// What an object that begins so says that its type is.
std::string NameIn(std::string_view part) {
  draft::JsonCursor in(part, kDepth);
  draft::Token key, type;
  TakeMember(in, '{', &key, &type);
  return draft::Decode(type);
}

}  // namespace

void RecordCounts::Add(std::string_view bytes) {
  while (!bytes.empty()) {
    const std::size_t feed = bytes.find('\n');
    const std::string_view start = bytes.substr(0, std::min(feed, kStart));
    const bool is_whole = feed != std::string_view::npos;
    bytes.remove_prefix(is_whole ? feed + 1 : bytes.size());
    if (is_whole && !holds_) {
      AddLine(start);
      continue;
    }
    held_.append(start.substr(0, kStart - held_.size()));
    holds_ = !is_whole;
    if (holds_) return;
    AddLine(held_);
    held_.clear();
  }
}

void RecordCounts::AddLine(std::string_view start) {
  ++lines_;
  const bool is_like_last =
      last_count_ != nullptr && start.size() > last_.size() &&
      start.starts_with(last_) && start[last_.size()] == ',';
  if (is_like_last) {
    ++*last_count_;
    return;
  }
  const std::string_view part = TypePart(start);
  if (part.empty()) {
    has_all_ = false;
    return;
  }
  auto count = counts_.find(part);
  if (count == counts_.end()) {
    if (part.starts_with('{') && draft::NeedsNoDeclaration(NameIn(part)))
      return Declare(start);
    if (counts_.size() == draft::kMaxTypes) {
      has_all_ = false;
      return;
    }
    count = counts_.emplace(part, 0).first;
  }
  ++count->second;
  last_ = count->first;
  last_count_ = &count->second;
}

// A line that is none of data may say what type goes by which code.
void RecordCounts::Declare(std::string_view start) {
  draft::JsonCursor in(start, kDepth);
  draft::Token key, value, code, name;
  TakeMember(in, '{', &key, &value);
  if (value.text != draft::kTypeType) return;
  while (TakeMember(in, ',', &key, &value)) {
    if (key.text == "code") code = value;
    if (key.text == "name") name = value;
  }
  if (code.is_null() || name.is_null() || names_.size() == draft::kMaxTypes) {
    has_all_ = false;
    return;
  }
  names_.emplace("[" + std::string(code.text), draft::Decode(name));
}

OwnTextTable<std::uint64_t> RecordCounts::ByName(bool* has_all) const {
  OwnTextTable<std::uint64_t> by_name;
  *has_all = has_all_;
  for (const auto& [part, count] : counts_) {
    if (part.starts_with('{')) {
      by_name[NameIn(part)] += count;
    } else if (const auto name = names_.find(part); name != names_.end()) {
      by_name[name->second] += count;
    } else {
      *has_all = false;
    }
  }
  return by_name;
}

}  // namespace heapglot::ndjson
