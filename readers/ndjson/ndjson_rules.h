// What the findings of the ndjson reader mean to who writes such files.
#ifndef HEAPGLOT_READERS_NDJSON_NDJSON_RULES_H_
#define HEAPGLOT_READERS_NDJSON_NDJSON_RULES_H_

#include "heapglot/validate.h"

namespace heapglot {

extern const Validator kNdjsonValidator;

}  // namespace heapglot

#endif  // HEAPGLOT_READERS_NDJSON_NDJSON_RULES_H_
