#include "core/ir/checksum.h"

#include <xxhash.h>

#include <new>

#include "core/ir/wire.h"

namespace heapglot {

std::uint64_t Checksum(std::string_view bytes) {
  return XXH3_64bits(bytes.data(), bytes.size());
}

Hash128 Hash128Of(std::string_view bytes) {
  const XXH128_hash_t hash = XXH3_128bits(bytes.data(), bytes.size());
  return {hash.low64, hash.high64};
}

void FreeXxh3::operator()(XXH3_state_s* state) const { XXH3_freeState(state); }

Digest128::Digest128() : state_(XXH3_createState()) {
  if (state_ == nullptr) throw std::bad_alloc();
  Reset();
}

void Digest128::Add(std::string_view bytes) {
  XXH3_128bits_update(state_.get(), bytes.data(), bytes.size());
}

std::string Digest128::value() const {
  XXH128_canonical_t canonical;
  XXH128_canonicalFromHash(&canonical, XXH3_128bits_digest(state_.get()));
  return {reinterpret_cast<const char*>(canonical.digest),
          sizeof canonical.digest};
}

Hash128 Digest128::hash() const {
  const XXH128_hash_t hash = XXH3_128bits_digest(state_.get());
  return {hash.low64, hash.high64};
}

void Digest128::Reset() { XXH3_128bits_reset(state_.get()); }

ChecksumOfNumbers::ChecksumOfNumbers() : state_(XXH3_createState()) {
  if (state_ == nullptr) throw std::bad_alloc();
  XXH3_64bits_reset(state_.get());
}

void ChecksumOfNumbers::Add(std::uint64_t number) {
  char bytes[sizeof number];
  wire::StoreFixed64(number, bytes);
  XXH3_64bits_update(state_.get(), bytes, sizeof bytes);
}

std::uint64_t ChecksumOfNumbers::value() const {
  return XXH3_64bits_digest(state_.get());
}

ChecksumOfPieces::ChecksumOfPieces() : state_(XXH3_createState()) {
  if (state_ == nullptr) throw std::bad_alloc();
  Reset();
}

void ChecksumOfPieces::Add(std::string_view bytes) {
  XXH3_64bits_update(state_.get(), bytes.data(), bytes.size());
}

std::uint64_t ChecksumOfPieces::value() const {
  return XXH3_64bits_digest(state_.get());
}

void ChecksumOfPieces::Reset() { XXH3_64bits_reset(state_.get()); }

}  // namespace heapglot
