// Which V8 type an edge gets.
#ifndef HEAPGLOT_WRITERS_HEAPSNAPSHOT_HEAPSNAPSHOT_EDGE_FORMS_H_
#define HEAPGLOT_WRITERS_HEAPSNAPSHOT_HEAPSNAPSHOT_EDGE_FORMS_H_

#include <cstdint>
#include <span>
#include <vector>

#include "heapglot/stream.h"
#include "writers/heapsnapshot/heapsnapshot_join_edges.h"
#include "writers/heapsnapshot/heapsnapshot_names.h"
#include "writers/heapsnapshot/heapsnapshot_wire.h"

namespace heapglot::heapsnapshot {

// How edges of a kind are written.
struct EdgeForm {
  EdgeType type = EdgeType::kInternal;
  enum class Name {
    kString,
    kNumber,
    kFixed,
    kPosition,
    kEmpty
  } name = Name::kFixed;
};

// The form for a kind with these columns in the vocabulary.
EdgeForm EdgeFormOf(std::uint32_t known, std::uint32_t name_form);

// The largest index of an edge: V8's readers keep 32 bits, and accept no sign.
inline constexpr std::uint64_t kMaxShownIndex = 0xffff'ffff;

// Makes the rows of edges whose name is a number or a string, and which do not
// depend on their node. Most numbers of a snapshot are in such rows.
class PlainEdges {
 public:
  // `forms`: by kind. `shift`: how many nodes precede the stream's.
  void Begin(std::span<const EdgeForm> forms, const StringNumbers& numbers,
             std::uint64_t shift);

  // Writes `rows` rows, from `row` on, to `out`. False if one of them is not
  // plain. All columns must be as long as the chunk.
  bool Fill(const pb::Edges& edges, int row, int rows,
            std::uint64_t* out) const;

 private:
  std::vector<EdgeRowForm> forms_;
  std::uint64_t shift_ = 0;
};

}  // namespace heapglot::heapsnapshot

#endif  // HEAPGLOT_WRITERS_HEAPSNAPSHOT_HEAPSNAPSHOT_EDGE_FORMS_H_
