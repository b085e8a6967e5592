#include "core/canonical/sort_hashes.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/in_parts.h"

namespace heapglot {
namespace {

// Fewer are not worth a thread.
constexpr std::size_t kFewHashes = std::size_t{1} << 14;

// Some bits of hashes, after those skipped: one place for each value.
struct PlaceBits {
  int skipped = 0;
  int bits = 0;

  std::size_t Of(const Hash128& hash) const {
    return bits == 0
               ? 0
               : static_cast<std::size_t>(hash.low << skipped >> (64 - bits));
  }
  std::size_t places() const { return std::size_t{1} << bits; }
};

void CountPlaces(std::span<const Hash128> hashes, const PlaceBits& places,
                 std::size_t* counts) {
  for (const Hash128& hash : hashes) ++counts[places.Of(hash)];
}

// Moves hashes to where their places begin; `begins` becomes where they end.
void MoveToPlaces(std::span<const Hash128> hashes, const PlaceBits& places,
                  std::size_t* begins, Hash128* out) {
  for (const Hash128& hash : hashes) out[begins[places.Of(hash)]++] = hash;
}

// Moves hashes to their places. Returns where each place ends.
std::vector<std::size_t> Spread(std::span<const Hash128> hashes,
                                const PlaceBits& places, Hash128* out) {
  std::vector<std::size_t> ends(places.places());
  CountPlaces(hashes, places, ends.data());
  std::size_t begin = 0;
  for (std::size_t& end : ends) begin += std::exchange(end, begin);
  MoveToPlaces(hashes, places, ends.data(), out);
  return ends;
}

// The same, with one slice for each thread.
std::vector<std::size_t> SpreadSlices(std::span<const Hash128> hashes,
                                      const PlaceBits& places, unsigned threads,
                                      Hash128* out) {
  if (threads <= 1) return Spread(hashes, places, out);
  // For each slice by itself.
  std::vector<std::vector<std::size_t>> ends(
      threads, std::vector<std::size_t>(places.places()));
  const auto slice_of = [&](std::size_t part) {
    const std::size_t begin = hashes.size() * part / threads;
    const std::size_t end = hashes.size() * (part + 1) / threads;
    return hashes.subspan(begin, end - begin);
  };
  InParts(threads, threads, [&](std::size_t part) {
    CountPlaces(slice_of(part), places, ends[part].data());
  });
  std::size_t begin = 0;
  for (std::size_t place = 0; place < places.places(); ++place)
    for (auto& of_slice : ends) begin += std::exchange(of_slice[place], begin);
  InParts(threads, threads, [&](std::size_t part) {
    MoveToPlaces(slice_of(part), places, ends[part].data(), out);
  });
  return std::move(ends.back());
}

// Sorts a few different hashes, one of which may occur many times: that of
// strings of one length that nothing names.
void SortPlace(std::span<Hash128> hashes) {
  constexpr std::size_t kFew = 32;
  if (hashes.size() <= kFew) return std::sort(hashes.begin(), hashes.end());
  const Hash128 one = hashes[hashes.size() / 2];
  const auto same =
      std::partition(hashes.begin(), hashes.end(),
                     [&one](const Hash128& hash) { return hash < one; });
  const auto more = std::partition(
      same, hashes.end(), [&one](const Hash128& hash) { return hash == one; });
  std::sort(hashes.begin(), same);
  std::sort(more, hashes.end());
}

// Sorts the hashes of `from` into `out`.
void SortByPlaces(std::span<const Hash128> from, const PlaceBits& places,
                  Hash128* out) {
  std::size_t begin = 0;
  for (const std::size_t end : Spread(from, places, out)) {
    SortPlace({out + begin, end - begin});
    begin = end;
  }
}

}  // namespace

// Moves hashes by their first bits into places that fit into the cache, by the
// next ones into places of a few each, and sorts these.
void SortHashes(std::span<Hash128> hashes, std::span<Hash128> spare,
                unsigned threads,
                const std::function<void(std::span<const Hash128>)>& use) {
  constexpr std::size_t kInPlace = 8;
  constexpr int kFirstBits = 10;
  if (hashes.size() < kFewHashes) threads = 1;
  const int bits = static_cast<int>(std::bit_width(hashes.size() / kInPlace));
  const PlaceBits first = {.bits = std::min(bits, kFirstBits)};
  const PlaceBits next = {.skipped = first.bits, .bits = bits - first.bits};
  const std::vector<std::size_t> ends =
      SpreadSlices(hashes, first, threads, spare.data());
  const auto place = [&](std::span<Hash128> all, std::size_t part) {
    const std::size_t begin = part == 0 ? 0 : ends[part - 1];
    return all.subspan(begin, ends[part] - begin);
  };
  InParts(
      threads, ends.size(),
      [&](std::size_t part) {
        SortByPlaces(place(spare, part), next, place(hashes, part).data());
      },
      [&](std::size_t part) { use(place(hashes, part)); });
}

}  // namespace heapglot
