// What is known about classes of the Dart VM and its core libraries. The only
// file with names of Dart classes.
#ifndef HEAPGLOT_READERS_DARTHEAP_DARTHEAP_CLASSES_H_
#define HEAPGLOT_READERS_DARTHEAP_DARTHEAP_CLASSES_H_

#include <cstdint>
#include <span>
#include <string_view>

#include "heapglot/ir/v1/chunk.pb.h"

namespace heapglot::dartheap {

// One row of a vocabulary.
struct Word {
  std::string_view name;
  std::uint32_t known;           // pb::NodeKind or pb::EdgeKind
  std::uint32_t name_form = 0;   // edges only
  std::uint32_t edge_flags = 0;  // edges only
};

// Rows of the NODE_KIND vocabulary.
enum class NodeWord : std::uint8_t {
  kInstance,
  kString,
  kNumber,
  kOddball,
  kClosure,
  kInternal,
  kCode,
  kFunction,
  kScript,
  kClass,
  kType,
  kRoot,
  kUnknown,  // class id 0, or of no class of the file
};
std::span<const Word> NodeWords();

// Rows of the EDGE_KIND vocabulary.
enum class EdgeWord : std::uint8_t {
  kField,     // a field that a programmer knows
  kSlot,      // a field of the VM's
  kVariable,  // what holds a closure's context
  kWeak,      // a slot that does not keep its target alive
  kElement,   // a reference beyond the fields: list item, context variable
  kWeakElement,
  kItem,   // synthesized: item of a container, by index
  kEntry,  // synthesized: item of a container, by key
};
std::span<const Word> EdgeWords();

// How to read the references and the data of an object.
enum class Role : std::uint8_t {
  kPlain,
  kSmi,
  kMint,
  kClosure,
  kString,     // also when its data is only a NameData
  kList,       // references beyond the fields are the items
  kWeakArray,  // the same, weak
  kGrowable,   // data_ leads to a list that holds the items
  kSet,        // the same, deleted items point at the list itself
  kMap,        // the same, keys and values take turns
};

struct ClassKind {
  NodeWord node = NodeWord::kInstance;
  Role role = Role::kPlain;
};

// Classes of the VM itself have no library.
ClassKind ClassifyClass(std::string_view name, std::string_view library_uri);

// Whether a field called "" names its edge. In an isolate it does not: its
// fields are slots of a table, and those without a name are of no static field.
// No other class of a VM has such fields; our writer makes them from references
// with that name.
bool IsNamedByEmptyField(std::string_view class_name,
                         std::string_view library_uri);

// The kind of the edge that the field `field` of a class makes.
EdgeWord ClassifyField(std::string_view class_name,
                       std::string_view library_uri, std::string_view field);

// For a class that lists no fields: the slots that do not keep their targets
// alive, one bit each, by position.
std::uint32_t WeakSlotsWithoutFields(std::string_view class_name,
                                     std::string_view library_uri);

// The slots that lead from a closure to its function, and from a container to
// the list that holds its items.
bool IsFunctionSlot(std::string_view field);
bool IsDataSlot(std::string_view field);

}  // namespace heapglot::dartheap

#endif  // HEAPGLOT_READERS_DARTHEAP_DARTHEAP_CLASSES_H_
