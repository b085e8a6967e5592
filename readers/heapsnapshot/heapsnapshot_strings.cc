#include "readers/heapsnapshot/heapsnapshot_strings.h"

namespace heapglot::heapsnapshot {

StringCursor::StringCursor(std::string_view bytes, const Sections& sections)
    : bytes_(bytes), sections_(sections) {
  const Span span = sections.Find(SectionKind::kStrings)->value;
  p_ = bytes.data() + span.begin + 1;
  end_ = bytes.data() + span.end;
}

bool StringCursor::Seek(std::uint64_t number) {
  const bool is_near = number >= next_ && number - next_ < kStringStep;
  if (!is_near) {
    next_ = number - number % kStringStep;
    p_ = bytes_.data() + sections_.string_offsets[number / kStringStep];
  }
  while (next_ <= number) {
    if (!Next()) return false;
  }
  return true;
}

bool StringCursor::Next() {
  while (p_ != end_ && (IsSpace(*p_) || *p_ == ',')) ++p_;
  if (p_ == end_ || *p_ != '"') return false;
  ++p_;
  ++next_;
  return ScanString(&p_, end_, &token_) == StringEnd::kOk;
}

Status SendString(const StringToken& token, StringBuilder& strings) {
  if (token.is_plain && token.raw.size() <= kChunkText)
    return strings.Add(token.raw, pb::UTF8);
  std::size_t begin = 0;
  bool is_whole = false;
  while (!is_whole) {
    const pb::StringEncoding encoding =
        AppendUnescaped(token.raw, &begin, kChunkText, strings.text());
    is_whole = begin == token.raw.size();
    HEAPGLOT_RETURN_IF_ERROR(strings.Finish(encoding, !is_whole));
  }
  return {};
}

}  // namespace heapglot::heapsnapshot
