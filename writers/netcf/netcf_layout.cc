#include "writers/netcf/netcf_layout.h"

#include <algorithm>
#include <map>
#include <utility>

#include "core/text/utf.h"

namespace heapglot::netcf {
namespace {

constexpr std::size_t kSample = std::size_t{256} << 10;
// Limits for profile and file; more is not a habit but an accident.
constexpr std::size_t kMaxBlanks = 32;
constexpr std::uint32_t kMaxBlankLines = 8;
constexpr std::uint32_t kMaxWidth = 16;

constexpr std::string_view kBlanks = " \t";

// Counts how often each text occurs.
class Votes {
 public:
  void Add(std::string_view text) {
    if (text.size() <= kMaxBlanks) ++votes_[std::string(text)];
  }
  // The most frequent one.
  std::string Winner(std::string usual) const {
    std::uint64_t most = 0;
    for (const auto& [text, count] : votes_) {
      if (count <= most) continue;
      most = count;
      usual = text;
    }
    return usual;
  }

 private:
  std::map<std::string, std::uint64_t> votes_;
};

// The same for the numbers of one kind.
class SpellingVotes {
 public:
  void Add(std::string_view token) {
    std::string_view digits = token;
    if (token.starts_with("0x") || token.starts_with("0X"))
      digits.remove_prefix(2);
    prefixes_.Add(token.substr(0, token.size() - digits.size()));
    const auto has = [digits](char first, char last) {
      return std::any_of(digits.begin(), digits.end(),
                         [=](char c) { return c >= first && c <= last; });
    };
    if (has('A', 'F')) ++upper_;
    if (has('a', 'f')) ++lower_;
    if (digits.size() > kMaxWidth) return;
    if (digits.size() > 1 && digits[0] == '0')
      ++padded_[digits.size()];
    else
      ++plain_[digits.size()];
  }
  Spelling Winner() const {
    Spelling spelling;
    spelling.prefix = prefixes_.Winner("");
    spelling.is_upper = upper_ > lower_;
    const auto most = std::max_element(padded_, padded_ + kMaxWidth + 1);
    const auto width = static_cast<std::uint32_t>(most - padded_);
    std::uint64_t shorter = 0;
    for (std::uint32_t i = 0; i < width; ++i) shorter += plain_[i];
    if (*most > shorter) spelling.width = width;
    return spelling;
  }

 private:
  Votes prefixes_;
  std::uint64_t upper_ = 0;
  std::uint64_t lower_ = 0;
  std::uint64_t padded_[kMaxWidth + 1] = {};  // by number of digits
  std::uint64_t plain_[kMaxWidth + 1] = {};
};

// Looks at lines.
class Sampler {
 public:
  void Add(std::string_view text);
  void Fill(Layout* layout) const;

 private:
  void AddLine(std::string_view line, std::string_view line_end);
  void AddElements(char letter, std::string_view elements);
  SpellingVotes* VotesFor(char letter, int element);

