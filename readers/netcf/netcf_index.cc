#include "readers/netcf/netcf_index.h"

#include <algorithm>
#include <cctype>
#include <set>
#include <utility>

#include "core/record_limit.h"
#include "core/text/utf.h"
#include "core/text_table.h"
#include "readers/netcf/netcf_wire.h"

namespace heapglot::netcf {
namespace {

// No real log comes near these limits.
constexpr std::size_t kMaxDomains = std::size_t{1} << 17;
constexpr std::size_t kMaxOtherKinds = 4096;

// The letters in the order in which the writer sends their records.
int RankOf(char letter) {
  return letter == kType ? 0 : letter == kObject ? 1 : 2;
}

bool IsHexWord(std::string_view word, std::size_t max_digits) {
  if (word.starts_with("0x") || word.starts_with("0X")) word.remove_prefix(2);
  return !word.empty() && word.size() <= max_digits &&
         std::all_of(word.begin(), word.end(),
                     [](unsigned char c) { return std::isxdigit(c) != 0; });
}

// The name before a blank and a timestamp, or the whole text. Only the last
// word can be a timestamp: names may have blanks.
struct NameAndTimestamp {
  std::string_view name;
  std::string_view timestamp;  // empty = none
};
NameAndTimestamp Split(std::string_view text) {
  constexpr std::size_t kMaxDigits = 8;
  const std::size_t blank = text.rfind(' ');
  if (blank == std::string_view::npos ||
      !IsHexWord(text.substr(blank + 1), kMaxDigits))
    return {text, {}};
  return {text.substr(0, blank), text.substr(blank + 1)};
}

// The same if the name is known.
NameAndTimestamp SplitAfter(std::string_view name, std::string_view text) {
  constexpr std::size_t kMaxDigits = 16;
  if (text == name) return {text, {}};
  if (text.starts_with(name) && text.substr(name.size()).starts_with(' ') &&
      IsHexWord(text.substr(name.size() + 1), kMaxDigits))
    return {name, text.substr(name.size() + 1)};
  return Split(text);
}

// A hexadecimal word in lower case, without its prefix and leading zeros.
std::string NumberOf(std::string_view word) {
  if (word.starts_with("0x") || word.starts_with("0X")) word.remove_prefix(2);
  word.remove_prefix(std::min(word.find_first_not_of('0'), word.size()));
  std::string number(word);
  for (char& c : number)
    c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return number;
}

// The number that a start record or a type begins with.
bool ReadFirst(Line& line, Findings* findings, std::uint64_t* number) {
  if (line.Number(number) == Line::Got::kNumber) return true;
  if (findings != nullptr)
    findings->Add(Oddity::kTooFew, [&] { return line.token_place(); });
  return false;
}

// Reads all lines once.
class Scanner {
 public:
  Scanner(const ByteSource& source, const Context& context, Findings* findings,
          Index* index)
      : source_(source),
        context_(context),
        findings_(*findings),
        index_(*index),
        text_(source, index->form, context.limits.max_string),
        line_(text_),
        is_cut_(!EndsInLineEnd(source.bytes(), index->form)) {}

  Status Run();

 private:
  void CheckForm();
  Status ScanLine();
  bool StepOverCut(char letter);
  Status ScanRecord(char letter);
  Status StartDomain();
  Status ReadDomainStart(Domain& domain);
  Status EndDomain(bool is_last);
  Status OpenDomain();
  void CloseDomain();
  Status ScanType();
  Status ScanObject();
  Status ScanRoot();
  void CheckDomainName(const Domain& domain);
  void CheckTimestamp(std::string_view timestamp);
  void CheckTypeNames(const Domain& domain);
  void CheckEncoding(std::string_view text);
  void CheckEnds();
  Status NotALog() const;

  Domain& domain() { return index_.domains.back(); }
  // Notes whether records are still in the writer's order.
  void NoteOrder(char letter) {
    const int rank = RankOf(letter);
    if (rank < rank_) domain().is_in_usual_order = false;
    rank_ = rank;
  }
  void Add(Oddity oddity, std::string_view found = {}) {
    findings_.Add(
        oddity, [this] { return line_.place(); }, found);
  }
  Status Limit(std::string message) const {
    return {Code::kLimit, std::move(message), line_.place()};
  }

