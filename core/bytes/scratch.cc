#include "core/bytes/scratch.h"

#include <fcntl.h>

#include <cerrno>
#include <utility>

#include "core/bytes/temporary_file.h"
#include "core/out_of_memory.h"

namespace heapglot {
namespace {

Result<Mapping> MapTemporaryFile(std::size_t size) {
  const Result<Fd> file = OpenTemporaryFile();
  if (!file.ok()) return file.status();
  // If the file had a hole, a full disk would raise a signal later.
  int error;
  do {
    error = posix_fallocate(file->get(), 0, static_cast<off_t>(size));
  } while (error == EINTR);
  if (error != 0) return TemporaryFileError(error);
  return Mapping::OfWritableFile(file->get(), size);
}

}  // namespace

Result<Scratch> Scratch::Create(std::uint64_t bytes) {
  Scratch scratch;
  if (bytes == 0) return scratch;
  if (!std::in_range<std::ptrdiff_t>(bytes)) {
    return OutOfMemory();
  }
  scratch.size_ = static_cast<std::size_t>(bytes);
  if (bytes <= kInMemory) {
    scratch.mapping_ = Mapping::OfMemory(scratch.size_);
  } else {
    Result<Mapping> mapping = MapTemporaryFile(scratch.size_);
    if (!mapping.ok()) return mapping.status();
    scratch.mapping_ = *std::move(mapping);
  }
  if (!scratch.mapping_.ok()) return OutOfMemory();
  return scratch;
}

}  // namespace heapglot
