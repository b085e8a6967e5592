// What a node of another format is in a dartheap: its class and its data.
#ifndef HEAPGLOT_WRITERS_DARTHEAP_DARTHEAP_BASES_H_
#define HEAPGLOT_WRITERS_DARTHEAP_DARTHEAP_BASES_H_

#include <cstdint>
#include <string_view>

#include "heapglot/stream.h"
#include "readers/dartheap/dartheap_wire.h"

namespace heapglot::dartheap {

// A base is what a class is made for, beside the names of its fields: a class
// that Dart's VM has, a word of the source's vocabulary of nodes, or a type of
// the source.
using Base = std::uint64_t;

// Classes as the VM calls them, so that readers of dartheaps know what they
// see.
enum class VmClass : std::uint8_t {
  kRoot,
  kNull,
  kBool,
  kSmi,
  kMint,
  kDouble,
  kNumber,         // without its value
  kOneByteString,  // which of these two a text needs is known only when it
  kTwoByteString,  // is written: the base is always kOneByteString
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
  kDangling,  // no class of the VM: for targets that do not exist
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

// The base of a node without a type: by its value if it has one, else by its
// kind (pb::NodeKind), else `word`, which is its row in the vocabulary.
Base BaseOfKind(std::uint32_t known, std::uint32_t form, std::uint64_t value,
                std::uint32_t word);

// Whether a text is the very value of such a node: of a string, not of a
// function.
bool IsTextKind(std::uint32_t known);

// The class that an integer gets. A Smi of any VM has 31 bits; what is beyond
// is read the same by a reader that takes the file for one of a 32-bit VM.
constexpr VmClass IntegerClass(std::int64_t value) {
  constexpr std::int64_t kLimit = std::int64_t{1} << 30;
  return value >= -kLimit && value < kLimit ? VmClass::kSmi : VmClass::kMint;
}

}  // namespace heapglot::dartheap

#endif  // HEAPGLOT_WRITERS_DARTHEAP_DARTHEAP_BASES_H_
