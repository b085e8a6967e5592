#include "readers/heapsnapshot/heapsnapshot_wire.h"

#include <algorithm>
#include <limits>

#include "core/text/utf.h"
#include "readers/heapsnapshot/heapsnapshot_numbers.h"

namespace heapglot::heapsnapshot {
namespace {

// Bytes between two calls of `proceed`.
constexpr std::size_t kSlice = std::size_t{1} << 20;

constexpr std::pair<std::string_view, SectionKind> kKnownSections[] = {
    {"snapshot", SectionKind::kSnapshot},
    {"nodes", SectionKind::kNodes},
    {"edges", SectionKind::kEdges},
    {"trace_function_infos", SectionKind::kTraceFunctions},
    {"trace_tree", SectionKind::kTraceTree},
    {"samples", SectionKind::kSamples},
    {"locations", SectionKind::kLocations},
    {"strings", SectionKind::kStrings},
};

SectionKind KindOf(std::string_view key) {
  for (const auto& [name, kind] : kKnownSections) {
    if (name == key) return kind;
  }
  return SectionKind::kJson;
}

bool IsFlat(SectionKind kind) {
  switch (kind) {
    case SectionKind::kNodes:
    case SectionKind::kEdges:
    case SectionKind::kTraceFunctions:
    case SectionKind::kSamples:
    case SectionKind::kLocations:
      return true;
    default:
      return false;
  }
}

// Walks over the members of the file's object.
class SectionFinder {
 public:
  SectionFinder(std::string_view bytes, const Limits& limits,
                const std::function<Status(std::uint64_t)>& proceed,
                const FindArrayEnd& find_end, const StringsToNote& to_note,
                Sections* sections)
      : bytes_(bytes),
        limits_(limits),
        proceed_(proceed),
        find_end_(find_end),
        to_note_(to_note),
        sections_(*sections) {}

  Status Run();

 private:
  Status Begin();
  Status ReadMember();
  Status ReadKey(Section* section);
  Status ReadValue(Section* section);
  Status ReadFlatArray(const Section& section);
  Status ReadJson();
  Status ReadStrings();
  Status ReadString();
  void NoteEncoding(std::string_view raw, std::uint64_t begin);
  bool IsToNote(std::uint64_t string) const {
    return to_note_.wanted != nullptr && string < to_note_.wanted->size() &&
           to_note_.wanted->Has(string);
  }
  Status CheckEnd();
  // Whether the array is a table of integers.
  bool IsTable(const Span& value) const;
  // If a table of integers is broken, the first "]" in it may not be its end,
  // and the error that was found after it is not the real one.
  Status CheckFlatArrays(Status trouble) const;

  void SkipSpace() {
    while (at_ < bytes_.size() && IsSpace(bytes_[at_])) ++at_;
  }
  char Next() const { return at_ < bytes_.size() ? bytes_[at_] : '\0'; }
  Status Expect(char byte, const char* expected);
  // The error for what is at at_.
  Status Unexpected(const std::string& expected) const;
  Status Cut() const {
    return {Code::kTruncated, "the file ends early",
            Where::Byte(bytes_.size())};
  }

