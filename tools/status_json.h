// How failures and places are spelt in all JSON that the command makes.
#ifndef HEAPGLOT_TOOLS_STATUS_JSON_H_
#define HEAPGLOT_TOOLS_STATUS_JSON_H_

#include "heapglot/status.h"
#include "tools/json.h"

namespace heapglot::tool {

// Of the place what is known of it: "offset" in bytes from 0, "line" and "column"
// from 1. Adds to the object that is open.
void AddWhere(const Where& where, Json& json);

// "exit_code", "message" in one line that is safe to print, and the place. Adds to
// the object that is open.
void AddFailure(const Status& status, Json& json);

}  // namespace heapglot::tool

#endif  // HEAPGLOT_TOOLS_STATUS_JSON_H_
