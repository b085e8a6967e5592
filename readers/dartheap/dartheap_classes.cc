#include "readers/dartheap/dartheap_classes.h"

#include <algorithm>
#include <array>

namespace heapglot::dartheap {
namespace {

namespace pb = ::heapglot::ir::v1;

constexpr std::array<Word, 13> kNodeWords = {{
    {"instance", pb::NODE_OBJECT},
    {"string", pb::NODE_STRING},
    {"number", pb::NODE_NUMBER},
    {"oddball", pb::NODE_ODDBALL},
    {"closure", pb::NODE_CLOSURE},
    {"internal", pb::NODE_HIDDEN},
    {"code", pb::NODE_CODE},
    {"function", pb::NODE_FUNCTION_META},
    {"script", pb::NODE_SCRIPT},
    {"class", pb::NODE_CLASS},
    {"type", pb::NODE_SHAPE},
    {"root", pb::NODE_SYNTHETIC},
    {"unknown", pb::NODE_OTHER},
}};

constexpr std::array<Word, 8> kEdgeWords = {{
    {"field", pb::EDGE_PROPERTY, pb::NAME_STRING},
    {"slot", pb::EDGE_INTERNAL, pb::NAME_STRING},
    {"variable", pb::EDGE_CONTEXT, pb::NAME_STRING},
    {"weak slot", pb::EDGE_WEAK, pb::NAME_STRING},
    {"element", pb::EDGE_ELEMENT, pb::NAME_NUMBER},
    {"weak element", pb::EDGE_WEAK, pb::NAME_NUMBER},
    {"item", pb::EDGE_ELEMENT, pb::NAME_NUMBER, pb::EDGE_SYNTHESIZED},
    {"entry", pb::EDGE_PROPERTY, pb::NAME_STRING, pb::EDGE_SYNTHESIZED},
}};

struct KnownClass {
  std::string_view name;
  ClassKind kind;
};

// VM classes, by name (runtime/vm/class_id.h, CLASS_LIST_INTERNAL_ONLY). All
// others are NodeWord::kInternal.
constexpr std::array kVmClasses = std::to_array<KnownClass>({
    {"Bytecode", {NodeWord::kCode}},
    {"Class", {NodeWord::kClass}},
    {"Code", {NodeWord::kCode}},
    {"CodeSourceMap", {NodeWord::kCode}},
    {"CompressedStackMaps", {NodeWord::kCode}},
    {"Context", {NodeWord::kInstance}},
    {"ExceptionHandlers", {NodeWord::kCode}},
    {"Function", {NodeWord::kFunction}},
    {"ICData", {NodeWord::kCode}},
    {"Instructions", {NodeWord::kCode}},
    {"InstructionsSection", {NodeWord::kCode}},
    {"InstructionsTable", {NodeWord::kCode}},
    {"Isolate", {NodeWord::kRoot}},
    {"LocalVarDescriptors", {NodeWord::kCode}},
    {"MegamorphicCache", {NodeWord::kCode}},
    {"MonomorphicSmiableCall", {NodeWord::kCode}},
    {"ObjectPool", {NodeWord::kCode}},
    {"PcDescriptors", {NodeWord::kCode}},
    {"Read-Only Pages", {NodeWord::kRoot}},
    {"Root", {NodeWord::kRoot}},
    {"Script", {NodeWord::kScript}},
    {"SingleTargetCache", {NodeWord::kCode}},
    {"SubtypeTestCache", {NodeWord::kCode}},
    {"TypeArguments", {NodeWord::kType}},
    {"UnlinkedCall", {NodeWord::kCode}},
    {"WeakArray", {NodeWord::kInternal, Role::kWeakArray}},
});

// Classes of the dart: libraries that are more than their fields, by name. The
// names of maps and sets changed with Dart 2.19.
constexpr std::array kLibraryClasses = std::to_array<KnownClass>({
    {"_Closure", {NodeWord::kClosure, Role::kClosure}},
    {"_CompactImmutableLinkedHashSet", {NodeWord::kInstance, Role::kSet}},
    {"_CompactLinkedHashSet", {NodeWord::kInstance, Role::kSet}},
    {"_ConstMap", {NodeWord::kInstance, Role::kMap}},
    {"_ConstSet", {NodeWord::kInstance, Role::kSet}},
    {"_ExternalOneByteString", {NodeWord::kString, Role::kString}},
    {"_ExternalTwoByteString", {NodeWord::kString, Role::kString}},
    {"_FunctionType", {NodeWord::kType}},
    {"_GrowableList", {NodeWord::kInstance, Role::kGrowable}},
    {"_ImmutableList", {NodeWord::kInstance, Role::kList}},
    {"_InternalImmutableLinkedHashMap", {NodeWord::kInstance, Role::kMap}},
    {"_InternalLinkedHashMap", {NodeWord::kInstance, Role::kMap}},
    {"_LibraryPrefix", {NodeWord::kInternal}},
    {"_LinkedHashMap", {NodeWord::kInstance, Role::kMap}},
    {"_LinkedHashSet", {NodeWord::kInstance, Role::kSet}},
    {"_List", {NodeWord::kInstance, Role::kList}},
    {"_Map", {NodeWord::kInstance, Role::kMap}},
    {"_Mint", {NodeWord::kNumber, Role::kMint}},
    {"_OneByteString", {NodeWord::kString, Role::kString}},
    {"_RecordType", {NodeWord::kType}},
    {"_Set", {NodeWord::kInstance, Role::kSet}},
    {"_Smi", {NodeWord::kNumber, Role::kSmi}},
    {"_TwoByteString", {NodeWord::kString, Role::kString}},
    {"_Type", {NodeWord::kType}},
    {"_TypeParameter", {NodeWord::kType}},
});

struct WeakSlot {
  std::string_view class_name;
  std::string_view field;
};

// The VM does not mark weak references; it visits these weakly
// (runtime/vm/raw_object.cc).
constexpr std::array kWeakSlots = std::to_array<WeakSlot>({
    {"FinalizerEntry", "detach_"},
    {"FinalizerEntry", "finalizer_"},
    {"FinalizerEntry", "value_"},
    {"_WeakProperty", "key_"},
    {"_WeakReference", "target_"},
    {"_WeakReferenceImpl", "target_"},
});

template <std::size_t Size>
const ClassKind* Find(const std::array<KnownClass, Size>& table,
                      std::string_view name) {
  static_assert(Size > 0);
  const auto* const row =
      std::lower_bound(table.begin(), table.end(), name,
                       [](const KnownClass& known, std::string_view wanted) {
                         return known.name < wanted;
                       });
  return row != table.end() && row->name == name ? &row->kind : nullptr;
}

bool IsPlatformLibrary(std::string_view uri) {
  return uri.empty() || uri.starts_with("dart:");
}

}  // namespace

std::span<const Word> NodeWords() { return kNodeWords; }
std::span<const Word> EdgeWords() { return kEdgeWords; }

ClassKind ClassifyClass(std::string_view name, std::string_view library_uri) {
  if (library_uri.empty()) {
    const ClassKind* const known = Find(kVmClasses, name);
    return known != nullptr ? *known : ClassKind{NodeWord::kInternal};
  }
  if (library_uri.starts_with("dart:")) {
    if (const ClassKind* const known = Find(kLibraryClasses, name))
      return *known;
  }
  return {};
}

bool IsNamedByEmptyField(std::string_view class_name,
                         std::string_view library_uri) {
  return !library_uri.empty() || class_name != "Isolate";
}

EdgeWord ClassifyField(std::string_view class_name,
                       std::string_view library_uri, std::string_view field) {
  if (field == "type_arguments") return EdgeWord::kSlot;
  if (!IsPlatformLibrary(library_uri)) return EdgeWord::kField;
  for (const WeakSlot& weak : kWeakSlots) {
    if (weak.class_name == class_name && weak.field == field)
      return EdgeWord::kWeak;
  }
  const bool holds_context = (class_name == "Context" && field == "parent_") ||
                             (class_name == "_Closure" &&
                              (field == "context_" || field == "_context"));
  if (holds_context) return EdgeWord::kVariable;
  return field.ends_with('_') ? EdgeWord::kSlot : EdgeWord::kField;
}

std::uint32_t WeakSlotsWithoutFields(std::string_view class_name,
                                     std::string_view library_uri) {
  // 2.17 lists no fields for it: value_, detach_, token_, finalizer_, next_.
  const bool is_entry =
      class_name == "FinalizerEntry" && IsPlatformLibrary(library_uri);
  return is_entry ? 0b01011 : 0;
}

bool IsFunctionSlot(std::string_view field) {
  return field == "function_" || field == "_function";
}

bool IsDataSlot(std::string_view field) {
  return field == "data_" || field == "_data";
}

}  // namespace heapglot::dartheap
