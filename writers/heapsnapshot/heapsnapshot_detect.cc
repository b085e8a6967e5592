// Detects the layout of a file (heapsnapshot_profile.h).
#include <algorithm>

#include "readers/heapsnapshot/heapsnapshot_json.h"
#include "readers/heapsnapshot/heapsnapshot_strings.h"
#include "writers/heapsnapshot/heapsnapshot_profile.h"

namespace heapglot::heapsnapshot {
namespace {

// Iterates over the tokens of an array.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : rest_(text) {}

  std::string Space() {
    std::size_t size = 0;
    while (size < rest_.size() && IsSpace(rest_[size])) ++size;
    std::string space(rest_.substr(0, size));
    rest_.remove_prefix(size);
    return space;
  }
  bool Take(char byte) {
    if (!rest_.starts_with(byte)) return false;
    rest_.remove_prefix(1);
    return true;
  }
  // Skips a number or a string.
  void SkipScalar() {
    if (!Take('"')) {
      while (!rest_.empty() && !IsSpace(rest_[0]) && rest_[0] != ',' &&
             rest_[0] != ']')
        rest_.remove_prefix(1);
      return;
    }
    const char* p = rest_.data();
    StringToken token;
    ScanString(&p, rest_.data() + rest_.size(), &token);
    rest_.remove_prefix(static_cast<std::size_t>(p - rest_.data()));
  }
  Gap Comma(bool* found) {
    Gap gap;
    gap.before = Space();
    *found = Take(',');
    gap.after = Space();
    return gap;
  }

 private:
  std::string_view rest_;
};

std::string SpaceBeforeEnd(std::string_view array) {
  std::size_t begin = array.size() - 1;
  while (begin > 0 && IsSpace(array[begin - 1])) --begin;
  return std::string(array.substr(begin, array.size() - 1 - begin));
}

// The layout of an array of rows of `width` scalars, from its first two rows.
ArrayLayout DetectArray(std::string_view array, std::size_t width) {
  ArrayLayout layout;
  Scanner in(array.substr(1));
  layout.first = in.Space();
  if (in.Take(']')) {
    layout.empty = std::move(layout.first);
    layout.first.clear();
    return layout;
  }
  layout.last = SpaceBeforeEnd(array);
  for (std::size_t i = 0; i < width; ++i) {
    in.SkipScalar();
    bool more = false;
    Gap gap = in.Comma(&more);
    if (!more) break;
    if (i + 1 == width)
      layout.row = std::move(gap);
    else if (i == 0)
      layout.column = std::move(gap);
  }
  return layout;
}

// The layout of the tree of traces, from its first node.
ArrayLayout DetectTree(std::string_view tree, std::size_t width) {
  ArrayLayout layout = DetectArray(tree, width);
  layout.row = layout.column;
  return layout;
}

std::size_t WidthOf(const Meta& meta, const Section& section) {
  const auto at_least_one = [](std::size_t size) {
    return std::max<std::size_t>(size, 1);
  };
  switch (section.kind) {
    case SectionKind::kNodes:
      return at_least_one(meta.node_fields.size());
    case SectionKind::kEdges:
      return at_least_one(meta.edge_fields.size());
    case SectionKind::kTraceFunctions:
      return at_least_one(meta.trace_function_fields.size());
    case SectionKind::kTraceTree:
      return at_least_one(meta.trace_node_fields.size());
    case SectionKind::kSamples:
      return at_least_one(meta.sample_fields.size());
    case SectionKind::kLocations:
      return at_least_one(meta.location_fields.size());
    case SectionKind::kTable:
      return FieldsOfTable(meta, section.name).size();
    default:
      return 1;
  }
}

// Finds the style of the first escape of each sort.
class StyleDetector {
 public:
  void Look(std::string_view raw);
  TextStyle style() const;

 private:
  void LookAtEscape(std::string_view escape);

  std::optional<bool> upper_hex_;
  std::optional<bool> raw_;
  std::optional<bool> letter_[5];  // of kLetters
  bool short_slash_ = false;
  bool escape_del_ = false;

