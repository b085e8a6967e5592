// JSON that is kept verbatim, without what only lays it out.
#ifndef HEAPGLOT_CORE_CANONICAL_COMPACT_JSON_H_
#define HEAPGLOT_CORE_CANONICAL_COMPACT_JSON_H_

#include <string>
#include <string_view>

namespace heapglot {

// `text` without the white space between its tokens if it looks like a JSON object
// or array: brackets that belong together, from its start to its end, and strings
// that are closed. The same for lines of which each is one, or blank; they end in
// LF then. Anything else stays as it is.
std::string CompactJson(std::string_view text);

}  // namespace heapglot

#endif  // HEAPGLOT_CORE_CANONICAL_COMPACT_JSON_H_
