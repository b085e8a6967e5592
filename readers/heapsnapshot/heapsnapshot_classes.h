// Types of nodes that have the same name: two strings with the same text name
// them, or a class has the name of a kind of nodes.
#ifndef HEAPGLOT_READERS_HEAPSNAPSHOT_HEAPSNAPSHOT_CLASSES_H_
#define HEAPGLOT_READERS_HEAPSNAPSHOT_HEAPSNAPSHOT_CLASSES_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/ir/checksum.h"
#include "heapglot/stream.h"
#include "readers/heapsnapshot/heapsnapshot_json.h"

namespace heapglot::heapsnapshot {

// Distinguishes names by hashes with a secret seed.
// Memory: 16 bytes a name, and 24 bytes in Numbers().
class TypeNames {
 public:
  TypeNames();

  void Add(std::string_view text, pb::StringEncoding encoding);
  void Add(const StringToken& token);
  std::size_t size() const { return hashes_.size(); }
  // The names of `first` come before these.
  void PutFirst(const TypeNames& first);

  // The number of each name: equal ones have the same, new ones the next,
  // from 0 on. Empty if all are different.
  std::vector<std::uint64_t> Numbers() const;

 private:
  void End(pb::StringEncoding encoding);

  Digest128 digest_;
  std::string piece_;  // of a name; reused
  std::vector<Hash128> hashes_;
};

}  // namespace heapglot::heapsnapshot

#endif  // HEAPGLOT_READERS_HEAPSNAPSHOT_HEAPSNAPSHOT_CLASSES_H_
