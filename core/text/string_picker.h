// The texts of a few strings of a dump.
#ifndef HEAPGLOT_CORE_TEXT_STRING_PICKER_H_
#define HEAPGLOT_CORE_TEXT_STRING_PICKER_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "heapglot/stream.h"

namespace heapglot {

// Picks them out of a pass over the strings, and ends that pass when it has all
// of them. Memory: the first kMaxBytes of each text, and 40 bytes each.
class StringPicker : public ChunkSink {
 public:
  static constexpr std::size_t kMaxBytes = 4096;

  // `indices` may hold duplicates.
  explicit StringPicker(std::vector<std::uint64_t> indices);

  // Makes that pass, unless there is nothing to pick.
  Status Pick(Reader& reader);

  Status Accept(const pb::Chunk& chunk) override;

  // The text of one of those strings; empty for any other.
  std::string_view Text(std::uint64_t index) const;

 private:
  bool done() const { return next_ == wanted_.size(); }
  void Take(std::uint64_t index, std::string_view piece, bool whole);

  std::vector<std::uint64_t> wanted_;  // sorted
  std::vector<std::string> texts_;
  std::size_t next_ = 0;
};

}  // namespace heapglot

#endif  // HEAPGLOT_CORE_TEXT_STRING_PICKER_H_
