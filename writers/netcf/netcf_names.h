// Names that a log can have.
#ifndef HEAPGLOT_WRITERS_NETCF_NETCF_NAMES_H_
#define HEAPGLOT_WRITERS_NETCF_NETCF_NAMES_H_

#include <string>
#include <string_view>

namespace heapglot::netcf {

// What a heap is called that has no name.
inline constexpr std::string_view kUnnamed = "unnamed";
// The same for a class: a type must have a name.
inline constexpr std::string_view kUnnamedType = "(unnamed class)";

// `name` without what would end a line: CR and LF as \x0d and \x0a.
std::string OnOneLine(std::string_view name);

// The same, and without what readers take off or stumble over: other control
// characters, and blanks around it.
std::string AsTypeName(std::string_view name);

// The same, as the name of a domain. Without a timestamp behind it no last
// word must look like one: the blank before such a word becomes "_". Of a longer
// name the first 16,000 bytes.
std::string AsDomainName(std::string_view name, bool has_timestamp);

// Whether `text` is a timestamp: 1 to 8 hexadecimal digits, 0x before them or
// not.
bool IsTimestamp(std::string_view text);

}  // namespace heapglot::netcf

#endif  // HEAPGLOT_WRITERS_NETCF_NETCF_NAMES_H_