  const ByteSource& source_;
  const Context& context_;
  Findings& findings_;
  Index& index_;
  Text text_;
  Line line_;
  const bool is_cut_;  // the last line has no end
  std::uint64_t records_ = 0;
  int rank_ = 0;  // of the domain's last record
  bool is_open_ = false;
  std::set<std::string> domain_names_;
};

void Scanner::CheckForm() {
  const TextForm& form = index_.form;
  const Where start = {.byte = 0, .line = 1, .column = 1};
  if (form.encoding != Encoding::kUtf8)
    findings_.Add(Oddity::kUtf16, start);
  else if (form.has_bom)
    findings_.Add(Oddity::kBom, start);
  if (form.has_control_z)
    findings_.Add(Oddity::kControlZ, Where::Byte(form.end));
  if (form.has_odd_byte) {
    findings_.Fail({Code::kTruncated,
                    "netcf: the input ends in the middle of a UTF-16 character",
                    Where::Byte(source_.bytes().size() - 1)});
  }
}

Status Scanner::Run() {
  CheckForm();
  for (std::uint64_t i = 0; text_.HasLine(); ++i) {
    if (i % kProgressLines == 0) {
      HEAPGLOT_RETURN_IF_ERROR(
          context_.Proceed("indexing", text_.place().offset, index_.form.end));
    }
    HEAPGLOT_RETURN_IF_ERROR(ScanLine());
    HEAPGLOT_RETURN_IF_ERROR(CheckRecordCount(context_.limits, i + 1,
                                              [&] { return line_.place(); }));
    line_.End();
  }
  HEAPGLOT_RETURN_IF_ERROR(text_.status());
  CheckEnds();
  if (!index_.domains.empty()) return {};
  if (is_cut_) {
    findings_.Fail({Code::kTruncated,
                    "netcf: the input ends before its first record",
                    Where::Byte(index_.form.end)});
  }
  findings_.Add(Oddity::kEmpty, Where{.byte = 0, .line = 1, .column = 1});
  return findings_.status();
}

Status Scanner::ScanLine() {
  line_.ReportTo(nullptr);
  const char letter = line_.Begin();
  if (letter == Line::kBlank) {
    line_.ReportTo(&findings_);
    Add(Oddity::kBlankLines);
    return {};
  }
  if (letter == Line::kUnknown && records_ == 0) return NotALog();
  if (is_cut_ && line_.IsLastWithoutEnd()) {
    if (letter == kDomainEnd && is_open_) {
      ++records_;
      return EndDomain(true);
    }
    if (StepOverCut(letter)) return {};
  }
  return ScanRecord(letter);
}

// The last line has no end, so its last word may be cut. True if it is
// therefore not taken for a record.
bool Scanner::StepOverCut(char letter) {
  if (is_open_) {
    Add(Oddity::kCutLine, line_.Whole());
    CheckEncoding(line_.Whole());
    index_.cut_line = text_.line();
    return true;
  }
  if (letter != Line::kUnknown) {
    findings_.FailIfStrict(
        {Code::kTruncated, "netcf: the last line is cut", line_.place()});
  }
  return false;
}

Status Scanner::NotALog() const {
  findings_.Add(Oddity::kNotALog, line_.place());
  return findings_.status();
}

Status Scanner::ScanRecord(char letter) {
  if (letter == Line::kUnknown) {
    line_.ReportTo(&findings_);
    Add(Oddity::kUnknownRecord, line_.Whole());
    CheckEncoding(line_.Whole());
    (void)line_.Rest();  // its blanks and NULs are odd as well
    return {};
  }
  ++records_;
  if (letter == kDomainStart) return StartDomain();
  if (letter == kDomainEnd) return EndDomain(false);
  if (!is_open_) {
    Add(Oddity::kMissingStart, line_.Whole());
    HEAPGLOT_RETURN_IF_ERROR(OpenDomain());
    (void)domain_names_.insert(std::string());
  }
  if (letter == kType) return ScanType();
  return letter == kObject ? ScanObject() : ScanRoot();
}

// ----------------------------------------------------------------- domains

Status Scanner::OpenDomain() {
  if (index_.domains.size() == kMaxDomains) return Limit("too many domains");
  index_.domains.emplace_back().begin = text_.place();
  is_open_ = true;
  rank_ = 0;
  return {};
}

void Scanner::CloseDomain() {
  is_open_ = false;
  Domain& it = domain();
  if (it.end_line == 0) {
    findings_.Add(Oddity::kMissingEnd, Where::Line(it.begin.line, 1), it.name);
  }
  it.types.Finish();
  it.nodes.Finish();
  // Of several types with one id, the first counts.
  const auto& duplicates = it.types.duplicates();
  std::size_t kept = 0;
  std::size_t next = 0;
  for (std::size_t i = 0; i < it.names.size(); ++i) {
    if (next < duplicates.size() && duplicates[next].ordinal == i)
      ++next;
    else
      it.names[kept++] = it.names[i];
  }
  it.names.resize(kept);
  it.named_types = static_cast<std::uint64_t>(std::count_if(
      it.names.begin(), it.names.end(),
      [](std::uint64_t name) { return name != Domain::kNoName; }));
  CheckTypeNames(it);
}

void Scanner::CheckTypeNames(const Domain& domain) {
  std::vector<std::uint64_t> sorted = domain.names;
  std::sort(sorted.begin(), sorted.end());
  for (std::size_t i = 1; i < sorted.size(); ++i) {
    if (sorted[i] != sorted[i - 1]) continue;
    findings_.Add(Oddity::kTypeNameTwice, Where::Line(domain.begin.line, 1));
  }
}

Status Scanner::StartDomain() {
  line_.ReportTo(&findings_);
  if (is_open_) {
    Add(Oddity::kNestedDomain, domain().name);
    CloseDomain();
  }
  HEAPGLOT_RETURN_IF_ERROR(OpenDomain());
  domain().has_start = true;
  HEAPGLOT_RETURN_IF_ERROR(ReadDomainStart(domain()));
  CheckDomainName(domain());
  return {};
}

Status Scanner::ReadDomainStart(Domain& domain) {
  // Anything larger is an address: "a ADDRESS COUNT" of a CLRProfiler log.
  constexpr std::uint64_t kMaxVersion = 0xffff;
  std::uint64_t version = kVersion;
  if (ReadFirst(line_, &findings_, &version) && version != kVersion)
    Add(Oddity::kVersion, line_.token());
  if (records_ == 1 && version > kMaxVersion) return NotALog();
  domain.version = line_.token();

  const std::string_view rest = line_.Rest();
  CheckEncoding(rest);
  if (rest.size() > kMaxDomainName) return Limit("a domain's name is too long");
  const auto [name, timestamp] = Split(rest);
  domain.name = name;
  domain.timestamp = timestamp;
  domain.has_timestamp = !timestamp.empty();
  return {};
}

void Scanner::CheckDomainName(const Domain& domain) {
  if (domain.name.empty()) Add(Oddity::kDomainNameEmpty);
  if (!domain.has_timestamp) {
    Add(Oddity::kStartWithoutTimestamp);
  } else {
    CheckTimestamp(domain.timestamp);
  }
  if (domain.name.find(' ') != std::string::npos)
    Add(Oddity::kDomainNameWithBlanks, domain.name);
  if (!domain_names_.insert(domain.name).second)
    Add(Oddity::kDomainNameTwice, domain.name);
}

// The last word of a name may look like a timestamp: "Photo Add".
void Scanner::CheckTimestamp(std::string_view timestamp) {
  if (!timestamp.empty() &&
      timestamp.find_first_of("0123456789") == std::string_view::npos)
    Add(Oddity::kNameOrTimestamp, timestamp);
}

Status Scanner::EndDomain(bool is_last) {
  line_.ReportTo(&findings_);
  if (!is_open_) {
    Add(Oddity::kEndWithoutStart);
    CheckEncoding(line_.Rest());
    return {};
  }
  Domain& it = domain();
  const std::string_view rest = line_.Rest();
  CheckEncoding(rest);
  if (rest.size() > kMaxDomainName) return Limit("a domain's name is too long");
  const auto [name, timestamp] = SplitAfter(it.name, rest);
  it.end_name = name;
  it.end_timestamp = timestamp;
  it.has_end_timestamp = !timestamp.empty();
  it.end_line = text_.line();
  const bool is_same =
      name == it.name &&
      (!it.has_end_timestamp ||
       (it.has_timestamp && NumberOf(timestamp) == NumberOf(it.timestamp)));
  const bool is_whole = is_same && (it.has_end_timestamp || !it.has_timestamp);
  if (is_last && !is_whole) {
    findings_.FailIfStrict(
        {Code::kTruncated, "netcf: the end record is cut", line_.place()});
  }
  if (!it.has_end_timestamp) Add(Oddity::kEndWithoutTimestamp);
  if (!is_same) Add(Oddity::kEndMismatch, rest);
  if (name != it.name) CheckTimestamp(timestamp);
  CloseDomain();
  return {};
}

// ----------------------------------------------------------------- records

Status Scanner::ScanType() {
  line_.ReportTo(&findings_);
  std::uint64_t id = 0;
  if (!ReadTypeId(line_, &findings_, &id)) return {};
  const std::string_view name = line_.Rest();
  CheckEncoding(name);
  // "t NUMBER FLAG NAME" of CLRProfiler and SOS. .NET has no such names.
  if (records_ == 1 && !domain().has_start && name.size() > 1 &&
      std::isdigit(static_cast<unsigned char>(name[0])) != 0 &&
      name.find(' ') != std::string_view::npos)
    return NotALog();
  if (name.empty()) Add(Oddity::kTypeNameEmpty);
  if (name.find_first_of(" \t") != std::string_view::npos)
    Add(Oddity::kTypeNameWithBlanks, name);
  Domain& it = domain();
  if (it.types.added() == IdMap::kMaxIds) return Limit("too many types");
  it.types.Add(id);
  it.names.push_back(HashName(name));
  NoteOrder(kType);
  return {};
}

Status Scanner::ScanObject() {
  Object object;
  if (!netcf::ReadObject(line_, nullptr, &object)) return {};
  IdMap& nodes = domain().nodes;
  if (nodes.added() == IdMap::kMaxIds) return Limit("too many objects");
  nodes.Add(object.id);
  NoteOrder(kObject);
  return {};
}

Status Scanner::ScanRoot() {
  Root root;
  if (!netcf::ReadRoot(line_, nullptr, &root)) return {};
  Domain& it = domain();
  ++it.roots;
  NoteOrder(kRoot);
  if (root.kind < kRootKinds) return {};
  const auto at =
      std::lower_bound(it.other_kinds.begin(), it.other_kinds.end(), root.kind);
  if (at != it.other_kinds.end() && *at == root.kind) return {};
  if (it.other_kinds.size() == kMaxOtherKinds)
    return Limit("too many kinds of root");
  it.other_kinds.insert(at, root.kind);
  return {};
}

// ------------------------------------------------------------------- whole

void Scanner::CheckEncoding(std::string_view text) {
  if (index_.form.encoding != Encoding::kUtf8 ||
      findings_.count(Oddity::kBytes) > 0)
    return;
  if (ClassifyUtf8(text) != pb::UTF8) Add(Oddity::kBytes, text);
}

void Scanner::CheckEnds() {
  // If the last line has no end, text_ is past it all the same.
  const Where end = {.byte = index_.form.end,
                     .line = text_.line() - (is_cut_ ? 1 : 0)};
  if (is_cut_) findings_.Add(Oddity::kNoLastLineEnd, end);
  const Text::LineEnds& ends = text_.line_ends();
  if (ends.cr > 0 || (ends.lf > 0 && ends.crlf > 0))
    findings_.Add(Oddity::kLineEnds, Where::Line(1, 1));
  if (!is_open_) return;
  findings_.FailIfStrict(
      {Code::kTruncated,
       "netcf: the input ends in a domain, which has no end record", end});
  CloseDomain();
}

}  // namespace

std::uint64_t HashName(std::string_view name) {
  if (name.empty()) return Domain::kNoName;
  return TextHash()(name) | 1;
}

bool ReadTypeId(Line& line, Findings* findings, std::uint64_t* id) {
  return ReadFirst(line, findings, id);
}

void ReportBroken(Line::Got got, int elements, Line& line, Findings* findings) {
  if (findings == nullptr) return;
  std::uint64_t ignored = 0;
  for (; got != Line::Got::kEnd; got = line.Number(&ignored)) ++elements;
  if (elements < kLeastElements)
    findings->Add(Oddity::kTooFew, [&] { return line.token_place(); });
}

bool ReadRoot(Line& line, Findings* findings, Root* root) {
  if (!ReadNumbers(line, findings, {&root->id, &root->kind, &root->flags}))
    return false;
  Line::Got got = line.Number(&root->container);
  if (got == Line::Got::kEnd) return true;
  root->has_container = true;
  bool is_whole = got == Line::Got::kNumber;
  std::uint64_t ignored = 0;
  got = line.Number(&ignored);
  if (got == Line::Got::kEnd) return is_whole;
  const char* const first = line.token().data();
  for (; got != Line::Got::kEnd; got = line.Number(&ignored))
    is_whole &= got == Line::Got::kNumber;
  if (is_whole && findings != nullptr)
    findings->Add(Oddity::kTooMany, [&] { return line.PlaceOf(first); });
  return is_whole;
}

Status BuildIndex(const ByteSource& source, const Context& context,
                  Findings* findings, Index* index) {
  const std::string_view bytes = source.bytes();
  if (bytes.empty())
    return {Code::kTruncated, "the input is empty", Where::Byte(0)};
  for (const std::string_view bom : {"\xef\xbb\xbf", "\xff\xfe", "\xfe\xff"}) {
    if (bom.starts_with(bytes)) {
      return {Code::kTruncated, "there is a byte order mark and no more",
              Where::Byte(bytes.size())};
    }
  }
  index->form = FormOf(bytes);
  return Scanner(source, context, findings, index).Run();
}

}  // namespace heapglot::netcf
