// The words and numbers of a .NET Compact Framework GC log. Layout and sources:
// README.md beside this.
#ifndef HEAPGLOT_READERS_NETCF_NETCF_WIRE_H_
#define HEAPGLOT_READERS_NETCF_NETCF_WIRE_H_

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace heapglot::netcf {

// The name of the format, also in the reader's Extra chunks.
inline constexpr std::string_view kFormat = "netcf";

// The letters that begin records.
inline constexpr char kDomainStart = 'a';
inline constexpr char kType = 't';
inline constexpr char kObject = 'o';
inline constexpr char kRoot = 'r';
inline constexpr char kDomainEnd = 'c';

inline constexpr std::uint64_t kVersion = 2;
inline constexpr std::string_view kVersionText = "2";

// Numbers are of 32 bits: 1 to 8 hexadecimal digits.
inline constexpr std::uint64_t kMaxNumber = 0xffff'ffff;

// Bytes of a domain's name and the timestamp behind it, which no real log comes
// near.
inline constexpr std::size_t kMaxDomainName = std::size_t{64} << 10;

// A reference or root that leads to nothing.
inline constexpr std::uint64_t kNullId = 0;

// Kinds of root.
inline constexpr std::uint64_t kRootInternal = 0;  // domains, assemblies, ...
inline constexpr std::uint64_t kRootLocal = 1;
inline constexpr std::uint64_t kRootFinalizer = 2;
inline constexpr std::uint64_t kRootHandle = 3;
inline constexpr std::uint64_t kRootStatic = 4;    // has a container type
inline constexpr std::uint64_t kRootInterned = 5;  // and class descriptions
inline constexpr std::uint64_t kRootKinds = 6;

// Flags of a root.
inline constexpr std::uint64_t kFlagPinned = 1;
inline constexpr std::uint64_t kFlagWeak = 2;  // of a handle
inline constexpr std::uint64_t kFlagInterior = 4;
inline constexpr std::uint64_t kFlagRefCounted = 8;  // of the full CLR
inline constexpr std::uint64_t kFlags = 15;

// Sections of Extra chunks.
//
// A line that no table holds. position: how many records of the domain precede
// it, counting rows of Types, Nodes and Roots and the end record, but not lines
// like this. data: the line without its end.
inline constexpr std::string_view kSectionLine = "netcf.line";
// What is odd about the domain itself. data: one of the words below.
inline constexpr std::string_view kSectionDomain = "netcf.domain";
inline constexpr std::string_view kDomainWithoutStart = "no start record";
inline constexpr std::string_view kDomainWithoutEnd = "no end record";
// Its last line is not a record because it may be cut.
inline constexpr std::string_view kDomainCut = "cut line";

// ------------------------------------------------------------------- text

enum class Encoding : std::uint8_t { kUtf8, kUtf16Le, kUtf16Be };

// What surrounds the text of a log.
struct TextForm {
  Encoding encoding = Encoding::kUtf8;
  bool has_bom = false;
  bool has_control_z = false;  // as the last character, DOS's end of a file
  bool has_odd_byte = false;   // UTF-16 that ends in the middle of a unit
  std::uint64_t begin = 0;     // in bytes of the source
  std::uint64_t end = 0;
};

TextForm FormOf(std::string_view bytes);

// Whether the last line is complete; true if there is none.
bool EndsInLineEnd(std::string_view bytes, const TextForm& form);

// The UTF-16 unit at the start of two bytes.
inline unsigned UnitAt(const char* bytes, Encoding encoding) {
  const auto first = static_cast<unsigned char>(bytes[0]);
  const auto second = static_cast<unsigned char>(bytes[1]);
  return encoding == Encoding::kUtf16Le ? first | second << 8
                                        : first << 8 | second;
}

}  // namespace heapglot::netcf

#endif  // HEAPGLOT_READERS_NETCF_NETCF_WIRE_H_
