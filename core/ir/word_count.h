// The number of words of a vocabulary.
#ifndef HEAPGLOT_CORE_IR_WORD_COUNT_H_
#define HEAPGLOT_CORE_IR_WORD_COUNT_H_

#include <algorithm>

#include "heapglot/stream.h"

namespace heapglot {

// A vocabulary does not state it, and any of its columns may be left out.
inline int WordCount(const pb::Vocabulary& vocabulary) {
  return std::max({vocabulary.name_size(), vocabulary.known_size(),
                   vocabulary.source_code_size(), vocabulary.name_form_size(),
                   vocabulary.edge_flags_size()});
}

}  // namespace heapglot

#endif  // HEAPGLOT_CORE_IR_WORD_COUNT_H_