  std::string_view bytes_;
  const Limits& limits_;
  const std::function<Status(std::uint64_t)>& proceed_;
  const FindArrayEnd& find_end_;
  const StringsToNote& to_note_;
  Sections& sections_;
  std::uint64_t at_ = 0;
  std::string piece_;  // of a string, as it is sent; reused
};

Status SectionFinder::Run() {
  HEAPGLOT_RETURN_IF_ERROR(Begin());
  HEAPGLOT_RETURN_IF_ERROR(Expect('{', "'{'"));
  SkipSpace();
  if (Next() != '}') {
    for (;;) {
      const Status status = ReadMember();
      if (!status.ok()) return CheckFlatArrays(status);
      if (Next() != ',') break;
      ++at_;
      SkipSpace();
    }
  }
  sections_.close = at_;
  const Status status = Expect('}', "',' or '}'");
  return status.ok() ? CheckEnd() : CheckFlatArrays(status);
}

Status SectionFinder::Begin() {
  if (BeginsAsUtf16(bytes_))
    return {Code::kMalformed, std::string(kIsUtf16), Where::Byte(0)};
  constexpr std::string_view kBom = "\xef\xbb\xbf";
  if (kBom.starts_with(bytes_) && !bytes_.empty()) return Cut();
  sections_.has_bom = bytes_.starts_with(kBom);
  if (sections_.has_bom) at_ = 3;
  SkipSpace();
  if (at_ == bytes_.size())
    return {Code::kTruncated, "there is nothing in it", Where::Byte(0)};
  sections_.open = at_;
  return {};
}

Status SectionFinder::Expect(char byte, const char* expected) {
  if (at_ == bytes_.size()) return Cut();
  if (bytes_[at_] != byte) return Unexpected(expected);
  ++at_;
  return {};
}

Status SectionFinder::Unexpected(const std::string& expected) const {
  if (at_ >= bytes_.size()) return Cut();
  return {Code::kMalformed,
          "found " + Found(bytes_, at_) + ", expected " + expected,
          Where::Byte(at_)};
}

Status SectionFinder::ReadMember() {
  Section section;
  HEAPGLOT_RETURN_IF_ERROR(ReadKey(&section));
  SkipSpace();
  HEAPGLOT_RETURN_IF_ERROR(Expect(':', "':'"));
  SkipSpace();
  section.value.begin = at_;
  HEAPGLOT_RETURN_IF_ERROR(ReadValue(&section));
  section.value.end = at_;
  if (section.kind == SectionKind::kJson &&
      ClassifyUtf8(section.name) == pb::UTF8 && IsTable(section.value))
    section.kind = SectionKind::kTable;
  sections_.list.push_back(std::move(section));
  HEAPGLOT_RETURN_IF_ERROR(proceed_(at_));
  SkipSpace();
  return {};
}

Status SectionFinder::ReadKey(Section* section) {
  section->key.begin = at_;
  HEAPGLOT_RETURN_IF_ERROR(Expect('"', "a key"));
  const std::string_view window = bytes_.substr(at_, kMaxKey);
  const char* p = window.data();
  StringToken token;
  switch (ScanString(&p, window.data() + window.size(), &token)) {
    case StringEnd::kBad:
      at_ = static_cast<std::uint64_t>(p - bytes_.data());
      return Unexpected("the rest of a key");
    case StringEnd::kCut:
      if (at_ + window.size() == bytes_.size()) return Cut();
      return {Code::kLimit,
              "a key of more than " + std::to_string(kMaxKey) + " bytes",
              Where::Byte(section->key.begin)};
    case StringEnd::kOk:
      break;
  }
  at_ = static_cast<std::uint64_t>(p - bytes_.data());
  section->key.end = at_;
  section->name = Unescaped(token.raw);
  section->kind = KindOf(section->name);
  const bool is_known = std::any_of(
      sections_.list.begin(), sections_.list.end(),
      [&](const Section& other) { return other.name == section->name; });
  if (is_known) {
    return {Code::kMalformed, "the key '" + section->name + "' comes twice",
            Where::Byte(section->key.begin)};
  }
  if (sections_.list.size() < kMaxSections) return {};
  return {Code::kLimit,
          "more than " + std::to_string(kMaxSections) + " keys at the top",
          Where::Byte(section->key.begin)};
}

Status SectionFinder::ReadValue(Section* section) {
  const bool is_array = section->kind != SectionKind::kSnapshot &&
                        section->kind != SectionKind::kJson;
  if (is_array && Next() != '[')
    return Unexpected("the array of " + section->name);
  if (section->kind == SectionKind::kSnapshot && Next() != '{')
    return Unexpected("the object snapshot");
  if (IsFlat(section->kind)) return ReadFlatArray(*section);
  if (section->kind == SectionKind::kStrings) return ReadStrings();
  const std::uint64_t begin = at_;
  HEAPGLOT_RETURN_IF_ERROR(ReadJson());
  if (section->kind == SectionKind::kSnapshot &&
      at_ - begin > kMaxSnapshotObject) {
    return {Code::kLimit,
            "the snapshot object has more than " +
                std::to_string(kMaxSnapshotObject) + " bytes",
            Where::Byte(begin)};
  }
  return {};
}

Status SectionFinder::ReadFlatArray(const Section& section) {
  if (const std::uint64_t end = find_end_ ? find_end_(section) : 0; end != 0) {
    at_ = end;
    return {};
  }
  while (at_ < bytes_.size()) {
    const std::size_t end = bytes_.substr(at_, kSlice).find(']');
    if (end != std::string_view::npos) {
      at_ += end + 1;
      return {};
    }
    at_ = std::min<std::uint64_t>(at_ + kSlice, bytes_.size());
    HEAPGLOT_RETURN_IF_ERROR(proceed_(at_));
  }
  return Cut();
}

Status SectionFinder::ReadJson() {
  // The file's object is a level, too.
  JsonChecker checker(limits_.max_depth == 0 ? 0 : limits_.max_depth - 1);
  while (at_ < bytes_.size() && checker.state() == JsonChecker::State::kMore) {
    at_ += checker.Feed(bytes_.substr(at_, kSlice));
    HEAPGLOT_RETURN_IF_ERROR(proceed_(at_));
  }
  switch (checker.state()) {
    case JsonChecker::State::kDone:
      return {};
    case JsonChecker::State::kBad:
      return Unexpected("other JSON");
    case JsonChecker::State::kTooDeep:
      return {
          Code::kLimit,
          "nested deeper than --max-depth " + std::to_string(limits_.max_depth),
          Where::Byte(at_)};
    default:
      return Cut();
  }
}

Status SectionFinder::ReadStrings() {
  std::uint64_t reported = at_;
  ++at_;
  SkipSpace();
  if (Next() == ']') {
    ++at_;
    return {};
  }
  for (;; ++at_, SkipSpace()) {
    if (sections_.string_count % kStringStep == 0)
      sections_.string_offsets.push_back(at_);
    HEAPGLOT_RETURN_IF_ERROR(ReadString());
    ++sections_.string_count;
    if (at_ - reported > kSlice)
      HEAPGLOT_RETURN_IF_ERROR(proceed_(reported = at_));
    SkipSpace();
    if (Next() != ',') break;
  }
  return Expect(']', "',' or ']'");
}

Status SectionFinder::ReadString() {
  const std::uint64_t begin = at_;
  HEAPGLOT_RETURN_IF_ERROR(Expect('"', "a string"));
  const char* p = bytes_.data() + at_;
  StringToken token;
  const StringEnd end = ScanString(&p, bytes_.data() + bytes_.size(), &token);
  if (end == StringEnd::kCut) return Cut();
  at_ = static_cast<std::uint64_t>(p - bytes_.data());
  if (end == StringEnd::kBad)
    return Unexpected("the rest of string " +
                      std::to_string(sections_.string_count));
  if (!token.is_plain) NoteEncoding(token.raw, begin);
  const std::string_view text = token.is_plain ? token.raw : piece_;
  if (text == kConsPlaceholder)
    sections_.cons_strings.Add(sections_.string_count);
  if (text == kSlicedPlaceholder)
    sections_.sliced_strings.Add(sections_.string_count);
  if (IsToNote(sections_.string_count)) to_note_.note(token);
  if (token.raw.size() <= limits_.max_string) return {};
  return {Code::kLimit,
          "string " + std::to_string(sections_.string_count) + " has " +
              std::to_string(token.raw.size()) +
              " bytes, more than --max-string " +
              std::to_string(limits_.max_string),
          Where::Byte(begin)};
}

// `begin` is where the string is.
void SectionFinder::NoteEncoding(std::string_view raw, std::uint64_t begin) {
  if (ClassifyUtf8(raw) != pb::UTF8 && sections_.bad_strings++ == 0)
    sections_.first_bad_string = begin;
  std::size_t size = 0;
  piece_.clear();
  if (AppendUnescaped(raw, &size, kChunkText, &piece_) != pb::UTF8)
    ++sections_.odd_strings;
}

bool SectionFinder::IsTable(const Span& value) const {
  const std::string_view text = TextOf(bytes_, value);
  if (text.front() != '[') return false;
  NumberCursor numbers(bytes_, text, "");
  do {
    if (!proceed_(numbers.offset()).ok()) return false;
    if (!numbers.Read(1024).ok()) return false;
    for (std::size_t i = 0; i < numbers.block().size(); ++i) {
      // Unknown columns are signed.
      if (numbers.block()[i] >> 63 != 0 && !numbers.IsNegative(i)) return false;
    }
  } while (!numbers.block().empty());
  return true;
}

Status SectionFinder::CheckEnd() {
  SkipSpace();
  const std::uint64_t end = at_;
  while (at_ < bytes_.size() && bytes_[at_] == '\0') ++at_;
  sections_.trailing_zeros = at_ - end;
  if (at_ == bytes_.size()) return {};
  at_ = end;
  return CheckFlatArrays(
      {Code::kMalformed,
       "found " + Found(bytes_, at_) + " after the end of the snapshot",
       Where::Byte(at_)});
}

Status SectionFinder::CheckFlatArrays(Status trouble) const {
  if (trouble.code() != Code::kMalformed) return trouble;
  for (const Section& section : sections_.list) {
    if (!IsFlat(section.kind)) continue;
    NumberCursor numbers(bytes_, TextOf(bytes_, section.value), section.name);
    do {
      HEAPGLOT_RETURN_IF_ERROR(numbers.Read(1024));
    } while (!numbers.block().empty());
  }
  return trouble;
}

}  // namespace

void Copies::Add(std::uint64_t number) {
  if (first_ == kNoString) {
    first_ = number;
    return;
  }
  all_.Resize(number + 1);
  all_.Add(first_);
  all_.Add(number);
}

const Section* Sections::Find(SectionKind kind) const {
  for (const Section& section : list) {
    if (section.kind == kind) return &section;
  }
  return nullptr;
}

Status FindSections(std::string_view bytes, const Limits& limits,
                    const std::function<Status(std::uint64_t)>& proceed,
                    Sections* sections, const FindArrayEnd& find_end,
                    const StringsToNote& to_note) {
  return SectionFinder(bytes, limits, proceed, find_end, to_note, sections)
      .Run();
}

}  // namespace heapglot::heapsnapshot
