#include "readers/netcf/netcf_findings.h"

#include <iterator>

namespace heapglot::netcf {
namespace {

// What an oddity means for the run.
enum class Severity : std::uint8_t {
  kNote,         // fine even if strict
  kDeviation,    // malformed if strict
  kTruncation,   // truncated if strict
  kOtherFormat,  // unsupported if strict
  kFatal,        // malformed
};

struct Row {
  Oddity oddity;
  Severity severity;
  std::string_view code;
  std::string_view text;
};

constexpr auto kNote = Severity::kNote;
constexpr auto kDeviation = Severity::kDeviation;
constexpr auto kTruncation = Severity::kTruncation;
constexpr auto kOtherFormat = Severity::kOtherFormat;
constexpr auto kFatal = Severity::kFatal;

// The reader can go on after each of them but the fatal ones, so that a
// severity is only a word here.
constexpr Row kTable[] = {
    {Oddity::kBom, kNote, "netcf.encoding.bom", "byte order mark"},
    {Oddity::kUtf16, kNote, "netcf.encoding.utf16", "UTF-16 text"},
    {Oddity::kBytes, kNote, "netcf.encoding.bytes",
     "bytes that are not UTF-8: kept as they are"},
    {Oddity::kLineEnds, kNote, "netcf.line.ends", "line ends: CR, or mixed"},
    {Oddity::kBlankLines, kNote, "netcf.line.blank", "blank line"},
    {Oddity::kSpacing, kDeviation, "netcf.line.spacing",
     "blanks around a line, tabs, or repeated blanks between elements"},
    {Oddity::kLetterCase, kDeviation, "netcf.line.letter_case",
     "record letter in upper case"},
    {Oddity::kNul, kDeviation, "netcf.line.nul", "NUL in text: ignored"},
    {Oddity::kNoLastLineEnd, kNote, "netcf.line.last_without_end",
     "the last line has no line end"},
    {Oddity::kControlZ, kDeviation, "netcf.line.control_z",
     "Control-Z at the end"},
    {Oddity::kCutLine, kTruncation, "netcf.line.cut",
     "the last line has no line end inside an open domain: it may be cut"},
    {Oddity::kUnknownRecord, kDeviation, "netcf.record.unknown",
     "unknown record letter"},
    {Oddity::kMalformedNumber, kDeviation, "netcf.number.malformed",
     "not a hexadecimal number of up to 64 bits"},
    {Oddity::kTooFew, kDeviation, "netcf.record.too_few", "too few elements"},
    {Oddity::kTooMany, kDeviation, "netcf.record.too_many",
     "too many elements"},
    {Oddity::kPrefix, kNote, "netcf.number.prefix", "0x before a number"},
    {Oddity::kUpperCase, kNote, "netcf.number.upper_case",
     "hexadecimal digits in upper case"},
    {Oddity::kLeadingZeros, kNote, "netcf.number.leading_zeros",
     "leading zeros of a number"},
    {Oddity::kTooWide, kDeviation, "netcf.number.too_wide",
     "a number of more than 32 bits"},
    {Oddity::kMissingStart, kDeviation, "netcf.domain.missing_start",
     "a record outside a domain: it opens one without a name"},
    {Oddity::kNestedDomain, kDeviation, "netcf.domain.nested",
     "a domain begins in an open one, which it closes"},
    {Oddity::kEndWithoutStart, kDeviation, "netcf.domain.end_without_start",
     "a domain ends where none is open"},
    {Oddity::kEndMismatch, kDeviation, "netcf.domain.end_mismatch",
     "the end record is not that of the open domain"},
    // Where another domain begins that one is the first error.
    {Oddity::kMissingEnd, kTruncation, "netcf.domain.missing_end",
     "a domain without an end record"},
    {Oddity::kStartWithoutTimestamp, kDeviation,
     "netcf.domain.start_without_timestamp",
     "the start of a domain has no timestamp"},
    {Oddity::kEndWithoutTimestamp, kDeviation,
     "netcf.domain.end_without_timestamp",
     "the end of a domain has no timestamp"},
    {Oddity::kDomainNameWithBlanks, kNote, "netcf.domain.name_with_blanks",
     "a domain's name has blanks"},
    {Oddity::kDomainNameTwice, kDeviation, "netcf.domain.name_twice",
     "two domains of one name"},
    {Oddity::kDomainNameEmpty, kDeviation, "netcf.domain.name_empty",
     "a domain without a name"},
    {Oddity::kNameOrTimestamp, kNote, "netcf.domain.name_or_timestamp",
     "the last word of a domain's name may be a timestamp, and is read so"},
    {Oddity::kTypeRedefined, kDeviation, "netcf.type.redefined",
     "a type id is defined again under another name: the first one counts"},
    {Oddity::kTypeTwice, kNote, "netcf.type.twice",
     "a type id is defined twice"},
    {Oddity::kTypeUndefined, kDeviation, "netcf.type.undefined",
     "an object of a type that is not defined"},
    {Oddity::kTypeNameWithBlanks, kNote, "netcf.type.name_with_blanks",
     "a type's name has blanks"},
    {Oddity::kTypeNameEmpty, kDeviation, "netcf.type.name_empty",
     "a type without a name"},
    {Oddity::kTypeUnused, kNote, "netcf.type.unused",
     "a type that nothing is of"},
    {Oddity::kTypeNameTwice, kNote, "netcf.type.name_twice",
     "two types of one name"},
    {Oddity::kObjectRedefined, kDeviation, "netcf.object.redefined",
     "an object id is defined again, differently: the first one counts"},
    {Oddity::kObjectTwice, kNote, "netcf.object.twice",
     "an object is there twice"},
    {Oddity::kDanglingReference, kDeviation, "netcf.reference.dangling",
     "a reference to an object that is not defined"},
    {Oddity::kNullReference, kNote, "netcf.reference.null",
     "a reference to object 0"},
    {Oddity::kSizeZero, kNote, "netcf.object.size_zero", "an object of size 0"},
    {Oddity::kReferenceTwice, kNote, "netcf.reference.twice",
     "an object refers to another one twice"},
    {Oddity::kIdZero, kDeviation, "netcf.object.id_zero",
     "an object with the id 0"},
    {Oddity::kDanglingRoot, kDeviation, "netcf.root.dangling",
     "a root that is an object that is not defined"},
    {Oddity::kRootKind, kDeviation, "netcf.root.kind",
     "a kind of root other than 0 to 5"},
    {Oddity::kRootFlags, kDeviation, "netcf.root.flags",
     "unknown flags of a root"},
    {Oddity::kStaticWithoutContainer, kDeviation,
     "netcf.root.static_without_container", "a static without a container"},
    {Oddity::kContainerNotStatic, kDeviation, "netcf.root.container_not_static",
     "a container of a root that is no static"},
    {Oddity::kContainerUndefined, kDeviation, "netcf.root.container_undefined",
     "a container that is no defined type"},
    {Oddity::kRootTwice, kNote, "netcf.root.twice", "a root is there twice"},
    {Oddity::kRootRefCounted, kNote, "netcf.root.refcounted",
     "root flag 8, which the full CLR has for reference-counted handles"},
    {Oddity::kNullRoot, kNote, "netcf.root.null", "a root that is object 0"},
    {Oddity::kEmpty, kFatal, "netcf.empty", "there is no domain"},
    {Oddity::kVersion, kOtherFormat, "netcf.version",
     "a format version other than 2"},
    {Oddity::kNotALog, kFatal, "netcf.not_a_log",
     "not a .NET Compact Framework GC log"},
};

constexpr bool TableIsInOrder() {
  for (std::size_t i = 0; i < std::size(kTable); ++i)
    if (static_cast<std::size_t>(kTable[i].oddity) != i) return false;
  return std::size(kTable) == kOddities;
}
static_assert(TableIsInOrder());

const Row& RowOf(Oddity oddity) {
  return kTable[static_cast<std::size_t>(oddity)];
}

// Of what was found; the rest of a message is short.
constexpr std::size_t kMaxFound = 80;

std::string MessageOf(const Row& row, std::string_view found) {
  std::string message = "netcf: ";
  message += row.text;
  if (!found.empty())
    message.append(": \"").append(found.substr(0, kMaxFound)).append("\"");
  return message;
}

}  // namespace

std::string_view CodeOf(Oddity oddity) { return RowOf(oddity).code; }

void Findings::Add(Oddity oddity, const Where& where, std::string_view found) {
  Add(
      oddity, [&where] { return where; }, found);
}

void Findings::AddPlace(Oddity oddity, const Where& where,
                        std::string_view found) {
  const Row& row = RowOf(oddity);
  Entry& entry = entries_[static_cast<std::size_t>(oddity)];
  entry.places.push_back({.message = MessageOf(row, found), .where = where});
  const std::string& message = entry.places.back().message;
  switch (row.severity) {
    case Severity::kNote:
      return;
    case Severity::kDeviation:
      return FailIfStrict({Code::kMalformed, message, where});
    case Severity::kTruncation:
      return FailIfStrict({Code::kTruncated, message, where});
    case Severity::kOtherFormat:
      return FailIfStrict({Code::kUnsupported, message, where});
    case Severity::kFatal:
      return Fail({Code::kMalformed, message, where});
  }
}

void Findings::Report(Context& context) const {
  for (std::size_t i = 0; i < kOddities; ++i) {
    const Entry& entry = entries_[i];
    std::uint64_t left = entry.count;
    for (const Place& place : entry.places) {
      // The last one that is known stands for those that are not.
      const bool is_last = &place == &entry.places.back();
      context.Note(kTable[i].code, place.message, place.where,
                   is_last ? left : 1);
      --left;
    }
  }
}

}  // namespace heapglot::netcf
