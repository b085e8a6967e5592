#include "core/sqlite/page_store.h"

#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "core/bytes/temporary_file.h"

namespace heapglot::sqlite {
namespace {

// pwrite(2) of all bytes. False with errno.
bool WriteAllAt(int fd, std::uint64_t offset, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = RetryOnSignal([&] {
      return pwrite(fd, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    });
    if (count <= 0) {
      if (count == 0) errno = EIO;
      return false;
    }
    bytes.remove_prefix(static_cast<std::size_t>(count));
    offset += static_cast<std::uint64_t>(count);
  }
  return true;
}

}  // namespace

bool PageStore::Fail(int error) {
  if (status_.ok()) status_ = TemporaryFileError(error);
  return false;
}

bool PageStore::Spill() {
  Result<Fd> file = OpenTemporaryFile();
  if (!file.ok()) {
    status_ = file.status();
    return false;
  }
  file_ = std::move(*file);
  if (!WriteAllAt(file_.get(), 0, memory_)) return Fail(errno);
  std::string().swap(memory_);
  return true;
}

bool PageStore::Read(std::uint64_t offset, char* out, std::size_t size) {
  std::size_t count = 0;
  if (!file_.ok()) {
    if (offset < memory_.size()) count = memory_.copy(out, size, offset);
  } else {
    const ssize_t read = ReadAllAt(file_.get(), offset, out, size);
    if (read < 0) return Fail(errno);
    count = static_cast<std::size_t>(read);
  }
  std::memset(out + count, 0, size - count);
  return count == size;
}

bool PageStore::Write(std::uint64_t offset, std::string_view bytes) {
  if (!status_.ok()) return false;
  const std::uint64_t end = offset + bytes.size();
  if (!file_.ok() && end > kMaxMemory && !Spill()) return false;
  size_ = std::max(size_, end);
  if (file_.ok()) {
    return WriteAllAt(file_.get(), offset, bytes) || Fail(errno);
  }
  if (memory_.size() < end) memory_.resize(end);
  bytes.copy(memory_.data() + offset, bytes.size());
  return true;
}

bool PageStore::Truncate(std::uint64_t size) {
  size_ = size;
  if (!file_.ok()) {
    memory_.resize(size);
    return true;
  }
  return ftruncate(file_.get(), static_cast<off_t>(size)) == 0 || Fail(errno);
}

Status PageStore::CopyTo(ByteSink& sink) {
  std::string buffer(kIoBuffer, '\0');
  for (std::uint64_t at = 0; at < size_ && status_.ok();) {
    const auto part = static_cast<std::size_t>(
        std::min<std::uint64_t>(size_ - at, buffer.size()));
    Read(at, buffer.data(), part);
    HEAPGLOT_RETURN_IF_ERROR(status_);
    HEAPGLOT_RETURN_IF_ERROR(sink.Write({buffer.data(), part}));
    at += part;
  }
  return status_;
}

}  // namespace heapglot::sqlite
