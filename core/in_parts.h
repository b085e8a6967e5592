// Work that is done in parts, by several threads.
#ifndef HEAPGLOT_CORE_IN_PARTS_H_
#define HEAPGLOT_CORE_IN_PARTS_H_

#include <cstddef>
#include <functional>

namespace heapglot {

// Calls work(part) once for each part from 0 to `parts` - 1, in this thread and
// up to `threads` - 1 others, which end before this returns. Calls use(part),
// if there is one, in this thread, for one part after the other, each once its
// work is done, while work on other parts goes on. With one thread, each part
// is used right after its work.
//
// An exception thrown by either ends everything and is rethrown here. If a
// thread cannot be started, fewer are used.
void InParts(unsigned threads, std::size_t parts,
             const std::function<void(std::size_t)>& work,
             const std::function<void(std::size_t)>& use = {});

}  // namespace heapglot

#endif  // HEAPGLOT_CORE_IN_PARTS_H_
