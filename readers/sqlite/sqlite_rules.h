// What the findings of the sqlite reader mean to who writes such files.
#ifndef HEAPGLOT_READERS_SQLITE_SQLITE_RULES_H_
#define HEAPGLOT_READERS_SQLITE_SQLITE_RULES_H_

#include "heapglot/validate.h"

namespace heapglot {

extern const Validator kSqliteValidator;

}  // namespace heapglot

#endif  // HEAPGLOT_READERS_SQLITE_SQLITE_RULES_H_
