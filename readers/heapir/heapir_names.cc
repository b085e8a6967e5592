#include "readers/heapir/heapir_names.h"

#include <string>

#include "heapglot/ir/v1/chunk.pb.h"
#include "heapglot/stream.h"
#include "readers/heapir/heapir_content.h"
#include "readers/heapir/heapir_frames.h"

namespace heapglot::heapir {
namespace {

// The strings of chunks, with the pieces of each put together.
class Names {
 public:
  explicit Names(const std::function<bool(std::string_view)>& visit)
      : visit_(visit) {}

  // False if no more are wanted. Nothing in the chunk has been checked.
  bool Add(const pb::Strings& strings) {
    std::string_view rest = strings.data();
    for (int row = 0; row < strings.length_size(); ++row) {
      const std::string_view text = rest.substr(0, strings.length(row));
      rest.remove_prefix(text.size());
      const bool goes_on =
          strings.continued() && row + 1 == strings.length_size();
      name_ += text;
      if (goes_on) return true;
      if (!visit_(name_)) return false;
      name_.clear();
    }
    return true;
  }

 private:
  const std::function<bool(std::string_view)>& visit_;
  std::string name_;
};

}  // namespace

Status ForEachName(std::string_view file,
                   const std::function<bool(std::string_view name)>& visit) {
  HEAPGLOT_RETURN_IF_ERROR(CheckMagic(file));
  FrameCursor cursor(file);
  Unpacker unpacker;
  ContentReader contents;
  contents.set_lenient(true);
  Names names(visit);
  Frame frame;
  while (!cursor.at_end()) {
    HEAPGLOT_RETURN_IF_ERROR(cursor.Next(&frame));
    if (frame.kind != pb::Chunk::kStrings || !frame.names) continue;
    HEAPGLOT_RETURN_IF_ERROR(CheckChecksum(frame));
    const Result<std::string_view> content = unpacker.Unpack(frame);
    if (!content.ok()) return content.status();
    HEAPGLOT_RETURN_IF_ERROR(contents.Read(frame, *content));
    if (!names.Add(contents.chunk().strings())) return {};
  }
  return {};
}

}  // namespace heapglot::heapir
