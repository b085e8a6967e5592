#include "readers/dartheap/dartheap_index.h"

#include <algorithm>
#include <array>
#include <utility>

#include "core/bytes/trail.h"
#include "core/leftovers/leftovers_tail.h"
#include "core/record_limit.h"
#include "core/saturating.h"
#include "core/text/number.h"
#include "readers/dartheap/dartheap_external_names.h"
#include "readers/dartheap/dartheap_items.h"
#include "readers/dartheap/dartheap_object_cursor.h"
#include "readers/dartheap/dartheap_seeker.h"

namespace heapglot::dartheap {
namespace {

// Hash codes, or bytes of padding, after which pages are given back.
constexpr std::uint64_t kHashesAtOnce = 1 << 20;
constexpr std::uint64_t kZerosAtOnce = 1 << 20;

constexpr std::size_t kReferencesAtOnce = 64;

std::string Number(std::uint64_t value) { return std::to_string(value); }

// Whether objects with that role have their items in a list.
bool IsContainer(Role role) {
  return role == Role::kGrowable || role == Role::kSet || role == Role::kMap;
}

// Builds an index section by section. Each Scan function reads its section
// from in_ and returns the first error.
class Scanner {
 public:
  Scanner(const ByteSource& source, Context& context, Index* index)
      : source_(source),
        bytes_(source.bytes()),
        context_(context),
        index_(*index),
        in_(bytes_),
        trail_(source) {}

  Status Scan() {
    HEAPGLOT_RETURN_IF_ERROR(ScanHeader());
    HEAPGLOT_RETURN_IF_ERROR(ScanClasses());
    HEAPGLOT_RETURN_IF_ERROR(ScanObjects());
    HEAPGLOT_RETURN_IF_ERROR(ScanExternals());
    HEAPGLOT_RETURN_IF_ERROR(ScanHashes());
    HEAPGLOT_RETURN_IF_ERROR(ScanTrailing());
    HEAPGLOT_RETURN_IF_ERROR(WarnOfPadding());
    HEAPGLOT_RETURN_IF_ERROR(ResolveContainers());
    index_.strings += 1 + index_.name_strings + index_.external_strings;
    return {};
  }

 private:
  Status ScanHeader();
  Status ScanClasses();
  Status ScanClass(std::uint64_t class_id);
  void AddWeakSlots(std::string_view name, std::string_view library_uri);
  Status ScanObjects();
  std::uint64_t ScanPlainObjects(std::uint64_t object);
  bool IsPlainNumber(Role role, const ObjectCursor::Plain& plain);
  void NoteInteger(Role role, std::uint64_t value);
  Status ScanObject(std::uint64_t object);
  Status ScanReferences(std::uint64_t object, const Class& of,
                        const ObjectHead& head);
  // `offset` is that of the first reference.
  Status CheckTarget(std::uint64_t object, std::uint64_t reference,
                     std::uint64_t target, std::uint64_t offset);
  Status ScanExternals();
  Status ScanHashes();
  Status ScanTrailing();
  Status WarnOfPadding();
  Status ResolveContainers();

  Status Malformed(std::uint64_t offset, std::string message) const {
    return {Code::kMalformed, "dartheap: " + std::move(message),
            Where::Byte(offset)};
  }
  // The error that stopped the cursor while it read `what`.
  Status Failed(std::string_view what) const;
  // Reads a count of records that take at least `least` bytes each.
  Status ReadCount(std::string_view what, std::uint64_t least,
                   std::uint64_t* count);
  // Reads a string; `what` names it in errors.
  Status ReadString(std::string_view what, std::string_view* text);
  // Checks that a string of `size` bytes can still follow.
  Status CheckStringSize(std::string_view what, std::uint64_t offset,
                         std::uint64_t size) const;
  // Whether CheckHead() has nothing to report.
  bool IsUsual(bool known_tag, const ObjectHead& head) const {
    return known_tag && head.text_units == 0 && in_.ok() &&
           head.class_id <= index_.class_count &&
           head.reference_count <= in_.left();
  }
  // Checks what ReadObjectHead read, or could not read.
  Status CheckHead(std::uint64_t object, std::uint64_t offset, bool known_tag,
                   const ObjectHead& head);
  // The string index for a name of a class or a field.
  std::uint64_t NameString(std::string_view text) {
    return text.empty() ? 0 : ++index_.name_strings;
  }

