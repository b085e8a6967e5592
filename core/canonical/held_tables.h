// What a graph has besides nodes, edges and strings.
#ifndef HEAPGLOT_CORE_CANONICAL_HELD_TABLES_H_
#define HEAPGLOT_CORE_CANONICAL_HELD_TABLES_H_

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/canonical/canonical_out.h"
#include "heapglot/stream.h"

namespace heapglot {

// Keeps the tables of one graph until they are sent, in an order that does not
// depend on how they came. Memory: all of them.
class HeldTables {
 public:
  // Takes any table but Strings. What only describes the layout of the source
  // (RecordOrder) is left out, and counted.
  void Add(const pb::Chunk& chunk);

  // Call once, when all is there and before anything is sent.
  void ArrangeTypes(const CanonicalStrings& strings);
  const CanonicalTypes& types() const { return types_; }

  // What must come before the nodes: vocabularies, types, roots and externals.
  // Errors of both: those of CanonicalOut.
  Status SendHead(CanonicalOut& out);
  // All the rest.
  Status SendTail(CanonicalOut& out);

  // Rows of Values that are not kept: those of strings, because equal strings
  // become one.
  std::uint64_t values_of_strings() const { return values_of_strings_; }
  bool has_record_order() const { return has_record_order_; }

 private:
  void AddVocabulary(const pb::Vocabulary& vocabulary);
  void AddValues(const pb::Chunk& chunk);
  void AddExtra(const pb::Extra& extra);
  static Status SendRows(int kind, std::vector<pb::Chunk>& chunks,
                         CanonicalOut& out);
  Status SendTypes(CanonicalOut& out);
  static Status SendExtraTable(std::vector<pb::Chunk>& chunks,
                               CanonicalOut& out);
  Status SendMetadata(CanonicalOut& out) const;
  Status SendExtra(CanonicalOut& out) const;

  std::array<pb::Chunk, pb::Vocabulary::Space_ARRAYSIZE> vocabularies_;
  std::array<std::vector<pb::Chunk>, kChunkKinds> tables_;  // by kind
  std::array<std::vector<pb::Chunk>, pb::Values::Owner_ARRAYSIZE> values_;
  CanonicalTypes types_;
  std::map<std::string, std::vector<pb::Chunk>> extra_tables_;  // by name
  std::vector<pb::Metadata::Entry> metadata_;
  std::vector<pb::Extra> extra_;  // each whole
  bool extra_goes_on_ = false;
  std::uint64_t values_of_strings_ = 0;
  bool has_record_order_ = false;
};

}  // namespace heapglot

#endif  // HEAPGLOT_CORE_CANONICAL_HELD_TABLES_H_
