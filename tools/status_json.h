// How failures and places are written in all JSON of the command.
#ifndef HEAPGLOT_TOOLS_STATUS_JSON_H_
#define HEAPGLOT_TOOLS_STATUS_JSON_H_

#include "heapglot/status.h"
#include "tools/json.h"

namespace heapglot::tool {

// Adds what is known about the place to the open object: "offset" in bytes from
// 0, "line" and "column" from 1.
void AddWhere(const Where& where, Json& json);

// Adds "exit_code", "message" in one line that is safe to print, and the place
// to the open object.
void AddFailure(const Status& status, Json& json);

}  // namespace heapglot::tool

#endif  // HEAPGLOT_TOOLS_STATUS_JSON_H_