  const ByteSource& source_;
  std::string_view bytes_;
  Context& context_;
  Index& index_;
  Cursor in_;
  ObjectCursor objects_{bytes_, in_};
  Trail trail_;                    // of in_
  Containers found_;               // with nothing counted yet
  std::uint64_t size_bits_ = 0;    // of all objects' sizes
  bool wide_smi_ = false;          // some Smi needs 64 bits
  std::string_view library_name_;  // of the previous class
  std::string_view library_uri_;
};

Status Scanner::Failed(std::string_view what) const {
  std::string name(what);
  if (in_.failure() == Cursor::Failure::kOverflow)
    return Malformed(in_.failure_offset(),
                     name + ": a number is longer than 64 bits");
  std::string message = "dartheap: the input ends in " + name;
  if (in_.failure_offset() != bytes_.size())
    message += ", in what begins at offset " + Number(in_.failure_offset());
  return {Code::kTruncated, std::move(message), Where::Byte(bytes_.size())};
}

Status Scanner::ReadCount(std::string_view what, std::uint64_t least,
                          std::uint64_t* count) {
  const std::uint64_t offset = in_.offset();
  *count = in_.Uleb();
  if (!in_.ok()) return Failed(what);
  if (*count <= in_.left() / least) return {};
  std::string message = std::string(what) + " is " + Number(*count) +
                        ", which needs more than the " + Number(in_.left()) +
                        " bytes that are left";
  if (*count >= kImplausible) return Malformed(offset, std::move(message));
  return {Code::kTruncated, "dartheap: " + message, Where::Byte(bytes_.size())};
}

Status Scanner::CheckStringSize(std::string_view what, std::uint64_t offset,
                                std::uint64_t size) const {
  if (size > in_.left()) {
    std::string message = std::string(what) + " is " + Number(size) +
                          " bytes long, but " + Number(in_.left()) +
                          " are left";
    if (size >= kImplausible) return Malformed(offset, std::move(message));
    return {Code::kTruncated, "dartheap: " + message,
            Where::Byte(bytes_.size())};
  }
  if (size > context_.limits.max_string) {
    return {Code::kLimit,
            "dartheap: " + std::string(what) + " is " + Number(size) +
                " bytes long, more than --max-string " +
                Number(context_.limits.max_string),
            Where::Byte(offset)};
  }
  return {};
}

Status Scanner::ReadString(std::string_view what, std::string_view* text) {
  const std::uint64_t offset = in_.offset();
  const std::uint64_t size = in_.Uleb();
  if (!in_.ok()) return Failed(what);
  HEAPGLOT_RETURN_IF_ERROR(CheckStringSize(what, offset, size));
  *text = in_.Raw(size);
  return {};
}

Status Scanner::ScanHeader() {
  const std::string_view magic = bytes_.substr(0, kMagic.size());
  if (magic != kMagic.substr(0, magic.size())) {
    return Malformed(
        0, IsServiceEvent(bytes_)
               ? "this looks like an event of the VM service: save the data "
                 "of all its HeapSnapshot events instead, one after another"
               : "not a dartheap: it does not begin with \"dartheap\"");
  }
  in_.Raw(kMagic.size());
  if (!in_.ok()) return Failed("the magic");
  index_.flags = in_.Uleb();
  if (!in_.ok()) return Failed("flags");
  HEAPGLOT_RETURN_IF_ERROR(ReadString("the isolate's name", &index_.name));
  index_.self_size_total = in_.Uleb();
  index_.capacity = in_.Uleb();
  index_.external_size_total = in_.Uleb();
  if (!in_.ok()) return Failed("the header's sizes");
  return {};
}

Status Scanner::ScanClasses() {
  std::uint64_t count = 0;
  HEAPGLOT_RETURN_IF_ERROR(ReadCount("classCount", kMinClassBytes, &count));
  index_.classes_offset = in_.offset();
  index_.classes.reserve(count);
  index_.name_strings = NodeWords().size() + EdgeWords().size();
  for (std::uint64_t id = 1; id <= count; ++id)
    HEAPGLOT_RETURN_IF_ERROR(ScanClass(id));
  index_.class_count = count;
  index_.kinds.push_back(index_.ClassOf(0).kind);
  for (const Class& of : index_.classes) index_.kinds.push_back(of.kind);
  index_.slots.resize(index_.slots.size() + kSlotsAtOnce);
  return {};
}

Status Scanner::ScanClass(std::uint64_t class_id) {
  const std::string place = "class " + Number(class_id) + ": ";
  in_.Uleb();
  if (!in_.ok()) return Failed(place + "flags");
  std::string_view name, library_name, library_uri, reserved;
  HEAPGLOT_RETURN_IF_ERROR(ReadString(place + "name", &name));
  HEAPGLOT_RETURN_IF_ERROR(ReadString(place + "libraryName", &library_name));
  HEAPGLOT_RETURN_IF_ERROR(ReadString(place + "libraryUri", &library_uri));
  HEAPGLOT_RETURN_IF_ERROR(ReadString(place + "reserved", &reserved));
  // The order of these calls is that of the strings in Pass::AddClass(). A
  // library has many classes in a row, which share its strings.
  NameString(name);
  if (library_name != library_name_) NameString(library_name);
  if (library_uri != library_uri_) NameString(library_uri);
  library_name_ = library_name;
  library_uri_ = library_uri;
  NameString(reserved);

  Class added;
  added.kind = ClassifyClass(name, library_uri);
  added.first_slot = index_.slots.size();
  HEAPGLOT_RETURN_IF_ERROR(
      ReadCount(place + "fieldCount", kMinFieldBytes, &added.field_count));
  const bool takes_empty = IsNamedByEmptyField(name, library_uri);
  // Field indices may be in any order and have gaps, but the table of slots
  // must not grow to whatever a field claims.
  const std::uint64_t max_slots = 4 * added.field_count + 8;
  for (std::uint64_t i = 0; i < added.field_count; ++i) {
    in_.Uleb();
    const std::uint64_t slot = in_.Uleb();
    if (!in_.ok()) return Failed(place + "a field");
    std::string_view field, field_reserved;
    HEAPGLOT_RETURN_IF_ERROR(ReadString(place + "a field's name", &field));
    HEAPGLOT_RETURN_IF_ERROR(
        ReadString(place + "a field's reserved", &field_reserved));
    const std::uint64_t name_index = NameString(field);
    NameString(field_reserved);
    if (slot >= max_slots || (field.empty() && !takes_empty)) continue;

    const std::uint64_t position = added.first_slot + slot;
    if (position >= index_.slots.size()) index_.slots.resize(position + 1);
    // 2.17 names some slots twice: first the VM's field, then Dart's.
    Slot& known = index_.slots[position];
    if (known.name != 0) continue;
    known = {name_index, ClassifyField(name, library_uri, field)};
    const bool is_link = added.kind.role == Role::kClosure
                             ? IsFunctionSlot(field)
                             : IsDataSlot(field);
    if (is_link && added.link_slot == kNoSlot)
      added.link_slot = static_cast<std::uint32_t>(slot);
  }
  if (added.field_count == 0) AddWeakSlots(name, library_uri);
  added.slot_count =
      static_cast<std::uint32_t>(index_.slots.size() - added.first_slot);
  for (std::uint64_t slot = 0; slot < added.slot_count; ++slot) {
    Slot& known = index_.slots[added.first_slot + slot];
    if (known.word == EdgeWord::kElement) known = added.ElementAt(slot);
  }
  index_.classes.push_back(added);
  return {};
}

// Adds the slots of a class without fields.
void Scanner::AddWeakSlots(std::string_view name,
                           std::string_view library_uri) {
  std::uint32_t weak = WeakSlotsWithoutFields(name, library_uri);
  for (std::uint64_t slot = 0; weak != 0; ++slot, weak >>= 1) {
    index_.slots.push_back(
        {slot, (weak & 1) != 0 ? EdgeWord::kWeakElement : EdgeWord::kElement});
  }
}

Status Scanner::ScanObjects() {
  index_.reference_count = in_.Uleb();
  if (!in_.ok()) return Failed("referenceCount");
  HEAPGLOT_RETURN_IF_ERROR(
      ReadCount("objectCount", kMinObjectBytes, &index_.object_count));
  index_.objects_offset = in_.offset();
  index_.checkpoints = Checkpoints(index_.object_count, in_.left());
  for (std::uint64_t i = 0; i < index_.object_count; ++i) {
    if (objects_.takes_ahead()) i = ScanPlainObjects(i);
    if (i % kProgressObjects == 0) {
      HEAPGLOT_RETURN_IF_ERROR(
          context_.Proceed("checking", in_.offset(), bytes_.size()));
    }
    HEAPGLOT_RETURN_IF_ERROR(ScanObject(i));
    trail_.Advance(in_.offset());
    if (i + 1 + index_.references <= context_.limits.max_records) [[likely]]
      continue;
    HEAPGLOT_RETURN_IF_ERROR(
        CheckRecordCount(context_.limits, i + 1 + index_.references,
                         [&] { return Where::Byte(in_.offset()); }));
  }
  if ((size_bits_ & 8) != 0 && !wide_smi_) index_.pointer_size = 4;

  if (index_.object_count == 0) {
    HEAPGLOT_RETURN_IF_ERROR(context_.Warn("dartheap.objects.none",
                                           "dartheap: there are no objects",
                                           Where::Byte(index_.objects_offset)));
  }
  if (index_.reference_count < index_.references ||
      index_.reference_count > bytes_.size()) {
    HEAPGLOT_RETURN_IF_ERROR(context_.Warn(
        "dartheap.references.count",
        "dartheap: referenceCount is " + Number(index_.reference_count) +
            ", but the objects have " + Number(index_.references) +
            " references",
        Where::Byte(index_.objects_offset)));
  }
  return {};
}

// Takes plain objects from `object` on that refer only to objects, as most do,
// and returns the first one that may not be like that. There is always one.
std::uint64_t Scanner::ScanPlainObjects(std::uint64_t object) {
  const std::uint64_t end =
      std::min(index_.object_count - 1, NextProgress(object));
  const std::uint64_t max_records = context_.limits.max_records;
  ObjectCursor::Plain plain;
  for (; object < end; ++object) {
    if (!objects_.TakePlain(&plain) || plain.class_id > index_.class_count)
      break;
    const Role role = index_.kinds[plain.class_id].role;
    if (plain.has_number && !IsPlainNumber(role, plain)) break;
    const std::size_t count = plain.reference_count;
    if (object + 1 + index_.references + count > max_records ||
        !ObjectCursor::AreWithin(plain.references, count, index_.object_count))
      break;
    index_.checkpoints.Note(object, in_.offset());
    size_bits_ |= plain.self_size;
    index_.self_sizes = AddSaturating(index_.self_sizes, plain.self_size);
    index_.strings += role == Role::kClosure ? 1 : 0;
    index_.references += count;
    objects_.Pass(plain);
  }
  return object;
}

// Whether a number needs no further handling.
bool Scanner::IsPlainNumber(Role role, const ObjectCursor::Plain& plain) {
  if (plain.tag == kTagLength && plain.number > 0 && IsContainer(role))
    return false;
  if (plain.number != UlebRun::kOdd) return true;
  if (plain.tag != kTagInt) return false;
  Cursor in = objects_.AtNumber();
  bool is_signed = false;
  const std::uint64_t value = in.Integer(role == Role::kMint, &is_signed);
  if (!in.ok() || in.padded() > 0) return false;
  NoteInteger(role, value);
  return true;
}

void Scanner::NoteInteger(Role role, std::uint64_t value) {
  if (role == Role::kSmi && value > 0xffff'ffffu) wide_smi_ = true;
}

Status Scanner::ScanObject(std::uint64_t object) {
  const std::uint64_t offset = in_.offset();
  index_.checkpoints.Note(object, offset);
  ObjectHead head;
  const bool known_tag = objects_.ReadHead(index_, &head);
  if (!IsUsual(known_tag, head))
    HEAPGLOT_RETURN_IF_ERROR(CheckHead(object, offset, known_tag, head));
  const Class& of = index_.ClassOf(head.class_id);
  size_bits_ |= head.self_size;
  bool overflow = false;
  index_.self_sizes =
      AddSaturating(index_.self_sizes, head.self_size, &overflow);
  // An object's text is a string, and so is the name of a closure.
  index_.strings +=
      (head.text.empty() ? 0 : 1) + (of.kind.role == Role::kClosure ? 1 : 0);
  if (head.tag == kTagInt) NoteInteger(of.kind.role, head.value);
  if (of.kind.role == Role::kString && head.tag == kTagName)
    index_.is_devtools_export = true;
  return ScanReferences(object, of, head);
}

Status Scanner::CheckHead(std::uint64_t object, std::uint64_t offset,
                          bool known_tag, const ObjectHead& head) {
  const auto place = [&] { return "object " + Number(object + 1) + ": "; };
  if (!known_tag) {
    return Malformed(offset, place() + "unknown data tag " + Number(head.tag) +
                                 ": its end cannot be found");
  }
  if (!in_.ok()) {
    // A text longer than what is left has a wrong length or is truncated.
    if (in_.failure() == Cursor::Failure::kTruncated &&
        head.text_units >= kImplausible)
      return Malformed(offset, place() + "its text is longer than the input");
    return Failed(place() + "its class, size or data");
  }
  if (head.text.size() > context_.limits.max_string) {
    return {Code::kLimit,
            "dartheap: " + place() + "its text is " + Number(head.text.size()) +
                " bytes long, more than --max-string " +
                Number(context_.limits.max_string),
            Where::Byte(offset)};
  }
  if ((head.tag == kTagLatin1 || head.tag == kTagUtf16) &&
      head.text_units > head.length) {
    HEAPGLOT_RETURN_IF_ERROR(
        context_.Warn("dartheap.string.length", Where::Byte(offset), [&] {
          return "dartheap: " + place() + "truncatedLength is " +
                 Number(head.text_units) + ", but length only " +
                 Number(head.length);
        }));
  }
  if (head.class_id > index_.class_count) {
    HEAPGLOT_RETURN_IF_ERROR(
        context_.Warn("dartheap.class.dangling", Where::Byte(offset), [&] {
          return "dartheap: " + place() + "class id " + Number(head.class_id) +
                 ", but there are " + Number(index_.class_count) + " classes";
        }));
  }
  if (head.reference_count > in_.left()) {
    std::string message = place() + "referenceCount is " +
                          Number(head.reference_count) + ", but " +
                          Number(in_.left()) + " bytes are left";
    if (head.reference_count >= kImplausible)
      return Malformed(offset, std::move(message));
    return {Code::kTruncated, "dartheap: " + message,
            Where::Byte(bytes_.size())};
  }
  return {};
}

Status Scanner::CheckTarget(std::uint64_t object, std::uint64_t reference,
                            std::uint64_t target, std::uint64_t offset) {
  if (target - 1 < index_.object_count) return {};
  if (target == 0) {
    ++index_.omitted;
    return {};
  }
  ++index_.dangling;
  return context_.Warn("dartheap.reference.dangling", Where::Byte(offset), [&] {
    return "dartheap: object " + Number(object + 1) + ": reference " +
           Number(reference) + " is to object " + Number(target) +
           ", but there are " + Number(index_.object_count);
  });
}

Status Scanner::ScanReferences(std::uint64_t object, const Class& of,
                               const ObjectHead& head) {
  const bool is_container =
      IsContainer(of.kind.role) && head.tag == kTagLength && head.length > 0;
  const std::uint64_t link = is_container ? of.link_slot : kNoSlot;
  std::uint64_t list = 0;
  const std::uint64_t first = in_.offset();
  std::array<std::uint64_t, kReferencesAtOnce + ObjectCursor::kBeyond> targets;
  for (std::uint64_t i = 0; i < head.reference_count; i += kReferencesAtOnce) {
    const std::size_t count = static_cast<std::size_t>(
        std::min<std::uint64_t>(kReferencesAtOnce, head.reference_count - i));
    objects_.ReadReferences(targets.data(), count);
    if (link - i < count) list = targets[link - i];
    bool all_there = true;
    for (std::size_t k = 0; k < count; ++k)
      all_there &= targets[k] - 1 < index_.object_count;
    for (std::size_t k = all_there ? count : 0; k < count; ++k)
      HEAPGLOT_RETURN_IF_ERROR(CheckTarget(object, i + k, targets[k], first));
    if (!in_.ok()) break;
    trail_.Advance(in_.offset());
  }
  if (!in_.ok())
    return Failed("object " + Number(object + 1) + ": its references");
  index_.references += head.reference_count;
  if (is_container && list - 1 < index_.object_count)
    found_.Add({.object = object,
                .list = list - 1,
                .length = head.length,
                .role = of.kind.role});
  return {};
}

Status Scanner::ScanExternals() {
  HEAPGLOT_RETURN_IF_ERROR(ReadCount("externalPropertyCount", kMinExternalBytes,
                                     &index_.external_count));
  index_.externals_offset = in_.offset();
  bool overflow = false;
  ExternalNames names;
  for (std::uint64_t i = 0; i < index_.external_count; ++i) {
    const std::uint64_t offset = in_.offset();
    const std::uint64_t object = in_.Uleb();
    index_.external_sizes =
        AddSaturating(index_.external_sizes, in_.Uleb(), &overflow);
    if (!in_.ok()) return Failed("external property " + Number(i));
    std::string_view name;
    HEAPGLOT_RETURN_IF_ERROR(ReadString("an external property's name", &name));
    const std::uint64_t next = index_.external_strings;
    if (!name.empty() && names.IndexOf(name, next) == next)
      ++index_.external_strings;
    trail_.Advance(in_.offset());
    if (object - 1 < index_.object_count) continue;
    HEAPGLOT_RETURN_IF_ERROR(
        context_.Warn("dartheap.external.dangling", Where::Byte(offset), [&] {
          return "dartheap: external property " + Number(i) +
                 " belongs to object " + Number(object) + ", but there are " +
                 Number(index_.object_count);
        }));
  }
  if (!overflow) return {};
  return context_.Warn("dartheap.external.overflow",
                       "dartheap: external sizes add up to more than 2^64",
                       Where::Byte(index_.externals_offset));
}

Status Scanner::ScanHashes() {
  index_.hashes_offset = in_.offset();
  // VMs from before 2020 write nothing more.
  if (in_.left() == 0) return {};
  index_.has_hashes = true;
  for (std::uint64_t left = index_.object_count; left > 0 && in_.ok();) {
    const std::uint64_t some = std::min(left, kHashesAtOnce);
    in_.CheckUlebs(some);
    left -= some;
    trail_.Advance(in_.offset());
  }
  if (!in_.ok()) return Failed("the identity hash codes");
  return {};
}

Status Scanner::ScanTrailing() {
  index_.trailing_offset = in_.offset();
  const std::string_view trailing = bytes_.substr(in_.offset());
  // DevTools pads its exports with zeros.
  std::uint64_t zeros = 0;
  while (zeros < trailing.size() &&
         trailing.substr(zeros, kZerosAtOnce).find_first_not_of('\0') ==
             std::string_view::npos) {
    zeros += kZerosAtOnce;
    trail_.Advance(
        std::min<std::uint64_t>(in_.offset() + zeros, bytes_.size()));
  }
  if (zeros >= trailing.size()) return {};
  // Readers stop before leftovers, because there is one hash per object.
  if (LeftoversBegin(bytes_) == in_.offset()) return {};
  std::string message = "dartheap: " + Number(trailing.size()) +
                        " bytes follow the end of the snapshot";
  if (trailing.starts_with(kMagic))
    message += ": another snapshot; only the first one is read";
  return context_.Warn("dartheap.trailing", std::move(message),
                       Where::Byte(in_.offset()));
}

Status Scanner::WarnOfPadding() {
  if (in_.padded() == 0) return {};
  return context_.Warn("dartheap.leb.padded",
                       "dartheap: " + Number(in_.padded()) +
                           " numbers are longer than they need to be",
                       Where::Byte(in_.first_padded()));
}

Status Scanner::ResolveContainers() {
  index_.edges = index_.references;
  // In a real heap, no two containers share a list, so they have fewer slots
  // than there are references. In a hostile file, there could be as many as the
  // product of both, even if no slot has an item.
  std::uint64_t budget = index_.references;
  Seeker seeker(source_, index_);
  Containers::Cursor found(found_);
  while (budget > 0 && found.Next()) {
    Container container = found.container();
    ItemCursor items(index_, container, &seeker);
    std::uint64_t omitted = 0, dangling = 0;
    while (container.edges <= budget && items.Next()) {
      ++container.edges;
      container.strings += items.item().naming == Item::Naming::kText &&
                           !items.item().text.empty();
      omitted += items.item().target == 0;
      dangling += items.item().target > index_.object_count;
    }
    const std::uint64_t cost = std::max(container.edges, items.slots_read());
    if (cost > budget) break;
    budget -= cost;
    if (container.edges == 0) continue;
    index_.containers.Add(container);
    index_.edges += container.edges;
    index_.strings += container.strings;
    index_.omitted += omitted;
    index_.dangling += dangling;
  }
  HEAPGLOT_RETURN_IF_ERROR(found_.status());
  return index_.containers.status();
}

}  // namespace

bool IsServiceEvent(std::string_view bytes) {
  return bytes.substr(0, 64).find("\"jsonrpc\"") != std::string_view::npos;
}

bool ReadObjectData(Cursor& in, const Index& index, ObjectHead* head) {
  switch (head->tag) {
    case kTagBool:
      head->value = in.Uleb();
      return true;
    case kTagInt:
      head->value =
          in.Integer(index.ClassOf(head->class_id).kind.role == Role::kMint,
                     &head->is_signed);
      return true;
    case kTagDouble:
      head->value = in.Fixed64();
      return true;
    case kTagLatin1:
      head->length = in.Uleb();
      head->text_units = in.Uleb();
      head->text = in.Raw(head->text_units);
      return true;
    case kTagUtf16:
      head->length = in.Uleb();
      head->text_units = in.Uleb();
      // Twice a number of 2^63 would wrap; more than is left fails anyhow.
      head->text = in.Raw(head->text_units > in.left() ? in.left() + 1
                                                       : 2 * head->text_units);
      return true;
    case kTagLength:
      head->length = in.Uleb();
      return true;
    case kTagName:
      head->text_units = in.Uleb();
      head->text = in.Raw(head->text_units);
      return true;
    default:
      return false;
  }
}

std::int64_t IntegerValue(const Index& index, Role role,
                          const ObjectHead& head) {
  // A Smi is written as an unsigned word.
  if (role == Role::kSmi && !head.is_signed && index.pointer_size == 4)
    return static_cast<std::int32_t>(head.value);
  return static_cast<std::int64_t>(head.value);
}

Status BuildIndex(const ByteSource& source, Context& context, Index* index) {
  return Scanner(source, context, index).Scan();
}

}  // namespace heapglot::dartheap
