// The names of nodes in a V8 heap snapshot, and the numbers of its strings.
#ifndef HEAPGLOT_WRITERS_HEAPSNAPSHOT_HEAPSNAPSHOT_NAMES_H_
#define HEAPGLOT_WRITERS_HEAPSNAPSHOT_HEAPSNAPSHOT_NAMES_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "core/column.h"
#include "core/text/string_store.h"
#include "core/text/string_texts.h"
#include "core/text/text_budget.h"
#include "core/text_table.h"
#include "heapglot/stream.h"
#include "writers/heapsnapshot/heapsnapshot_wire.h"

namespace heapglot::heapsnapshot {

// The numbering of "strings":
//   0                "<dummy>"
//   1 .. F - 1       fixed ones: names that this writer gives
//   F .. F + S - 2   the stream's strings 1 .. S - 1, in their order
//   from F + S - 1   made ones: texts of numbers, composed names
// So neither rows nor strings need a table of strings to be written.
class StringNumbers {
 public:
  StringNumbers();

  // The number of a fixed string, which is added if it is new. Not to be called
  // after Freeze().
  std::uint64_t Fixed(std::string_view text);
  // The stream uses the indices 0 .. `strings` - 1.
  void Freeze(std::uint64_t strings) {
    stream_strings_ = strings;
    numbers_ = {};
  }

  std::uint64_t OfStream(std::uint64_t index) const {
    return index == 0 ? kEmpty : fixed_.size() + index - 1;
  }
  std::uint64_t FirstMade() const {
    return fixed_.size() + (stream_strings_ > 0 ? stream_strings_ - 1 : 0);
  }
  const std::deque<std::string>& fixed() const { return fixed_; }

  static constexpr std::uint64_t kEmpty = 1;

 private:
  std::deque<std::string> fixed_;  // strings never move
  TextTable<std::uint64_t> numbers_;
  std::uint64_t stream_strings_ = 0;
};

// The type and name of a node.
struct NodeName {
  enum class Made : std::uint8_t {
    kNot,
    kText,     // AppendMade()
    kInteger,  // the value: V_INT, V_UINT
  };
  NodeType type;
  Made made;
  std::uint64_t number;  // of its string, unless that is made
  // Its class is shown under another name, because DevTools would take its own
  // for a kind of nodes, or for an element of a page.
  bool is_changed = false;

  bool is_made() const { return made != Made::kNot; }
};

// The columns of a Nodes chunk that this writer uses. Valid as long as the
// chunk.
struct NodeColumns {
  explicit NodeColumns(const pb::Nodes& nodes)
      : first(nodes.first()),
        kind(nodes.kind()),
        name(nodes.name()),
        type_ref(nodes.type_ref()),
        flags(nodes.flags()),
        id(nodes.id()),
        self_size(nodes.self_size()),
        edge_count(nodes.edge_count()),
        trace_node(nodes.trace_node()),
        detachedness(nodes.detachedness()),
        value_form(nodes.value_form()),
        value(nodes.value()) {}

  std::uint64_t first;  // the index of the first row's node
  ColumnView<std::uint32_t> kind;
  ColumnView<std::uint64_t> name;
  ColumnView<std::uint64_t> type_ref;
  ColumnView<std::uint32_t> flags;
  ColumnView<std::uint64_t> id;
  ColumnView<std::uint64_t> self_size;
  ColumnView<std::uint64_t> edge_count;
  ColumnView<std::uint64_t> trace_node;
  ColumnView<std::uint64_t> detachedness;
  ColumnView<std::uint32_t> value_form;
  ColumnView<std::uint64_t> value;
};

// A set of forms of values (pb::ValueForm), a bit each.
using Forms = std::uint32_t;
template <typename... Form>
constexpr Forms FormsOf(Form... forms) {
  return ((Forms{1} << forms) | ...);
}
constexpr bool HasForm(Forms forms, std::uint32_t form) {
  return form < 32 && (forms >> form & 1) != 0;
}
inline constexpr Forms kTextForms =
    FormsOf(pb::V_LATIN1, pb::V_UTF16, pb::V_UTF8, pb::V_NAME, pb::V_STRING_ID,
            pb::V_BYTES);

// Whether a value of this form is a string.
inline bool IsText(std::uint32_t form) { return HasForm(kTextForms, form); }

// Decides types and names of nodes.
class NodeNames {
 public:
  explicit NodeNames(StringNumbers& numbers);

