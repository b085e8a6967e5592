#include "readers/netcf/netcf_findings.h"

#include <algorithm>
#include <iterator>

#include "heapglot/validate.h"
#include "readers/netcf/netcf_reader.h"

namespace heapglot {
namespace netcf {
namespace {

// What an oddity means.
struct Level {
  Severity severity;  // to validate
  Code if_strict;     // kOk: fine even in strict mode
};
constexpr Level kNote = {Severity::kNote, Code::kOk};
constexpr Level kDeviation = {Severity::kWarning, Code::kMalformed};
constexpr Level kTruncation = {Severity::kWarning, Code::kTruncated};
constexpr Level kOtherFormat = {Severity::kWarning, Code::kUnsupported};
constexpr Level kFatal = {Severity::kError, Code::kMalformed};

struct Row {
  Oddity oddity;
  Level level;
  std::string_view code;
  std::string_view text;
  std::string_view advice;
};

// The reader can continue after all of them but the fatal ones, so a severity
// is only a word here.
constexpr Row kTable[] = {
    {Oddity::kBom, kNote, "netcf.encoding.bom", "byte order mark",
     "Write ASCII, or UTF-8 without a BOM."},
    {Oddity::kUtf16, kNote, "netcf.encoding.utf16", "UTF-16 text",
     "Write ASCII or UTF-8."},
    {Oddity::kBytes, kNote, "netcf.encoding.bytes",
     "bytes that are not UTF-8: kept as they are", "Write UTF-8."},
    {Oddity::kLineEnds, kNote, "netcf.line.ends", "line ends are CR, or mixed",
     "End lines with carriage return and line feed, as the runtime does."},
    {Oddity::kBlankLines, kNote, "netcf.line.blank", "blank line",
     "Write one record per line."},
    {Oddity::kSpacing, kDeviation, "netcf.line.spacing",
     "spaces around a line, tabs, or repeated spaces between elements",
     "Write one space between elements, and none around them."},
    {Oddity::kLetterCase, kDeviation, "netcf.line.letter_case",
     "record letter in upper case",
     "Write the letter of a record in lower case."},
    {Oddity::kNul, kDeviation, "netcf.line.nul", "NUL in text: ignored",
     "Write text with one byte per character, without padding."},
    {Oddity::kNoLastLineEnd, kNote, "netcf.line.last_without_end",
     "the last line has no line end", "End the last line like the others."},
    {Oddity::kControlZ, kDeviation, "netcf.line.control_z",
     "Control-Z at the end", "End the file after the last line."},
    {Oddity::kCutLine, kTruncation, "netcf.line.cut",
     "the last line has no line end inside an open domain: it may be cut",
     "Write to the end of the domain; compare the size after a transfer."},
    {Oddity::kUnknownRecord, kDeviation, "netcf.record.unknown",
     "unknown record letter",
     "Use the letters a, t, o, r and c: readers skip other lines."},
    {Oddity::kMalformedNumber, kDeviation, "netcf.number.malformed",
     "not a hexadecimal number of up to 64 bits",
     "Write hexadecimal digits without a prefix."},
    {Oddity::kTooFew, kDeviation, "netcf.record.too_few", "too few elements",
     "Write all elements of the record."},
    {Oddity::kTooMany, kDeviation, "netcf.record.too_many", "too many elements",
     "Write the elements of the record and no more."},
    {Oddity::kPrefix, kNote, "netcf.number.prefix", "0x before a number",
     "Write numbers without 0x."},
    {Oddity::kUpperCase, kNote, "netcf.number.upper_case",
     "hexadecimal digits in upper case", "Write digits in lower case."},
    {Oddity::kLeadingZeros, kNote, "netcf.number.leading_zeros",
     "leading zeros of a number", "Write numbers without leading zeros."},
    {Oddity::kTooWide, kDeviation, "netcf.number.too_wide",
     "a number of more than 32 bits", "Ids and sizes have 32 bits."},
    {Oddity::kMissingStart, kDeviation, "netcf.domain.missing_start",
     "a record outside a domain: it opens a domain without a name",
     "Begin a domain before its records."},
    {Oddity::kNestedDomain, kDeviation, "netcf.domain.nested",
     "a domain begins in an open one, which it closes",
     "End a domain before the next one begins."},
    {Oddity::kEndWithoutStart, kDeviation, "netcf.domain.end_without_start",
     "a domain ends where none is open", "End a domain once."},
    {Oddity::kEndMismatch, kDeviation, "netcf.domain.end_mismatch",
     "the end record is not that of the open domain",
     "Repeat the name of the domain in its end."},
    // If another domain begins there, that is the first error.
    {Oddity::kMissingEnd, kTruncation, "netcf.domain.missing_end",
     "a domain without an end record",
     "Write the end record: without it the file looks cut."},
    {Oddity::kStartWithoutTimestamp, kDeviation,
     "netcf.domain.start_without_timestamp",
     "the start of a domain has no timestamp",
     "Write the time after the name."},
    {Oddity::kEndWithoutTimestamp, kDeviation,
     "netcf.domain.end_without_timestamp",
     "the end of a domain has no timestamp", "Write the time after the name."},
    {Oddity::kDomainNameWithBlanks, kNote, "netcf.domain.name_with_blanks",
     "a domain's name has spaces",
     "Replace spaces in the name: they separate elements."},
    {Oddity::kDomainNameTwice, kDeviation, "netcf.domain.name_twice",
     "two domains with the same name", "Give every domain its own name."},
    {Oddity::kDomainNameEmpty, kDeviation, "netcf.domain.name_empty",
     "a domain without a name", "Give the domain a name."},
    {Oddity::kNameOrTimestamp, kNote, "netcf.domain.name_or_timestamp",
     "the last word of a domain's name may be a timestamp, and is read as one",
     "Always write the time, so that a name is never taken for one."},
    {Oddity::kTypeRedefined, kDeviation, "netcf.type.redefined",
     "a type id is defined again under another name: the first one counts",
     "Give every type its own id."},
    {Oddity::kTypeTwice, kNote, "netcf.type.twice",
     "a type id is defined twice", "Define a type once."},
    {Oddity::kTypeUndefined, kDeviation, "netcf.type.undefined",
     "an object of a type that is not defined",
     "Define the type in the same domain."},
    {Oddity::kTypeNameWithBlanks, kNote, "netcf.type.name_with_blanks",
     "a type's name has spaces",
     "Nothing to do, if all readers take the rest of the line."},
    {Oddity::kTypeNameEmpty, kDeviation, "netcf.type.name_empty",
     "a type without a name", "Give the type its name."},
    {Oddity::kTypeUnused, kNote, "netcf.type.unused", "an unused type",
     "Leave it out, or leave it: it does no harm."},
    {Oddity::kTypeNameTwice, kNote, "netcf.type.name_twice",
     "two types with the same name", "Add the assembly to the name."},
    {Oddity::kObjectRedefined, kDeviation, "netcf.object.redefined",
     "an object id is defined again, differently: the first one counts",
     "Give every object its own id: readers keep the first object."},
    {Oddity::kObjectTwice, kNote, "netcf.object.twice",
     "an object is defined twice", "Write an object once."},
    {Oddity::kDanglingReference, kDeviation, "netcf.reference.dangling",
     "a reference to an object that is not defined",
     "Write the object, or leave out the reference."},
    {Oddity::kNullReference, kNote, "netcf.reference.null",
     "a reference to object 0", "Leave out null references."},
    {Oddity::kSizeZero, kNote, "netcf.object.size_zero", "an object of size 0",
     "Write the size in bytes, including the header."},
    {Oddity::kReferenceTwice, kNote, "netcf.reference.twice",
     "an object refers to another one twice",
     "Nothing to do: two fields may hold the same object."},
    {Oddity::kIdZero, kDeviation, "netcf.object.id_zero",
     "an object with the id 0",
     "0 is null: number objects from 1, or by address."},
    {Oddity::kDanglingRoot, kDeviation, "netcf.root.dangling",
     "a root that refers to an object that is not defined",
     "Write the object, or leave out the root."},
    {Oddity::kRootKind, kDeviation, "netcf.root.kind",
     "a kind of root other than 0 to 5", "Use one of the kinds 0 to 5."},
    {Oddity::kRootFlags, kDeviation, "netcf.root.flags",
     "unknown flags of a root", "Use the flags that the format has."},
    {Oddity::kStaticWithoutContainer, kDeviation,
     "netcf.root.static_without_container", "a static without a container",
     "Name the type that has the static field."},
    {Oddity::kContainerNotStatic, kDeviation, "netcf.root.container_not_static",
     "a container of a root that is not static",
     "Name a type for static roots only."},
    {Oddity::kContainerUndefined, kDeviation, "netcf.root.container_undefined",
     "a container that is not a defined type",
     "Define the type in the same domain."},
    {Oddity::kRootTwice, kNote, "netcf.root.twice", "a root is listed twice",
     "Write a root once."},
    {Oddity::kRootRefCounted, kNote, "netcf.root.refcounted",
     "root flag 8, which the full CLR has for reference-counted handles",
     "Nothing to do: the Compact Framework has no such roots, but tools accept "
     "them."},
    {Oddity::kNullRoot, kNote, "netcf.root.null",
     "a root that refers to object 0", "Leave out roots that hold nothing."},
    {Oddity::kEmpty, kFatal, "netcf.empty", "there are no domains",
     "Write a domain with its objects."},
    {Oddity::kVersion, kOtherFormat, "netcf.version",
     "a format version other than 2", "Write version 2."},
    {Oddity::kNotALog, kFatal, "netcf.not_a_log",
     "not a .NET Compact Framework GC log",
     "Begin the file as the runtime does."},
};

// Each oddity has a row and a code of its own.
constexpr bool TableIsInOrder() {
  for (std::size_t i = 0; i < std::size(kTable); ++i) {
    if (static_cast<std::size_t>(kTable[i].oddity) != i) return false;
    for (std::size_t before = 0; before < i; ++before)
      if (kTable[before].code == kTable[i].code) return false;
  }
  return std::size(kTable) == kOddities;
}
static_assert(TableIsInOrder());

constexpr auto kRules = [] {
  std::array<Rule, kOddities> rules;
  for (std::size_t i = 0; i < kOddities; ++i) {
    const Row& row = kTable[i];
    rules[i] = {row.code, row.level.severity, row.text, row.advice};
  }
  return rules;
}();

const Row& RowOf(Oddity oddity) {
  return kTable[static_cast<std::size_t>(oddity)];
}

// Bytes of what was found, in a message; the rest of it is short.
constexpr std::size_t kMaxFound = 80;

std::string MessageOf(const Row& row, std::string_view found) {
  std::string message = "netcf: ";
  message += row.text;
  if (!found.empty())
    message.append(": \"").append(found.substr(0, kMaxFound)).append("\"");
  return message;
}

}  // namespace

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
  if (row.level.severity == Severity::kError)
    Fail({row.level.if_strict, message, where});
  else if (row.level.if_strict != Code::kOk)
    FailIfStrict({row.level.if_strict, message, where});
}

void Findings::Report(Context& context, Counts* reported) const {
  for (std::size_t i = 0; i < kOddities; ++i) {
    const Entry& entry = entries_[i];
    std::uint64_t& done = (*reported)[i];
    while (done < entry.count) {
      const std::size_t last = entry.places.size() - 1;
      // The last known place stands for all unknown ones.
      const std::uint64_t cases = done < last ? 1 : entry.count - done;
      const Place& place = entry.places[std::min<std::uint64_t>(done, last)];
      context.Note(kTable[i].code, place.message, place.where, cases);
      done += cases;
    }
  }
}

}  // namespace netcf

constinit const Validator kNetcfValidator = {.rules = netcf::kRules};

}  // namespace heapglot
