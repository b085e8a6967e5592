// Work that comes in parts, in several threads.
#ifndef HEAPGLOT_CORE_IN_PARTS_H_
#define HEAPGLOT_CORE_IN_PARTS_H_

#include <cstddef>
#include <functional>

namespace heapglot {

// Calls work(part) once for each of `parts` 0, 1, ..., in this thread and up to
// `threads` - 1 others that end before this returns; and use(part), if there is
// one, in this thread, for one part after the other, each once its work is done,
// while work on others goes on. In one thread every part is used right behind its
// work.
//
// What is thrown by either ends all, and is thrown again here. Where no thread can
// be had it goes with fewer.
void InParts(unsigned threads, std::size_t parts,
             const std::function<void(std::size_t)>& work,
             const std::function<void(std::size_t)>& use = {});

}  // namespace heapglot

#endif  // HEAPGLOT_CORE_IN_PARTS_H_
