#include "readers/heapsnapshot/heapsnapshot_validate_vscode.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

#include "core/bytes/trail.h"
#include "core/text/utf.h"
#include "readers/heapsnapshot/heapsnapshot_json.h"
#include "readers/heapsnapshot/heapsnapshot_numbers.h"
#include "readers/heapsnapshot/heapsnapshot_rules.h"
#include "readers/heapsnapshot/heapsnapshot_validate_strings.h"
#include "readers/heapsnapshot/heapsnapshot_validate_tables.h"

namespace heapglot::heapsnapshot {
namespace {

using Example = FindingLog::Example;

// The lists of meta that may have nothing but names.
constexpr std::string_view kLists[] = {"node_fields", "edge_fields",
                                       "trace_function_info_fields",
                                       "trace_node_fields", "sample_fields"};
// Those that may also have lists of names.
constexpr std::string_view kListsOfTypes[] = {"node_types", "edge_types"};

template <typename Names>
bool IsOneOf(const Names& names, std::string_view name) {
  return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

// V8 itself writes samples of more than 32 bits, but no other of these numbers.
const Rule& RangeRule(const Section& section, bool is_negative) {
  return section.kind == SectionKind::kSamples && !is_negative
             ? RuleFor("samples.range")
             : RuleFor("number.range");
}

// The reader reports numbers that do not look like integers.
void CheckBlock(const NumberCursor& in, const Section& section,
                FindingLog& log) {
  for (std::size_t at = 0; at < in.block().size(); ++at) {
    // Negative numbers are far above this.
    if (in.block()[at] <= kMax32) continue;
    const bool is_negative = in.IsNegative(at);
    log.Add(RangeRule(section, is_negative), [&] {
      return Example{
          .message =
              section.name + (is_negative ? ": a negative number"
                                          : ": a number of more than 32 bits"),
          .where = Where::Byte(in.OffsetOf(at)),
          .record = {}};
    });
  }
}

// Reports why the numbers of `section` end early. JSON can be read by programs
// that need no integers; in locations, memlab only looks at runs of digits.
void NoteNoNumber(const ByteSource& source, const Context& context,
                  const Section& section, const Status& status,
                  FindingLog& log) {
  const std::string_view text = TextOf(source.bytes(), section.value);
  JsonChecker json(context.limits.max_depth);
  const bool is_json = json.Feed(text) == text.size() && json.IsWhole();
  const Rule& rule = is_json ? RuleFor("number.range")
                     : section.kind == SectionKind::kLocations
                         ? RuleFor("number.stray")
                         : RuleFor("number.syntax");
  log.Add(rule, status.message(), status.where());
}

void CheckNumbers(const ByteSource& source, Context& context,
                  const Section& section, FindingLog& log) {
  const std::string_view bytes = source.bytes();
  NumberCursor in(bytes, TextOf(bytes, section.value), section.name);
  Trail trail(source, section.value.begin);
  do {
    if (!context.Proceed("checking", in.offset(), bytes.size()).ok()) return;
    const Status status = in.Read(kBlockNumbers);
    if (!status.ok())
      return NoteNoNumber(source, context, section, status, log);
    CheckBlock(in, section, log);
    trail.Advance(in.offset());
  } while (!in.block().empty());
}

class NameChecker {
 public:
  NameChecker(std::string_view bytes, FindingLog& log)
      : bytes_(bytes), log_(log) {}

  // The text of a string, without its quotes.
  void CheckText(std::string_view raw) {
    if (ClassifyUtf8(raw) == pb::UTF8 && !HasLoneSurrogate(raw)) return;
    log_.Add(RuleFor("key.bytes"), "a key or a name in meta is not UTF-8",
             Where::Byte(OffsetOf(raw)));
  }
  void CheckKeys(std::string_view object) {
    for (JsonItems items(object); items.Next();) CheckText(items.raw_key());
  }
  // Checks a list of names or, with `may_nest`, also of lists of names.
  void CheckList(std::string_view list, bool may_nest);

 private:
  std::uint64_t OffsetOf(std::string_view part) const {
    return static_cast<std::uint64_t>(part.data() - bytes_.data());
  }

  std::string_view bytes_;
  FindingLog& log_;
};

void NameChecker::CheckList(std::string_view list, bool may_nest) {
  for (JsonItems items(list); items.Next();) {
    const std::string_view entry = items.value();
    if (entry.starts_with('"')) {
      CheckText(entry.substr(1, entry.size() - 2));
    } else if (entry.starts_with('[') && may_nest) {
      CheckList(entry, false);
    } else {
      log_.Add(
          RuleFor("meta.entry"),
          "found " + Found(bytes_, OffsetOf(entry)) + " in a list of names",
          Where::Byte(OffsetOf(entry)));
    }
  }
}

}  // namespace

void CheckOtherNumbers(const ByteSource& source, Context& context,
                       const Sections& sections, FindingLog& log) {
  for (const SectionKind kind :
       {SectionKind::kTraceFunctions, SectionKind::kSamples,
        SectionKind::kLocations}) {
    const Section* const section = sections.Find(kind);
    if (section != nullptr) CheckNumbers(source, context, *section, log);
  }
}

void CheckNames(std::string_view bytes, const Sections& sections,
                std::string_view snapshot, std::string_view meta,
                FindingLog& log) {
  NameChecker checker(bytes, log);
  for (const Section& section : sections.list) {
    const std::string_view key = TextOf(bytes, section.key);
    checker.CheckText(key.substr(1, key.size() - 2));
  }
  checker.CheckKeys(snapshot);
  checker.CheckKeys(meta);
  for (JsonItems items(meta); items.Next();) {
    const bool may_nest = IsOneOf(kListsOfTypes, items.key());
    if (may_nest || IsOneOf(kLists, items.key()))
      checker.CheckList(items.value(), may_nest);
  }
}

}  // namespace heapglot::heapsnapshot
