// What can be odd about a GC log, and how bad that is.
#ifndef HEAPGLOT_READERS_NETCF_NETCF_FINDINGS_H_
#define HEAPGLOT_READERS_NETCF_NETCF_FINDINGS_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "heapglot/context.h"
#include "heapglot/status.h"

namespace heapglot::netcf {

// Deviations from the grammar in README.md, in the order of its table.
enum class Oddity : std::uint8_t {
  kBom,
  kUtf16,
  kBytes,
  kLineEnds,
  kBlankLines,
  kSpacing,
  kLetterCase,
  kNul,
  kNoLastLineEnd,
  kControlZ,
  kCutLine,
  kUnknownRecord,
  kMalformedNumber,
  kTooFew,
  kTooMany,
  kPrefix,
  kUpperCase,
  kLeadingZeros,
  kTooWide,
  kMissingStart,
  kNestedDomain,
  kEndWithoutStart,
  kEndMismatch,
  kMissingEnd,
  kStartWithoutTimestamp,
  kEndWithoutTimestamp,
  kDomainNameWithBlanks,
  kDomainNameTwice,
  kDomainNameEmpty,
  kNameOrTimestamp,
  kTypeRedefined,
  kTypeTwice,
  kTypeUndefined,
  kTypeNameWithBlanks,
  kTypeNameEmpty,
  kTypeUnused,
  kTypeNameTwice,
  kObjectRedefined,
  kObjectTwice,
  kDanglingReference,
  kNullReference,
  kSizeZero,
  kReferenceTwice,
  kIdZero,
  kDanglingRoot,
  kRootKind,
  kRootFlags,
  kStaticWithoutContainer,
  kContainerNotStatic,
  kContainerUndefined,
  kRootTwice,
  kRootRefCounted,
  kNullRoot,
  kEmpty,
  kVersion,
  kNotALog,
};
inline constexpr std::size_t kOddities = 56;

// Counts oddities, and keeps the first places of each, and the first error.
//
// Continues after an error that a reader can step over, so that one run reports
// everything that is wrong with a file. Not thread-safe.
class Findings {
 public:
  // Keeps up to `examples` places of each oddity, at least one.
  explicit Findings(bool strict, std::uint64_t examples = 1)
      : strict_(strict), examples_(examples == 0 ? 1 : examples) {}

  // Counts one oddity; `found` is what was found there. It is an error if the
  // table or strict mode says so.
  void Add(Oddity oddity, const Where& where, std::string_view found = {});
  // The same without computing a place that is not kept.
  template <typename MakeWhere>
  requires requires(MakeWhere make) { Where(make()); }
  void Add(Oddity oddity, const MakeWhere& make_where,
           std::string_view found = {}) {
    Entry& entry = entries_[static_cast<std::size_t>(oddity)];
    if (entry.count++ < examples_) AddPlace(oddity, make_where(), found);
  }
  // An error that is not in the table.
  void Fail(Status status) {
    if (status_.ok()) status_ = std::move(status);
  }
  // In strict mode, an error that says more than the one in the table.
  void FailIfStrict(Status status) {
    if (strict_) Fail(std::move(status));
  }

  std::uint64_t count(Oddity oddity) const {
    return entries_[static_cast<std::size_t>(oddity)].count;
  }
  const Status& status() const { return status_; }

  // The number of findings of each kind.
  using Counts = std::array<std::uint64_t, kOddities>;
  // Reports to `context` what is not among the first *reported findings of each
  // kind, and updates *reported.
  void Report(Context& context, Counts* reported) const;

 private:
  struct Place {
    std::string message;
    Where where;
  };
  struct Entry {
    std::uint64_t count = 0;
    std::vector<Place> places;  // the first ones
  };

  void AddPlace(Oddity oddity, const Where& where, std::string_view found);

  bool strict_;
  std::uint64_t examples_;
  std::array<Entry, kOddities> entries_;
  Status status_;
};

}  // namespace heapglot::netcf

#endif  // HEAPGLOT_READERS_NETCF_NETCF_FINDINGS_H_
