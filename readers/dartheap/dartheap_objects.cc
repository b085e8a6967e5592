// The part of a pass that takes the time: objects and their references.
#include <algorithm>
#include <utility>

#include "core/text/utf.h"
#include "readers/dartheap/dartheap_pass.h"

namespace heapglot::dartheap {
namespace {

// The name of a closure whose function is not in the file.
constexpr std::string_view kUnnamedClosure = "_Closure";

// Beyond all objects.
constexpr std::uint64_t kNoObject = ~std::uint64_t{0};

// ValueForm and tags have the same numbers from 0 to 8.
static_assert(static_cast<int>(pb::V_NULL) == kTagNull &&
              static_cast<int>(pb::V_BOOL) == kTagBool &&
              static_cast<int>(pb::V_INT) == kTagInt &&
              static_cast<int>(pb::V_DOUBLE) == kTagDouble &&
              static_cast<int>(pb::V_LATIN1) == kTagLatin1 &&
              static_cast<int>(pb::V_UTF16) == kTagUtf16 &&
              static_cast<int>(pb::V_LENGTH) == kTagLength &&
              static_cast<int>(pb::V_NAME) == kTagName);

bool IsText(std::uint64_t tag) {
  return tag == kTagLatin1 || tag == kTagUtf16 || tag == kTagName;
}

// What an object is. Its value is a surer sign than its class, because VMs have
// different classes.
inline NodeWord ClassifyNode(ClassKind kind, std::uint64_t tag,
                             std::uint64_t object) {
  if (object == 0) return NodeWord::kRoot;
  switch (tag) {
    case kTagNull:
    case kTagBool:
      return NodeWord::kOddball;
    case kTagInt:
    case kTagDouble:
      return NodeWord::kNumber;
    case kTagLatin1:
    case kTagUtf16:
      return NodeWord::kString;
    default:
      break;
  }
  // A string or number without a value is not one. Exports of DevTools have the
  // text of strings as their name.
  const bool lacks_value =
      (kind.node == NodeWord::kString && tag != kTagName) ||
      kind.node == NodeWord::kNumber;
  return lacks_value ? NodeWord::kInstance : kind.node;
}

}  // namespace

Status Pass::SendObjects() {
  const bool nodes = Wants(pb::Chunk::kNodes);
  const bool edges = Wants(pb::Chunk::kEdges);
  const bool strings = Wants(pb::Chunk::kStrings);
  strings_.BeginOthers(strings);
  if (!nodes && !edges && !strings) return {};
  Cursor in(bytes_, index_.objects_offset);
  ObjectCursor objects(bytes_, in);
  const auto add_plain = !objects.takes_ahead() ? nullptr
                         : nodes && edges       ? &Pass::AddPlain<true, true>
                         : nodes                ? &Pass::AddPlain<true, false>
                         : edges                ? &Pass::AddPlain<false, true>
                                                : nullptr;
  NextContainer();
  ObjectHead head;
  for (std::uint64_t i = 0; i < index_.object_count; ++i) {
    if (add_plain != nullptr) i = (this->*add_plain)(i, objects);
    if (i % kProgressObjects == 0) {
      HEAPGLOT_RETURN_IF_ERROR(
          context_.Proceed("converting", in.offset(), bytes_.size()));
    }
    objects_trail_.Advance(in.offset());
    hashes_trail_.Advance(hashes_.offset());
    objects.ReadHead(index_, &head);
    const Class& of = index_.ClassOf(head.class_id);
    if (nodes) AddNode(i, of, head);
    if (strings) {
      if (IsText(head.tag)) HEAPGLOT_RETURN_IF_ERROR(AddText(head));
      if (of.kind.role == Role::kClosure)
        HEAPGLOT_RETURN_IF_ERROR(AddClosureName(of, head, in));
    } else {
      strings_.Skip((IsText(head.tag) && !head.text.empty() ? 1 : 0) +
                    (of.kind.role == Role::kClosure ? 1 : 0));
    }
    const Container* const container = ContainerAt(i);
    if (edges) {
      HEAPGLOT_RETURN_IF_ERROR(AddReferences(i, of, head, objects));
      if (container != nullptr) HEAPGLOT_RETURN_IF_ERROR(AddItems(*container));
    } else {
      SkipReferences(head.reference_count, objects);
      if (container != nullptr) {
        if (strings)
          HEAPGLOT_RETURN_IF_ERROR(AddItems(*container));
        else
          strings_.Skip(container->strings);
      }
    }
    const bool many_without_edges =
        edges_chunk_.edges().edges_per_node_size() >= kMostEdgeNodes;
    if (node_rows_ == static_cast<int>(kChunkRows) || many_without_edges)
      HEAPGLOT_RETURN_IF_ERROR(FlushNodes());
    if (many_without_edges) HEAPGLOT_RETURN_IF_ERROR(FlushEdges());
  }
  HEAPGLOT_RETURN_IF_ERROR(index_.containers.status());
  if (!in.ok() || !hashes_.ok()) return InputChanged();
  HEAPGLOT_RETURN_IF_ERROR(FlushNodes());
  return FlushEdges();
}

// Functions that are called for each object or reference are inline so that the
// compiler makes one loop of them, which saves a tenth of the time.
inline void Pass::BeginNodes(std::uint64_t object) {
  pb::Nodes& nodes = *nodes_chunk_.mutable_nodes();
  nodes.set_first(object);
  const auto make_room = [](auto* column) {
    return AddRows(column, kChunkRows);
  };
  columns_ = {.kind = make_room(nodes.mutable_kind()),
              .type_ref = make_room(nodes.mutable_type_ref()),
              .self_size = make_room(nodes.mutable_self_size()),
              .edge_count = make_room(nodes.mutable_edge_count()),
              .value_form = make_room(nodes.mutable_value_form()),
              .value = make_room(nodes.mutable_value())};
}

// Adds plain objects from `object` on that have nothing odd, as most do, as
// nodes, edges or both. Returns the first one that must be added in the usual
// way. There is always one.
template <bool kNodes, bool kEdges>
std::uint64_t Pass::AddPlain(std::uint64_t object, ObjectCursor& objects) {
  std::uint64_t end = PlainEnd(object);
  if constexpr (kEdges) {
    const int left =
        kMostEdgeNodes - 1 - edges_chunk_.edges().edges_per_node_size();
    end = std::min(end, object + static_cast<unsigned>(std::max(left, 0)));
  }
  // Nodes that are sure to leave room in the chunk, if there is one.
  int nodes_left = static_cast<int>(kChunkRows) - 1 - node_rows_;
  ObjectCursor::Plain plain;
  for (; object < end; ++object) {
    if (!objects.TakePlain(&plain) || plain.class_id > index_.class_count)
      break;
    if constexpr (kNodes) {
      if (nodes_left-- == 0) break;
      const bool is_odd = plain.has_number && plain.number == UlebRun::kOdd &&
                          plain.tag != kTagInt;
      if (is_odd) [[unlikely]]
        break;
    }
    ClassKind kind;
    if constexpr (kEdges) {
      const Class& of = index_.ClassOf(plain.class_id);
      kind = of.kind;
      if (kind.role == Role::kClosure || !AddPlainEdges(object, of, plain))
        break;
    } else {
      // This table is smaller than that of all classes.
      kind = index_.kinds[plain.class_id];
      if (kind.role == Role::kClosure) break;
    }
    if constexpr (kNodes) {
      AddPlainNode(object, kind, plain, objects);
    }
    objects.Pass(plain);
  }
  return object;
}

inline void Pass::AddPlainNode(std::uint64_t object, ClassKind kind,
                               const ObjectCursor::Plain& plain,
                               const ObjectCursor& objects) {
  if (node_rows_ == 0) BeginNodes(object);
  const int row = node_rows_++;
  columns_.kind[row] =
      static_cast<std::uint32_t>(ClassifyNode(kind, plain.tag, object));
  columns_.type_ref[row] = plain.class_id;
  columns_.self_size[row] = plain.self_size;
  columns_.edge_count[row] = plain.reference_count;
  columns_.value_form[row] = plain.tag;
  columns_.value[row] = plain.has_number ? plain.number : 0;
  pb::Nodes& nodes = *nodes_chunk_.mutable_nodes();
  if (plain.tag == kTagInt) {
    ObjectHead head;
    head.value =
        objects.AtNumber().Integer(kind.role == Role::kMint, &head.is_signed);
    columns_.value[row] = AddInteger(kind.role, head, nodes, row);
  }
  if (!index_.has_hashes) return;
  SetSparse(nodes.mutable_identity_hash(), row, hashes_.Uleb());
}

// Adds everything of a node but its text.
inline void Pass::AddNode(std::uint64_t object, const Class& of,
                          const ObjectHead& head) {
  if (node_rows_ == 0) BeginNodes(object);
  const int row = node_rows_++;
  pb::Nodes& nodes = *nodes_chunk_.mutable_nodes();
  columns_.kind[row] =
      static_cast<std::uint32_t>(ClassifyNode(of.kind, head.tag, object));
  columns_.type_ref[row] = head.class_id;
  if (head.class_id > index_.class_count) [[unlikely]] {
    SetSparse(nodes.mutable_flags(), row,
              static_cast<std::uint32_t>(pb::NODE_TYPE_DANGLING));
  }
  columns_.self_size[row] = head.self_size;
  const Container* const container = ContainerAt(object);
  columns_.edge_count[row] =
      head.reference_count + (container != nullptr ? container->edges : 0);
  if (index_.has_hashes)
    SetSparse(nodes.mutable_identity_hash(), row, hashes_.Uleb());
  AddValue(of, head, nodes, row);
  if (of.kind.role != Role::kClosure) return;
  // The string after its text.
  const bool has_text = IsText(head.tag) && !head.text.empty();
  SetSparse(nodes.mutable_name(), row, strings_.next() + (has_text ? 1 : 0));
}

// Notes how the integer was written if that is unusual. Returns its value.
inline std::uint64_t Pass::AddInteger(Role role, const ObjectHead& head,
                                      pb::Nodes& nodes, int row) const {
  const bool usual = (role == Role::kMint) == head.is_signed;
  if (!usual) {
    SetSparse(nodes.mutable_value_encoding(), row,
              static_cast<std::uint32_t>(head.is_signed ? pb::SLEB_INT
                                                        : pb::ULEB_INT));
  }
  return static_cast<std::uint64_t>(IntegerValue(index_, role, head));
}

inline void Pass::AddValue(const Class& of, const ObjectHead& head,
                           pb::Nodes& nodes, int row) {
  std::uint64_t value = head.value;
  if (IsText(head.tag)) {
    value = head.text.empty() ? 0 : strings_.next();
  } else if (head.tag == kTagInt) {
    value = AddInteger(of.kind.role, head, nodes, row);
  } else if (head.tag == kTagLength) {
    value = head.length;
  }
  columns_.value_form[row] = static_cast<std::uint32_t>(head.tag);
  columns_.value[row] = value;
  const bool is_string = head.tag == kTagLatin1 || head.tag == kTagUtf16;
  if (is_string && head.length != head.text_units)
    SetSparse(nodes.mutable_value_length(), row, head.length);
}

Status Pass::AddText(const ObjectHead& head) {
  if (head.text.empty()) return {};
  std::size_t begin = 0;
  while (head.text.size() - begin > kChunkText) {
    std::size_t size = kChunkText;
    if (head.tag == kTagName) {
      size = CutAtCodePoint(head.text.substr(begin), size);
    } else if (head.tag == kTagUtf16) {
      // Not between the halves of a surrogate pair.
      const auto high = static_cast<std::uint8_t>(head.text[begin + size - 1]);
      if (high >= 0xd8 && high < 0xdc) size -= 2;
    }
    const pb::StringEncoding encoding =
        AppendText(head, begin, size, strings_.text());
    HEAPGLOT_RETURN_IF_ERROR(strings_.Finish(encoding, /*continued=*/true));
    begin += size;
    objects_trail_.Advance(
        static_cast<std::uint64_t>(head.text.data() - bytes_.data()) + begin);
  }
  const pb::StringEncoding encoding =
      AppendText(head, begin, head.text.size() - begin, strings_.text());
  return strings_.Finish(encoding);
}

// A closure is named by its NameData, which no VM writes, or else by its
// function. Takes one string in any case, so a pass without strings need not
// look for the function.
Status Pass::AddClosureName(const Class& of, const ObjectHead& head,
                            Cursor references) {
  pb::StringEncoding encoding = pb::UTF8;
  if (head.tag == kTagName && !head.text.empty())
    return strings_.Finish(*AppendName(head, strings_.text()));
  std::uint64_t function = 0;
  if (of.link_slot != kNoSlot && of.link_slot < head.reference_count) {
    references.SkipUlebs(of.link_slot);
    function = references.Uleb();
  }
  if (function - 1 < index_.object_count) {
    ObjectHead named;
    seeker_.ReadHead(function - 1, &named);
    if (named.tag == kTagName && !named.text.empty())
      encoding = *AppendName(named, strings_.text());
    else
      strings_.text()->append(kUnnamedClosure);
  } else {
    strings_.text()->append(kUnnamedClosure);
  }
  return strings_.Finish(encoding);
}

// Makes room for edges of `object`, if there is none.
inline void Pass::BeginEdges(std::uint64_t object) {
  if (edge_columns_.to != nullptr) [[likely]]
    return;
  pb::Edges& edges = *edges_chunk_.mutable_edges();
  edges.set_first_node(object);
  const auto make_room = [](auto* column) {
    return AddRows(column, kEdgeRows + kSlotsAtOnce);
  };
  edge_columns_ = {.kind = make_room(edges.mutable_kind()),
                   .name = make_room(edges.mutable_name()),
                   .to = make_room(edges.mutable_to())};
}

inline void Pass::BeginNodeEdges(std::uint64_t object) {
  BeginEdges(object);
  edges_chunk_.mutable_edges()->add_edges_per_node(0);
}

inline Status Pass::AddReferences(std::uint64_t object, const Class& of,
                                  const ObjectHead& head,
                                  ObjectCursor& objects) {
  BeginNodeEdges(object);
  for (std::uint64_t first = 0; first < head.reference_count;) {
    const int row = edge_rows_;
    const int rows = static_cast<int>(std::min<std::uint64_t>(
        head.reference_count - first, kEdgeRows - static_cast<unsigned>(row)));
    AddNames(of, first, rows);
    std::uint64_t* const targets = edge_columns_.to + row;
    static_assert(ObjectCursor::kBeyond < kSlotsAtOnce);
    objects.ReadReferences(targets, static_cast<std::size_t>(rows));
    if (!objects.in().ok()) [[unlikely]]
      return InputChanged();
    const std::uint64_t count = index_.object_count;
    bool all_there = true;
    for (int i = 0; i < rows; ++i) {
      targets[i] -= 1;
      all_there &= targets[i] < count;
    }
    for (int i = all_there ? rows : 0; i < rows; ++i)
      targets[i] = TargetOf(targets[i] + 1, row + i);
    first += static_cast<std::uint64_t>(rows);
    edge_rows_ += rows;
    HEAPGLOT_RETURN_IF_ERROR(EndRows(rows));
    objects_trail_.Advance(objects.in().offset());
  }
  return {};
}

inline void Pass::SkipReferences(std::uint64_t count, ObjectCursor& objects) {
  for (; count > kEdgeRows; count -= kEdgeRows) {
    objects.SkipReferences(kEdgeRows);
    objects_trail_.Advance(objects.in().offset());
  }
  objects.SkipReferences(count);
}

// False if they might fill the chunk, or if one does not refer to an object.
inline bool Pass::AddPlainEdges(std::uint64_t object, const Class& of,
                                const ObjectCursor::Plain& plain) {
  const int rows = static_cast<int>(plain.reference_count);
  if (rows >= static_cast<int>(kEdgeRows) - edge_rows_) return false;
  BeginEdges(object);
  if (!AddPlainTargets(plain.references, rows)) return false;
  AddNames(of, 0, rows);
  edge_rows_ += rows;
  edges_chunk_.mutable_edges()->add_edges_per_node(plain.reference_count);
  return true;
}

// False if one of them does not refer to an object, or is odd.
inline bool Pass::AddPlainTargets(const std::uint32_t* references, int rows) {
  const auto limit = static_cast<std::uint32_t>(
      std::min(index_.object_count, std::uint64_t{UlebRun::kOdd - 1}));
  std::uint64_t* const targets = edge_columns_.to + edge_rows_;
  std::uint32_t is_odd = 0;
  constexpr int kStep = kSlotsAtOnce;
  for (int row = 0; row < rows; row += kStep) {
    for (int i = row; i < row + kStep; ++i) {
      const std::uint32_t target = references[i] - 1;
      targets[i] = target;
      is_odd |= static_cast<std::uint32_t>(target >= limit) &
                static_cast<std::uint32_t>(i < rows);
    }
  }
  return is_odd == 0;
}

// Writes the kinds and names of `rows` references of an object, from `first`
// on.
inline void Pass::AddNames(const Class& of, std::uint64_t first, int rows) {
  std::uint32_t* const kinds = edge_columns_.kind + edge_rows_;
  std::uint64_t* const names = edge_columns_.name + edge_rows_;
  const auto put = [&](int row, const Slot& slot) {
    kinds[row] = static_cast<std::uint32_t>(slot.word);
    names[row] = slot.name;
  };
  int row = 0;
  if (first < of.slot_count) {
    const Slot* const slots = index_.slots.data() + of.first_slot + first;
    const int named = static_cast<int>(std::min<std::uint64_t>(
        of.slot_count - first, static_cast<std::uint64_t>(rows)));
    // Enough at a time for most objects to need one step.
    constexpr int kStep = kSlotsAtOnce;
    for (; row < named; row += kStep)
      for (int i = row; i < row + kStep; ++i) put(i, slots[i]);
    row = named;
  }
  for (; row < rows; ++row)
    put(row, of.ElementAt(first + static_cast<unsigned>(row)));
}

const Container* Pass::FindContainer(std::uint64_t object) {
  while (container_object_ < object) NextContainer();
  return container_object_ == object ? &containers_.container() : nullptr;
}

void Pass::NextContainer() {
  container_object_ =
      containers_.Next() ? containers_.container().object : kNoObject;
}

Status Pass::AddItems(const Container& container) {
  const bool edges = Wants(pb::Chunk::kEdges);
  ItemCursor items(index_, container, &seeker_);
  for (std::uint64_t i = 0; i < container.edges && items.Next(); ++i) {
    const Item& item = items.item();
    std::uint64_t name = item.number;
    EdgeWord word = EdgeWord::kItem;
    if (item.naming == Item::Naming::kText) {
      word = EdgeWord::kEntry;
      name = NameString(item.text, item.encoding);
    }
    if (edges) HEAPGLOT_RETURN_IF_ERROR(AddEdge(word, name, item.target));
  }
  return name_status_;
}

Status Pass::AddEdge(EdgeWord word, std::uint64_t name, std::uint64_t id) {
  const int row = edge_rows_++;
  edge_columns_.kind[row] = static_cast<std::uint32_t>(word);
  edge_columns_.name[row] = name;
  edge_columns_.to[row] = TargetOf(id, row);
  return EndRows(1);
}

// The value of `to` for a reference to `id`; sets the form of `row` if
// necessary.
inline std::uint64_t Pass::TargetOf(std::uint64_t id, int row) {
  if (id - 1 < index_.object_count) [[likely]]
    return id - 1;
  SetSparse(
      edges_chunk_.mutable_edges()->mutable_to_form(), row,
      static_cast<std::uint32_t>(id == 0 ? pb::TO_OMITTED : pb::TO_DANGLING));
  return id;
}

// Gives the last node `rows` more edges, and ends the chunk if it is full.
inline Status Pass::EndRows(int rows) {
  pb::Edges& edges = *edges_chunk_.mutable_edges();
  const int last = edges.edges_per_node_size() - 1;
  edges.set_edges_per_node(
      last, edges.edges_per_node(last) + static_cast<std::uint32_t>(rows));
  if (edge_rows_ < static_cast<int>(kEdgeRows)) return {};

  const std::uint64_t object =
      edges.first_node() + static_cast<std::uint64_t>(last);
  HEAPGLOT_RETURN_IF_ERROR(FlushNodes());
  HEAPGLOT_RETURN_IF_ERROR(FlushEdges());
  BeginNodeEdges(object);
  return {};
}

Status Pass::FlushNodes() {
  pb::Nodes& nodes = *nodes_chunk_.mutable_nodes();
  const int rows = std::exchange(node_rows_, 0);
  HEAPGLOT_RETURN_IF_ERROR(strings_.Flush());
  if (rows == 0) return {};
  nodes.set_count(static_cast<std::uint32_t>(rows));
  nodes.mutable_kind()->Truncate(rows);
  nodes.mutable_value_form()->Truncate(rows);
  for (auto* const column :
       {nodes.mutable_type_ref(), nodes.mutable_self_size(),
        nodes.mutable_edge_count(), nodes.mutable_value()})
    column->Truncate(rows);
  FillColumn(nodes.mutable_name(), rows);
  FillColumn(nodes.mutable_flags(), rows);
  FillColumn(nodes.mutable_identity_hash(), rows);
  FillColumn(nodes.mutable_value_length(), rows);
  FillColumn(nodes.mutable_value_encoding(), rows);
  HEAPGLOT_RETURN_IF_ERROR(out_.AcceptOwned(nodes_chunk_));
  nodes_chunk_.mutable_nodes()->Clear();
  return {};
}

Status Pass::FlushEdges() {
  pb::Edges& edges = *edges_chunk_.mutable_edges();
  if (edges.edges_per_node_size() == 0) return {};
  const int rows = std::exchange(edge_rows_, 0);
  edge_columns_ = {};
  edges.mutable_kind()->Truncate(rows);
  edges.mutable_name()->Truncate(rows);
  edges.mutable_to()->Truncate(rows);
  edges.set_first(first_edge_);
  edges.set_count(static_cast<std::uint32_t>(rows));
  FillColumn(edges.mutable_to_form(), rows);
  first_edge_ += static_cast<std::uint64_t>(rows);
  HEAPGLOT_RETURN_IF_ERROR(out_.AcceptOwned(edges_chunk_));
  edges_chunk_.mutable_edges()->Clear();
  return {};
}

}  // namespace heapglot::dartheap
