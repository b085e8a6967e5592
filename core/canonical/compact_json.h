// Verbatim JSON without the white space of its layout.
#ifndef HEAPGLOT_CORE_CANONICAL_COMPACT_JSON_H_
#define HEAPGLOT_CORE_CANONICAL_COMPACT_JSON_H_

#include <string>
#include <string_view>

namespace heapglot {

// `text` without the white space between its tokens if it looks like a JSON
// object or array: with matching brackets from its start to its end, and closed
// strings. The same for lines each of which is one, or blank; they then end in
// LF. Anything else stays as it is.
std::string CompactJson(std::string_view text);

}  // namespace heapglot

#endif  // HEAPGLOT_CORE_CANONICAL_COMPACT_JSON_H_
