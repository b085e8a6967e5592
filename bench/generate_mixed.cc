// A dartheap in the shape of a real one: the heap of a Dart 3.7 program (32
// bits) that keeps people and their orders, where 45 % of the objects were
// entry points into garbage.
//
// Besides a few objects of the VM, there are records of 50 objects each. A
// fifth of the records is reached from the root; the others are held by each
// other, if at all. In each record, nothing holds most integers, some texts,
// and the lists that growing ones have left behind.
#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "bench/generate.h"

namespace generate {
namespace {

// ------------------------------------------------------------------ classes

// Class ids are places in kNamedClasses, from 1, followed by generated classes
// and those of kOwnClasses: as in a real dump, the ids of the program's own
// take two bytes.
enum ClassId : std::uint64_t {
  kRootClass = 1,
  kPagesClass,
  kIsolateClass,
  kClassClass,
  kFunctionClass,
  kContextClass,
  kTypeArgumentsClass,
  kNullClass,
  kBoolClass,
  kClosureClass,
  kSmiClass,
  kMintClass,
  kDoubleClass,
  kStringClass,
  kListClass,
  kGrowableClass,
  kMapClass,
  kSetClass,
  kUint32ListClass,
  kDateTimeClass,
};

struct Class {
  std::string_view name;
  std::string_view library;  // without "dart:"; empty for the VM's own
  std::string_view fields;   // each followed by a blank
};

constexpr std::array kNamedClasses = std::to_array<Class>({
    {"Root", "", ""},
    {"Read-Only Pages", "", ""},
    {"Isolate", "", "_instance _cache people  "},
    {"Class", "", "name_ user_name_ functions_ functions_hash_table_ fields_ "},
    {"Function", "", "name_ owner_ signature_ data_ "},
    {"Context", "", "parent_ "},
    {"TypeArguments", "", "instantiations_ length_ hash_ nullability_ "},
    {"Null", "core", ""},
    {"bool", "core", ""},
    {"_Closure", "core",
     "instantiator_type_arguments_ function_type_arguments_ "
     "delayed_type_arguments_ function_ context_ hash_ "},
    {"_Smi", "core", ""},
    {"_Mint", "core", ""},
    {"_Double", "core", ""},
    {"_OneByteString", "core", ""},
    {"_List", "core", "type_arguments_ length_ "},
    {"_GrowableList", "core", "type_arguments_ length_ data_ "},
    {"_Map", "_compact_hash",
     "type_arguments_ hash_mask_ data_ used_data_ deleted_keys_ index_ "},
    {"_Set", "_compact_hash",
     "type_arguments_ hash_mask_ data_ used_data_ deleted_keys_ index_ "},
    {"_Uint32List", "typed_data", "length_ "},
    {"DateTime", "core", "_value isUtc __parts "},
});
static_assert(kNamedClasses.size() == kDateTimeClass);

constexpr std::uint64_t kGeneratedClasses = 1000;
constexpr std::uint64_t kPersonClass =
    kNamedClasses.size() + kGeneratedClasses + 1;
constexpr std::uint64_t kAddressClass = kPersonClass + 1;
constexpr std::uint64_t kOrderClass = kPersonClass + 2;
constexpr std::uint64_t kEventClass = kPersonClass + 3;
constexpr std::array kOwnClasses = std::to_array<Class>({
    {"Person", "", "name address orders tags onChange friend "},
    {"Address", "", "street zip country "},
    {"Order", "", "items placed total "},
    {"Event", "", "source amount first second third fourth fifth sixth "},
});

void WriteClass(std::string_view name, std::string_view library,
                std::string_view uri, std::string_view fields, Output& out) {
  out.Uleb(0);
  DartText(name, out);
  DartText(library, out);
  DartText(uri, out);
  DartText("", out);
  out.Uleb(static_cast<std::uint64_t>(
      std::count(fields.begin(), fields.end(), ' ')));
  for (std::uint64_t index = 0; !fields.empty(); ++index) {
    const std::size_t end = fields.find(' ');
    out.Uleb(1);
    out.Uleb(index);
    DartText(fields.substr(0, end), out);
    DartText("", out);
    fields.remove_prefix(end + 1);
  }
}

void WriteClasses(Output& out) {
  out.Uleb(kNamedClasses.size() + kGeneratedClasses + kOwnClasses.size());
  for (const Class& it : kNamedClasses) {
    const std::string library(it.library);
    const bool is_vm = library.empty();
    WriteClass(it.name, is_vm ? "" : "dart." + library,
               is_vm ? "" : "dart:" + library, it.fields, out);
  }
  for (std::uint64_t i = 0; i < kGeneratedClasses; ++i) {
    WriteClass("Class" + std::to_string(i), "",
               "package:generated/" + std::to_string(i % 50) + ".dart",
               "first second ", out);
  }
  for (const Class& it : kOwnClasses)
    WriteClass(it.name, "", "package:shop/main.dart", it.fields, out);
}

// ------------------------------------------------------------------ objects

// Objects that exist once, by id; the root is 1.
constexpr std::uint64_t kPages = 2;
constexpr std::uint64_t kIsolate = 3;
constexpr std::uint64_t kNull = 4;
constexpr std::uint64_t kFalse = 5;  // and true
constexpr std::uint64_t kTypeArguments = 7;
constexpr std::uint64_t kPeopleData = 9;  // of the growable list
constexpr std::uint64_t kSmis = 10;       // the lengths of many lists
constexpr std::uint64_t kSmiCount = 4;
constexpr std::uint64_t kTexts = kSmis + kSmiCount;
constexpr std::array<std::string_view, 4> kCountries = {"NL", "DE", "FR", "UK"};
constexpr std::uint64_t kVmClasses = kTexts + kCountries.size();
constexpr std::uint64_t kVmClassCount = 16;
constexpr std::uint64_t kFunctions = kVmClasses + kVmClassCount;
constexpr std::uint64_t kFunctionCount = 64;
constexpr std::uint64_t kSingles = kFunctions + kFunctionCount - 1;

// How many references a class and a function have.
constexpr std::uint64_t kClassReferences = 19;
constexpr std::uint64_t kFunctionReferences = 8;
// Those of all singles without the items of the list of people: root, isolate,
// type arguments, that list and its data.
constexpr std::uint64_t kSingleReferences =
    2 + (kSingles - kIsolate) + 5 + 3 + 2 + kVmClassCount * kClassReferences +
    kFunctionCount * kFunctionReferences;

// The objects of a record.
enum Slot : std::uint64_t {
  kPerson,
  kAddress,
  kOrder,
  kDateTime,
  kMap,
  kMapIndex,
  kClosure,
  kContext,
  kOrders,
  kItems,
  kExtra,  // a function or an event
  kMapData,
  kOrdersData,
  kItemsData,
  kOthers,    // a list of any length
  kOldLists,  // four lists that nothing holds
  kName = kOldLists + 4,
  kStreet,
  kZip,
  kKeys,
  kItemNames = kKeys + 2,
  kLostTexts = kItemNames + 2,
  kDouble = kLostTexts + 2,
  kMapMask,
  kMapUsed,
  kMints,
  kSlots = 50,
};
// References of a record, without the items of kOthers.
constexpr std::uint64_t kReferences = 92;
// In memory, some thousand records have all their instances first, then their
// lists, their texts and their numbers: most references go far.
constexpr std::array<std::uint64_t, 5> kRuns = {kPerson, kMapData, kName,
                                                kMapMask, kSlots};
constexpr std::uint64_t kSegment = 8192;
// Every fifth record is reached; records refer to records of their own residue.
constexpr std::uint64_t kResidues = 5;

// Sizes: a header and slots of 4 bytes, in steps of 8.
std::uint64_t SizeOf(std::uint64_t bytes) { return (bytes + 7) / 8 * 8; }

class Heap {
 public:
  Heap(std::uint64_t nodes, std::uint64_t edges, std::uint64_t seed,
       Output& out)
      : seed_(seed), out_(out) {
    if (nodes < kSingles + kSlots)
      Fail("a mixed heap has " + std::to_string(kSingles + kSlots) +
           " objects at least");
    records_ = (nodes - kSingles) / kSlots;
    rest_ = (nodes - kSingles) % kSlots;
    reached_ = (records_ + kResidues - 1) / kResidues;
    const std::uint64_t least =
        kSingleReferences + reached_ + records_ * kReferences;
    if (edges < least)
      Fail("so many mixed objects have " + std::to_string(least) +
           " references at least");
    others_ = edges - least;
  }