  // The survey: everything that names may depend on.
  void AddNames(const pb::Strings& strings) { texts_.Add(strings); }
  void AddVocabulary(const pb::Vocabulary& vocabulary);
  void AddTypes(const pb::Types& types);
  void set_root_ref(std::uint64_t root_ref) { root_ref_ = root_ref; }
  // Ends the survey.
  void Finish();
  // To be called once the numbers are frozen.
  void NumberTypes();
  // The text of a name.
  std::string_view Text(std::uint64_t string) const {
    return texts_.Find(string);
  }

  // The source's root, below a made node 0, is synthetic, whatever the source
  // says: DevTools counts the distances of all other nodes from there.
  NodeType TypeOfNode(const NodeColumns& nodes, int row) const {
    return IsRoot(nodes, row) ? NodeType::kSynthetic : KindAt(nodes, row).type;
  }
  NodeName Name(const NodeColumns& nodes, int row) const {
    constexpr auto kNot = NodeName::Made::kNot;
    const Kind& kind = KindAt(nodes, row);
    if (const std::uint64_t name = nodes.name[row])
      return {TypeOfNode(nodes, row), kNot, numbers_.OfStream(name)};
    // Most others have the name of their type.
    const std::uint64_t type = nodes.type_ref[row] - 1;
    const bool is_usual =
        nodes.value_form[row] == pb::V_NONE && nodes.flags[row] == 0 &&
        type < type_numbers_.size() && type_numbers_[type] != kByKind &&
        nodes.first + static_cast<unsigned>(row) + 1 != root_ref_ &&
        kind.rule != Rule::kGroup;
    if (is_usual) return {kind.type, kNot, type_numbers_[type]};
    return UnusualName(nodes, row);
  }

  // Whether the name of a node is hidden: the node is a text and shown as that,
  // by NameOfText() instead of Name().
  bool HidesName(const NodeColumns& nodes, int row) const {
    return KindAt(nodes, row).rule == Rule::kText &&
           nodes.value[row] != nodes.name[row] && nodes.name[row] != 0 &&
           IsText(nodes.value_form[row]);
  }
  NodeName NameOfText(const NodeColumns& nodes, int row) const {
    return {TypeOfNode(nodes, row), NodeName::Made::kNot,
            numbers_.OfStream(nodes.value[row])};
  }

  // Whether the name that is written for a node shows its value, in full or as
  // a part. The node must have a value.
  bool ShowsValue(const NodeColumns& nodes, int row) const {
    const std::uint32_t form = nodes.value_form[row];
    const std::uint64_t name = nodes.name[row];
    const Rule rule = KindAt(nodes, row).rule;
    if (name != 0)
      return IsText(form) && (rule == Rule::kText || nodes.value[row] == name);
    return HasForm(kShownForms[static_cast<std::size_t>(rule)], form) &&
           !IsRoot(nodes, row);
  }

  // Whether a node has a class that is not shown, because the node is shown by
  // its value. (If a node has a name, it is not known whether that is its
  // class, as in a V8 snapshot.)
  bool HidesType(const NodeColumns& nodes, int row) const {
    const std::uint64_t ref = nodes.type_ref[row];
    if (ref == 0 || ref > types_.size() || nodes.name[row] != 0 ||
        (nodes.flags[row] & pb::NODE_TYPE_DANGLING) != 0)
      return false;
    const Kind& kind = KindAt(nodes, row);
    const bool is_value = kind.rule == Rule::kText ||
                          kind.rule == Rule::kNumber ||
                          kind.rule == Rule::kOddball;
    const Forms shown = kShownForms[static_cast<std::size_t>(kind.rule)];
    // DevTools may call all nodes of the type by the name of the class.
    return is_value && HasForm(shown, nodes.value_form[row]) &&
           (types_[ref - 1].node_types >> static_cast<int>(kind.type) & 1) == 0;
  }

