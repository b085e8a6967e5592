// Records that need no declaration: metadata, and declarations.
#include <utility>

#include "core/draft/draft_values.h"
#include "readers/draft/draft_scan.h"

namespace heapglot::draft {

Status Scanner::Text(std::string_view key, std::string_view* text) {
  const Token& token = record_.Find(key);
  if (token.kind != TokenKind::kString)
    return Malformed("the record needs a text as " + Quoted(key));
  *text = record_.Text(token);
  return {};
}

Status Scanner::CodeOf(std::string_view key, std::uint64_t* code) const {
  const Token& token = record_.Find(key);
  if (token.kind != TokenKind::kUint || token.value > 0x7fff'ffffu)
    return Malformed("the record needs a number below 2^31 as " + Quoted(key));
  *code = token.value;
  return {};
}

Status Scanner::ScanMetadata() {
  std::string_view key, value;
  HEAPGLOT_RETURN_IF_ERROR(Text("key", &key));
  HEAPGLOT_RETURN_IF_ERROR(Text("value", &value));
  if (key == "version_major") return ScanVersion(value);
  const bool is_count = key == "hg.strings";
  // They determine what the other records mean.
  if (has_data_ && (key == kStreamKey || is_count)) {
    return Malformed(std::string(key) +
                     " has to come before the first node, edge, or string");
  }
  if (key == kStreamKey) {
    if (value != "1") {
      return {Code::kUnsupported,
              index_.form.Say("hg.stream is ") + Quoted(value) +
                  ", only 1 is known",
              AtLine()};
    }
    index_.is_own = true;
  }
  if (is_count && !ReadIndex(value, &index_.own_strings))
    return Malformed("hg.strings is " + Quoted(value) + ", not a number");
  return {};
}

Status Scanner::ScanVersion(std::string_view value) {
  if (has_version_) {
    return context_.Warn(index_.form.Code("version.twice"), AtLine(), [&] {
      return index_.form.Say("version_major is written twice");
    });
  }
  has_version_ = true;
  if (value == "1") return {};
  if (value == "0") {
    index_.is_version0 = true;
    index_.schema.AddVersion0();
    index_.parser.AllowTwins();
    return {};
  }
  std::uint64_t number = 0;
  if (!ReadIndex(value, &number))
    return Malformed("version_major is " + Quoted(value) + ", not a number");
  return {Code::kUnsupported,
          index_.form.Say("version_major is ") + Quoted(value) +
              ", only 0 and 1 are known",
          AtLine()};
}

Status Scanner::ScanType() {
  std::string_view name;
  std::uint64_t code = 0;
  std::vector<Field> fields;
  HEAPGLOT_RETURN_IF_ERROR(Text("name", &name));
  HEAPGLOT_RETURN_IF_ERROR(CodeOf("code", &code));
  HEAPGLOT_RETURN_IF_ERROR(ScanFields(record_.Find("fields"), &fields));
  if (index_.schema.types().size() >= kMaxTypes ||
      !index_.schema.HasRoomFor(nullptr, fields))
    return {Code::kLimit, index_.form.Say("too many types, or fields"),
            AtLine()};
  const Type* const type =
      index_.schema.AddType(name, code, lines_.offset(), fields);
  if (type == nullptr) {
    return Malformed("the type " + Quoted(name) + " or its code " +
                     std::to_string(code) + " is declared twice");
  }
  HEAPGLOT_RETURN_IF_ERROR(CheckTypes(*type, type->layout, 0));
  return CheckOrder("type", name);
}

Status Scanner::CheckTypes(const Type& type, const Layout& layout,
                           std::size_t from) const {
  for (std::size_t slot = from; slot < layout.fields.size(); ++slot) {
    const Field& field = layout.fields[slot];
    const Fit fit = FitOf(type.kind, layout, field);
    if (fit == Fit::kUsual) continue;
    const auto message = [&] {
      return index_.form.Say("the field ") + Quoted(field.name) + " of " +
             Quoted(type.name) + " is declared as " +
             std::string(FieldTypeName(field.type));
    };
    if (fit == Fit::kNone) {
      return {Code::kUnsupported,
              message() + ", which cannot hold what it has to", AtLine()};
    }
    HEAPGLOT_RETURN_IF_ERROR(
        context_.Warn(index_.form.Code("field.type"), AtLine(), [&] {
          return message() +
                 (fit == Fit::kHeld
                      ? ", and read as what it is called"
                      : ", which cannot hold what it is called: it is kept "
                        "as a value");
        }));
  }
  return {};
}

Status Scanner::CheckOrder(const char* what, std::string_view name) const {
  if (!has_data_) return {};
  return context_.Warn(index_.form.Code("type.late"), AtLine(), [&] {
    return index_.form.Say("the ") + what + " " + Quoted(name) +
           " is declared after the first node or edge";
  });
}

Status Scanner::ScanSubtype() {
  std::string_view name, of;
  std::uint64_t code = 0;
  std::vector<Field> fields;
  HEAPGLOT_RETURN_IF_ERROR(Text("of", &of));
  HEAPGLOT_RETURN_IF_ERROR(Text("name", &name));
  HEAPGLOT_RETURN_IF_ERROR(CodeOf("code", &code));
  HEAPGLOT_RETURN_IF_ERROR(ScanFields(record_.Find("fields"), &fields));
  Type* const type = index_.schema.FindType(of, lines_.offset());
  if (type == nullptr || !type->has_code)
    return Malformed("a subtype of " + Quoted(of) + ", which is not declared");
  if (type->subtypes.size() >= kMaxTypes ||
      !index_.schema.HasRoomFor(type, fields)) {
    return {Code::kLimit, index_.form.Say("too many subtypes, or fields"),
            AtLine()};
  }
  if (type->layout.Slot(Role::kSubtype) < 0 &&
      (type->kind == RecordKind::kNode || type->kind == RecordKind::kEdge))
    return Malformed("the type " + Quoted(of) + " has no field \"subtype\"");
  const Subtype* const subtype =
      index_.schema.AddSubtype(*type, name, code, lines_.offset(), fields);
  if (subtype == nullptr) {
    return Malformed("the subtype " + Quoted(name) + " or its code " +
                     std::to_string(code) + " is declared twice");
  }
  HEAPGLOT_RETURN_IF_ERROR(
      CheckTypes(*type, subtype->layout, type->layout.fields.size()));
  return CheckOrder("subtype", name);
}

Status Scanner::ScanFields(const Token& token,
                           std::vector<Field>* fields) const {
  JsonCursor in(token.text, context_.limits.max_depth);
  if (token.kind != TokenKind::kCompound || !in.Take('['))
    return Malformed("the record needs a list as \"fields\"");
  while (!in.Take(']')) {
    if (!fields->empty()) in.Expect(',', "a comma");
    Token name, type;
    const bool is_pair = in.Take('[') && in.Value(&name) && in.Take(',') &&
                         in.Value(&type) && in.Take(']') &&
                         name.kind == TokenKind::kString &&
                         type.kind == TokenKind::kString;
    if (!is_pair || !in.ok())
      return Malformed("a field is not [name, type]", in.position());
    const auto known = FindFieldType(Decode(type));
    if (!known) {
      return Malformed("the field " + Quoted(name.text) + " has type " +
                           Quoted(type.text) + ", which is not one",
                       type.text.data());
    }
    if (fields->size() == kMaxFields)
      return {Code::kLimit,
              index_.form.Say("more than ") + std::to_string(kMaxFields) +
                  " fields",
              At(name.text.data())};
    fields->push_back({.name = Decode(name), .type = *known});
  }
  return {};
}

}  // namespace heapglot::draft
