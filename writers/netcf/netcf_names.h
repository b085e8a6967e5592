// Makes names such that a log can have them.
#ifndef HEAPGLOT_WRITERS_NETCF_NETCF_NAMES_H_
#define HEAPGLOT_WRITERS_NETCF_NETCF_NAMES_H_

#include <string>
#include <string_view>

namespace heapglot::netcf {

// The name of a heap without one.
inline constexpr std::string_view kUnnamed = "unnamed";
// The same for a class: a type must have a name.
inline constexpr std::string_view kUnnamedType = "(unnamed class)";

// `name` with CR and LF, which would end the line, escaped as \x0d and \x0a.
std::string OnOneLine(std::string_view name);

// The same, and also escapes what readers strip or stumble over: other control
// characters, and blanks around the name.
std::string AsTypeName(std::string_view name);

// The same, for the name of a domain. If no timestamp follows, the last word
// must not look like one: the blank before such a word becomes "_". A name is
// cut at 16,000 bytes.
std::string AsDomainName(std::string_view name, bool has_timestamp);

// Whether `text` is a timestamp: 1 to 8 hexadecimal digits, with or without 0x.
bool IsTimestamp(std::string_view text);

}  // namespace heapglot::netcf

#endif  // HEAPGLOT_WRITERS_NETCF_NETCF_NAMES_H_
