// One pass of the stream over an indexed dartheap.
#ifndef HEAPGLOT_READERS_DARTHEAP_DARTHEAP_PASS_H_
#define HEAPGLOT_READERS_DARTHEAP_DARTHEAP_PASS_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "core/bytes/trail.h"
#include "core/chunk_builder.h"
#include "core/text/utf.h"
#include "heapglot/bytes.h"
#include "heapglot/context.h"
#include "heapglot/stream.h"
#include "readers/dartheap/dartheap_classes.h"
#include "readers/dartheap/dartheap_external_names.h"
#include "readers/dartheap/dartheap_index.h"
#include "readers/dartheap/dartheap_items.h"
#include "readers/dartheap/dartheap_object_cursor.h"
#include "readers/dartheap/dartheap_seeker.h"
#include "readers/dartheap/dartheap_wire.h"

namespace heapglot::dartheap {

// An object has 2 to 3 references, so chunks of nodes and of edges are full at
// about the same time.
inline constexpr std::uint32_t kEdgeRows = 4 * kChunkRows;
// No chunk has the edges of more nodes, however few edges these are: writers
// keep nodes until their edges come.
inline constexpr int kMostEdgeNodes = 2 * static_cast<int>(kChunkRows);

// The index has checked every byte, so what fails now has changed since.
inline Status InputChanged() {
  return {Code::kInput, "the input changed while it was read"};
}

// Sends one pass of the stream. `source`, `index`, `context` and `out` must
// outlive it.
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
        objects_trail_(source, index.objects_offset),
        seeker_(source, index),
        containers_(index.containers) {}

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
  std::uint64_t ExternalName(std::string_view text, ExternalNames& names);
  Status SendTrailing();
  Status SendEnds();

  void AddClass(Cursor& in, pb::Types& types);
  void BeginNodes(std::uint64_t object);
  template <bool kNodes, bool kEdges>
  std::uint64_t AddPlain(std::uint64_t object, ObjectCursor& objects);
  void AddPlainNode(std::uint64_t object, ClassKind kind,
                    const ObjectCursor::Plain& plain,
                    const ObjectCursor& objects);
  bool AddPlainEdges(std::uint64_t object, const Class& of,
                     const ObjectCursor::Plain& plain);
  bool AddPlainTargets(const std::uint32_t* references, int rows);
  // Only objects before this one may be added as plain ones.
  std::uint64_t PlainEnd(std::uint64_t object) const {
    return std::min(
        {container_object_, index_.object_count - 1, NextProgress(object)});
  }
  void AddNode(std::uint64_t object, const Class& of, const ObjectHead& head);
  std::uint64_t AddInteger(Role role, const ObjectHead& head, pb::Nodes& nodes,
                           int row) const;
  void AddValue(const Class& of, const ObjectHead& head, pb::Nodes& nodes,
                int row);
  Status AddText(const ObjectHead& head);
  Status AddClosureName(const Class& of, const ObjectHead& head,
                        Cursor references);
  Status AddReferences(std::uint64_t object, const Class& of,
                       const ObjectHead& head, ObjectCursor& objects);
  void SkipReferences(std::uint64_t count, ObjectCursor& objects);
  Status AddItems(const Container& container);
  void AddNames(const Class& of, std::uint64_t first, int rows);
  Status AddEdge(EdgeWord word, std::uint64_t name, std::uint64_t id);
  std::uint64_t TargetOf(std::uint64_t id, int row);
  Status EndRows(int rows);
  void BeginEdges(std::uint64_t object);
  void BeginNodeEdges(std::uint64_t object);
  Status FlushNodes();
  Status FlushEdges();

  // The container that `object` is, if it shows items. Objects must come in
  // order.
  const Container* ContainerAt(std::uint64_t object) {
    if (object < container_object_) [[likely]]
      return nullptr;
    return FindContainer(object);
  }
  const Container* FindContainer(std::uint64_t object);
  void NextContainer();

  // The index of a name of a class or field. These strings come in the order in
  // which the index counted them.
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
  Trail objects_trail_;
  Seeker seeker_;  // to items of containers and functions of closures
  Containers::Cursor containers_;
  std::uint64_t container_object_ = 0;  // that of its current container
  std::uint64_t first_edge_ = 0;
  Status name_status_;  // of the Strings chunk that a NameString() filled

  // While nodes_chunk_ is filled: its columns that have something in every row,
  // with room for kChunkRows, and the number of rows so far.
  struct {
    std::uint32_t* kind = nullptr;
    std::uint64_t* type_ref = nullptr;
    std::uint64_t* self_size = nullptr;
    std::uint64_t* edge_count = nullptr;
    std::uint32_t* value_form = nullptr;
    std::uint64_t* value = nullptr;
  } columns_;
  int node_rows_ = 0;

  // The same for edges_chunk_, with room for kEdgeRows + kSlotsAtOnce; nullptr
  // before its first node.
  struct {
    std::uint32_t* kind = nullptr;
    std::uint64_t* name = nullptr;
    std::uint64_t* to = nullptr;
  } edge_columns_;
  int edge_rows_ = 0;

  // Reused from chunk to chunk.
  pb::Chunk nodes_chunk_;
  pb::Chunk edges_chunk_;
  pb::Chunk other_chunk_;

  // The library of the previous class, which most classes share.
  std::string_view library_name_;
  std::string_view library_uri_;
  std::uint64_t library_name_index_ = 0;
  std::uint64_t library_uri_index_ = 0;
};

}  // namespace heapglot::dartheap

#endif  // HEAPGLOT_READERS_DARTHEAP_DARTHEAP_PASS_H_
