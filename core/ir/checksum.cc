#include "core/ir/checksum.h"

#include <xxhash.h>

#include <iterator>
#include <new>

#include "core/ir/wire.h"
#include "core/text/vector_cpu.h"

namespace heapglot {
namespace {

std::span<const Xxh3Variant> FindXxh3Variants() {
  static constexpr Xxh3Variant kAll[] = {
      {"plain", internal::ChecksumPlain, internal::Hash128Plain,
       internal::AddXxh3Plain},
#ifdef HEAPGLOT_X86_KERNELS
      {"avx2", internal::ChecksumAvx2, internal::Hash128Avx2,
       internal::AddXxh3Avx2},
  };
  return {kAll, internal::HasAvx2() ? std::size(kAll) : 1};
#else
  };
  return kAll;
#endif
}

const Xxh3Variant& Xxh3() {
  static const Xxh3Variant& fastest = Xxh3Variants().back();
  return fastest;
}

}  // namespace

std::uint64_t internal::ChecksumPlain(std::string_view bytes) {
  return XXH3_64bits(bytes.data(), bytes.size());
}

Hash128 internal::Hash128Plain(std::string_view bytes) {
  const XXH128_hash_t hash = XXH3_128bits(bytes.data(), bytes.size());
  return {hash.low64, hash.high64};
}

// XXH3_128bits_update() does the same.
void internal::AddXxh3Plain(std::string_view bytes, XXH3_state_s* state) {
  XXH3_64bits_update(state, bytes.data(), bytes.size());
}

std::span<const Xxh3Variant> Xxh3Variants() {
  static const std::span<const Xxh3Variant> variants = FindXxh3Variants();
  return variants;
}

std::uint64_t Checksum(std::string_view bytes) {
  return Xxh3().checksum(bytes);
}

Hash128 Hash128Of(std::string_view bytes) { return Xxh3().hash(bytes); }

void FreeXxh3::operator()(XXH3_state_s* state) const { XXH3_freeState(state); }

Digest128::Digest128(std::uint64_t seed)
    : seed_(seed), state_(XXH3_createState()) {
  if (state_ == nullptr) throw std::bad_alloc();
  Reset();
}

void Digest128::Add(std::string_view bytes) { Xxh3().add(bytes, state_.get()); }

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

void Digest128::Reset() { XXH3_128bits_reset_withSeed(state_.get(), seed_); }

ChecksumOfNumbers::ChecksumOfNumbers() : state_(XXH3_createState()) {
  if (state_ == nullptr) throw std::bad_alloc();
  XXH3_64bits_reset(state_.get());
}

void ChecksumOfNumbers::Add(std::uint64_t number) {
  char bytes[sizeof number];
  wire::StoreFixed64(number, bytes);
  Xxh3().add({bytes, sizeof bytes}, state_.get());
}

std::uint64_t ChecksumOfNumbers::value() const {
  return XXH3_64bits_digest(state_.get());
}

ChecksumOfPieces::ChecksumOfPieces() : state_(XXH3_createState()) {
  if (state_ == nullptr) throw std::bad_alloc();
  Reset();
}

void ChecksumOfPieces::Add(std::string_view bytes) {
  Xxh3().add(bytes, state_.get());
}

std::uint64_t ChecksumOfPieces::value() const {
  return XXH3_64bits_digest(state_.get());
}

void ChecksumOfPieces::Reset() { XXH3_64bits_reset(state_.get()); }

}  // namespace heapglot
