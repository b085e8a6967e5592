#include "core/chunk_builder.h"

#include "core/text/utf.h"

namespace heapglot {

// Sets the encoding of the last string.
void StringBuilder::AddEncoding(pb::StringEncoding encoding) {
  pb::Strings& strings = *chunk_.mutable_strings();
  strings.mutable_encoding()->Resize(strings.length_size() - 1, pb::UTF8);
  strings.add_encoding(encoding);
}

Status StringBuilder::AddPieces(std::string_view string,
                                pb::StringEncoding encoding) {
  // Bytes that are not text as a whole may be text in a piece.
  const auto classify = encoding == pb::BYTES ? ClassifyUtf8 : ClassifyWtf8;
  while (string.size() > kChunkText) {
    const std::string_view piece =
        string.substr(0, CutAtCodePoint(string, kChunkText));
    text()->append(piece);
    HEAPGLOT_RETURN_IF_ERROR(Finish(classify(piece), /*continued=*/true));
    string.remove_prefix(piece.size());
  }
  return Add(string, classify(string));
}

// Sends the chunk, whose last string continues in the next one.
Status StringBuilder::FlushPiece() {
  chunk_.mutable_strings()->set_continued(true);
  return Flush();
}

Status StringBuilder::Flush() {
  pb::Strings& strings = *chunk_.mutable_strings();
  const int rows = strings.length_size();
  if (rows == 0) return {};
  const int ended = rows - (strings.continued() ? 1 : 0);
  strings.set_first(next_ - static_cast<std::uint64_t>(ended));
  FillColumn(strings.mutable_encoding(), rows);
  strings.set_names(names_);
  Status status = out_.Accept(chunk_);
  strings.Clear();
  finished_ = 0;
  return status;
}

}  // namespace heapglot
