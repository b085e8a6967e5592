#include "core/bytes/take_ulebs.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "readers/dartheap/dartheap_wire.h"
#include "tests/sanitized.h"

namespace heapglot {
namespace {

struct Taken {
  std::vector<std::uint64_t> numbers;
  std::vector<std::uint64_t> ends;
  bool operator==(const Taken&) const = default;
};

// All that can be taken of `bytes`, run after run.
Taken TakeAll(const TakeUlebsVariant& variant, std::string_view bytes) {
  // An exact copy, so that AddressSanitizer sees reads beyond it.
  const auto copy = std::make_unique<char[]>(bytes.size());
  std::copy(bytes.begin(), bytes.end(), copy.get());
  const auto run = std::make_unique<UlebRun>();
  Taken taken;
  std::size_t offset = 0;
  do {
    variant.take({copy.get() + offset, bytes.size() - offset}, run.get());
    for (std::size_t i = 0; i < run->count; ++i) {
      taken.numbers.push_back(run->numbers[i]);
      taken.ends.push_back(offset + run->ends[i]);
    }
    if (run->count > 0) offset += run->ends[run->count - 1];
  } while (run->count > 0);
  return taken;
}

// The same, number by number.
Taken Expected(std::string_view bytes) {
  Taken taken;
  dartheap::Cursor in(bytes);
  constexpr std::uint64_t kMost = 4;
  while (in.left() > 0) {
    const std::uint64_t begin = in.offset();
    const std::string_view rest = bytes.substr(begin, UlebRun::kMaxBytes);
    const auto last = std::find_if(
        rest.begin(), rest.end(), [](char byte) { return (byte & 0x80) == 0; });
    if (last == rest.end()) break;
    const auto size = static_cast<std::uint64_t>(last - rest.begin()) + 1;
    const bool is_odd = size > kMost || (size > 1 && *last == 0);
    taken.numbers.push_back(is_odd ? UlebRun::kOdd : in.Uleb());
    in.MoveTo(begin + size);
    taken.ends.push_back(in.offset());
  }
  return taken;
}

void ExpectAll(std::string_view bytes) {
  const Taken expected = Expected(bytes);
  for (const TakeUlebsVariant& variant : TakeUlebsVariants())
    ASSERT_EQ(TakeAll(variant, bytes), expected) << variant.name;
}

std::string Uleb(std::uint64_t number) {
  std::string bytes;
  for (; number >= 0x80; number >>= 7)
    bytes += static_cast<char>(number | 0x80);
  return bytes + static_cast<char>(number);
}

TEST(TakeUlebs, TakesEverySize) {
  std::mt19937_64 random(1);
  for (unsigned max_bits = 1; max_bits <= 28; ++max_bits) {
    std::string bytes;
    for (int i = 0; i < 2000; ++i)
      bytes += Uleb(random() >> (63 - random() % max_bits));
    ExpectAll(bytes);
  }
}

TEST(TakeUlebs, TakesEveryCount) {
  for (const std::uint64_t number : {0u, 0x7fu, 0x80u, 0x3fffu, 0xfff'ffffu}) {
    std::string bytes;
    for (int i = 0; i < 700; ++i) {
      ExpectAll(bytes);
      bytes += Uleb(number);
    }
  }
}

// Odd numbers are at each place of a block.
TEST(TakeUlebs, MarksWhatIsOdd) {
  const std::string odd[] = {Uleb(1 << 28),
                             Uleb(~std::uint64_t{0}),
                             std::string("\x81\0", 2),
                             std::string("\xff\xff\xff\0", 4),
                             "\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80",
                             std::string(63, '\xff') + "\1",
                             std::string(64, '\xff') + "\1",
                             "\x80"};
  for (const std::string& bytes : odd) {
    for (const std::uint64_t number : {5, 300, 70'000, 3'000'000}) {
      std::string before;
      for (int i = 0; i < 200; ++i) {
        ExpectAll(before + bytes);
        ExpectAll(before + bytes + before);
        before += Uleb(number);
      }
    }
  }
}

TEST(TakeUlebs, TakesAnyBytes) {
  std::mt19937_64 random(2);
  for (int i = 0; i < Rounds(20'000); ++i) {
    std::string bytes(random() % 1500, '\0');
    const std::uint64_t rare = 2 + random() % 20;
    for (char& byte : bytes)
      byte =
          static_cast<char>(random() % rare == 0 ? random() : random() % 128);
    ExpectAll(bytes);
  }
}

}  // namespace
}  // namespace heapglot
