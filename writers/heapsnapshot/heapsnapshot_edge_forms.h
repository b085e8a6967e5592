// Which V8 type an edge gets.
#ifndef HEAPGLOT_WRITERS_HEAPSNAPSHOT_HEAPSNAPSHOT_EDGE_FORMS_H_
#define HEAPGLOT_WRITERS_HEAPSNAPSHOT_HEAPSNAPSHOT_EDGE_FORMS_H_

#include <cstdint>

#include "heapglot/stream.h"
#include "writers/heapsnapshot/heapsnapshot_wire.h"

namespace heapglot::heapsnapshot {

// How edges of a kind are written.
struct EdgeForm {
  EdgeType type = EdgeType::kInternal;
  enum class Name { kString, kNumber, kFixed, kPosition } name = Name::kFixed;
};

// Those of a kind with these columns in the vocabulary.
EdgeForm EdgeFormOf(std::uint32_t known, std::uint32_t name_form);

}  // namespace heapglot::heapsnapshot

#endif  // HEAPGLOT_WRITERS_HEAPSNAPSHOT_HEAPSNAPSHOT_EDGE_FORMS_H_
