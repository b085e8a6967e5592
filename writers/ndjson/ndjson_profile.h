// The layout of an NDJSON file as a line of text, and back.
//
//   1;shape=object;subtypes=code;twins;ascii;eol=crlf;ids=hex;
//   string_ids=dec;f64=e10;trailer=no;bom;comma=space;colon=space;
//   keys=node/object:identifier,type,subtype;sorted;all
//
// Every part may be missing. The defaults are array shape, names of subtypes,
// raw UTF-8, LF, ids as numbers, shortest doubles, a trailer, no byte order
// mark, no spaces, and keys in the order of the declarations. "keys" may occur
// for many types and subtypes; "sorted": all keys by their bytes. "all":
// records that a stream keeps as lines change their shape, too; a file that has
// to be the same again does without. Unknown parts are skipped.
#ifndef HEAPGLOT_WRITERS_NDJSON_NDJSON_PROFILE_H_
#define HEAPGLOT_WRITERS_NDJSON_NDJSON_PROFILE_H_

#include <cstddef>
#include <string>
#include <string_view>

#include "core/draft/draft_lines.h"
#include "heapglot/bytes.h"

namespace heapglot::ndjson {

// The most orders of keys in a profile, and the most keys in one of them.
inline constexpr std::size_t kMaxOrders = 64;
inline constexpr std::size_t kMaxKeys = 64;

struct Profile {
  draft::Style style;
  bool all = false;
};

// The layout of `source`, which a reader has accepted, as its first records (64
// KiB of them), its first nodes, strings and edges, and its end show it.
std::string DescribeProfile(const ByteSource& source);
// Never fails: `text` may come from a hostile file. Empty: the defaults, with
// "all".
Profile ReadProfile(std::string_view text);

}  // namespace heapglot::ndjson

#endif  // HEAPGLOT_WRITERS_NDJSON_NDJSON_PROFILE_H_
