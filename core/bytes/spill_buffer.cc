#include "core/bytes/spill_buffer.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "core/bytes/temporary_file.h"
#include "core/out_of_memory.h"

namespace heapglot {
namespace {

constexpr std::size_t kFirstMemory = 2 * SpillBuffer::kMaxReserve;
// Enough for writing to a file.
constexpr std::size_t kBufferMemory = std::size_t{64} << 10;
// What the kernel maps around a page that is touched.
constexpr std::uint64_t kBlock = std::uint64_t{64} << 10;
constexpr std::size_t kMaxTouched = 16;

}  // namespace

SpillBuffer::SpillBuffer(std::size_t max_memory, Reading reading)
    : max_memory_(std::max(max_memory, kFirstMemory)),
      reading_(reading),
      limit_(max_memory_) {}

// Doubles the memory. When it may not grow any more, moves it to the file, and
// from then on uses it only as a buffer.
void SpillBuffer::MakeRoom(std::size_t size) {
  if (capacity_ >= limit_) {
    Flush();
    limit_ = std::min(limit_, kBufferMemory);
    if (capacity_ == limit_) return;
    capacity_ = limit_;
    memory_ = std::make_unique_for_overwrite<char[]>(capacity_);
    return;
  }
  std::size_t capacity = std::max(2 * capacity_, kFirstMemory);
  while (capacity - used_ < size) capacity *= 2;
  capacity = std::min(capacity, limit_);
  auto memory = std::make_unique_for_overwrite<char[]>(capacity);
  if (used_ > 0) std::memcpy(memory.get(), memory_.get(), used_);
  memory_ = std::move(memory);
  capacity_ = capacity;
  if (capacity_ - used_ < size) Flush();
}

void SpillBuffer::WriteSlow(std::string_view bytes) {
  while (!bytes.empty()) {
    if (used_ == capacity_) MakeRoom(std::min(bytes.size(), kMaxReserve));
    const std::string_view piece = bytes.substr(0, capacity_ - used_);
    std::memcpy(memory_.get() + used_, piece.data(), piece.size());
    used_ += piece.size();
    bytes.remove_prefix(piece.size());
  }
}

void SpillBuffer::Flush() {
  if (status_.ok() && !file_.ok()) {
    Result<Fd> file = OpenTemporaryFile();
    if (file.ok())
      file_ = *std::move(file);
    else
      Fail(file.status());
  }
  if (status_.ok() && !WriteAll(file_.get(), memory_.get(), used_))
    Fail(TemporaryFileError(errno));
  in_file_ += used_;
  used_ = 0;
}

std::string_view SpillBuffer::ViewFile(std::uint64_t begin,
                                       std::uint64_t size) {
  if (begin + size > in_file_) Flush();
  if (!status_.ok()) return {};
  if (reading_ == Reading::kScattered && size <= FilePages::kMaxPiece)
    return ReadPiece(begin, size);
  // All of it at once, so that the next views need no new mapping.
  if (mapping_.size() < in_file_) {
    if (used_ > 0) Flush();
    if (!status_.ok() || !Map()) return {};
  }
  NoteTouched(begin, begin + size);
  return {mapping_.data() + begin, size};
}

std::string_view SpillBuffer::ReadPiece(std::uint64_t begin,
                                        std::uint64_t size) {
  std::string_view piece = pages_.Find(begin, size);
  if (piece.data() != nullptr) return piece;
  piece = pages_.Read(file_.get(), begin, size);
  if (piece.size() == size) return piece;
  Fail(TemporaryFileError(errno));
  return {};
}

bool SpillBuffer::Map() {
  Mapping mapping = Mapping::OfFile(file_.get(), in_file_);
  if (!mapping.ok()) {
    Fail(OutOfMemory());
    return false;
  }
  // What was viewed since the last write may be in the old mapping. Only after
  // another write do we get here again.
  if (mapping_.ok()) mapping_.Release(0, mapping_.size());
  old_mapping_ = std::exchange(mapping_, std::move(mapping));
  touched_.assign(mapping_.size() / kBlock + 1, false);
  touched_blocks_ = 0;
  return true;
}

// Mapped pages count as resident, although they can come back at any time.
void SpillBuffer::NoteTouched(std::uint64_t begin, std::uint64_t end) {
  for (std::uint64_t block = begin / kBlock; block * kBlock < end; ++block) {
    if (touched_[block]) continue;
    touched_[block] = true;
    ++touched_blocks_;
  }
  if (touched_blocks_ <= kMaxTouched) return;
  mapping_.Release(0, mapping_.size());
  touched_.assign(touched_.size(), false);
  touched_blocks_ = 0;
}

void SpillBuffer::Clear() {
  used_ = 0;
  limit_ = max_memory_;
  if (in_file_ == 0) return;
  mapping_ = {};
  old_mapping_ = {};
  pages_.Forget();
  in_file_ = 0;
  if (!status_.ok()) return;
  const int cut = RetryOnSignal([this] { return ftruncate(file_.get(), 0); });
  if (cut != 0 || lseek(file_.get(), 0, SEEK_SET) != 0)
    Fail(TemporaryFileError(errno));
}

void SpillBuffer::Fail(Status status) {
  if (status_.ok()) status_ = std::move(status);
}

}  // namespace heapglot
