#include "readers/dartheap/dartheap_reader.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include "core/bytes/trail.h"
#include "core/chunk_builder.h"
#include "core/leftovers/leftovers_tail.h"
#include "core/text/utf.h"
#include "readers/dartheap/dartheap_classes.h"
#include "readers/dartheap/dartheap_index.h"
#include "readers/dartheap/dartheap_items.h"
#include "readers/dartheap/dartheap_rules.h"
#include "readers/dartheap/dartheap_wire.h"

namespace heapglot {
namespace {

using dartheap::Class;
using dartheap::Cursor;
using dartheap::EdgeWord;
using dartheap::Index;
using dartheap::Item;
using dartheap::ItemCursor;
using dartheap::NodeWord;
using dartheap::ObjectHead;
using dartheap::Role;
using dartheap::Slot;

// An object has 2 to 3 references: so that a chunk of either is full at about
// the same time.
constexpr std::uint32_t kEdgeRows = 4 * kChunkRows;

// The name of a closure whose function is not in the file.
constexpr std::string_view kUnnamedClosure = "_Closure";

// Beyond all objects.
constexpr std::uint64_t kNoObject = ~std::uint64_t{0};

// Objects between two calls of Context::progress.
constexpr std::uint64_t kProgressObjects = 1 << 16;

// The index has checked every byte: what fails now was changed meanwhile.
Status InputChanged() {
  return {Code::kInput, "the input changed while it was read"};
}

// The ValueForm for a tag, which are the same numbers for 0 to 8.
static_assert(static_cast<int>(pb::V_NULL) == dartheap::kTagNull &&
              static_cast<int>(pb::V_BOOL) == dartheap::kTagBool &&
              static_cast<int>(pb::V_INT) == dartheap::kTagInt &&
              static_cast<int>(pb::V_DOUBLE) == dartheap::kTagDouble &&
              static_cast<int>(pb::V_LATIN1) == dartheap::kTagLatin1 &&
              static_cast<int>(pb::V_UTF16) == dartheap::kTagUtf16 &&
              static_cast<int>(pb::V_LENGTH) == dartheap::kTagLength &&
              static_cast<int>(pb::V_NAME) == dartheap::kTagName);

bool IsText(std::uint64_t tag) {
  return tag == dartheap::kTagLatin1 || tag == dartheap::kTagUtf16 ||
         tag == dartheap::kTagName;
}

// What an object is: its value says it more surely than its class, since VMs
// differ in the classes that they have.
NodeWord ClassifyNode(const Class& of, const ObjectHead& head,
                      std::uint64_t object) {
  if (object == 0) return NodeWord::kRoot;
  switch (head.tag) {
    case dartheap::kTagNull:
    case dartheap::kTagBool:
      return NodeWord::kOddball;
    case dartheap::kTagInt:
    case dartheap::kTagDouble:
      return NodeWord::kNumber;
    case dartheap::kTagLatin1:
    case dartheap::kTagUtf16:
      return NodeWord::kString;
    default:
      break;
  }
  // A string or number without a value is not one. Exports of DevTools have the
  // text of strings as their name.
  const bool lacks_value =
      (of.kind.node == NodeWord::kString && head.tag != dartheap::kTagName) ||
      of.kind.node == NodeWord::kNumber;
  return lacks_value ? NodeWord::kInstance : of.kind.node;
}

// Sends one pass of the stream.
class Pass {
 public:
  Pass(const ByteSource& source, const Index& index, Context& context,
       ChunkSet wanted, ChunkSink& out)
      : source_(source),
        bytes_(source.bytes()),
        index_(index),
        context_(context),
        wanted_(wanted),
        out_(out),
        strings_(out),
        hashes_(bytes_, index.hashes_offset),
        hashes_trail_(source, index.hashes_offset),
        strays_(source) {}

  Status Run();

 private:
  bool Wants(pb::Chunk::BodyCase kind) const { return wanted_.Has(kind); }

  bool WantsNames() const {
    return wanted_.HasUserOfNames() || Wants(pb::Chunk::kStrings);
  }

