#include "core/bytes/spool.h"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "core/bytes/temporary_file.h"
#include "core/out_of_memory.h"

namespace heapglot {
namespace {

class MappedSource final : public ByteSource {
 public:
  MappedSource(SpooledContent content, std::string name)
      : content_(std::move(content)), name_(std::move(name)) {}

  std::string_view bytes() const override {
    return content_.size == 0
               ? std::string_view("")
               : std::string_view(content_.mapping.data(), content_.size);
  }
  Compression compression() const override { return content_.compression; }
  const std::string& name() const override { return name_; }

  void Release(std::uint64_t begin, std::uint64_t end) const override {
    if (!content_.is_file) return;  // would lose the content
    content_.mapping.Release(begin, end);
  }
  void Fetch(std::uint64_t begin, std::uint64_t end) const override {
    content_.mapping.Fetch(begin, end);
  }
  int file() const override { return content_.file.get(); }

 private:
  SpooledContent content_;
  std::string name_;
};

}  // namespace

std::unique_ptr<ByteSource> MakeSource(SpooledContent content,
                                       std::string name) {
  return std::make_unique<MappedSource>(std::move(content), std::move(name));
}

Result<std::pair<char*, std::size_t>> Spool::Room() {
  if (!memory_.ok()) {
    memory_ = Mapping::OfMemory(capacity_);
    if (!memory_.ok()) return OutOfMemory();
  }
  if (used_ == capacity_) HEAPGLOT_RETURN_IF_ERROR(Flush());
  return std::pair(memory_.data() + used_, capacity_ - used_);
}

Status Spool::Write(std::string_view bytes) {
  while (!bytes.empty()) {
    const auto room = Room();
    if (!room.ok()) return room.status();
    const auto [out, free] = *room;
    const std::size_t size = std::min(free, bytes.size());
    std::memcpy(out, bytes.data(), size);
    Commit(size);
    bytes.remove_prefix(size);
  }
  return {};
}

std::string_view Spool::head() const {
  return {memory_.data(), static_cast<std::size_t>(std::min<std::uint64_t>(
                              size_, ByteSource::kHeadBytes))};
}

Result<SpooledContent> Spool::Finish() {
  SpooledContent content;
  if (!std::in_range<std::size_t>(size_)) return OutOfMemory();
  content.size = static_cast<std::size_t>(size_);
  if (!file_.ok()) {
    content.mapping = std::move(memory_);
    return content;
  }
  HEAPGLOT_RETURN_IF_ERROR(Flush());
  content.mapping = Mapping::OfFile(file_.get(), content.size);
  if (!content.mapping.ok()) return OutOfMemory();
  content.is_file = true;
  content.file = std::move(file_);
  return content;
}

Status Spool::Flush() {
  if (!file_.ok()) {
    Result<Fd> file = OpenTemporaryFile();
    if (!file.ok()) return file.status();
    file_ = *std::move(file);
  }
  if (!WriteAll(file_.get(), memory_.data(), used_)) {
    return TemporaryFileError(errno);
  }
  used_ = 0;
  if (capacity_ > kIoBuffer) {  // from now on the memory is a mere buffer
    capacity_ = kIoBuffer;
    memory_.Release(0, memory_.size());
  }
  return {};
}

Status SpoolSink::Write(std::string_view bytes) {
  if (status_.ok()) status_ = spool_.Write(bytes);
  return status_;
}

Result<std::unique_ptr<ByteSource>> SpoolSink::TakeSource(std::string name) {
  if (!status_.ok()) return status_;
  Result<SpooledContent> content = spool_.Finish();
  if (!content.ok()) return content.status();
  return MakeSource(*std::move(content), std::move(name));
}

}  // namespace heapglot
