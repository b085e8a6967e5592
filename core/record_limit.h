#ifndef HEAPGLOT_CORE_RECORD_LIMIT_H_
#define HEAPGLOT_CORE_RECORD_LIMIT_H_

#include <concepts>
#include <cstdint>
#include <string>

#include "heapglot/context.h"
#include "heapglot/status.h"

namespace heapglot {

// Checks the number of records so far: nodes and edges, or lines, or rows,
// depending on the format. `make_where` is called only for the error. Errors:
// kLimit for more than limits.max_records.
template <std::invocable MakeWhere>
Status CheckRecordCount(const Limits& limits, std::uint64_t records,
                        MakeWhere&& make_where) {
  if (records <= limits.max_records) [[likely]]
    return {};
  return {Code::kLimit,
          "more than --max-records " + std::to_string(limits.max_records),
          make_where()};
}

}  // namespace heapglot

#endif  // HEAPGLOT_CORE_RECORD_LIMIT_H_
