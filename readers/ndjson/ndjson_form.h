// The draft in lines.
#ifndef HEAPGLOT_READERS_NDJSON_NDJSON_FORM_H_
#define HEAPGLOT_READERS_NDJSON_NDJSON_FORM_H_

#include <string_view>

#include "core/draft/draft_form.h"

namespace heapglot::ndjson {

inline constexpr std::string_view kName = "ndjson";
inline constexpr draft::Form kForm(kName, "ndjson.data",
                                   draft::Form::Records::kLines);

}  // namespace heapglot::ndjson

#endif  // HEAPGLOT_READERS_NDJSON_NDJSON_FORM_H_
