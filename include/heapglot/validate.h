// Everything that is wrong or odd in an input: where it is, what to do about
// it, and what other programs make of it.
#ifndef HEAPGLOT_VALIDATE_H_
#define HEAPGLOT_VALIDATE_H_

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "heapglot/bytes.h"
#include "heapglot/context.h"
#include "heapglot/export.h"
#include "heapglot/status.h"

namespace heapglot {

struct ReaderInfo;  // heapglot/format.h

enum class Severity {
  kNote,  // worth knowing
  // The file can be read, but some program will not read it right. Everything
  // that Context::strict refuses has at least this severity.
  kWarning,
  kError,  // the file breaks its format
};
HEAPGLOT_API std::string_view ToString(
    Severity severity);  // "note", "warning", "error"

// What a program makes of a file.
enum class Outcome {
  kOk,     // opens it and shows what it says
  kWrong,  // opens it and shows something else
  kFails,  // does not open it
};
HEAPGLOT_API std::string_view ToString(
    Outcome outcome);  // "ok", "wrong", "fails"

// How a finding affects a program: the outcome is at least as bad as `outcome`.
struct Effect {
  std::string_view reader;  // "devtools"; empty: none
  Outcome outcome = Outcome::kOk;
};

// A kind of finding. Ids are stable: "<format>.<area>.<what>".
struct Rule {
  std::string_view id;
  Severity severity = Severity::kWarning;
  std::string_view summary;  // what is wrong: a clause without a full stop
  std::string_view advice;   // to the author of an exporter: a sentence
  std::array<Effect, 3> effects = {};
};

// What validate found, grouped by rule. Memory: `examples` findings and 32 KB
// per rule.
class HEAPGLOT_API FindingLog {
 public:
  struct Example {
    std::string message;
    Where where;
    std::optional<std::uint64_t> record;  // its 0-based number, if it has one
  };
  struct Group {
    const Rule* rule = nullptr;
    std::uint64_t count = 0;
    std::vector<Example> examples;  // the first ones
  };

  explicit FindingLog(std::uint64_t examples) : examples_(examples) {}

  // Counts a case of `rule`. Calls `make_example`() only for the first cases.
  template <typename MakeExample>
  void Add(const Rule& rule, MakeExample&& make_example) {
    Group& group = GroupOf(rule);
    const bool is_kept = group.count < examples_;
    const bool has_place =
        rule.severity == Severity::kError && group.count < kPlaces;
    ++group.count;
    if (!is_kept && !has_place) return;
    Example example = make_example();
    if (has_place) error_places_.push_back(example.where);
    if (is_kept) group.examples.push_back(std::move(example));
  }
  void Add(const Rule& rule, std::string message, Where where,
           std::optional<std::uint64_t> record = std::nullopt) {
    Add(rule, [&] { return Example{std::move(message), where, record}; });
  }
  // Counts `count` more cases, whose places are not known.
  void AddMore(const Rule& rule, std::uint64_t count) {
    GroupOf(rule).count += count;
  }

  bool Has(const Rule& rule) const;
  // Whether there is an error at this place, no matter how many examples are
  // kept. Knows the first 1,000 errors of each rule.
  bool HasErrorAt(const Where& where) const;
  const std::vector<Group>& groups() const { return groups_; }
  // Errors first, then in the order of their first places.
  void Sort();

 private:
  static constexpr std::uint64_t kPlaces = 1000;

  Group& GroupOf(const Rule& rule);

  std::uint64_t examples_;
  std::vector<Where> error_places_;
  std::vector<Group> groups_;
};

// What a format declares for validate.
struct Validator {
  // What `check` finds, and every code that the format's reader warns with.
  std::span<const Rule> rules;
  // Programs whose verdicts the rules predict, because they have been measured.
  std::span<const std::string_view> readers = {};
  // Codes of the reader that are not reported, because `check` has more detail.
  std::span<const std::string_view> refined = {};
  // Checks a whole file, even one that the reader refuses, as far as it makes
  // sense. nullptr: the reader says it all. Errors: what keeps it from checking,
  // such as kOutput for a temporary file.
  Status (*check)(const ByteSource& source, Context& context,
                  FindingLog& log) = nullptr;
};

// Rules that hold for any format.
HEAPGLOT_API std::span<const Rule> CommonRules();

struct Verdict {
  std::string_view reader;
  Outcome outcome = Outcome::kOk;
};

struct HEAPGLOT_API Validation {
  explicit Validation(std::uint64_t examples) : log(examples) {}

  FindingLog log;
  // Rules in `log` that are in no table: the codes of a reader whose format has
  // no Validator.
  std::vector<std::shared_ptr<const Rule>> own_rules;
  std::string format;   // empty: not known
  std::string dialect;  // may be empty
  // Those of the programs in Validator::readers, in that order.
  std::vector<Verdict> verdicts;
  bool is_whole = false;  // the reader came to the end
  std::uint64_t nodes = 0;
  std::uint64_t edges = 0;

  std::uint64_t Count(Severity severity) const;
};

// Reads all of `source` as `format`, and says what is wrong with it.
// context.examples is the number of places to keep for each rule. Only what
// keeps it from doing so is an error: kInput, kInternal and the like.
// Memory: that of the reader, of the search for unreachable nodes (see
// Convert()), and of the findings.
HEAPGLOT_API Result<Validation> Validate(const ByteSource& source,
                                         const ReaderInfo& format,
                                         Context& context);

// The same for an input that cannot even be opened as a dump, for the reason in
// `status`. Returns `status` itself if it is not the input's fault.
HEAPGLOT_API Result<Validation> ValidateUnopened(const Status& status,
                                                 std::uint64_t examples);

}  // namespace heapglot

#endif  // HEAPGLOT_VALIDATE_H_