  static constexpr std::string_view kLetters = "bfnrt";
  static constexpr std::string_view kControls = "\b\f\n\r\t";
};

void StyleDetector::Look(std::string_view raw) {
  for (std::size_t i = 0; i < raw.size();) {
    const auto byte = static_cast<unsigned char>(raw[i]);
    if (byte >= 0x80 && !raw_) raw_ = true;
    if (byte != '\\') {
      ++i;
      continue;
    }
    const std::size_t size = raw[i + 1] == 'u' ? 6 : 2;
    LookAtEscape(raw.substr(i, size));
    i += size;
  }
}

void StyleDetector::LookAtEscape(std::string_view escape) {
  const char letter = escape[1];
  if (const std::size_t at = kLetters.find(letter);
      at != std::string_view::npos && !letter_[at])
    letter_[at] = true;
  short_slash_ |= letter == '/';
  if (letter != 'u') return;
  const std::string_view hex = escape.substr(2);
  for (const char digit : hex) {
    if (!upper_hex_ && digit >= 'A' && digit <= 'F') upper_hex_ = true;
    if (!upper_hex_ && digit >= 'a' && digit <= 'f') upper_hex_ = false;
  }
  const std::string text = Unescaped(escape);
  if (text.size() == 1) {
    if (text[0] == '\x7f') escape_del_ = true;
    const std::size_t at = kControls.find(text[0]);
    if (at != std::string_view::npos && !letter_[at]) letter_[at] = false;
    return;
  }
  // A lone surrogate has no other form.
  const bool is_surrogate = text.starts_with('\xed') && text[1] >= '\xa0';
  if (!is_surrogate && !raw_) raw_ = false;
}

TextStyle StyleDetector::style() const {
  TextStyle style;
  style.upper_hex = upper_hex_.value_or(true);
  style.raw = raw_.value_or(false);
  style.short_slash = short_slash_;
  style.escape_del = escape_del_;
  style.letters.clear();
  for (std::size_t i = 0; i < kLetters.size(); ++i) {
    if (letter_[i].value_or(true)) style.letters.push_back(kLetters[i]);
  }
  return style;
}

// The layout of a member that fills `whole`, from "{" or a comma to the next
// comma.
MemberLayout DetectMember(std::string_view source, const Section& section,
                          const Meta& meta, const Span& whole) {
  MemberLayout member;
  member.kind = section.kind;
  member.before_key = TextOf(source, {whole.begin, section.key.begin});
  const std::string_view colon =
      TextOf(source, {section.key.end, section.value.begin});
  member.before_colon = colon.substr(0, colon.find(':'));
  member.after_colon = colon.substr(colon.find(':') + 1);
  member.after_value = TextOf(source, {section.value.end, whole.end});
  const std::string_view value = TextOf(source, section.value);
  const std::size_t width = WidthOf(meta, section);
  if (section.kind == SectionKind::kTraceTree)
    member.array = DetectTree(value, width);
  else if (value.starts_with('['))
    member.array = DetectArray(value, width);
  return member;
}

TextStyle DetectStyle(std::string_view source, const Sections& sections,
                      const std::function<void(std::uint64_t)>& progress) {
  // Bytes between two calls of progress.
  constexpr std::uint64_t kStep = std::uint64_t{256} << 10;
  StyleDetector style;
  StringCursor strings(source, sections);
  std::uint64_t next = 0;
  for (std::uint64_t i = 0; i < sections.string_count && strings.Seek(i); ++i) {
    if (!strings.token().is_plain) style.Look(strings.token().raw);
    if (strings.offset() < next) continue;
    progress(strings.offset());
    next = strings.offset() + kStep;
  }
  return style.style();
}

}  // namespace

std::optional<FileLayout> DetectLayout(
    std::string_view source,
    const std::function<void(std::uint64_t)>& progress) {
  Sections sections;
  const auto proceed = [&](std::uint64_t offset) {
    progress(offset);
    return Status();
  };
  if (!FindSections(source, Limits(), proceed, &sections).ok())
    return std::nullopt;
  Meta meta;
  const Section* const snapshot = sections.Find(SectionKind::kSnapshot);
  const auto ignore = [](std::uint64_t) { return Status(); };
  if (snapshot == nullptr || sections.Find(SectionKind::kStrings) == nullptr ||
      !ParseMeta(source, snapshot->value, ignore, &meta).ok())
    return std::nullopt;

  FileLayout layout;
  layout.has_bom = sections.has_bom;
  layout.before = source.substr(sections.has_bom ? 3 : 0,
                                sections.open - (sections.has_bom ? 3 : 0));
  layout.after = TextOf(
      source, {sections.close + 1, source.size() - sections.trailing_zeros});
  std::uint64_t begin = sections.open + 1;
  for (std::size_t i = 0; i < sections.list.size(); ++i) {
    const std::uint64_t end = i + 1 < sections.list.size()
                                  ? source.find(',', sections.list[i].value.end)
                                  : sections.close;
    layout.members.push_back(
        DetectMember(source, sections.list[i], meta, {begin, end}));
    begin = end + 1;
  }
  layout.text = DetectStyle(source, sections, progress);
  return layout;
}

}  // namespace heapglot::heapsnapshot
