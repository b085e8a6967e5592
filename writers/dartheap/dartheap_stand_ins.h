// Objects in place of targets that are not nodes.
#ifndef HEAPGLOT_WRITERS_DARTHEAP_DARTHEAP_STAND_INS_H_
#define HEAPGLOT_WRITERS_DARTHEAP_DARTHEAP_STAND_INS_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/id_table.h"
#include "heapglot/stream.h"

namespace heapglot::dartheap {

// The official reader refuses references beyond the last object. So each id
// that does not exist, and each small integer in place of a reference, gets an
// object at the end of the file; beyond kMaxItems of a sort, the rest of that
// sort share one. Memory: 80 bytes each, up to kMaxItems of either sort.
class StandIns {
 public:
  static constexpr std::size_t kMaxItems = std::size_t{32} << 10;

  struct Item {
    std::uint32_t form = 0;   // TO_DANGLING or TO_IMMEDIATE
    std::uint64_t value = 0;  // the id, or the integer
    bool is_rest = false;     // for all further values
  };

  // Notes a target of this form (pb::TargetForm).
  void Note(std::uint32_t form, std::uint64_t to) {
    if (form == pb::TO_DANGLING || form == pb::TO_IMMEDIATE) [[unlikely]]
      Add(form, to);
  }
  // Sets the id of the first one; all below is valid from then on.
  void Freeze(std::uint64_t first_id) { first_id_ = first_id; }

  // The id to refer to; 0 for an omitted target.
  std::uint64_t Id(std::uint32_t form, std::uint64_t to) const;
  // In the order of their ids.
  const std::vector<Item>& items() const { return items_; }

 private:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  // Those of one form: positions in items_.
  struct Sort {
    IdTable<std::uint32_t> by_value;
    std::uint32_t rest = kNone;
  };

  void Add(std::uint32_t form, std::uint64_t to);
  const Sort& SortOf(std::uint32_t form) const {
    return sorts_[form == pb::TO_IMMEDIATE ? 1 : 0];
  }

  std::array<Sort, 2> sorts_;
  std::vector<Item> items_;
  std::uint64_t first_id_ = 0;
};

}  // namespace heapglot::dartheap

#endif  // HEAPGLOT_WRITERS_DARTHEAP_DARTHEAP_STAND_INS_H_