  // Appends the text of a made name that is not an integer. `window` has the
  // strings since the previous Nodes chunk. Takes the text from `budget`;
  // returns whether it was cut.
  bool AppendMade(const NodeColumns& nodes, int row, StringStore& window,
                  TextBudget& budget, std::string* out) const;

  // How many types have a library that their name does not show, or shows.
  std::uint64_t types_without_library() const { return types_without_library_; }
  std::uint64_t types_with_library() const { return types_with_library_; }

 private:
  // How a node of some kind gets its name, if the stream gives it none.
  enum class Rule : std::uint8_t {
    kTypeName,     // that of its type
    kTypeAndName,  // that of its type, and the name of what it stands for
    kGroup,        // the same in parentheses
    kText,         // its value
    kNumber,       // its value
    kOddball,      // null, true, false
  };
  // By rule, the values that are shown of a node without a name, as
  // UnusualName() and AppendMade() choose.
  static constexpr std::array<Forms, 6> kShownForms = {
      0,
      FormsOf(pb::V_NAME),
      FormsOf(pb::V_NAME),
      kTextForms,
      FormsOf(pb::V_INT, pb::V_UINT, pb::V_DOUBLE),
      kTextForms | FormsOf(pb::V_NULL, pb::V_BOOL)};
  struct Type {
    std::uint64_t name = 0;         // stream's string
    std::uint64_t library_uri = 0;  // stream's string
    std::uint64_t number = 0;       // of the string that shows it
    bool is_fixed = false;          // number is that of a fixed string
    // Of the fixed string that shows it for objects and native memory, if that
    // is another one; else 0.
    std::uint64_t object_number = 0;
    // The V8 types, a bit each, all of whose nodes DevTools calls by this name.
    std::uint32_t node_types = 0;
  };
  struct Kind {
    NodeType type = NodeType::kHidden;
    Rule rule = Rule::kTypeAndName;
    Type word = {};             // the source's word
    bool shows_word = false;    // in place of the type of nodes without one
    bool is_of_source = false;  // the source has a number for the word
  };
  static Kind KindOf(std::uint32_t known);
  // Whether a node is the source's root, below a made node 0.
  bool IsRoot(const NodeColumns& nodes, int row) const {
    return root_ref_ != 0 &&
           nodes.first + static_cast<std::uint64_t>(row) == root_ref_ - 1;
  }
  // The name of a node that has none in the stream.
  NodeName UnusualName(const NodeColumns& nodes, int row) const;
  const Kind& KindAt(const NodeColumns& nodes, int row) const {
    const std::uint32_t kind = nodes.kind[row];
    return kind < kinds_.size() ? kinds_[kind] : no_kind_;
  }

  // How many types and words have a name, by name.
  using Uses = TextTable<std::uint32_t>;
  void ChooseText(const Uses& uses, Type& type);
  void Show(std::string_view text, Type& type);
  // A node's type, or what stands in for it.
  const Type& TypeOf(const NodeColumns& nodes, int row, const Kind& kind) const;
  // The number of the string that shows it, except for nodes that get
  // object_number.
  std::uint64_t NumberOf(const Type& type) const {
    return type.is_fixed ? type.number : numbers_.OfStream(type.name);
  }

  StringNumbers& numbers_;
  StringTexts texts_;
  std::vector<Kind> kinds_;
  std::vector<Type> types_;
  // By type, its NumberOf(), since TypeOf() takes long; kByKind if it is not
  // the same for all kinds of nodes.
  static constexpr std::uint64_t kByKind = 0;  // no node is called "<dummy>"
  std::vector<std::uint64_t> type_numbers_;
  Type no_type_;
  Type undefined_type_;
  Kind no_kind_;
  std::uint64_t root_ref_ = 0;
  std::uint64_t types_without_library_ = 0;
  std::uint64_t types_with_library_ = 0;
  std::uint64_t gc_roots_ = 0;
  std::uint64_t null_ = 0;
  std::uint64_t true_ = 0;
  std::uint64_t false_ = 0;
};

}  // namespace heapglot::heapsnapshot

#endif  // HEAPGLOT_WRITERS_HEAPSNAPSHOT_HEAPSNAPSHOT_NAMES_H_