  void WriteObjects() {
    WriteSingles();
    for (std::uint64_t first = 0; first < records_; first += kSegment) {
      const std::uint64_t end = std::min(first + kSegment, records_);
      for (std::size_t run = 0; run + 1 < kRuns.size(); ++run) {
        for (std::uint64_t record = first; record < end; ++record) {
          for (std::uint64_t slot = kRuns[run]; slot < kRuns[run + 1]; ++slot)
            WriteSlot(record, slot);
        }
      }
    }
    for (std::uint64_t i = 0; i < rest_; ++i) WriteMint(RandomOf(~i));
  }

 private:
  // The same numbers whenever something about `thing` is asked.
  Random RandomOf(std::uint64_t thing) const {
    return Random(seed_ * 0xd1342543de82ef95 + thing * 0xaf251af3b0f025b5);
  }

  std::uint64_t IdOf(std::uint64_t record, std::uint64_t slot) const {
    const std::uint64_t first = record / kSegment * kSegment;
    const std::uint64_t size = std::min(kSegment, records_ - first);
    std::size_t run = 0;
    while (slot >= kRuns[run + 1]) ++run;
    const std::uint64_t width = kRuns[run + 1] - kRuns[run];
    return kSingles + 1 + first * kSlots + kRuns[run] * size +
           (record - first) * width + (slot - kRuns[run]);
  }
  // Any record, or one shortly before, that is reached if and only if `record`
  // is.
  std::uint64_t AnyLike(std::uint64_t record, Random& random) const {
    const std::uint64_t residue = record % kResidues;
    const std::uint64_t count =
        (records_ - residue + kResidues - 1) / kResidues;
    return random.Below(count) * kResidues + residue;
  }
  static std::uint64_t NearLike(std::uint64_t record, Random& random) {
    return record - kResidues * random.Below(std::min<std::uint64_t>(
                                    record / kResidues + 1, 64));
  }
  // The number of items of kOthers of all earlier records. Of each sixteen
  // records, the first one has half of the items.
  std::uint64_t OthersBefore(std::uint64_t record) const {
    constexpr std::uint64_t kBlock = 16;
    if (record >= records_) return others_;
    const std::uint64_t place = record % kBlock;
    const std::uint64_t begin = Share(record - place);
    if (place == 0) return begin;
    const std::uint64_t size = Share(record - place + kBlock) - begin;
    return begin + size / 2 + (size - size / 2) * (place - 1) / (kBlock - 1);
  }
  std::uint64_t Share(std::uint64_t record) const {
    return record >= records_ ? others_
                              : others_ / records_ * record +
                                    others_ % records_ * record / records_;
  }

