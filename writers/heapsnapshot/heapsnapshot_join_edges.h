// Makes rows of `edges` from columns, many at a time.
#ifndef HEAPGLOT_WRITERS_HEAPSNAPSHOT_HEAPSNAPSHOT_JOIN_EDGES_H_
#define HEAPGLOT_WRITERS_HEAPSNAPSHOT_HEAPSNAPSHOT_JOIN_EDGES_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "core/text/vector_cpu.h"

namespace heapglot::heapsnapshot {

// How edges of a kind are written.
struct EdgeRowForm {
  std::uint64_t type = 0;
  // What is added to a name, and what a name of 0 becomes.
  std::uint64_t name_shift = 0;
  std::uint64_t of_zero = 0;
  std::uint64_t max_name = 0;
  bool is_plain = false;
};

// Columns of a chunk, from some row on.
struct EdgesToJoin {
  const std::uint32_t* kinds;
  const std::uint64_t* names;
  const std::uint64_t* targets;
  std::size_t rows;
};

// Writes the rows to `out`: type, name, and offset of the target, which `shift`
// more nodes precede. `forms`: by kind. Returns false, and leaves `out` without
// meaning, if the kind of one of the edges is not plain, or its name exceeds
// the maximum.
//
// Uses the fastest variant for this machine.
bool JoinEdgeRows(std::span<const EdgeRowForm> forms, std::uint64_t shift,
                  const EdgesToJoin& edges, std::uint64_t* out);

// A variant of that function; all have the same results.
struct JoinEdgeRowsVariant {
  std::string_view name;
  decltype(&JoinEdgeRows) join;
};
// Those that this machine can run, the plain one first; the last one is
// JoinEdgeRows(). For tests.
std::span<const JoinEdgeRowsVariant> JoinEdgeRowsVariants();

namespace internal {

bool JoinEdgeRowsPlain(std::span<const EdgeRowForm> forms, std::uint64_t shift,
                       const EdgesToJoin& edges, std::uint64_t* out);
#ifdef HEAPGLOT_X86_KERNELS
// Leaves more than 8 forms (V8 has 7 types) to the plain variant. Needs
// HasAvx512().
bool JoinEdgeRowsAvx512(std::span<const EdgeRowForm> forms, std::uint64_t shift,
                        const EdgesToJoin& edges, std::uint64_t* out);
#endif

}  // namespace internal
}  // namespace heapglot::heapsnapshot

#endif  // HEAPGLOT_WRITERS_HEAPSNAPSHOT_HEAPSNAPSHOT_JOIN_EDGES_H_
