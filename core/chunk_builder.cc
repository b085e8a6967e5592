#include "core/chunk_builder.h"

namespace heapglot {

Status StringBuilder::Finish(pb::StringEncoding encoding, bool continued) {
  pb::Strings& strings = *chunk_.mutable_strings();
  const int row = strings.length_size();
  if (row == 0) strings.set_first(next_);
  strings.add_length(
      static_cast<std::uint32_t>(strings.data().size() - finished_));
  finished_ = strings.data().size();
  if (encoding != pb::UTF8) {
    strings.mutable_encoding()->Resize(row, pb::UTF8);
    strings.add_encoding(encoding);
  }
  strings.set_continued(continued);
  if (!continued) ++next_;
  const bool full = finished_ >= kChunkText ||
                    static_cast<std::uint32_t>(row) + 1 >= kChunkRows;
  return full || continued ? Flush() : Status();
}

Status StringBuilder::Flush() {
  pb::Strings& strings = *chunk_.mutable_strings();
  if (strings.length_size() == 0) return {};
  FillColumn(strings.mutable_encoding(), strings.length_size());
  strings.set_names(names_);
  Status status = out_.Accept(chunk_);
  strings.Clear();
  finished_ = 0;
  return status;
}

}  // namespace heapglot
