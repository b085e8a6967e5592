// Nodes and edges as records.
#ifndef HEAPGLOT_WRITERS_DRAFT_DRAFT_ROWS_H_
#define HEAPGLOT_WRITERS_DRAFT_DRAFT_ROWS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/draft/draft_record_writer.h"
#include "core/draft/draft_schema.h"
#include "core/draft/draft_wire.h"
#include "core/id_table.h"
#include "heapglot/stream.h"

namespace heapglot::draft {

// Ids in our own files. Those of nodes are odd numbers by position; those of
// strings are twice their index; those from `2 * strings` on are of kOwnTexts.
// An odd string id is twice an index of an array, plus 1.
struct OwnIds {
  std::uint64_t strings = 1;  // indices in use
  // The nodes of the current graph have ids, even if the column is absent.
  bool has_node_ids = false;
  // The way back: ids of strings by index, as they were. nullptr: by position.
  const std::vector<std::uint64_t>* known = nullptr;

  static std::uint64_t Node(std::uint64_t position) { return 2 * position + 3; }
  std::uint64_t String(std::uint64_t index) const {
    return known == nullptr        ? 2 * index
           : index < known->size() ? (*known)[index]
                                   : 0;
  }
  static std::uint64_t Decimal(std::uint64_t number) { return 2 * number + 1; }
  // The greatest number whose Decimal() JavaScript does not round.
  static constexpr std::uint64_t kMaxDecimal = (std::uint64_t{1} << 52) - 1;
  std::uint64_t Of(OwnText text) const { return 2 * (strings + text); }
  // The id of a string that a field refers to.
  std::uint64_t Reference(std::uint64_t index) const {
    return index == 0 ? Of(kEmptyText) : String(index);
  }
};

// The key of metadata about the heap; escaped if it would be taken for metadata
// about the file.
std::string OwnMetadataKey(std::string_view key);

// The type of the field `timestamp` that holds exactly such a value of a date;
// nullopt: there is no such type.
std::optional<FieldType> TimestampType(std::uint32_t form,
                                       std::uint32_t encoding);
// Whether the field `address` holds all of such a value.
inline bool IsAddress(std::uint32_t form, std::uint32_t encoding) {
  return form == pb::V_UINT && encoding == pb::HEX_TEXT;
}

// Writes a field of a node as in our own files; `role` is not one that only
// foreign files have. Returns false, and writes nothing, if the node has none.
bool WriteOwnField(const pb::Nodes& nodes, int row, Role role,
                   const Layout& layout, const OwnIds& ids, RecordWriter* out);

// The numbers whose decimal texts have been written.
class Decimals {
 public:
  // True if `number` is new.
  bool Add(std::uint64_t number) {
    std::uint64_t& word = words_[number / 64];
    const std::uint64_t bit = std::uint64_t{1} << number % 64;
    const bool is_new = (word & bit) == 0;
    word |= bit;
    return is_new;
  }

 private:
  IdTable<std::uint64_t> words_;
};

}  // namespace heapglot::draft

#endif  // HEAPGLOT_WRITERS_DRAFT_DRAFT_ROWS_H_
