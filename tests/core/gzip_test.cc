// Unpacking and packing gzip, compared with zlib, which is the reference.
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "core/bytes/compressed_sink.h"
#include "core/bytes/decompress.h"
#include "tests/sanitized.h"

namespace heapglot {
namespace {

using namespace std::string_literals;
using namespace std::string_view_literals;

// ---------------------------------------------------------------- the reference

struct Packing {
  int level = 6;
  int window_bits = 15;
  int strategy = Z_DEFAULT_STRATEGY;
  bool has_all_header_fields = false;
};

std::string ZlibGzip(std::string_view content, const Packing& packing) {
  z_stream stream = {};
  EXPECT_EQ(deflateInit2(&stream, packing.level, Z_DEFLATED,
                         packing.window_bits + 16, 8, packing.strategy),
            Z_OK);
  std::string extra = "xy\x03\0abc"s, name = "name", comment = "comment";
  gz_header header = {};
  header.time = 12345;
  header.os = 3;
  header.extra = reinterpret_cast<Bytef*>(extra.data());
  header.extra_len = static_cast<uInt>(extra.size());
  header.name = reinterpret_cast<Bytef*>(name.data());
  header.comment = reinterpret_cast<Bytef*>(comment.data());
  header.hcrc = 1;
  if (packing.has_all_header_fields) deflateSetHeader(&stream, &header);
  std::string out(deflateBound(&stream, content.size()) + 100, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(content.data()));
  stream.avail_in = static_cast<uInt>(content.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

// The content of the one member that `bytes` is; nullopt if something is wrong
// with it.
std::optional<std::string> ZlibGunzip(std::string_view bytes) {
  z_stream stream = {};
  EXPECT_EQ(inflateInit2(&stream, 15 + 16), Z_OK);
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  std::string content;
  int answer = Z_OK;
  while (answer == Z_OK) {
    std::string block(4096, '\0');
    stream.next_out = reinterpret_cast<Bytef*>(block.data());
    stream.avail_out = static_cast<uInt>(block.size());
    answer = inflate(&stream, Z_NO_FLUSH);
    content.append(block, 0, block.size() - stream.avail_out);
  }
  const bool is_whole = answer == Z_STREAM_END && stream.avail_in == 0;
  inflateEnd(&stream);
  if (!is_whole) return {};
  return content;
}

// ------------------------------------------------------------------------- ours

struct Library {
  const char* name;
  std::unique_ptr<Inflater> (*make_inflater)();
  std::unique_ptr<Deflater> (*make_deflater)();
};

class GzipTest : public testing::TestWithParam<Library> {
 protected:
  GzipTest() { library = &GetParam(); }

  static const Library* library;  // the one that is tested

  static Result<std::string> Unpack(int fd, std::size_t step);
  static Result<std::string> Unpack(std::string_view bytes,
                                    std::size_t step = kIoBuffer);
  static Result<std::string> UnpackBytes(std::string_view bytes);
  static std::string Pack(std::string_view content, std::size_t step);
  static void ExpectAsZlib(const std::string& bad, const std::string& content,
                           std::size_t at);
};

const Library* GzipTest::library = nullptr;

Result<std::string> GzipTest::Unpack(int fd, std::size_t step) {
  RawInput in(fd);
  const auto decoder = MakeGzipDecoder(library->make_inflater());
  std::string content;
  // Not cleared: nearly all of it stays unused.
  const auto block = std::make_unique_for_overwrite<char[]>(step);
  while (true) {
    const Result<std::size_t> count = decoder->Read(in, block.get(), step);
    if (!count.ok()) return count.status();
    if (*count == 0) return content;
    content.append(block.get(), *count);
  }
}

// `step`: how many bytes are asked for at a time.
Result<std::string> GzipTest::Unpack(std::string_view bytes, std::size_t step) {
  const Fd file(memfd_create("gzip", MFD_CLOEXEC));
  EXPECT_TRUE(WriteAll(file.get(), bytes.data(), bytes.size()));
  EXPECT_EQ(lseek(file.get(), 0, SEEK_SET), 0);
  return Unpack(file.get(), step);
}

// The same, from an input that comes byte by byte.
Result<std::string> GzipTest::UnpackBytes(std::string_view bytes) {
  int ends[2];
  EXPECT_EQ(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends), 0);
  const Fd out(ends[0]);
  Fd in(ends[1]);
  std::thread sender([&in, bytes] {
    for (const char& byte : bytes) {
      if (send(in.get(), &byte, 1, MSG_NOSIGNAL) != 1) break;
    }
    in.Close();
  });
  Result<std::string> content = Unpack(out.get(), 1000);
  shutdown(out.get(), SHUT_RDWR);
  sender.join();
  return content;
}

std::string GzipTest::Pack(std::string_view content, std::size_t step) {
  std::string out;
  const auto sink =
      PackGzip(ByteSink::ToString(&out), library->make_deflater());
  for (std::size_t at = 0; at < content.size(); at += step)
    EXPECT_TRUE(sink->Write(content.substr(at, step)).ok());
  EXPECT_TRUE(sink->Close().ok());
  return out;
}

// Numbers as in a heap dump, random bytes, and repetitions that are far apart.
std::string Content(std::size_t size) {
  std::mt19937 random(1);
  std::string content;
  while (content.size() < size) {
    content += std::to_string(random() % 5000) + ",";
    if (random() % 1000 == 0) {
      for (int i = 0; i < 2000; ++i) content += static_cast<char>(random());
    }
    if (content.size() > 40000 && random() % 100 == 0)
      content.append(std::string(content, content.size() - 32768, 300));
  }
  content.resize(size);
  return content;
}

std::vector<Packing> Packings() {
  std::vector<Packing> all;
  for (int level = 0; level <= 9; ++level) all.push_back({.level = level});
  for (int bits = 9; bits <= 15; ++bits) all.push_back({.window_bits = bits});
  for (const int strategy : {Z_FILTERED, Z_HUFFMAN_ONLY, Z_RLE, Z_FIXED})
    all.push_back({.strategy = strategy});
  all.push_back({.has_all_header_fields = true});
  return all;
}

TEST_P(GzipTest, UnpacksWhatZlibPacks) {
  for (const std::size_t size : {0, 1, 2, 300, 70'000, 700'000}) {
    const std::string content = Content(size);
    for (const Packing& packing : Packings()) {
      const std::string packed = ZlibGzip(content, packing);
      for (const std::size_t step : {std::size_t{4099}, kIoBuffer}) {
        const Result<std::string> unpacked = Unpack(packed, step);
        ASSERT_TRUE(unpacked.ok()) << unpacked.status().message();
        ASSERT_TRUE(*unpacked == content)
            << size << " " << packing.level << " " << packing.strategy;
      }
    }
  }
}

TEST_P(GzipTest, UnpacksInAnyPieces) {
  const std::string content = Content(70'000);
  for (const Packing& packing : Packings()) {
    for (const std::size_t step : {1, 257, 32'768, 65'537}) {
      const Result<std::string> unpacked =
          Unpack(ZlibGzip(content, packing), step);
      ASSERT_TRUE(unpacked.ok() && *unpacked == content) << step;
    }
  }
  const std::string small = Content(5000);
  for (const Packing& packing : Packings()) {
    const std::string packed = ZlibGzip(small, packing);
    const Result<std::string> unpacked = UnpackBytes(packed + packed);
    ASSERT_TRUE(unpacked.ok() && *unpacked == small + small);
  }
}

TEST_P(GzipTest, EveryPrefixIsTruncated) {
  const std::string content = Content(400);
  for (Packing packing : Packings()) {
    packing.has_all_header_fields = true;
    const std::string packed = ZlibGzip(content, packing);
    for (std::size_t size = 1; size < packed.size(); ++size) {
      const Status status = Unpack(packed.substr(0, size)).status();
      ASSERT_EQ(status.code(), Code::kTruncated) << size << status.message();
      ASSERT_EQ(status.where().byte, size);
    }
  }
}

// Damaged bytes give an error, or what zlib makes of them. A code that is wrong
// but not used is an error only for zlib.
void GzipTest::ExpectAsZlib(const std::string& bad, const std::string& content,
                            std::size_t at) {
  const Result<std::string> ours = Unpack(bad);
  const std::optional<std::string> theirs = ZlibGunzip(bad);
  if (ours.ok()) {
    ASSERT_TRUE(*ours == theirs.value_or(content)) << at;
    return;
  }
  ASSERT_FALSE(theirs.has_value()) << at << ours.status().message();
  ASSERT_TRUE(ours.status().code() == Code::kMalformed ||
              ours.status().code() == Code::kTruncated)
      << at << ours.status().message();
  ASSERT_TRUE(ours.status().message().starts_with("gzip: "));
  ASSERT_LE(*ours.status().where().byte, bad.size());
}

TEST_P(GzipTest, EveryFlippedBitIsAnErrorOrDoesNotMatter) {
  const std::string content = Content(200);
  for (Packing packing : Packings()) {
    for (const bool has_fields : {false, true}) {
      packing.has_all_header_fields = has_fields;
      const std::string packed = ZlibGzip(content, packing);
      for (std::size_t bit = 0; bit < 8 * packed.size(); bit += kBitStep) {
        std::string bad = packed;
        bad[bit / 8] = static_cast<char>(bad[bit / 8] ^ (1 << bit % 8));
        ExpectAsZlib(bad, content, bit);
      }
    }
  }
}

TEST_P(GzipTest, DamageInMuchData) {
  std::mt19937 random(7);
  const std::string content = Content(300'000);
  for (const Packing& packing : Packings()) {
    const std::string packed = ZlibGzip(content, packing);
    for (int i = 0; i < 10; ++i) {
      std::string bad = packed;
      const std::size_t at = random() % bad.size();
      bad[at] = static_cast<char>(bad[at] ^ (1 + random() % 255));
      ExpectAsZlib(bad, content, at);
    }
  }
}

TEST_P(GzipTest, HeadersThatAreWrong) {
  const std::string good = ZlibGzip("data", {.has_all_header_fields = true});
  const auto with = [&good](std::size_t at, char byte) {
    std::string bad = good;
    bad[at] = byte;
    return Unpack(bad).status();
  };
  EXPECT_EQ(with(2, 7).message(), "gzip: unknown compression method");
  EXPECT_EQ(with(3, '\x20').message(), "gzip: unknown header flags");
  EXPECT_EQ(with(4, 1).message(), "gzip: wrong checksum of the header");
  EXPECT_EQ(with(4, 1).code(), Code::kMalformed);
  // The second one of two.
  const Status second = Unpack(good + "\x1f\x8b\x07" + good).status();
  EXPECT_EQ(second.code(), Code::kMalformed);
  EXPECT_EQ(second.where().byte, good.size());
  // An extra field as long as can be, and a name longer than the buffer.
  std::string big = "\x1f\x8b\x08\x0c\0\0\0\0\0\x03\xff\xff"s;
  big += std::string(0xFFFF, 'x') + std::string(2 * kIoBuffer, 'n') + '\0';
  big += ZlibGzip("data", {}).substr(10);
  const Result<std::string> unpacked = Unpack(big);
  ASSERT_TRUE(unpacked.ok()) << unpacked.status().message();
  EXPECT_EQ(*unpacked, "data");
}

TEST_P(GzipTest, PacksWhatZlibUnpacks) {
  for (const std::size_t size :
       {std::size_t{0}, std::size_t{1}, std::size_t{70'000}, kIoBuffer - 1,
        kIoBuffer, kIoBuffer + 1, 2 * kIoBuffer, std::size_t{1'500'000}}) {
    const std::string content = Content(size);
    const std::string packed = Pack(content, kIoBuffer);
    EXPECT_TRUE(ZlibGunzip(packed) == content) << size;
    // No flags, no time.
    EXPECT_EQ(packed.substr(0, 8), "\x1f\x8b\x08\0\0\0\0\0"sv);
    for (const std::size_t step : {std::size_t{997}, 3 * kIoBuffer})
      EXPECT_TRUE(Pack(content, step) == packed) << size << " " << step;
  }
}

const Library kLibraries[] = {
#ifdef HEAPGLOT_HAS_ISAL
    {"ISAL", MakeIsalInflater, MakeIsalDeflater},
#endif
    {"zlib", MakeZlibInflater, MakeZlibDeflater},
};

INSTANTIATE_TEST_SUITE_P(, GzipTest, testing::ValuesIn(kLibraries),
                         [](const testing::TestParamInfo<Library>& tested)
                             -> std::string { return tested.param.name; });

}  // namespace
}  // namespace heapglot
