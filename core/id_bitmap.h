// Finds ids that come twice.
#ifndef HEAPGLOT_CORE_ID_BITMAP_H_
#define HEAPGLOT_CORE_ID_BITMAP_H_

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "core/id_table.h"

namespace heapglot {

// The ids that a file gives its nodes, in any order.
//
// V8 counts them up by two, and a first snapshot has nearly all of them; others
// are addresses, in which a few bits are always the same. So each region of ids
// has one bitmap for each id modulo 8, allocated with the first such id and
// freed when it is full.
//
// Memory: next to nothing for ids without gaps, otherwise one bit for each
// number whose remainder is in use; at most 8.5 MiB plus a 32nd of the file. If
// ids are too far apart for that (see is_exact()), SortedIds can tell.
class IdBitmap {
 public:
  explicit IdBitmap(std::uint64_t file_size = 0)
      : bitmaps_left_((kFreeBytes + file_size / kFilePart) / sizeof(Bitmap)) {}

  // Adds `rows` ids that are `step` numbers apart in memory, up to the first
  // one that is already in the set. Returns how many were added.
  std::size_t AddColumn(const std::uint64_t* first, std::size_t step,
                        std::size_t rows) {
    std::size_t one_by_one = 0;  // up to this row
    for (std::size_t row = 0; row < rows;) {
      const std::uint64_t* const id = first + row * step;
      const std::size_t run =
          row < one_by_one ? 0 : RunAt(id, step, rows - row);
      if (run != 0 && AddRun(*id, run)) {
        row += run;
        continue;
      }
      one_by_one = std::max(one_by_one, row + run);
      if (!AddOne(*id)) return row;
      ++row;
    }
    return rows;
  }
  // False if `id` is already in the set.
  bool Add(std::uint64_t id) { return AddOne(id); }
  // Whether Add() has detected all duplicates.
  bool is_exact() const {
    return is_increasing_ || (is_complete_ && !HasFarDuplicate());
  }

 private:
  static constexpr std::uint64_t kRegion = std::uint64_t{1} << 18;
  static constexpr std::uint64_t kLanes = 8;
  static constexpr std::uint64_t kLaneIds = kRegion / kLanes;
  static constexpr std::uint64_t kFreeBytes = std::uint64_t{8} << 20;
  static constexpr std::uint64_t kFilePart = 32;
  static constexpr std::size_t kMaxFar = std::size_t{1} << 16;
  // The step by which V8 counts ids, and the shortest run that is worth
  // AddRun().
  static constexpr std::uint64_t kRunStep = 2;
  static constexpr std::uint64_t kLeastRun = 64;

  using Bitmap = std::array<std::uint64_t, kLaneIds / 64>;
  // Without a bitmap, a lane has none of its ids, or all of them.
  struct Lane {
    std::unique_ptr<Bitmap> bitmap;
    std::uint64_t count = 0;
  };
  using Region = std::array<Lane, kLanes>;

  bool AddOne(std::uint64_t id) {
    // Also cleared by an id of 2^64 - 1, since id + 1 wraps.
    is_increasing_ &= id + 1 > after_;
    after_ = id + 1;
    if (id / kRegion != number_ && !FindRegion(id / kRegion)) [[unlikely]]
      return AddFar(id);
    Lane& lane = (*region_)[id % kLanes];
    if (lane.bitmap == nullptr) [[unlikely]] {
      if (lane.count != 0) return false;
      if (!Open(&lane)) return AddFar(id);
    }
    const std::uint64_t place = PlaceOf(id);
    std::uint64_t& word = (*lane.bitmap)[place / 64];
    const std::uint64_t bit = std::uint64_t{1} << (place % 64);
    if ((word & bit) != 0) [[unlikely]]
      return false;
    word |= bit;
    if (++lane.count == kLaneIds) [[unlikely]]
      Close(&lane);
    return true;
  }
  static std::uint64_t PlaceOf(std::uint64_t id) {
    return id % kRegion / kLanes;
  }

  // How many of the ids, from the first on and in one region, are each kRunStep
  // more than the one before; 0 if they are too few for AddRun().
  static std::size_t RunAt(const std::uint64_t* first, std::size_t step,
                           std::size_t rows) {
    const std::uint64_t id = *first;
    const std::uint64_t most = std::min<std::uint64_t>(
        rows, (kRegion - id % kRegion + kRunStep - 1) / kRunStep);
    const auto goes_on = [&](std::uint64_t row) {
      return first[row * step] == id + row * kRunStep;
    };
    if (most < kLeastRun || !goes_on(kLeastRun - 1)) return 0;
    std::size_t run = 1;
    while (run < most && goes_on(run)) ++run;
    return run < kLeastRun ? 0 : run;
  }
  // False, with nothing added, if one of the ids is already in the set or there
  // is no bitmap for it.
  bool AddRun(std::uint64_t id, std::uint64_t count);
  // False if the region does not exist and there is no room for it.
  bool FindRegion(std::uint64_t number);
  bool HasRoom();
  bool Open(Lane* lane);
  void Close(Lane* lane);
  // Always true: as far as is known, the id is new.
  bool AddFar(std::uint64_t id);
  bool HasFarDuplicate() const;

  IdTable<Region> regions_;
  Region* region_ = nullptr;  // the last one used; its number is number_
  std::uint64_t number_ = ~std::uint64_t{0};
  std::uint64_t bitmaps_left_;
  std::vector<std::uint64_t> far_;  // ids for which there was no bitmap
  bool is_full_ = false;
  bool is_complete_ = true;
  bool is_increasing_ = true;
  std::uint64_t after_ = 0;  // the last id + 1
};

// Finds a duplicate among any ids. Memory: 8 bytes an id.
class SortedIds {
 public:
  // `count` is the number of ids that will be added.
  explicit SortedIds(std::uint64_t count) { ids_.reserve(count); }

  void Add(std::uint64_t id) { ids_.push_back(id); }
  // The least id that comes twice.
  std::optional<std::uint64_t> FindDuplicate() {
    std::sort(ids_.begin(), ids_.end());
    const auto twice = std::adjacent_find(ids_.begin(), ids_.end());
    return twice == ids_.end() ? std::nullopt : std::optional(*twice);
  }

 private:
  std::vector<std::uint64_t> ids_;
};

}  // namespace heapglot

#endif  // HEAPGLOT_CORE_ID_BITMAP_H_
