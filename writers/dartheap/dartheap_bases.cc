#include "writers/dartheap/dartheap_bases.h"

#include <array>

namespace heapglot::dartheap {
namespace {

// In the order of VmClass.
constexpr auto kVmClasses = std::to_array<ClassName>({
    {"Root", "", ""},
    {"Null", "dart.core", "dart:core"},
    {"bool", "dart.core", "dart:core"},
    {"_Smi", "dart.core", "dart:core"},
    {"_Mint", "dart.core", "dart:core"},
    {"_Double", "dart.core", "dart:core"},
    {"num", "dart.core", "dart:core"},
    {"_OneByteString", "dart.core", "dart:core"},
    {"_TwoByteString", "dart.core", "dart:core"},
    {"Symbol", "dart._internal", "dart:_internal"},
    {"_BigIntImpl", "dart.core", "dart:core"},
    {"_RegExp", "dart.core", "dart:core"},
    {"DateTime", "dart.core", "dart:core"},
    {"_Closure", "dart.core", "dart:core"},
    {"_List", "dart.core", "dart:core"},
    {"Code", "", ""},
    {"Function", "", ""},
    {"Script", "", ""},
    {"Class", "", ""},
    {"(dangling reference)", "", ""},
});
static_assert(kVmClasses.size() ==
              static_cast<std::size_t>(VmClass::kDangling) + 1);

// The base that follows from the value alone, or kWord.
Base BaseOfNumber(std::uint32_t form, std::uint64_t value, Base otherwise) {
  switch (form) {
    case pb::V_INT:
    case pb::V_UINT:
      return MakeBase(IntegerClass(static_cast<std::int64_t>(value)));
    case pb::V_DOUBLE:
      return MakeBase(VmClass::kDouble);
    case pb::V_NULL:
      return MakeBase(VmClass::kNull);
    case pb::V_BOOL:
      return MakeBase(VmClass::kBool);
    default:
      return otherwise;
  }
}

}  // namespace

ClassName NameOf(VmClass vm_class) {
  return kVmClasses[static_cast<std::size_t>(vm_class)];
}

Base BaseOfKind(std::uint32_t known, std::uint32_t form, std::uint64_t value,
                std::uint32_t word) {
  const Base own = MakeBase(BaseSpace::kWord, word);
  switch (known) {
    case pb::NODE_STRING:
    case pb::NODE_CONS_STRING:
    case pb::NODE_SLICED_STRING:
      return MakeBase(VmClass::kOneByteString);
    case pb::NODE_SYMBOL:
      return MakeBase(VmClass::kSymbol);
    case pb::NODE_BIGINT:
      return MakeBase(VmClass::kBigInt);
    case pb::NODE_REGEXP:
      return MakeBase(VmClass::kRegExp);
    case pb::NODE_DATE:
      return MakeBase(VmClass::kDateTime);
    case pb::NODE_CLOSURE:
      return MakeBase(VmClass::kClosure);
    case pb::NODE_ARRAY:
      return MakeBase(VmClass::kList);
    case pb::NODE_CODE:
      return MakeBase(VmClass::kCode);
    case pb::NODE_FUNCTION_META:
      return MakeBase(VmClass::kFunction);
    case pb::NODE_SCRIPT:
      return MakeBase(VmClass::kScript);
    case pb::NODE_CLASS:
      return MakeBase(VmClass::kClass);
    case pb::NODE_NUMBER:
      return BaseOfNumber(form, value, MakeBase(VmClass::kNumber));
    case pb::NODE_ODDBALL:
    case pb::NODE_OTHER:
      return BaseOfNumber(form, value, own);
    default:
      return own;
  }
}

bool IsTextKind(std::uint32_t known) {
  switch (known) {
    case pb::NODE_STRING:
    case pb::NODE_CONS_STRING:
    case pb::NODE_SLICED_STRING:
    case pb::NODE_SYMBOL:
    case pb::NODE_OTHER:
      return true;
    default:
      return false;
  }
}

}  // namespace heapglot::dartheap
