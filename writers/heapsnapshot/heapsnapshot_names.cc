#include "writers/heapsnapshot/heapsnapshot_names.h"

#include <algorithm>
#include <array>
#include <bit>

#include "core/column.h"
#include "core/ir/word_count.h"
#include "core/text/number.h"
#include "core/text/utf.h"

namespace heapglot::heapsnapshot {
namespace {

// The longest part, in bytes, of a made name that comes from one string.
constexpr std::size_t kMaxNamePart = std::size_t{64} << 10;

// Names that have a special meaning in DevTools: it renames or hides such
// nodes, or takes them apart (HeapSnapshot.ts). Sorted.
constexpr std::array<std::string_view, 8> kReservedNames = {
    "(Document DOM trees)",
    "(map descriptors)",
    "Array",
    "Object",
    "system / Context",
    "system / ExternalStringData",
    "system / JSArrayBufferData",
    "system / NativeContext",
};

// What DevTools calls all nodes of a V8 type; empty: it shows their names.
constexpr std::array<std::string_view, 15> kNamesOfTypes = {
    "(system)",
    "(array)",
    "(string)",
    "",  // object
    "(compiled code)",
    "Function",
    "RegExp",
    "(number)",
    "",  // native
    "(synthetic)",
    "(concatenated string)",
    "(sliced string)",
    "(symbol)",
    "(bigint)",
    "(object shape)",
};

// The V8 types, a bit each, all of whose nodes DevTools calls `name`.
std::uint32_t TypesCalled(std::string_view name) {
  std::uint32_t types = 0;
  for (std::size_t i = 0; i < kNamesOfTypes.size(); ++i)
    types |= std::uint32_t{!name.empty() && kNamesOfTypes[i] == name} << i;
  return types;
}

// Of two classes with the same name, DevTools shows only one, and its own are
// never those of the file. So objects with such a name would hide all nodes of
// the type, or be hidden.
bool IsLikeKind(std::string_view name) { return TypesCalled(name) != 0; }

// Whether DevTools takes `name` for an element of a page, whose class it shows
// only up to the first space.
bool IsLikeElement(std::string_view name) {
  return (name.starts_with('<') || name.starts_with("Detached <")) &&
         name.find(' ', name.find('<')) != std::string_view::npos;
}

// `name`, changed so that it does not begin like an element.
std::string Unlike(std::string_view name) {
  const bool begins_so =
      name.starts_with('<') || name.starts_with("Detached <");
  return (begins_so ? "class " : "") + std::string(name);
}

bool IsReserved(std::string_view name) {
  return IsLikeKind(name) ||
         std::binary_search(kReservedNames.begin(), kReservedNames.end(),
                            name) ||
         name.starts_with("Detached ") || name.starts_with('<');
}

}  // namespace

StringNumbers::StringNumbers() {
  fixed_ = {"<dummy>", ""};
  numbers_.emplace(fixed_[kEmpty], kEmpty);
}

std::uint64_t StringNumbers::Fixed(std::string_view text) {
  if (const auto known = numbers_.find(text); known != numbers_.end())
    return known->second;
  const std::uint64_t number = fixed_.size();
  numbers_.emplace(fixed_.emplace_back(text), number);
  return number;
}

NodeNames::NodeNames(StringNumbers& numbers)
    : numbers_(numbers), texts_(kMaxNamePart) {
  gc_roots_ = numbers.Fixed("(GC roots)");
  null_ = numbers.Fixed("null");
  true_ = numbers.Fixed("true");
  false_ = numbers.Fixed("false");
}

// Follows V8 where it has such nodes: for V8, metadata of functions and scripts
// are code, and maps are object shapes.
NodeNames::Kind NodeNames::KindOf(std::uint32_t known) {
  switch (known) {
    case pb::NODE_ARRAY:
      return {NodeType::kArray, Rule::kTypeName};
    case pb::NODE_STRING:
      return {NodeType::kString, Rule::kText};
    case pb::NODE_OBJECT:
      return {NodeType::kObject, Rule::kTypeName};
    case pb::NODE_DATE:
      return {NodeType::kObject, Rule::kTypeName, {}, /*shows_word=*/true};
    case pb::NODE_CODE:
    case pb::NODE_FUNCTION_META:
    case pb::NODE_SCRIPT:
      return {NodeType::kCode, Rule::kTypeAndName};
    case pb::NODE_CLOSURE:
      return {NodeType::kClosure, Rule::kTypeName};
    case pb::NODE_REGEXP:
      return {NodeType::kRegExp, Rule::kText};
    case pb::NODE_NUMBER:
      return {NodeType::kNumber, Rule::kNumber};
    case pb::NODE_NATIVE:
      return {NodeType::kNative, Rule::kTypeName};
    case pb::NODE_SYNTHETIC:
      return {NodeType::kSynthetic, Rule::kGroup};
    case pb::NODE_CONS_STRING:
      return {NodeType::kConsString, Rule::kText};
    case pb::NODE_SLICED_STRING:
      return {NodeType::kSlicedString, Rule::kText};
    case pb::NODE_SYMBOL:
      return {NodeType::kSymbol, Rule::kText};
    case pb::NODE_BIGINT:
      return {NodeType::kBigInt, Rule::kNumber};
    case pb::NODE_ODDBALL:
      return {NodeType::kNative, Rule::kOddball};
    case pb::NODE_SHAPE:
    case pb::NODE_CLASS:
      return {NodeType::kObjectShape, Rule::kTypeAndName};
    default:
      return {NodeType::kHidden, Rule::kTypeAndName};
  }
}

void NodeNames::AddVocabulary(const pb::Vocabulary& vocabulary) {
  if (vocabulary.space() != pb::Vocabulary::NODE_KIND) return;
  const int rows = WordCount(vocabulary);
  for (int i = 0; i < rows; ++i) {
    kinds_.push_back(KindOf(At(vocabulary.known(), i)));
    kinds_.back().word.name = At(vocabulary.name(), i);
    // Otherwise the word is a reader's, for nodes without a kind.
    kinds_.back().is_of_source =
        i < vocabulary.source_code_size() && vocabulary.source_code(i) >= 0;
  }
}

void NodeNames::AddTypes(const pb::Types& types) {
  for (int i = 0; i < static_cast<int>(types.count()); ++i) {
    Type type;
    type.name = At(types.name(), i);
    type.library_uri = At(types.library_uri(), i);
    types_.push_back(type);
  }
}

void NodeNames::Finish() {
  for (Kind& kind : kinds_) {
    // A node that is not an instance of anything is named after its kind.
    const bool says_nothing =
        kind.type == NodeType::kObject ||
        (kind.type == NodeType::kHidden && !kind.is_of_source);
    const bool says_what = kind.shows_word || !says_nothing;
    kind.shows_word = says_what && !Text(kind.word.name).empty();
  }
  Uses uses;
  for (const Type& type : types_) ++uses[Text(type.name)];
  for (const Kind& kind : kinds_)
    if (kind.shows_word) ++uses[Text(kind.word.name)];

  for (Type& type : types_) {
    ChooseText(uses, type);
    type.node_types = TypesCalled(Text(type.name));
  }
  for (Kind& kind : kinds_)
    if (kind.shows_word) ChooseText(uses, kind.word);
  Show("(undefined class)", undefined_type_);
  Show("(no class)", no_type_);
}

void NodeNames::NumberTypes() {
  type_numbers_.reserve(types_.size());
  for (const Type& type : types_)
    type_numbers_.push_back(type.object_number != 0 ? kByKind : NumberOf(type));
}

void NodeNames::ChooseText(const Uses& uses, Type& type) {
  const std::string_view name = Text(type.name);
  const std::string_view library = Text(type.library_uri);
  if (name.empty()) return Show("(unnamed class)", type);
  const bool is_shared = uses.at(name) > 1;
  if (library.empty()) {
    // DevTools counts by the number of the string, and shows only one of two
    // classes with the same name: they must share one number.
    if (is_shared) Show(name, type);
    if (IsLikeKind(name) || IsLikeElement(name)) {
      type.object_number = numbers_.Fixed(
          IsLikeKind(name) ? std::string(name) + " (object)" : Unlike(name));
    }
    return;
  }
  if (!is_shared && !IsReserved(name)) {
    ++types_without_library_;
    return;
  }
  ++types_with_library_;
  Show(Unlike(name).append(" (").append(library).append(")"), type);
}

void NodeNames::Show(std::string_view text, Type& type) {
  type.number = numbers_.Fixed(text);
  type.is_fixed = true;
}

const NodeNames::Type& NodeNames::TypeOf(const NodeColumns& nodes, int row,
                                         const Kind& kind) const {
  const std::uint64_t ref = nodes.type_ref[row];
  if ((nodes.flags[row] & pb::NODE_TYPE_DANGLING) != 0 || ref > types_.size()) {
    return undefined_type_;
  }
  if (ref != 0) return types_[ref - 1];
  return kind.shows_word ? kind.word : no_type_;
}

NodeName NodeNames::UnusualName(const NodeColumns& nodes, int row) const {
  using Made = NodeName::Made;
  const Kind& kind = KindAt(nodes, row);
  if (IsRoot(nodes, row)) return {NodeType::kSynthetic, Made::kNot, gc_roots_};

  const std::uint32_t form = nodes.value_form[row];
  const std::uint64_t value = nodes.value[row];
  switch (kind.rule) {
    case Rule::kText:
      if (IsText(form))
        return {kind.type, Made::kNot, numbers_.OfStream(value)};
      break;
    case Rule::kNumber:
      if (form == pb::V_INT || form == pb::V_UINT)
        return {kind.type, Made::kInteger, 0};
      if (form == pb::V_DOUBLE) return {kind.type, Made::kText, 0};
      break;
    case Rule::kOddball:
      if (form == pb::V_NULL) return {kind.type, Made::kNot, null_};
      if (form == pb::V_BOOL)
        return {kind.type, Made::kNot, value != 0 ? true_ : false_};
      if (IsText(form))
        return {kind.type, Made::kNot, numbers_.OfStream(value)};
      break;
    case Rule::kGroup:
      return {kind.type, Made::kText, 0};
    case Rule::kTypeAndName:
      if (form == pb::V_NAME && value != 0) return {kind.type, Made::kText, 0};
      break;
    case Rule::kTypeName:
      break;
  }
  const std::uint64_t ref = nodes.type_ref[row];
  const bool has_number = ref - 1 < type_numbers_.size() &&
                          type_numbers_[ref - 1] != kByKind &&
                          (nodes.flags[row] & pb::NODE_TYPE_DANGLING) == 0;
  if (has_number) return {kind.type, Made::kNot, type_numbers_[ref - 1]};
  const Type& type = TypeOf(nodes, row, kind);
  const bool names_class =
      kind.type == NodeType::kObject || kind.type == NodeType::kNative;
  if (names_class && type.object_number != 0)
    return {kind.type, Made::kNot, type.object_number, /*is_changed=*/true};
  return {kind.type, Made::kNot, NumberOf(type)};
}

bool NodeNames::AppendMade(const NodeColumns& nodes, int row,
                           StringStore& window, TextBudget& budget,
                           std::string* out) const {
  const std::uint64_t value = nodes.value[row];
  const std::uint32_t form = nodes.value_form[row];
  const Kind& kind = KindAt(nodes, row);
  const Rule rule = kind.rule;
  if (rule == Rule::kNumber) {
    AppendDouble(std::bit_cast<double>(value), out);
    return false;
  }
  bool is_cut = false;
  const auto cut = [&is_cut](std::string_view& text, std::size_t most) {
    is_cut |= text.size() > most;
    text = text.substr(0, CutAtCodePoint(text, most));
  };
  const Type& type = TypeOf(nodes, row, kind);
  std::string_view type_name = Text(type.name);
  if (type.is_fixed) type_name = numbers_.fixed()[type.number];
  const bool has_name = form == pb::V_NAME && value != 0;
  std::string_view name;
  if (has_name) {
    // One more byte shows whether the cut is within a code point.
    name = window.Piece(window.Locate(value), 0, kMaxNamePart + 1);
    cut(name, kMaxNamePart);
  }
  if (!budget.Take(type_name.size() + name.size())) {
    cut(type_name, TextBudget::kLong);
    cut(name, TextBudget::kLong);
  }
  const bool is_group = rule == Rule::kGroup;
  if (is_group) out->push_back('(');
  out->append(type_name);
  if (has_name) out->append(" ").append(name);
  if (is_group) out->push_back(')');
  return is_cut;
}

}  // namespace heapglot::heapsnapshot