  Status SendHeader();
  Status SendGraph();
  Status SendVocabularies();
  Status SendTypes();
  Status SendObjects();
  Status SendExternals();
  Status SendTrailing();
  Status SendEnds();

  void AddClass(Cursor& in, pb::Types& types);
  void BeginNodes(std::uint64_t object);
  void AddNode(std::uint64_t object, const Class& of, const ObjectHead& head);
  void AddValue(const Class& of, const ObjectHead& head, pb::Nodes& nodes,
                int row);
  Status AddText(const ObjectHead& head);
  Status AddClosureName(const Class& of, const ObjectHead& head,
                        Cursor references);
  Status AddReferences(std::uint64_t object, const Class& of,
                       const ObjectHead& head, Cursor& in);
  Status AddItems(const dartheap::Container& container);
  void AddNames(const Class& of, std::uint64_t first, int rows);
  Status AddEdge(EdgeWord word, std::uint64_t name, std::uint64_t id);
  std::uint64_t TargetOf(std::uint64_t id, int row);
  Status EndRows(int rows);
  Status BeginNodeEdges(std::uint64_t object);
  Status FlushNodes();
  Status FlushEdges();

  // The container that `object` is, if it shows items. Objects come in order.
  const dartheap::Container* ContainerAt(std::uint64_t object) {
    if (object < container_object_) [[likely]]
      return nullptr;
    return FindContainer(object);
  }
  const dartheap::Container* FindContainer(std::uint64_t object);

  // The index of a name of a class or field, whose strings come in the order
  // in which the index counted them.
  std::uint64_t NameString(std::string_view text) {
    return NameString(text, ClassifyUtf8(text));
  }
  std::uint64_t NameString(std::string_view text, pb::StringEncoding encoding);

  const ByteSource& source_;
  std::string_view bytes_;
  const Index& index_;
  Context& context_;
  ChunkSet wanted_;
  ChunkSink& out_;
  StringBuilder strings_;
  Cursor hashes_;
  Trail hashes_trail_;
  Strays strays_;  // items of containers, functions of closures
  std::size_t next_container_ = 0;
  std::uint64_t container_object_ = 0;  // no container is before it
  std::uint64_t first_edge_ = 0;
  Status name_status_;  // of the Strings chunk that a NameString() filled

  // The columns of nodes_chunk_ that have something in every row, while it is
  // filled: room for kChunkRows, and how many there are.
  struct {
    std::uint32_t* kind = nullptr;
    std::uint64_t* type_ref = nullptr;
    std::uint64_t* self_size = nullptr;
    std::uint64_t* edge_count = nullptr;
    std::uint32_t* value_form = nullptr;
    std::uint64_t* value = nullptr;
  } columns_;
  int node_rows_ = 0;

  // Reused from chunk to chunk.
  pb::Chunk nodes_chunk_;
  pb::Chunk edges_chunk_;
  pb::Chunk other_chunk_;

