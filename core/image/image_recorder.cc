#include "core/image/image_recorder.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>

#include "core/process_random.h"

namespace heapglot {
namespace {

// How far to look for the place where both match again.
constexpr std::size_t kWindows[] = {256, 4096, std::size_t{64} << 10};
constexpr std::size_t kLastWindow = std::size(kWindows) - 1;

// How many bytes must be the same there.
constexpr std::size_t kGram = 12;

// What a patch takes besides the bytes that it inserts: three numbers in
// memory, here and where the file is made again.
constexpr std::uint64_t kPatchCost = 24;

// How many bytes may be looked at in search of that place: so many for each
// byte of the source that was passed, and these in any case. If everything
// differs, and yet some bytes are the same everywhere, it would be thousands
// for each.
constexpr std::uint64_t kWorkPerByte = 16;
constexpr std::uint64_t kFreeWork = std::uint64_t{64} << 20;

// How many slots a search may look at for free. Grams may be chosen so that all
// of them want the same slots.
constexpr std::uint64_t kFreeSteps = 8;

constexpr std::uint32_t kFree = std::numeric_limits<std::uint32_t>::max();

// A slot below `slots`, a power of two. Uses the high bits of the hash: the low
// ones depend on few bytes of the gram, which are often the same in a database.
std::size_t SlotOf(const char* gram, std::size_t slots) {
  std::uint64_t head = 0;
  std::uint64_t tail = 0;
  std::memcpy(&head, gram, sizeof head);
  std::memcpy(&tail, gram + kGram - sizeof tail, sizeof tail);
  const std::uint64_t hash =
      (head * 0x9E37'79B9'7F4A'7C15 ^ std::rotl(tail, 32)) *
      0xD6E8'FEB8'6659'FD93;
  return static_cast<std::size_t>(hash >> (64 - std::countr_zero(slots)));
}

bool SameGram(const char* a, const char* b) {
  return std::memcmp(a, b, kGram) == 0;
}

std::size_t CommonPrefix(std::string_view a, std::string_view b) {
  const std::size_t size = std::min(a.size(), b.size());
  // Blocks first, because almost all of it is the same.
  constexpr std::size_t kBlock = 256;
  std::size_t at = 0;
  while (size - at >= kBlock &&
         std::memcmp(a.data() + at, b.data() + at, kBlock) == 0) {
    at += kBlock;
  }
  while (at < size && a[at] == b[at]) ++at;
  return at;
}

}  // namespace

std::size_t ImageRecorder::Match(std::string_view output) {
  const std::size_t same = CommonPrefix(output, Rest());
  Advance(same);
  copied_ += same;
  return same;
}

void ImageRecorder::Advance(std::size_t size) {
  digest_.Add(Rest().substr(0, size));
  source_position_ += size;
  trail_.Advance(source_position_);
}

Status ImageRecorder::Write(std::string_view bytes) {
  if (!status_.ok()) return status_;
  position_ += bytes.size();
  if (pending_.empty()) bytes.remove_prefix(Match(bytes));
  if (bytes.empty()) return {};
  pending_.append(bytes);
  status_ = Drain(false);
  return status_;
}

Status ImageRecorder::Close() {
  if (!status_.ok()) return status_;
  status_ = Drain(true);
  if (status_.ok() && !Rest().empty()) {
    status_ = AddPatch({.output = 0, .source = Rest().size()});
  }
  image_.set_method(image_.copy_size() == 0 ? pb::SourceImage::VERIFIED
                                            : pb::SourceImage::PATCHED);
  image_.set_size(source_.size());
  image_.set_xxh3_128(digest_.value());
  return status_;
}

ByteSink* ImageRecorder::Ahead() {
  return order_ == Order::kAny ? &ahead_ : nullptr;
}

Status ImageRecorder::TakeAhead() {
  if (!status_.ok()) return status_;
  position_ += ahead_.position();
  if (pending_.empty() && TakePart(ahead_)) return {};
  needs_order_ = true;
  status_ = {Code::kCancelled, "a part is not the same"};
  return status_;
}

std::uint64_t ImageRecorder::SeedOfParts() { return ProcessRandom()[0]; }

Status ImageRecorder::Part::Write(std::string_view bytes) {
  digest_.Add(bytes);
  size_ += bytes.size();
  return {};
}

// Whether the source goes on with it.
bool ImageRecorder::TakePart(const Part& part) {
  constexpr std::size_t kStep = std::size_t{256} << 10;
  if (part.position() > Rest().size()) return false;
  Digest128 digest(SeedOfParts());
  for (std::uint64_t left = part.position(); left > 0;) {
    const auto size =
        static_cast<std::size_t>(std::min<std::uint64_t>(left, kStep));
    digest.Add(Rest().substr(0, size));
    Advance(size);
    left -= size;
  }
  copied_ += part.position();
  return digest.hash() == part.hash();
}

// Compares what is pending. Unless at the end, some of it may be kept until
// there is enough to look for the place where both match again.
Status ImageRecorder::Drain(bool at_end) {
  for (;;) {
    pending_begin_ += Match(std::string_view(pending_).substr(pending_begin_));
    const std::size_t size = pending_.size() - pending_begin_;
    if (size == 0) {
      pending_.clear();
      pending_begin_ = 0;
      return {};
    }
    if (!at_end && size < kWindows[window_]) {
      pending_.erase(0, pending_begin_);
      pending_begin_ = 0;
      return {};
    }
    HEAPGLOT_RETURN_IF_ERROR(Resync(at_end));
  }
}

Status ImageRecorder::Resync(bool at_end) {
  const std::size_t size = kWindows[window_];
  const std::string_view pending =
      std::string_view(pending_).substr(pending_begin_);
  const std::string_view output = pending.substr(0, size);
  const std::string_view source = Rest().substr(0, size);
  work_ += output.size() + source.size();
  Alignment found;
  const bool is_found =
      !IsTooMuchWork() && FindAlignment(output, source, &found);
  if (IsTooMuchWork()) return {Code::kCancelled, "the patches take too long"};
  if (is_found) {
    window_ = 0;
    pending_begin_ += found.output;
    return AddPatch(found);
  }
  const bool is_all = at_end && output.size() == pending.size() &&
                      source.size() == Rest().size();
  if (!is_all && window_ < kLastWindow) {
    ++window_;
    return {};
  }
  window_ = 0;
  pending_begin_ += output.size();
  return AddPatch({.output = output.size(), .source = source.size()});
}

bool ImageRecorder::IsTooMuchWork() const {
  return work_ > kFreeWork + kWorkPerByte * source_position_;
}

// The slot of this gram in the table of those of `source`, or the free slot for
// it.
std::size_t ImageRecorder::FindSlot(std::string_view source, const char* gram) {
  const std::size_t slots = table_.size();
  std::size_t slot = SlotOf(gram, slots);
  std::uint64_t steps = 0;
  while (table_[slot] != kFree && !SameGram(&source[table_[slot]], gram)) {
    slot = (slot + 1) % slots;
    ++steps;
  }
  if (steps > kFreeSteps) work_ += steps;
  return slot;
}

// Finds the nearest place where both match again for kGram bytes. Gives up if
// that is too much work.
bool ImageRecorder::FindAlignment(std::string_view output,
                                  std::string_view source, Alignment* found) {
  if (output.size() < kGram || source.size() < kGram) return false;
  table_.assign(std::bit_ceil(2 * source.size()), kFree);
  for (std::size_t at = 0; at + kGram <= source.size(); ++at) {
    const std::size_t slot = FindSlot(source, &source[at]);
    if (IsTooMuchWork()) return false;
    // The first of equal ones is the nearest.
    if (table_[slot] == kFree) table_[slot] = static_cast<std::uint32_t>(at);
  }
  std::size_t best = std::numeric_limits<std::size_t>::max();
  for (std::size_t at = 0; at + kGram <= output.size() && at < best; ++at) {
    const std::size_t slot = FindSlot(source, &output[at]);
    if (IsTooMuchWork()) return false;
    if (table_[slot] == kFree || at + table_[slot] >= best) continue;
    best = at + table_[slot];
    *found = {.output = at, .source = table_[slot]};
  }
  return best != std::numeric_limits<std::size_t>::max();
}

Status ImageRecorder::AddPatch(const Alignment& patch) {
  cost_ += patch.source + kPatchCost;
  if (cost_ > max_cost_) {
    return {Code::kCancelled, "the patches are not worth it"};
  }
  image_.add_copy(copied_);
  image_.add_remove(patch.output);
  image_.add_insert(patch.source);
  image_.mutable_data()->append(Rest().substr(0, patch.source));
  Advance(patch.source);
  copied_ = 0;
  return {};
}

}  // namespace heapglot
