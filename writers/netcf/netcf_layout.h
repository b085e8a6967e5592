// How a log is spelled: line ends, blanks, digits.
#ifndef HEAPGLOT_WRITERS_NETCF_NETCF_LAYOUT_H_
#define HEAPGLOT_WRITERS_NETCF_NETCF_LAYOUT_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "readers/netcf/netcf_wire.h"

namespace heapglot::netcf {

// How one kind of number is written.
struct Spelling {
  std::string prefix;       // "", "0x" or "0X"
  bool is_upper = false;    // digits
  std::uint32_t width = 1;  // least number of digits, with leading zeros

  bool operator==(const Spelling&) const = default;
};

// The layout of a whole file; the default is the writer's own.
struct Layout {
  Encoding encoding = Encoding::kUtf8;
  bool has_bom = false;
  std::string line_end = "\n";
  std::uint32_t blank_lines = 0;  // after each record
  bool has_last_line_end = true;
  bool has_control_z = false;
  bool has_upper_letters = false;
  std::string before;         // each line: blanks or tabs, as in the next two
  std::string between = " ";  // elements
  std::string after;          // the last element
  Spelling type;
  Spelling object;
  Spelling size;
  Spelling kind;
  Spelling flags;

  bool operator==(const Layout&) const = default;
};

// The layout of a file, from its first 256 KiB and its end: what most of its
// lines have.
Layout FindLayout(std::string_view source);

// A layout as text, for WriterOptions::profile, and back:
//   "1" *( ";" key "=" value )
//   enc = utf16le | utf16be      bom = 1            eol = crlf | cr
//   blank = lines                final = 0          sub = 1 (Control-Z)
//   letter = upper               before, between, after = *( s | t ), blanks
//                                and tabs
//   type, object, size, kind, flags = [ 0x | 0X ] [ u ] [ width ]
// Defaults are left out. What cannot be understood gets the default.
std::string ToProfile(const Layout& layout);
Layout FromProfile(std::string_view profile);

}  // namespace heapglot::netcf

#endif  // HEAPGLOT_WRITERS_NETCF_NETCF_LAYOUT_H_
