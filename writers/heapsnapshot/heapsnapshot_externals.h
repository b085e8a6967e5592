// The native memory that nodes hold, which becomes nodes of its own.
#ifndef HEAPGLOT_WRITERS_HEAPSNAPSHOT_HEAPSNAPSHOT_EXTERNALS_H_
#define HEAPGLOT_WRITERS_HEAPSNAPSHOT_HEAPSNAPSHOT_EXTERNALS_H_

#include <cstddef>
#include <cstdint>
#include <utility>

#include "core/bytes/spilled_rows.h"
#include "core/bytes/spilled_sort.h"
#include "heapglot/status.h"

namespace heapglot::heapsnapshot {

// Pieces of external memory. After Add() of all of them and Finish(), they can
// be read in the order in which they came, and in the order of their holders.
//
// Errors are sticky, as in SpillBuffer: rows are zeros then, and status()
// tells.
// Memory: 4 MiB; more is in temporary files.
class Externals {
 public:
  // Above all nodes, for holders that are not known: (omitted) and (dangling
  // reference) stand in for them.
  static constexpr std::uint64_t kOmitted = ~std::uint64_t{0} - 1;
  static constexpr std::uint64_t kDangling = ~std::uint64_t{0};
  static constexpr std::uint64_t kNobody = kOmitted - 1;  // holds nothing

  struct Piece {
    std::uint64_t size;
    std::uint64_t name;  // string number
  };
  struct Held {
    std::uint64_t holder;  // node of the source, kOmitted or kDangling
    std::uint64_t piece;   // its number

    bool operator==(const Held&) const = default;
    bool operator<(const Held& other) const {
      return std::pair(holder, piece) < std::pair(other.holder, other.piece);
    }
  };
  // Numbers for HeldAt().
  struct Range {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;

    std::uint64_t size() const { return end - begin; }
  };

  // `holder` as in Held.
  void Add(std::uint64_t holder, const Piece& piece);
  void Finish();

  std::uint64_t size() const { return pieces_.size(); }
  Piece PieceAt(std::uint64_t number) { return pieces_[number]; }

  // Sorted by holder; those of one holder are in the order in which they came.
  // Those of kOmitted and kDangling come last.
  Held HeldAt(std::uint64_t number) {
    // After an error there may be fewer.
    return number < held_.size() ? held_[number] : Held{};
  }
  Range HeldByNodes() const { return {0, size() - omitted_ - dangling_}; }
  Range HeldByOmitted() const {
    return {HeldByNodes().end, HeldByNodes().end + omitted_};
  }
  Range HeldByDangling() const { return {HeldByOmitted().end, size()}; }

  const Status& status() const;

  // Iterates over those that nodes hold, in the order of their holders.
  class Cursor {
   public:
    explicit Cursor(Externals& externals) : externals_(externals) {}

    // Moves to the first one. Finish() must have been called.
    void Start() {
      next_ = 0;
      Load();
    }
    // Of the current one; kNobody after the last.
    std::uint64_t holder() const { return held_.holder; }
    std::uint64_t piece() const { return held_.piece; }
    void Advance() {
      ++next_;
      Load();
    }

   private:
    void Load() {
      held_ = next_ < externals_.HeldByNodes().end ? externals_.HeldAt(next_)
                                                   : Held{kNobody, 0};
    }

    Externals& externals_;
    std::uint64_t next_ = 0;
    Held held_ = {kNobody, 0};
  };

 private:
  static constexpr std::size_t kMemory = std::size_t{1} << 20;

  SpilledRows<Piece> pieces_{kMemory};
  SpilledSort<Held> by_holder_{kMemory / sizeof(Held)};  // until they are held_
  SpilledRows<Held> held_{kMemory};
  std::uint64_t omitted_ = 0;
  std::uint64_t dangling_ = 0;
};

}  // namespace heapglot::heapsnapshot

#endif  // HEAPGLOT_WRITERS_HEAPSNAPSHOT_HEAPSNAPSHOT_EXTERNALS_H_
