// The layout of an NDJSON file in a line of text, and back.
//
//   1;shape=object;subtypes=code;twins;ascii;eol=crlf;ids=hex;
//   string_ids=dec;f64=e10;trailer=no;bom;comma=space;colon=space;
//   keys=node/object:identifier,type,subtype;sorted;all
//
// Every part may be missing: the usual is array shape, names of subtypes, raw
// UTF-8, LF, numbers, shortest doubles, a trailer, no byte order mark, no spaces,
// keys in the order of the declarations ("keys" may be there for many types and
// subtypes; "sorted": all by their bytes). What is not known is skipped. "all":
// records that a stream keeps as lines change their shape, too; a file that is to
// be the same again does without.
#ifndef HEAPGLOT_WRITERS_NDJSON_NDJSON_PROFILE_H_
#define HEAPGLOT_WRITERS_NDJSON_NDJSON_PROFILE_H_

#include <cstddef>
#include <string>
#include <string_view>

#include "core/draft/draft_lines.h"
#include "heapglot/bytes.h"

namespace heapglot::ndjson {

// Orders of keys in a profile, and keys in one of these.
inline constexpr std::size_t kMaxOrders = 64;
inline constexpr std::size_t kMaxKeys = 64;

struct Profile {
  draft::Style style;
  bool all = false;
};

// How `source`, which a reader has taken, is laid out: by its first records (64
// KiB of them), its first nodes, strings and edges, and its end.
std::string DescribeProfile(const ByteSource& source);
// Never fails: it may come from a hostile file. Empty: the usual one for all.
Profile ReadProfile(std::string_view text);

}  // namespace heapglot::ndjson

#endif  // HEAPGLOT_WRITERS_NDJSON_NDJSON_PROFILE_H_
