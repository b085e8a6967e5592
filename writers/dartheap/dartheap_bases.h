// What a node of another format is in a dartheap: its class and its data.
#ifndef HEAPGLOT_WRITERS_DARTHEAP_DARTHEAP_BASES_H_
#define HEAPGLOT_WRITERS_DARTHEAP_DARTHEAP_BASES_H_

#include <cstdint>
#include <string_view>

#include "heapglot/stream.h"
#include "readers/dartheap/dartheap_wire.h"

namespace heapglot::dartheap {

// A class is made for a base and the names of its fields. A base is a class of
// Dart's VM, a word of the source's vocabulary of nodes, or a type of the
// source.
using Base = std::uint64_t;

// Classes under the VM's names, which readers of dartheaps know.
enum class VmClass : std::uint8_t {
  kRoot,
  kNull,
  kBool,
  kSmi,
  kMint,
  kDouble,
  kNumber,         // whose value is not known
  kOneByteString,  // which of these two a text needs is known only when it
  kTwoByteString,  // is written; until then, the base is kOneByteString
  kSymbol,
  kBigInt,
  kRegExp,
  kDateTime,
  kClosure,
  kList,
  kCode,
  kFunction,
  kScript,
  kClass,
  kDangling,  // not a class of the VM: for targets that do not exist
};

struct ClassName {
  std::string_view name;
  std::string_view library_name;
  std::string_view library_uri;
};
ClassName NameOf(VmClass vm_class);

enum class BaseSpace : std::uint8_t { kVm, kWord, kType };
constexpr Base MakeBase(BaseSpace space, std::uint64_t index) {
  return index << 2 | static_cast<std::uint64_t>(space);
}
constexpr Base MakeBase(VmClass vm_class) {
  return MakeBase(BaseSpace::kVm, static_cast<std::uint64_t>(vm_class));
}
constexpr BaseSpace SpaceOf(Base base) {
  return static_cast<BaseSpace>(base & 3);
}
constexpr std::uint64_t IndexOf(Base base) { return base >> 2; }

// The base of a node without a type: by its kind (pb::NodeKind), for numbers
// and oddballs by its value, else `word`, which is its row in the vocabulary.
Base BaseOfKind(std::uint32_t known, std::uint32_t form, std::uint64_t value,
                std::uint32_t word);

// Whether a text of such a node is its actual value, as for a string, and not
// just a name, as for a function.
bool IsTextKind(std::uint32_t known);

// The class of an integer. Every VM has Smis of at least 31 bits; larger
// integers are Mints, so that a reader that assumes a 32-bit VM reads them the
// same.
constexpr VmClass IntegerClass(std::int64_t value) {
  constexpr std::int64_t kLimit = std::int64_t{1} << 30;
  return value >= -kLimit && value < kLimit ? VmClass::kSmi : VmClass::kMint;
}

}  // namespace heapglot::dartheap

#endif  // HEAPGLOT_WRITERS_DARTHEAP_DARTHEAP_BASES_H_
