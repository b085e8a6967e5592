#include <algorithm>
#include <tuple>

#include "heapglot/validate.h"

namespace heapglot {
namespace {

// The most severe first, then by place in the file; those without a place last.
auto Order(const FindingLog::Group& group) {
  const Where where =
      group.examples.empty() ? Where() : group.examples.front().where;
  const bool has_place = where.byte.has_value() || where.line != 0;
  return std::tuple(-static_cast<int>(group.rule->severity), !has_place,
                    where.byte.value_or(0), where.line, where.column);
}

}  // namespace

std::string_view ToString(Severity severity) {
  switch (severity) {
    case Severity::kNote:
      return "note";
    case Severity::kWarning:
      return "warning";
    case Severity::kError:
      break;
  }
  return "error";
}

std::string_view ToString(Outcome outcome) {
  switch (outcome) {
    case Outcome::kOk:
      return "ok";
    case Outcome::kWrong:
      return "wrong";
    case Outcome::kFails:
      break;
  }
  return "fails";
}

FindingLog::Group& FindingLog::GroupOf(const Rule& rule) {
  const auto known =
      std::find_if(groups_.begin(), groups_.end(),
                   [&](const Group& group) { return group.rule == &rule; });
  if (known != groups_.end()) return *known;
  groups_.push_back({.rule = &rule, .count = 0, .examples = {}});
  return groups_.back();
}

bool FindingLog::Has(const Rule& rule) const {
  return std::any_of(groups_.begin(), groups_.end(),
                     [&](const Group& group) { return group.rule == &rule; });
}

bool FindingLog::HasErrorAt(const Where& where) const {
  return std::any_of(
      error_places_.begin(), error_places_.end(), [&](const Where& known) {
        return known.byte && where.byte
                   ? known.byte == where.byte
                   : known.line == where.line && known.column == where.column;
      });
}

void FindingLog::Sort() {
  std::stable_sort(
      groups_.begin(), groups_.end(),
      [](const Group& a, const Group& b) { return Order(a) < Order(b); });
}

}  // namespace heapglot