  // Writes an object up to its data, which has to follow.
  void Begin(std::uint64_t class_id, std::uint64_t size) {
    out_.Uleb(class_id);
    out_.Uleb(size);
  }
  void NoData() { out_.Uleb(0); }
  void LengthData(std::uint64_t length) {
    out_.Uleb(7);
    out_.Uleb(length);
  }
  void NameData(std::string_view name) {
    out_.Uleb(8);
    DartText(name, out_);
  }
  void References(const std::vector<std::uint64_t>& references) {
    out_.Uleb(references.size());
    for (const std::uint64_t reference : references) out_.Uleb(reference);
  }
  // The same with nulls after the given ones, `count` in all.
  void References(std::vector<std::uint64_t> references, std::uint64_t count) {
    references.resize(count, kNull);
    References(references);
  }
  void WriteText(std::string_view text) {
    Begin(kStringClass, SizeOf(12 + text.size()));
    out_.Uleb(5);
    out_.Uleb(text.size());
    DartText(text, out_);
    out_.Uleb(0);
  }
  void WriteSmi(std::uint64_t word) {
    Begin(kSmiClass, 0);
    out_.Uleb(3);
    out_.Uleb(word);
    out_.Uleb(0);
  }
  void WriteMint(Random random);
  void WriteInstance(std::uint64_t class_id,
                     const std::vector<std::uint64_t>& references) {
    Begin(class_id, SizeOf(4 + 4 * references.size()));
    NoData();
    References(references);
  }
  // Writes a list with nulls after the given items.
  void WriteList(std::uint64_t capacity, std::vector<std::uint64_t> items) {
    Begin(kListClass, SizeOf(12 + 4 * capacity));
    LengthData(capacity);
    items.insert(items.begin(), {kTypeArguments, kSmis + capacity % kSmiCount});
    References(std::move(items), 2 + capacity);
  }
  void WriteGrowable(std::uint64_t length, std::uint64_t data) {
    Begin(kGrowableClass, 16);
    LengthData(length);
    References({kTypeArguments, kSmis + length % kSmiCount, data});
  }
  void WriteFunction(std::uint64_t number) {
    Begin(kFunctionClass, 88);
    NameData("onChange" + std::to_string(number));
    References({kTexts + number % kCountries.size(),
                kVmClasses + number % kVmClassCount},
               kFunctionReferences);
  }

