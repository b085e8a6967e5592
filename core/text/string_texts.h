// Texts of a part of the string table, for a consumer that reads some of them.
#ifndef HEAPGLOT_CORE_TEXT_STRING_TEXTS_H_
#define HEAPGLOT_CORE_TEXT_STRING_TEXTS_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "heapglot/stream.h"

namespace heapglot {

// Keeps what Add() was given until Clear(). Memory: the texts, and 8 bytes
// each.
class StringTexts {
 public:
  // Keeps the first `max_bytes` of each text.
  explicit StringTexts(std::size_t max_bytes) : max_bytes_(max_bytes) {}

  void Add(const pb::Strings& strings);
  void Clear();

  // The text of string `index`; empty for index 0, and for a string that is not
  // kept. Valid until the next Add() or Clear().
  std::string_view Find(std::uint64_t index) const;

 private:
  // Strings with consecutive indices.
  struct Run {
    std::uint64_t first;
    std::size_t first_row;
  };

  const std::size_t max_bytes_;
  std::string blob_;
  std::vector<std::size_t> ends_;  // in blob_, one per row
  std::vector<Run> runs_;
  std::uint64_t next_ = 0;  // index after the last one
  bool continued_ = false;
};

}  // namespace heapglot

#endif  // HEAPGLOT_CORE_TEXT_STRING_TEXTS_H_
