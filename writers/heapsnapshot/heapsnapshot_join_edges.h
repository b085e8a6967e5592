// Rows of `edges` out of columns, many at a time.
#ifndef HEAPGLOT_WRITERS_HEAPSNAPSHOT_HEAPSNAPSHOT_JOIN_EDGES_H_
#define HEAPGLOT_WRITERS_HEAPSNAPSHOT_HEAPSNAPSHOT_JOIN_EDGES_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "core/text/vector_cpu.h"

namespace heapglot::heapsnapshot {

// What becomes of edges of a kind.
struct EdgeRowForm {
  std::uint64_t type = 0;
  // What is added to a name, and what 0 becomes.
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

// Puts the rows at `out`: type, name, and offset of the target, before which
// `shift` nodes more stand. `forms`: by kind. False, and what is at `out` is of
// no use, if one of the edges is of no kind that is plain, or has a name beyond
// its maximum.
//
// Takes what is the fastest on this machine.
bool JoinEdgeRows(std::span<const EdgeRowForm> forms, std::uint64_t shift,
                  const EdgesToJoin& edges, std::uint64_t* out);

// Ways to do so, with the same answers.
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
// Needs HasAvx512(). More forms than V8 has types are left to the plain way.
bool JoinEdgeRowsAvx512(std::span<const EdgeRowForm> forms, std::uint64_t shift,
                        const EdgesToJoin& edges, std::uint64_t* out);
#endif

}  // namespace internal
}  // namespace heapglot::heapsnapshot

#endif  // HEAPGLOT_WRITERS_HEAPSNAPSHOT_HEAPSNAPSHOT_JOIN_EDGES_H_