  void WriteSingles();
  void WritePeople();
  void WriteSlot(std::uint64_t record, std::uint64_t slot);
  void WriteOfRecord(std::uint64_t record, std::uint64_t slot);
  void WriteOthers(std::uint64_t record);
  void WriteTextOf(std::uint64_t record, std::uint64_t slot);

  const std::uint64_t seed_;
  Output& out_;
  std::uint64_t records_ = 0;
  std::uint64_t rest_ = 0;     // objects that do not make a record
  std::uint64_t reached_ = 0;  // records that are reached
  std::uint64_t others_ = 0;   // items of all kOthers
};

void Heap::WriteSingles() {
  WriteInstance(kRootClass, {kPages, kIsolate});
  WriteInstance(kPagesClass, {});
  std::vector<std::uint64_t> statics;
  for (std::uint64_t id = kIsolate + 1; id <= kSingles; ++id)
    statics.push_back(id);
  WriteInstance(kIsolateClass, statics);
  Begin(kNullClass, 0);
  out_.Uleb(1);
  References({});
  for (const std::uint64_t value : {0, 1}) {
    Begin(kBoolClass, 0);
    out_.Uleb(2);
    out_.Uleb(value);
    References({});
  }
  Begin(kTypeArgumentsClass, 24);
  NameData("<Person>");
  References({}, 5);
  WritePeople();
  for (std::uint64_t i = 0; i < kSmiCount; ++i) WriteSmi(i);
  for (const std::string_view country : kCountries) WriteText(country);
  for (std::uint64_t i = 0; i < kVmClassCount; ++i) {
    Begin(kClassClass, 120);
    NameData("Class" + std::to_string(i));
    References({kTexts + i % kCountries.size()}, kClassReferences);
  }
  for (std::uint64_t i = 0; i < kFunctionCount; ++i) WriteFunction(i);
}

// Writes what holds the records that are reached: a list that may be large.
void Heap::WritePeople() {
  WriteGrowable(reached_, kPeopleData);
  Begin(kListClass, SizeOf(12 + 4 * reached_));
  LengthData(reached_);
  out_.Uleb(2 + reached_);
  out_.Uleb(kTypeArguments);
  out_.Uleb(kSmis);
  for (std::uint64_t record = 0; record < records_; record += kResidues)
    out_.Uleb(IdOf(record, kPerson));
}

void Heap::WriteSlot(std::uint64_t record, std::uint64_t slot) {
  if (slot >= kMints) {
    WriteMint(RandomOf(record * kSlots + slot));
  } else if (slot == kMapMask || slot == kMapUsed) {
    // Takes two or three bytes; a negative number takes five.
    Random random = RandomOf(record * kSlots + slot);
    const std::uint64_t bits = random.Next();
    WriteSmi(bits % 8 == 0   ? 0xffffffff - random.Below(1000)
             : bits % 2 == 0 ? 128 + random.Below(16'000)
                             : 16'384 + random.Below(1 << 20));
  } else if (slot == kDouble) {
    Begin(kDoubleClass, 16);
    out_.Uleb(4);
    // In [1, 2).
    std::uint64_t bits = RandomOf(record).Next() >> 12 | 0x3ff0000000000000;
    for (int i = 0; i < 8; ++i, bits >>= 8) out_.Byte(bits & 0xff);
    out_.Uleb(0);
  } else if (slot >= kName) {
    WriteTextOf(record, slot);
  } else if (slot == kOthers) {
    WriteOthers(record);
  } else {
    WriteOfRecord(record, slot);
  }
}

void Heap::WriteOfRecord(std::uint64_t record, std::uint64_t slot) {
  Random random = RandomOf(record * kSlots + slot);
  const auto id = [this, record](std::uint64_t other) {
    return IdOf(record, other);
  };
  const bool has_function = record % 2 == 0;
  switch (slot) {
    case kPerson:
      return WriteInstance(
          kPersonClass, {id(kName), id(kAddress), id(kOrders), id(kMap),
                         id(kClosure), IdOf(AnyLike(record, random), kPerson)});
    case kAddress:
      return WriteInstance(
          kAddressClass,
          {id(kStreet), id(kZip), kTexts + random.Below(kCountries.size())});
    case kOrder:
      return WriteInstance(kOrderClass,
                           {id(kItems), id(kDateTime), id(kDouble)});
    case kDateTime:
      return WriteInstance(kDateTimeClass,
                           {id(kMints), kFalse + random.Below(2), kNull});
    case kMap:
      // A set of the same four items, now and then.
      Begin(record % 16 == 5 ? kSetClass : kMapClass, 32);
      LengthData(4);
      return References({kTypeArguments, id(kMapMask), id(kMapData),
                         id(kMapUsed), kSmis, id(kMapIndex)});
    case kMapIndex:
      Begin(kUint32ListClass, 48);
      LengthData(8);
      return References({kSmis});
    case kClosure:
      return WriteInstance(
          kClosureClass,
          {kNull, kNull, kTypeArguments,
           has_function ? id(kExtra)
                        : kFunctions + random.Below(kFunctionCount),
           id(kContext), kNull});
    case kContext:
      Begin(kContextClass, 16);
      NoData();
      return References({kNull, id(kPerson)});
    case kOrders:
      return WriteGrowable(3, id(kOrdersData));
    case kItems:
      return WriteGrowable(2, id(kItemsData));
    case kExtra:
      if (has_function) return WriteFunction(record);
      return WriteInstance(kEventClass, {id(kPerson), id(kDouble), kNull, kNull,
                                         kNull, kNull, kNull, kNull});
    case kMapData:
      return WriteList(8,
                       {id(kKeys), id(kMints + 1), id(kKeys + 1), id(kOthers)});
    case kOrdersData:
      return WriteList(4, {id(kOrder), id(kAddress), id(kExtra)});
    case kItemsData:
      return WriteList(8, {id(kItemNames), id(kItemNames + 1)});
    default:  // kOldLists: of two and four items
      return WriteList(slot < kOldLists + 2 ? 2 : 4,
                       {id(kOrder), id(kAddress)});
  }
}

void Heap::WriteOthers(std::uint64_t record) {
  Random random = RandomOf(record * kSlots + kOthers);
  std::vector<std::uint64_t> items(OthersBefore(record + 1) -
                                   OthersBefore(record));
  for (std::uint64_t& item : items) {
    switch (random.Next() & 3) {
      case 0:
        item = IdOf(NearLike(record, random), kName);
        break;
      case 1:
        item = kTexts + random.Below(kCountries.size());
        break;
      default:
        item = IdOf(AnyLike(record, random), kPerson);
    }
  }
  const std::uint64_t length = items.size();
  WriteList(length, std::move(items));
}

void Heap::WriteTextOf(std::uint64_t record, std::uint64_t slot) {
  // As many different texts as a program has that repeats itself.
  const std::string number = std::to_string(record % 20'000);
  switch (slot) {
    case kName:
      return WriteText("person-" + number);
    case kStreet:
      return WriteText(number + " Main St");
    case kKeys:
      return WriteText("k" + number);
    case kKeys + 1:
      return WriteText("others");
    case kItemNames:
      return WriteText("item " + number + "/0");
    case kItemNames + 1:
      return WriteText("item " + number + "/1");
    default:
      return WriteText(number);
  }
}

// Half of them take 5 bytes, others 8 to 10: small ones are Smis.
void Heap::WriteMint(Random random) {
  const std::uint64_t choice = random.Next() & 7;
  const std::uint64_t bits = random.Next();
  Begin(kMintClass, 16);
  out_.Uleb(3);
  constexpr std::uint64_t kOne = 1;
  out_.Sleb(static_cast<std::int64_t>(
      choice < 4    ? kOne << 30 | (bits & ((kOne << 30) - 1))
      : choice < 6  ? kOne << 58 | (bits & ((kOne << 58) - 1))
      : choice == 6 ? kOne << 50 | (bits & ((kOne << 50) - 1))
                    : kOne << 63 | bits >> 4));
  out_.Uleb(0);
}

}  // namespace

void WriteMixedDartheap(std::uint64_t nodes, std::uint64_t edges,
                        std::uint64_t seed, Output& out) {
  Heap heap(nodes, edges, seed, out);
  out.Text("dartheap");
  out.Uleb(0);
  DartText("main", out);
  out.Uleb(24 * nodes);
  out.Uleb(32 * nodes);
  out.Uleb(0);
  WriteClasses(out);
  out.Uleb(edges);
  out.Uleb(nodes);
  heap.WriteObjects();
  out.Uleb(0);
  Random random(seed);
  for (std::uint64_t node = 0; node < nodes; ++node)
    out.Uleb(random.Below(100) == 0 ? random.Below(1 << 30) : 0);
}

}  // namespace generate
