// Which objects are containers: a heap may have millions of them.
#ifndef HEAPGLOT_READERS_DARTHEAP_DARTHEAP_CONTAINERS_H_
#define HEAPGLOT_READERS_DARTHEAP_DARTHEAP_CONTAINERS_H_

#include <cstddef>
#include <cstdint>

#include "core/bytes/spill_buffer.h"
#include "heapglot/status.h"
#include "readers/dartheap/dartheap_classes.h"

namespace heapglot::dartheap {

// An object whose items are in another one.
struct Container {
  std::uint64_t object = 0;     // 0-based
  std::uint64_t list = 0;       // 0-based: what data_ refers to
  std::uint64_t length = 0;     // slots of the list that are in use
  Role role = Role::kGrowable;  // of its class
  // 0 until they have been counted.
  std::uint64_t edges = 0;    // synthesized ones
  std::uint64_t strings = 0;  // of these, those that need a string as name
};

// Containers in the order of their objects, to be read from the first one on.
//
// Memory: that of a SpillBuffer of 1 MiB; about 9 bytes per container there or
// on disk.
// Errors: those of SpillBuffer, in status(); a cursor is then at the end.
// Not thread-safe, not even its cursors.
class Containers {
 public:
  Containers() : records_(kMaxMemory) {}

  // Appends `container`.
  void Add(const Container& container);
  const Status& status() const { return records_.status(); }

  class Cursor {
   public:
    // `containers` must outlive this, and must not grow meanwhile.
    explicit Cursor(const Containers& containers) : containers_(containers) {}
    // Moves to the first container, then to the next; false at the end.
    bool Next();
    const Container& container() const { return container_; }

   private:
    const Containers& containers_;
    std::uint64_t offset_ = 0;
    Container container_;
  };

 private:
  static constexpr std::size_t kMaxMemory = std::size_t{1} << 20;

  // Reading moves the part of a file that is mapped.
  mutable SpillBuffer records_;
  std::uint64_t last_object_ = 0;
};

}  // namespace heapglot::dartheap

#endif  // HEAPGLOT_READERS_DARTHEAP_DARTHEAP_CONTAINERS_H_