  // Of the class before, which most classes share.
  std::string_view library_name_;
  std::string_view library_uri_;
  std::uint64_t library_name_index_ = 0;
  std::uint64_t library_uri_index_ = 0;
};

Status Pass::Run() {
  HEAPGLOT_RETURN_IF_ERROR(SendHeader());
  HEAPGLOT_RETURN_IF_ERROR(SendGraph());
  HEAPGLOT_RETURN_IF_ERROR(SendVocabularies());
  HEAPGLOT_RETURN_IF_ERROR(SendTypes());
  HEAPGLOT_RETURN_IF_ERROR(SendObjects());
  HEAPGLOT_RETURN_IF_ERROR(SendExternals());
  HEAPGLOT_RETURN_IF_ERROR(SendTrailing());
  return SendEnds();
}

Status Pass::SendHeader() {
  if (!Wants(pb::Chunk::kHeader)) return {};
  pb::Header& header = *other_chunk_.mutable_header();
  header.set_format("dartheap");
  header.set_dialect(index_.is_devtools_export ? "devtools-export"
                     : index_.has_hashes       ? "dart-vm"
                                               : "dart-vm-2019");
  header.set_source_size(bytes_.size());
  return out_.Accept(other_chunk_);
}

Status Pass::SendGraph() {
  if (!Wants(pb::Chunk::kGraph)) return {};
  pb::Graph& graph = *other_chunk_.mutable_graph();
  graph.mutable_name()->set_data(index_.name.data(), index_.name.size());
  graph.mutable_name()->set_encoding(ClassifyUtf8(index_.name));
  graph.set_flags(index_.flags);
  graph.set_id_space(pb::Graph::IMPLICIT);
  graph.set_root_ref(index_.object_count > 0 ? 1 : 0);
  graph.set_pointer_size(index_.pointer_size);
  graph.set_edges_grouped(true);
  graph.set_self_size_total(index_.self_size_total);
  graph.set_capacity(index_.capacity);
  graph.set_external_size_total(index_.external_size_total);
  graph.set_edge_count(index_.reference_count);
  graph.set_node_count(index_.object_count);
  graph.set_has_identity_hashes(index_.has_hashes);
  return out_.Accept(other_chunk_);
}

std::uint64_t Pass::NameString(std::string_view text,
                               pb::StringEncoding encoding) {
  if (text.empty()) return 0;
  const std::uint64_t index = strings_.next();
  if (!strings_.wanted()) {
    strings_.Skip(1);
  } else if (name_status_.ok()) {
    name_status_ = strings_.Add(text, encoding);
  }
  return index;
}

Status Pass::SendVocabularies() {
  strings_.BeginNames(WantsNames());
  const auto send = [this](pb::Vocabulary::Space space,
                           std::span<const dartheap::Word> words,
                           bool edges) -> Status {
    pb::Vocabulary& vocabulary = *other_chunk_.mutable_vocabulary();
    vocabulary.Clear();
    vocabulary.set_space(space);
    for (const dartheap::Word& word : words) {
      vocabulary.add_name(NameString(word.name));
      vocabulary.add_known(word.known);
      if (!edges) continue;
      vocabulary.add_name_form(word.name_form);
      vocabulary.add_edge_flags(word.edge_flags);
    }
    HEAPGLOT_RETURN_IF_ERROR(strings_.Flush());
    if (!Wants(pb::Chunk::kVocabulary)) return {};
    return out_.Accept(other_chunk_);
  };
  HEAPGLOT_RETURN_IF_ERROR(
      send(pb::Vocabulary::NODE_KIND, dartheap::NodeWords(), false));
  HEAPGLOT_RETURN_IF_ERROR(
      send(pb::Vocabulary::EDGE_KIND, dartheap::EdgeWords(), true));
  return name_status_;
}

Status Pass::SendTypes() {
  const bool send = Wants(pb::Chunk::kTypes);
  if (!strings_.wanted()) {
    strings_.SkipTo(index_.name_strings + 1);
    return {};
  }
  Cursor in(bytes_, index_.classes_offset);
  pb::Types& types = *other_chunk_.mutable_types();
  for (std::uint64_t i = 0; i < index_.class_count; ++i) {
    AddClass(in, types);
    const bool full = types.name_size() == kChunkRows ||
                      types.field_name_size() >= static_cast<int>(kEdgeRows);
    if (!full && i + 1 < index_.class_count) continue;
    types.set_count(static_cast<std::uint32_t>(types.name_size()));
    types.set_first(i + 1 - types.count());
    HEAPGLOT_RETURN_IF_ERROR(name_status_);
    HEAPGLOT_RETURN_IF_ERROR(strings_.Flush());
    if (send) HEAPGLOT_RETURN_IF_ERROR(out_.Accept(other_chunk_));
    types.Clear();
  }
  return in.ok() ? Status() : InputChanged();
}

// Reads the class as Scanner::ScanClass() does, and takes strings in the same
// order.
void Pass::AddClass(Cursor& in, pb::Types& types) {
  types.add_flags(in.Uleb());
  const std::string_view name = in.String();
  const std::string_view library_name = in.String();
  const std::string_view library_uri = in.String();
  const std::string_view reserved = in.String();
  types.add_name(NameString(name));
  if (library_name != library_name_)
    library_name_index_ = NameString(library_name);
  if (library_uri != library_uri_) library_uri_index_ = NameString(library_uri);
  library_name_ = library_name;
  library_uri_ = library_uri;
  types.add_library_name(library_name_index_);
  types.add_library_uri(library_uri_index_);
  types.add_reserved(NameString(reserved));

  const std::uint64_t field_count = in.Uleb();
  types.add_field_count(static_cast<std::uint32_t>(field_count));
  for (std::uint64_t i = 0; i < field_count && in.ok(); ++i) {
    types.add_field_flags(in.Uleb());
    types.add_field_slot(in.Uleb());
    types.add_field_name(NameString(in.String()));
    types.add_field_reserved(NameString(in.String()));
  }
}

Status Pass::SendObjects() {
  const bool nodes = Wants(pb::Chunk::kNodes);
  const bool edges = Wants(pb::Chunk::kEdges);
  const bool strings = Wants(pb::Chunk::kStrings);
  strings_.BeginOthers(strings);
  if (!nodes && !edges && !strings) return {};
  Cursor in(bytes_, index_.objects_offset);
  Trail trail(source_, index_.objects_offset);
  ObjectHead head;
  for (std::uint64_t i = 0; i < index_.object_count; ++i) {
    if (i % kProgressObjects == 0 && context_.progress)
      context_.progress("converting", in.offset(), bytes_.size());
    trail.Advance(in.offset());
    hashes_trail_.Advance(hashes_.offset());
    dartheap::ReadObjectHead(in, index_, &head);
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
    const dartheap::Container* const container = ContainerAt(i);
    if (edges) {
      HEAPGLOT_RETURN_IF_ERROR(AddReferences(i, of, head, in));
      if (container != nullptr) HEAPGLOT_RETURN_IF_ERROR(AddItems(*container));
    } else {
      in.SkipUlebs(head.reference_count);
      if (container != nullptr) {
        if (strings)
          HEAPGLOT_RETURN_IF_ERROR(AddItems(*container));
        else
          strings_.Skip(container->strings);
      }
    }
    if (node_rows_ == static_cast<int>(kChunkRows))
      HEAPGLOT_RETURN_IF_ERROR(FlushNodes());
  }
  if (!in.ok() || !hashes_.ok()) return InputChanged();
  HEAPGLOT_RETURN_IF_ERROR(FlushNodes());
  return FlushEdges();
}

void Pass::BeginNodes(std::uint64_t object) {
  pb::Nodes& nodes = *nodes_chunk_.mutable_nodes();
  nodes.set_first(object);
  const auto make_room = [](auto* column) {
    column->Reserve(kChunkRows);
    return column->AddNAlreadyReserved(kChunkRows);
  };
  columns_ = {.kind = make_room(nodes.mutable_kind()),
              .type_ref = make_room(nodes.mutable_type_ref()),
              .self_size = make_room(nodes.mutable_self_size()),
              .edge_count = make_room(nodes.mutable_edge_count()),
              .value_form = make_room(nodes.mutable_value_form()),
              .value = make_room(nodes.mutable_value())};
}

// Adds all of it but the text.
void Pass::AddNode(std::uint64_t object, const Class& of,
                   const ObjectHead& head) {
  if (node_rows_ == 0) BeginNodes(object);
  const int row = node_rows_++;
  pb::Nodes& nodes = *nodes_chunk_.mutable_nodes();
  columns_.kind[row] =
      static_cast<std::uint32_t>(ClassifyNode(of, head, object));
  columns_.type_ref[row] = head.class_id;
  if (head.class_id > index_.class_count) [[unlikely]] {
    SetSparse(nodes.mutable_flags(), row,
              static_cast<std::uint32_t>(pb::NODE_TYPE_DANGLING));
  }
  columns_.self_size[row] = head.self_size;
  const dartheap::Container* const container = ContainerAt(object);
  columns_.edge_count[row] =
      head.reference_count + (container != nullptr ? container->edges : 0);
  if (index_.has_hashes)
    SetSparse(nodes.mutable_identity_hash(), row, hashes_.Uleb());
  AddValue(of, head, nodes, row);
  if (of.kind.role != Role::kClosure) return;
  // Behind its text.
  const bool has_text = IsText(head.tag) && !head.text.empty();
  SetSparse(nodes.mutable_name(), row, strings_.next() + (has_text ? 1 : 0));
}

void Pass::AddValue(const Class& of, const ObjectHead& head, pb::Nodes& nodes,
                    int row) {
  std::uint64_t value = head.value;
  if (IsText(head.tag)) {
    value = head.text.empty() ? 0 : strings_.next();
  } else if (head.tag == dartheap::kTagInt) {
    value =
        static_cast<std::uint64_t>(dartheap::IntegerValue(index_, of, head));
    const bool usual = (of.kind.role == Role::kMint) == head.is_signed;
    if (!usual) {
      SetSparse(nodes.mutable_value_encoding(), row,
                static_cast<std::uint32_t>(head.is_signed ? pb::SLEB_INT
                                                          : pb::ULEB_INT));
    }
  } else if (head.tag == dartheap::kTagLength) {
    value = head.length;
  }
  columns_.value_form[row] = static_cast<std::uint32_t>(head.tag);
  columns_.value[row] = value;
  const bool is_string =
      head.tag == dartheap::kTagLatin1 || head.tag == dartheap::kTagUtf16;
  if (is_string && head.length != head.text_units)
    SetSparse(nodes.mutable_value_length(), row, head.length);
}

Status Pass::AddText(const ObjectHead& head) {
  if (head.text.empty()) return {};
  std::size_t begin = 0;
  while (head.text.size() - begin > kChunkText) {
    std::size_t size = kChunkText;
    if (head.tag == dartheap::kTagName) {
      size = CutAtCodePoint(head.text.substr(begin), size);
    } else if (head.tag == dartheap::kTagUtf16) {
      // Not between the halves of a surrogate pair.
      const auto high = static_cast<std::uint8_t>(head.text[begin + size - 1]);
      if (high >= 0xd8 && high < 0xdc) size -= 2;
    }
    const pb::StringEncoding encoding =
        dartheap::AppendText(head, begin, size, strings_.text());
    HEAPGLOT_RETURN_IF_ERROR(strings_.Finish(encoding, /*continued=*/true));
    begin += size;
  }
  const pb::StringEncoding encoding = dartheap::AppendText(
      head, begin, head.text.size() - begin, strings_.text());
  return strings_.Finish(encoding);
}

// A closure is called as its NameData says, which no VM writes, else as its
// function. Takes one string in any case, so that a pass without strings need
// not look for the function.
Status Pass::AddClosureName(const Class& of, const ObjectHead& head,
                            Cursor references) {
  pb::StringEncoding encoding = pb::UTF8;
  if (head.tag == dartheap::kTagName && !head.text.empty())
    return strings_.Finish(*dartheap::AppendName(head, strings_.text()));
  std::uint64_t function = 0;
  if (of.link_slot != dartheap::kNoSlot &&
      of.link_slot < head.reference_count) {
    references.SkipUlebs(of.link_slot);
    function = references.Uleb();
  }
  if (function - 1 < index_.object_count) {
    strays_.Note();
    Cursor in = dartheap::SeekObject(bytes_, index_, function - 1);
    ObjectHead named;
    dartheap::ReadObjectHead(in, index_, &named);
    if (named.tag == dartheap::kTagName && !named.text.empty())
      encoding = *dartheap::AppendName(named, strings_.text());
    else
      strings_.text()->append(kUnnamedClosure);
  } else {
    strings_.text()->append(kUnnamedClosure);
  }
  return strings_.Finish(encoding);
}

Status Pass::BeginNodeEdges(std::uint64_t object) {
  pb::Edges& edges = *edges_chunk_.mutable_edges();
  if (edges.edges_per_node_size() == 0) {
    edges.set_first_node(object);
    edges.mutable_kind()->Reserve(kEdgeRows);
    edges.mutable_name()->Reserve(kEdgeRows);
    edges.mutable_to()->Reserve(kEdgeRows);
  }
  edges.add_edges_per_node(0);
  return {};
}

Status Pass::AddReferences(std::uint64_t object, const Class& of,
                           const ObjectHead& head, Cursor& in) {
  HEAPGLOT_RETURN_IF_ERROR(BeginNodeEdges(object));
  pb::Edges& edges = *edges_chunk_.mutable_edges();
  for (std::uint64_t first = 0; first < head.reference_count;) {
    const int row = edges.kind_size();
    const int rows = static_cast<int>(std::min<std::uint64_t>(
        head.reference_count - first, kEdgeRows - static_cast<unsigned>(row)));
    AddNames(of, first, rows);
    std::uint64_t* const targets =
        edges.mutable_to()->AddNAlreadyReserved(rows);
    in.Ulebs(targets, static_cast<std::size_t>(rows));
    if (!in.ok()) [[unlikely]]
      return InputChanged();
    const std::uint64_t count = index_.object_count;
    bool all_there = true;
    for (int i = 0; i < rows; ++i) {
      targets[i] -= 1;
      all_there &= targets[i] < count;
    }
    for (int i = all_there ? rows : 0; i < rows; ++i)
      targets[i] = TargetOf(targets[i] + 1, row + i);
    HEAPGLOT_RETURN_IF_ERROR(EndRows(rows));
    first += static_cast<std::uint64_t>(rows);
  }
  return {};
}

// Adds the kinds and names of `rows` references of an object, from `first` on.
void Pass::AddNames(const Class& of, std::uint64_t first, int rows) {
  pb::Edges& edges = *edges_chunk_.mutable_edges();
  std::uint32_t* const kinds = edges.mutable_kind()->AddNAlreadyReserved(rows);
  std::uint64_t* const names = edges.mutable_name()->AddNAlreadyReserved(rows);
  const auto element = static_cast<std::uint32_t>(
      of.kind.role == Role::kWeakArray ? EdgeWord::kWeakElement
                                       : EdgeWord::kElement);
  // What has no name, or is behind the fields, is an element.
  const std::uint64_t fields = of.field_count;
  for (int i = 0; i < rows; ++i) {
    const std::uint64_t slot = first + static_cast<std::uint64_t>(i);
    kinds[i] = element;
    names[i] = slot >= fields ? slot - fields : slot;
  }
  if (first >= of.slot_count) return;
  const Slot* const slots = index_.slots.data() + of.first_slot + first;
  const int named = static_cast<int>(std::min<std::uint64_t>(
      of.slot_count - first, static_cast<std::uint64_t>(rows)));
  for (int i = 0; i < named; ++i) {
    if (slots[i].name == 0) continue;
    kinds[i] = static_cast<std::uint32_t>(slots[i].word);
    names[i] = slots[i].name;
  }
}

const dartheap::Container* Pass::FindContainer(std::uint64_t object) {
  while (next_container_ < index_.containers.size() &&
         index_.containers[next_container_].object < object)
    ++next_container_;
  const bool is_last = next_container_ == index_.containers.size();
  container_object_ =
      is_last ? kNoObject : index_.containers[next_container_].object;
  return container_object_ == object ? &index_.containers[next_container_]
                                     : nullptr;
}

Status Pass::AddItems(const dartheap::Container& container) {
  const bool edges = Wants(pb::Chunk::kEdges);
  ItemCursor items(bytes_, index_, container);
  for (std::uint64_t i = 0; i < container.edges && items.Next(); ++i) {
    strays_.Note();
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
  pb::Edges& edges = *edges_chunk_.mutable_edges();
  const int row = edges.kind_size();
  edges.mutable_kind()->AddAlreadyReserved(static_cast<std::uint32_t>(word));
  edges.mutable_name()->AddAlreadyReserved(name);
  edges.mutable_to()->AddAlreadyReserved(TargetOf(id, row));
  return EndRows(1);
}

// What stands in `row` for a reference to `id`.
std::uint64_t Pass::TargetOf(std::uint64_t id, int row) {
  if (id - 1 < index_.object_count) [[likely]]
    return id - 1;
  SetSparse(
      edges_chunk_.mutable_edges()->mutable_to_form(), row,
      static_cast<std::uint32_t>(id == 0 ? pb::TO_OMITTED : pb::TO_DANGLING));
  return id;
}

// The last node has got `rows` more edges.
Status Pass::EndRows(int rows) {
  pb::Edges& edges = *edges_chunk_.mutable_edges();
  const int last = edges.edges_per_node_size() - 1;
  edges.set_edges_per_node(
      last, edges.edges_per_node(last) + static_cast<std::uint32_t>(rows));
  if (edges.kind_size() < static_cast<int>(kEdgeRows)) return {};

  const std::uint64_t object =
      edges.first_node() + static_cast<std::uint64_t>(last);
  HEAPGLOT_RETURN_IF_ERROR(FlushNodes());
  HEAPGLOT_RETURN_IF_ERROR(FlushEdges());
  return BeginNodeEdges(object);
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
  HEAPGLOT_RETURN_IF_ERROR(out_.Accept(nodes_chunk_));
  nodes.Clear();
  return {};
}

Status Pass::FlushEdges() {
  pb::Edges& edges = *edges_chunk_.mutable_edges();
  const int rows = edges.kind_size();
  if (edges.edges_per_node_size() == 0) return {};
  edges.set_first(first_edge_);
  edges.set_count(static_cast<std::uint32_t>(rows));
  FillColumn(edges.mutable_to_form(), rows);
  first_edge_ += static_cast<std::uint64_t>(rows);
  HEAPGLOT_RETURN_IF_ERROR(out_.Accept(edges_chunk_));
  edges.Clear();
  return {};
}

Status Pass::SendExternals() {
  const bool send = Wants(pb::Chunk::kExternals);
  strings_.BeginNames(WantsNames());
  if (!strings_.wanted()) return {};
  strings_.SkipTo(index_.strings - index_.external_strings);
  Cursor in(bytes_, index_.externals_offset);
  pb::Externals& externals = *other_chunk_.mutable_externals();
  for (std::uint64_t i = 0; i < index_.external_count; ++i) {
    const std::uint64_t id = in.Uleb();
    const int row = externals.to_size();
    if (id - 1 < index_.object_count) {
      externals.add_to(id - 1);
    } else {
      SetSparse(externals.mutable_to_form(), row,
                static_cast<std::uint32_t>(id == 0 ? pb::TO_OMITTED
                                                   : pb::TO_DANGLING));
      externals.add_to(id);
    }
    externals.add_size(in.Uleb());
    externals.add_name(NameString(in.String()));
    if (row + 1 < static_cast<int>(kChunkRows) && i + 1 < index_.external_count)
      continue;
    externals.set_count(static_cast<std::uint32_t>(row + 1));
    externals.set_first(i - static_cast<std::uint64_t>(row));
    FillColumn(externals.mutable_to_form(), row + 1);
    HEAPGLOT_RETURN_IF_ERROR(name_status_);
    HEAPGLOT_RETURN_IF_ERROR(strings_.Flush());
    if (send) HEAPGLOT_RETURN_IF_ERROR(out_.Accept(other_chunk_));
    externals.Clear();
  }
  if (!in.ok()) return InputChanged();
  return {};
}

Status Pass::SendTrailing() {
  if (!Wants(pb::Chunk::kExtra)) return {};
  pb::Extra& extra = *other_chunk_.mutable_extra();
  extra.set_format("dartheap");
  extra.set_section(dartheap::kTrailingSection.data(),
                    dartheap::kTrailingSection.size());
  std::uint64_t offset = index_.trailing_offset;
  while (offset < bytes_.size()) {
    const std::string_view piece = bytes_.substr(offset, kChunkText);
    extra.set_position(offset);
    extra.set_data(piece.data(), piece.size());
    offset += piece.size();
    extra.set_continued(offset < bytes_.size());
    HEAPGLOT_RETURN_IF_ERROR(out_.Accept(other_chunk_));
  }
  return {};
}

Status Pass::SendEnds() {
  if (Wants(pb::Chunk::kGraphEnd)) {
    pb::GraphEnd& end = *other_chunk_.mutable_graph_end();
    end.set_types(index_.class_count);
    end.set_nodes(index_.object_count);
    end.set_edges(index_.edges);
    end.set_externals(index_.external_count);
    end.set_self_size_total(index_.self_sizes);
    end.set_external_size_total(index_.external_sizes);
    end.set_edges_omitted(index_.omitted);
    end.set_edges_dangling(index_.dangling);
    end.set_id_limit(index_.object_count + 1);
    HEAPGLOT_RETURN_IF_ERROR(out_.Accept(other_chunk_));
  }
  if (!Wants(pb::Chunk::kFooter)) return {};
  pb::Footer& footer = *other_chunk_.mutable_footer();
  footer.set_graphs(1);
  footer.set_strings(index_.strings);
  return out_.Accept(other_chunk_);
}

class DartheapReader : public Reader {
 public:
  DartheapReader(const ByteSource& source, Context& context)
      : source_(source), context_(context) {}

  Status Read(ChunkSet wanted, ChunkSink& out) override {
    if (!is_indexed_) {
      HEAPGLOT_RETURN_IF_ERROR(
          dartheap::BuildIndex(source_, context_, &index_));
      is_indexed_ = true;
    }
    return Pass(source_, index_, context_, wanted, out).Run();
  }

 private:
  const ByteSource& source_;
  Context& context_;
  Index index_;
  bool is_indexed_ = false;
};

Sniff SniffDartheap(std::string_view head) {
  const std::string_view magic = dartheap::kMagic;
  if (head.starts_with(magic)) return Sniff::kYes;
  // For the reader to say what is wrong with it.
  if (dartheap::IsServiceEvent(head)) return Sniff::kMaybe;
  return !head.empty() && magic.starts_with(head) ? Sniff::kMaybe : Sniff::kNo;
}

}  // namespace

constinit const ReaderInfo kDartheapReader = {
    .name = "dartheap",
    .title = "Dart VM heap snapshot",
    .extensions = "dartheap data",
    .produces = {Feature::kNode,
                 Feature::kNodeKind,
                 Feature::kNodeName,
                 Feature::kNodeSelfSize,
                 Feature::kNodeIdentityHash,
                 Feature::kType,
                 Feature::kTypeDangling,
                 Feature::kTypeLibrary,
                 Feature::kTypeFields,
                 Feature::kTypeDetail,
                 Feature::kValueConstant,
                 Feature::kValueInteger,
                 Feature::kValueDouble,
                 Feature::kValueText,
                 Feature::kValueCut,
                 Feature::kValueName,
                 Feature::kValueLength,
                 Feature::kStringEncoding,
                 Feature::kEdge,
                 Feature::kEdgeOrder,
                 Feature::kEdgeName,
                 Feature::kEdgeIndex,
                 Feature::kEdgeKind,
                 Feature::kEdgeWeak,
                 Feature::kEdgeOmitted,
                 Feature::kEdgeDangling,
                 Feature::kExternal,
                 Feature::kGraphName,
                 Feature::kGraphRoot,
                 Feature::kGraphTotals,
                 Feature::kGraphDetail,
                 Feature::kExtra},
    .sniff = SniffDartheap,
    .make = [](const ByteSource& source,
               Context& context) -> std::unique_ptr<Reader> {
      return std::make_unique<DartheapReader>(source, context);
    },
    .find_leftovers = FindLeftovers,
    .validator = &kDartheapValidator,
};

}  // namespace heapglot
