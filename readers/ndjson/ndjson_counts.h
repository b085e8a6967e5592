// How many records of each type there are, as a trailer counts them, without
// reading the records.
#ifndef HEAPGLOT_READERS_NDJSON_NDJSON_COUNTS_H_
#define HEAPGLOT_READERS_NDJSON_NDJSON_COUNTS_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "core/draft/draft_schema.h"
#include "core/text_table.h"

namespace heapglot::ndjson {

// Looks at the start of each line only, which is enough for lines as writers of
// ours make them: "[CODE," or {"type":"NAME".
class RecordCounts {
 public:
  // The next bytes of the file.
  void Add(std::string_view bytes);

  std::uint64_t lines() const { return lines_; }
  // By the name of the type. *has_all: no line was left out, for it tells no type
  // or one of too many.
  OwnTextTable<std::uint64_t> ByName(bool* has_all) const;

 private:
  // Of a line, which is enough for a type and its code.
  static constexpr std::size_t kStart = 1024;

  void AddLine(std::string_view start);
  void Declare(std::string_view start);

  std::string held_;  // the start of a line whose end has not come yet
  bool holds_ = false;
  std::uint64_t lines_ = 0;
  bool has_all_ = true;
  OwnTextTable<std::uint64_t> counts_;  // by how a line begins
  std::string_view last_;               // of them, that of the line before
  std::uint64_t* last_count_ = nullptr;
  OwnTextTable<std::string> names_;  // by how a line with that code begins
};

}  // namespace heapglot::ndjson

#endif  // HEAPGLOT_READERS_NDJSON_NDJSON_COUNTS_H_
