// Tables of rules whose ids are checked at compile time.
#ifndef HEAPGLOT_CORE_VALIDATE_RULE_TABLE_H_
#define HEAPGLOT_CORE_VALIDATE_RULE_TABLE_H_

#include <cstdlib>
#include <span>
#include <string_view>

#include "heapglot/validate.h"

namespace heapglot {

// The rule `id` of `rules`. If there is none, the program does not compile.
consteval const Rule& FindRule(std::span<const Rule> rules,
                               std::string_view id) {
  for (const Rule& rule : rules) {
    if (rule.id == id) return rule;
  }
  std::abort();  // no constant expression: "no rule has this id"
}

}  // namespace heapglot

#endif  // HEAPGLOT_CORE_VALIDATE_RULE_TABLE_H_
