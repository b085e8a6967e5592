// Records out of turn: the name of a node, the text of a string.
#ifndef HEAPGLOT_READERS_DRAFT_DRAFT_LOOKUP_H_
#define HEAPGLOT_READERS_DRAFT_DRAFT_LOOKUP_H_

#include <cstdint>
#include <string>

#include "core/id_map.h"
#include "core/id_table.h"
#include "readers/draft/draft_index.h"

namespace heapglot::draft {

// Reads nodes and strings out of turn. The result for a long line is kept,
// because a file may cause it to be requested any number of times.
//
// Memory: an eighth of all requested lines that are longer than 8 KiB.
class Lookup {
 public:
  Lookup(const ByteSource& source, Index& index)
      : index_(index), strays_(source) {}

  // The record of a node or string; valid until the next call. nullptr if
  // there is none.
  const Record* Node(std::uint64_t position) {
    return Find(RecordKind::kNode, index_.node_places, position);
  }
  const Record* String(std::uint64_t position) {
    return Find(RecordKind::kString, index_.string_places, position);
  }
  // The place of a token of the record that was requested last.
  Where Place(const Token& token) const;

  // Appends the text of a string record.
  pb::StringEncoding AppendString(std::uint64_t position, std::string* out);
  // The same, but of a long text only the start: all that a name may have.
  pb::StringEncoding AppendName(std::uint64_t position, std::string* out);
  // Position of the string record with the text of a node: that of a flat
  // string, or the name of a function. kNone if there is none.
  std::uint64_t TextOfNode(std::uint64_t position);
  // The text itself, put together from the parts of a concatenated string.
  std::string NameOfNode(std::uint64_t position);

  // The length that a string states; kNone if it states none.
  std::uint64_t LengthOf(std::uint64_t position);

  // The node that a field refers to; kNone if it refers to none.
  std::uint64_t Target(const Token& token) const;

 private:
  const Record* Find(RecordKind kind, const RecordPlaces& places,
                     std::uint64_t position);
  // What to look at next for the name of a node: a node or a string.
  struct Step {
    std::uint64_t node = IdMap::kNone;
    std::uint64_t string = IdMap::kNone;
    std::uint64_t second = IdMap::kNone;  // the other half
  };
  Step NameStep(std::uint64_t position);
  Step ReadNameStep(const Record& node) const;
  // A name and its encoding.
  struct Name {
    std::string text;
    pb::StringEncoding encoding = pb::UTF8;
  };

  Index& index_;
  Strays strays_;
  Record record_;
  bool is_long_ = false;  // the line of `record_`
  // By position, for records with long lines.
  IdTable<Step> steps_;
  IdTable<std::uint64_t> lengths_;
  IdTable<Name> names_;
};

// The text of a string record, from its fields.
pb::StringEncoding AppendStringText(const Record& record, std::string* out);

}  // namespace heapglot::draft

#endif  // HEAPGLOT_READERS_DRAFT_DRAFT_LOOKUP_H_
