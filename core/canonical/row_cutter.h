// Rows of a table in chunks of kChunkRows, however they came.
#ifndef HEAPGLOT_CORE_CANONICAL_ROW_CUTTER_H_
#define HEAPGLOT_CORE_CANONICAL_ROW_CUTTER_H_

#include <cstdint>

#include "core/canonical/canonical_out.h"
#include "core/ir/row_buffer.h"
#include "heapglot/stream.h"

namespace heapglot {

// For tables with `first` and `count`, but not for Types, whose rows have
// fields. Rows that do not fit beside others (RowBuffer) end a chunk early.
class RowCutter {
 public:
  // `kind` is the table's field in Chunk.
  RowCutter(int kind, CanonicalOut& out) : rows_(kind, kChunkRows), out_(out) {}

  // What is beside the rows, except `first` and `count`, is set in every chunk.
  // Errors of both: those of CanonicalOut.
  Status Add(pb::Chunk chunk);
  Status End();

 private:
  RowBuffer rows_;
  CanonicalOut& out_;
};

// The same for Types. A type with many fields has a chunk of its own.
class TypeCutter {
 public:
  explicit TypeCutter(CanonicalOut& out)
      : types_(pb::Chunk::kTypes, kChunkRows),
        fields_(pb::Chunk::kTypes, kChunkRows),
        out_(out) {}

  Status Add(pb::Chunk chunk);
  Status End();

 private:
  // How many of the types from `row` on go into the chunk, and how many fields.
  struct Run {
    int types = 0;
    std::uint64_t fields = 0;
  };
  Run NextRun(const pb::Types& types, int row) const;

  RowBuffer types_;   // without their fields
  RowBuffer fields_;  // one row each
  CanonicalOut& out_;
};

}  // namespace heapglot

#endif  // HEAPGLOT_CORE_CANONICAL_ROW_CUTTER_H_