  Votes line_ends_;
  Votes blank_lines_;
  Votes before_;
  Votes between_;
  Votes after_;
  Votes letters_;
  SpellingVotes type_, object_, size_, kind_, flags_;
  std::size_t blanks_ = 0;  // lines, since the last record
  bool has_record_ = false;
};

void Sampler::Add(std::string_view text) {
  while (!text.empty()) {
    const std::size_t size = std::min(text.find_first_of("\r\n"), text.size());
    std::string_view line_end = text.substr(size, 1);
    if (text.substr(size).starts_with("\r\n")) line_end = text.substr(size, 2);
    // The last line may be cut.
    if (!line_end.empty()) AddLine(text.substr(0, size), line_end);
    text.remove_prefix(size + line_end.size());
  }
}

void Sampler::AddLine(std::string_view line, std::string_view line_end) {
  line_ends_.Add(line_end);
  const std::size_t begin = line.find_first_not_of(kBlanks);
  if (begin == std::string_view::npos) {
    ++blanks_;
    return;
  }
  if (has_record_) blank_lines_.Add(std::string(blanks_, '.'));
  has_record_ = true;
  blanks_ = 0;
  const std::size_t end = line.find_last_not_of(kBlanks) + 1;
  before_.Add(line.substr(0, begin));
  after_.Add(line.substr(end));
  char letter = line[begin];
  const bool is_upper = letter >= 'A' && letter <= 'Z';
  if (is_upper) letter = static_cast<char>(letter - 'A' + 'a');
  letters_.Add(is_upper ? "upper" : "lower");
  AddElements(letter, line.substr(begin + 1, end - begin - 1));
}

SpellingVotes* Sampler::VotesFor(char letter, int element) {
  switch (letter) {
    case kType:
      return element == 0 ? &type_ : nullptr;
    case kObject:
      return element == 1 ? &type_ : element == 2 ? &size_ : &object_;
    case kRoot: {
      SpellingVotes* const votes[] = {&object_, &kind_, &flags_, &type_};
      return element < 4 ? votes[element] : nullptr;
    }
    default:
      return nullptr;
  }
}

void Sampler::AddElements(char letter, std::string_view elements) {
  for (int element = 0; !elements.empty(); ++element) {
    SpellingVotes* const votes = VotesFor(letter, element);
    if (votes == nullptr) return;
    const std::size_t begin =
        std::min(elements.find_first_not_of(kBlanks), elements.size());
    between_.Add(elements.substr(0, begin));
    elements.remove_prefix(begin);
    const std::string_view token =
        elements.substr(0, elements.find_first_of(kBlanks));
    votes->Add(token);
    elements.remove_prefix(token.size());
  }
}

void Sampler::Fill(Layout* layout) const {
  layout->line_end = line_ends_.Winner("\n");
  layout->blank_lines = static_cast<std::uint32_t>(
      std::min<std::size_t>(blank_lines_.Winner("").size(), kMaxBlankLines));
  layout->before = before_.Winner("");
  layout->between = between_.Winner(" ");
  layout->after = after_.Winner("");
  layout->has_upper_letters = letters_.Winner("lower") == "upper";
  layout->type = type_.Winner();
  layout->object = object_.Winner();
  layout->size = size_.Winner();
  layout->kind = kind_.Winner();
  layout->flags = flags_.Winner();
}

std::string BlanksToText(std::string_view blanks) {
  std::string text;
  for (const char c : blanks) text.push_back(c == '\t' ? 't' : 's');
  return text;
}

// False for what is not in the form of BlanksToText().
bool TextToBlanks(std::string_view text, std::string* blanks) {
  if (text.size() > kMaxBlanks ||
      text.find_first_not_of("st") != std::string_view::npos)
    return false;
  blanks->clear();
  for (const char c : text) blanks->push_back(c == 't' ? '\t' : ' ');
  return true;
}

std::uint32_t ToNumber(std::string_view text, std::uint32_t usual,
                       std::uint32_t max) {
  std::uint32_t number = 0;
  for (const char c : text) {
    if (c < '0' || c > '9') return usual;
    number = number * 10 + static_cast<std::uint32_t>(c - '0');
    if (number > max) return usual;
  }
  return text.empty() ? usual : number;
}

std::string ToText(const Spelling& spelling) {
  std::string text = spelling.prefix;
  if (spelling.is_upper) text += 'u';
  if (spelling.width != 1) text += std::to_string(spelling.width);
  return text;
}

Spelling ToSpelling(std::string_view text) {
  Spelling spelling;
  if (text.starts_with("0x") || text.starts_with("0X")) {
    spelling.prefix = text.substr(0, 2);
    text.remove_prefix(2);
  }
  spelling.is_upper = text.starts_with('u');
  if (spelling.is_upper) text.remove_prefix(1);
  spelling.width = std::max(ToNumber(text, 1, kMaxWidth), 1U);
  return spelling;
}

// The entries for blanks and for spellings, which are all alike.
struct BlanksKey {
  std::string_view key;
  std::string Layout::*member;
};
constexpr BlanksKey kBlanksKeys[] = {{"before", &Layout::before},
                                     {"between", &Layout::between},
                                     {"after", &Layout::after}};
struct SpellingKey {
  std::string_view key;
  Spelling Layout::*member;
};
constexpr SpellingKey kSpellingKeys[] = {{"type", &Layout::type},
                                         {"object", &Layout::object},
                                         {"size", &Layout::size},
                                         {"kind", &Layout::kind},
                                         {"flags", &Layout::flags}};

void SetEntry(std::string_view key, std::string_view value, Layout* layout) {
  for (const BlanksKey& it : kBlanksKeys) {
    std::string blanks;
    // Elements need something between them.
    const bool may_be_empty = it.member != &Layout::between;
    if (key == it.key && TextToBlanks(value, &blanks) &&
        (may_be_empty || !blanks.empty()))
      layout->*it.member = blanks;
  }
  for (const SpellingKey& it : kSpellingKeys)
    if (key == it.key) layout->*it.member = ToSpelling(value);
  if (key == "enc" && value == "utf16le")
    layout->encoding = Encoding::kUtf16Le;
  else if (key == "enc" && value == "utf16be")
    layout->encoding = Encoding::kUtf16Be;
  else if (key == "bom")
    layout->has_bom = value == "1";
  else if (key == "eol" && (value == "crlf" || value == "cr"))
    layout->line_end = value == "cr" ? "\r" : "\r\n";
  else if (key == "blank")
    layout->blank_lines = ToNumber(value, 0, kMaxBlankLines);
  else if (key == "final")
    layout->has_last_line_end = value != "0";
  else if (key == "sub")
    layout->has_control_z = value == "1";
  else if (key == "letter")
    layout->has_upper_letters = value == "upper";
}

}  // namespace

Layout FindLayout(std::string_view source) {
  const TextForm form = FormOf(source);
  Layout layout;
  layout.encoding = form.encoding;
  layout.has_bom = form.has_bom;
  layout.has_control_z = form.has_control_z;
  layout.has_last_line_end = EndsInLineEnd(source, form);
  const std::string_view sample = source.substr(
      form.begin, std::min<std::uint64_t>(form.end - form.begin, kSample));
  Sampler sampler;
  if (form.encoding == Encoding::kUtf8) {
    sampler.Add(sample);
  } else {
    std::string units(sample);
    if (form.encoding == Encoding::kUtf16Be)
      for (std::size_t i = 0; i + 1 < units.size(); i += 2)
        std::swap(units[i], units[i + 1]);
    std::string text;
    (void)AppendUtf16Le(units, &text);
    sampler.Add(text);
  }
  sampler.Fill(&layout);
  return layout;
}

std::string ToProfile(const Layout& layout) {
  const Layout usual;
  std::string profile = "1";
  const auto add = [&profile](std::string_view key, std::string_view value) {
    profile.append(";").append(key).append("=").append(value);
  };
  if (layout.encoding != usual.encoding)
    add("enc", layout.encoding == Encoding::kUtf16Le ? "utf16le" : "utf16be");
  if (layout.has_bom) add("bom", "1");
  if (layout.line_end != usual.line_end)
    add("eol", layout.line_end == "\r" ? "cr" : "crlf");
  if (layout.blank_lines != 0) add("blank", std::to_string(layout.blank_lines));
  if (!layout.has_last_line_end) add("final", "0");
  if (layout.has_control_z) add("sub", "1");
  if (layout.has_upper_letters) add("letter", "upper");
  for (const BlanksKey& it : kBlanksKeys)
    if (layout.*it.member != usual.*it.member)
      add(it.key, BlanksToText(layout.*it.member));
  for (const SpellingKey& it : kSpellingKeys)
    if (!(layout.*it.member == usual.*it.member))
      add(it.key, ToText(layout.*it.member));
  return profile;
}

Layout FromProfile(std::string_view profile) {
  Layout layout;
  const auto next = [&profile] {
    const std::size_t size = std::min(profile.find(';'), profile.size());
    const std::string_view entry = profile.substr(0, size);
    profile.remove_prefix(std::min(size + 1, profile.size()));
    return entry;
  };
  if (next() != "1") return layout;
  while (!profile.empty()) {
    const std::string_view entry = next();
    const std::size_t equals = entry.find('=');
    if (equals == std::string_view::npos) continue;
    SetEntry(entry.substr(0, equals), entry.substr(equals + 1), &layout);
  }
  return layout;
}

}  // namespace heapglot::netcf
