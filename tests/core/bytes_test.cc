#include "heapglot/bytes.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "core/bytes/compressed_sink.h"
#include "core/bytes/decompress.h"
#include "core/bytes/file_sink.h"
#include "core/bytes/trail.h"

namespace heapglot {
namespace {

namespace fs = std::filesystem;
using namespace std::string_view_literals;

constexpr std::size_t kMiB = std::size_t{1} << 20;

// ------------------------------------------------------------------ helpers

// A directory of its own for each test.
class BytesTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = testing::TempDir() + "heapglot-test-XXXXXX";
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    directory_ = name;
    std::signal(SIGPIPE, SIG_IGN);
  }
  void TearDown() override {
    std::error_code ignored;
    fs::permissions(directory_, fs::perms::owner_all, ignored);
    fs::remove_all(directory_, ignored);
  }

  std::string Path(const std::string& name) const {
    return directory_ + "/" + name;
  }
  std::string WriteFile(const std::string& name, std::string_view content) {
    std::ofstream(Path(name), std::ios::binary) << content;
    return Path(name);
  }
  static std::string ReadFile(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  // What is in the directory, sorted, with spaces between.
  std::string Listing() const {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(directory_)) {
      names.push_back(entry.path().filename());
    }
    std::sort(names.begin(), names.end());
    std::string all;
    for (const std::string& name : names)
      all += (all.empty() ? "" : " ") + name;
    return all;
  }

  std::string directory_;
};

std::string RandomBytes(std::size_t size, unsigned seed = 1) {
  std::mt19937_64 random(seed);
  std::string bytes(size, '\0');
  for (char& byte : bytes) byte = static_cast<char>(random());
  return bytes;
}

// Text that compresses about as well as a heap dump.
std::string Compressible(std::size_t size) {
  std::string text;
  while (text.size() < size) {
    text += std::to_string(text.size() * 7919) + ",object\n";
  }
  text.resize(size);
  return text;
}

std::string Compressed(std::string_view bytes, Compression compression) {
  std::string out;
  const auto sink = Compress(ByteSink::ToString(&out), compression);
  EXPECT_TRUE(sink->Write(bytes).ok());
  EXPECT_TRUE(sink->Close().ok());
  return out;
}
std::string Gzip(std::string_view bytes) {
  return Compressed(bytes, Compression::kGzip);
}
std::string Zstd(std::string_view bytes) {
  return Compressed(bytes, Compression::kZstd);
}

// Opens and expects success.
std::unique_ptr<ByteSource> Source(const std::string& path,
                                   const Limits& limits = {}) {
  auto source = ByteSource::Open(path, limits);
  EXPECT_TRUE(source.ok()) << source.status().ToString(path);
  return source.ok() ? *std::move(source) : ByteSource::FromMemory("");
}

// Opens and expects failure.
Status OpenError(const std::string& path, const Limits& limits = {},
                 const ByteSource::OpenOptions& options = {}) {
  const auto source = ByteSource::Open(path, limits, options);
  EXPECT_FALSE(source.ok());
  return source.status();
}

std::unique_ptr<ByteSink> Sink(const std::string& path,
                               const ByteSink::FileOptions& options = {}) {
  auto sink = ByteSink::Create(path, options);
  EXPECT_TRUE(sink.ok()) << sink.status().ToString(path);
  return sink.ok() ? *std::move(sink) : nullptr;
}

Status CreateError(const std::string& path,
                   const ByteSink::FileOptions& options = {}) {
  const auto sink = ByteSink::Create(path, options);
  EXPECT_FALSE(sink.ok());
  return sink.status();
}

// Runs `body` in a child process; true if it returns true there.
bool InChild(const std::function<bool()>& body) {
  const pid_t child = fork();
  if (child == 0) _exit(body() ? 0 : 1);
  int state = 0;
  waitpid(child, &state, 0);
  return WIFEXITED(state) && WEXITSTATUS(state) == 0;
}

// A thread that writes `bytes` to the FIFO `path` in pieces of `step`.
std::thread FifoWriter(const std::string& path, std::string bytes,
                       std::size_t step) {
  return std::thread([path, bytes = std::move(bytes), step] {
    const int fd = open(path.c_str(), O_WRONLY | O_CLOEXEC);
    for (std::size_t at = 0; at < bytes.size();) {
      const ssize_t count =
          write(fd, bytes.data() + at, std::min(step, bytes.size() - at));
      if (count <= 0) break;
      at += static_cast<std::size_t>(count);
    }
    close(fd);
  });
}

// ------------------------------------------------------------------- sources

TEST_F(BytesTest, MapsAFile) {
  const std::string path = WriteFile("a", "content");
  const auto source = Source(path);
  EXPECT_EQ(source->bytes(), "content");
  EXPECT_EQ(source->compression(), Compression::kNone);
  EXPECT_EQ(source->name(), path);
}

TEST_F(BytesTest, EmptyFile) {
  EXPECT_EQ(Source(WriteFile("a", ""))->bytes(), "");
}

TEST_F(BytesTest, FileOfProcHasContentButNoSize) {
  EXPECT_FALSE(Source("/proc/self/status")->bytes().empty());
}

TEST_F(BytesTest, FromMemory) {
  const auto source = ByteSource::FromMemory("abc");
  EXPECT_EQ(source->bytes(), "abc");
  EXPECT_EQ(source->name(), "(memory)");
}

TEST_F(BytesTest, ReleasedBytesCanStillBeRead) {
  const std::string content = RandomBytes(9 * kMiB + 5);
  const auto check = [&content](const ByteSource& source) {
    for (int pass = 0; pass < 2; ++pass) {
      Trail trail(source);
      for (std::size_t at = 0; at <= content.size(); at += kMiB / 2) {
        trail.Advance(at);
      }
      source.Release(1, content.size() * 2);
      source.Release(content.size(), 0);
      ASSERT_EQ(source.bytes(), content);
    }
  };
  check(*Source(WriteFile("a", content)));
  check(*Source(WriteFile("a.gz", Gzip(content))));
  check(*ByteSource::FromMemory(content));
}

// Whether reading something of each page causes page faults.
bool HasFaults(std::string_view bytes) {
  const auto faults = [] {
    rusage usage = {};
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_minflt + usage.ru_majflt;
  };
  const long before = faults();
  for (std::size_t at = 0; at < bytes.size(); at += 1024)
    static_cast<void>(*static_cast<const volatile char*>(&bytes[at]));
  return faults() != before;
}

// Whether HasFaults(bytes) after `prepare`, each time. Once is not enough: a
// machine that is short of memory takes away pages that were just mapped, and
// the rest of the process has faults of its own.
bool AlwaysHasFaults(std::string_view bytes,
                     const std::function<void()>& prepare) {
  constexpr int kTries = 20;
  for (int i = 0; i < kTries; ++i) {
    prepare();
    if (!HasFaults(bytes)) return false;
  }
  return true;
}

// Whether pages are mapped on request. Linux does that from 5.14 on; qemu's
// user mode claims to, and does nothing.
bool CanFetch() {
#ifdef MADV_POPULATE_READ
  const auto size = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  void* const page = mmap(nullptr, size, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (page == MAP_FAILED) return false;
  unsigned char is_there = 0;
  const bool can = madvise(page, size, MADV_POPULATE_READ) == 0 &&
                   mincore(page, size, &is_there) == 0 && is_there % 2 == 1;
  munmap(page, size);
  return can;
#else
  return false;
#endif
}

TEST_F(BytesTest, FetchedBytesCauseNoPageFaults) {
  if (!CanFetch()) GTEST_SKIP() << "this kernel cannot";
  const std::string content = RandomBytes(8 * kMiB + 5);
  const auto source = Source(WriteFile("a", content));
  EXPECT_TRUE(AlwaysHasFaults(source->bytes(), [&] {
    source->Release(0, content.size());
  })) << "of what is not fetched";
  EXPECT_FALSE(AlwaysHasFaults(source->bytes(), [&] {
    source->Release(0, content.size());
    source->Fetch(content.size(), 0);
    source->Fetch(1, content.size() * 2);
  }));
  ByteSource::FromMemory(content)->Fetch(1, content.size() * 2);
}

TEST_F(BytesTest, WhoGoesSteadilyAheadFetchesWhatComes) {
  if (!CanFetch()) GTEST_SKIP() << "this kernel cannot";
  const std::string content = RandomBytes(8 * kMiB);
  const auto source = Source(WriteFile("a", content));
  constexpr std::size_t kStep = 1 << 18;
  constexpr std::size_t kPlace = 4 * kMiB;
  const std::string_view ahead = source->bytes().substr(kPlace, kStep);
  EXPECT_TRUE(HasFaults(source->bytes()));  // and those of AddressSanitizer
  std::optional<Trail> steady;
  EXPECT_FALSE(AlwaysHasFaults(ahead, [&] {
    source->Release(0, content.size());
    steady.emplace(*source, 0, kStep);
    for (std::size_t at = 0; at <= kPlace; at += kStep / 4) steady->Advance(at);
  }));
  steady.reset();
  EXPECT_TRUE(HasFaults(ahead)) << "what was fetched is given back";
  source->Release(0, content.size());
  Trail trail(*source, 0, kStep);
  trail.Advance(content.size() - kMiB);
  EXPECT_TRUE(HasFaults(source->bytes().substr(content.size() - kMiB)))
      << "a leap";
}

TEST_F(BytesTest, RefusesWhatCannotBeRead) {
  EXPECT_EQ(OpenError(Path("missing")).code(), Code::kInput);
  EXPECT_EQ(OpenError(Path("missing")).message(), "No such file or directory");
  EXPECT_EQ(OpenError(directory_).code(), Code::kInput);
  EXPECT_EQ(OpenError(directory_).message(), "Is a directory");
  EXPECT_EQ(OpenError("").code(), Code::kInput);
  const std::string secret = WriteFile("secret", "x");
  chmod(secret.c_str(), 0);
  if (geteuid() != 0) {
    EXPECT_EQ(OpenError(secret).message(), "Permission denied");
  }
}

TEST_F(BytesTest, StandardInput) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  ASSERT_EQ(write(ends[1], "from a pipe", 11), 11);
  close(ends[1]);
  EXPECT_TRUE(InChild([&ends] {
    dup2(ends[0], STDIN_FILENO);
    const auto source = ByteSource::Open("-", Limits());
    return source.ok() && (*source)->bytes() == "from a pipe" &&
           (*source)->name() == "-";
  }));
  close(ends[0]);
}

TEST_F(BytesTest, StandardInputThatWasReadFromBefore) {
  const std::string path = WriteFile("a", "line\nrest");
  EXPECT_TRUE(InChild([&path] {
    const int fd = open(path.c_str(), O_RDONLY);
    dup2(fd, STDIN_FILENO);
    const auto whole = ByteSource::Open("-", Limits());
    lseek(STDIN_FILENO, 5, SEEK_SET);
    const auto rest = ByteSource::Open("-", Limits());
    return whole.ok() && (*whole)->bytes() == "line\nrest" && rest.ok() &&
           (*rest)->bytes() == "rest";
  }));
}

TEST_F(BytesTest, ClosedStandardInput) {
  EXPECT_TRUE(InChild([] {
    close(STDIN_FILENO);
    const auto source = ByteSource::Open("-", Limits());
    return source.status().code() == Code::kInput &&
           source.status().message() == "Bad file descriptor";
  }));
}

TEST_F(BytesTest, FifoWithASlowWriter) {
  const std::string path = Path("fifo");
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  const std::string content = Compressible(3000);
  for (const std::string& sent : {content, Gzip(content), Zstd(content)}) {
    std::thread writer = FifoWriter(path, sent, 1);
    EXPECT_EQ(Source(path)->bytes(), content);
    writer.join();
  }
}

TEST_F(BytesTest, SpoolOfEverySize) {
  const std::string path = Path("fifo");
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  for (const std::size_t size :
       {std::size_t{0}, std::size_t{1}, 16 * kMiB - 1, 16 * kMiB, 16 * kMiB + 1,
        16 * kMiB + kIoBuffer, 18 * kMiB + 3}) {
    const std::string content = RandomBytes(size);
    std::thread writer = FifoWriter(path, content, 65536);
    EXPECT_TRUE(Source(path)->bytes() == content) << size;
    writer.join();
  }
}

TEST_F(BytesTest, SpoolLeavesNoFile) {
  const std::string path = WriteFile("a.gz", Gzip(Compressible(20 * kMiB)));
  fs::create_directory(Path("tmp"));
  EXPECT_TRUE(InChild([this, &path] {
    setenv("TMPDIR", Path("tmp").c_str(), 1);
    const auto source = ByteSource::Open(path, Limits());
    return source.ok() && (*source)->bytes() == Compressible(20 * kMiB) &&
           fs::is_empty(Path("tmp"));
  }));
  EXPECT_TRUE(InChild([&path] {
    setenv("TMPDIR", "/proc", 1);
    const Status status = ByteSource::Open(path, Limits()).status();
    return status.code() == Code::kOutput &&
           status.message().find("/proc") != std::string::npos;
  }));
  // No such directory.
  EXPECT_TRUE(InChild([this, &path] {
    setenv("TMPDIR", Path("nowhere").c_str(), 1);
    return ByteSource::Open(path, Limits()).ok();
  }));
}

TEST_F(BytesTest, FullDiskWhileSpooling) {
  const std::string path = WriteFile("a.gz", Gzip(Compressible(20 * kMiB)));
  EXPECT_TRUE(InChild([&path] {
    std::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit = {.rlim_cur = kMiB, .rlim_max = kMiB};
    setrlimit(RLIMIT_FSIZE, &limit);
    const Status status = ByteSource::Open(path, Limits()).status();
    return status.code() == Code::kOutput &&
           status.message().find("File too large") != std::string::npos;
  }));
}

// --------------------------------------------------------------- compression

TEST_F(BytesTest, CompressedRoundTrip) {
  for (const Compression compression :
       {Compression::kGzip, Compression::kZstd}) {
    for (const std::string& content :
         {std::string(), std::string("x"), Compressible(3 * kMiB),
          RandomBytes(kIoBuffer + 1), Compressible(17 * kMiB)}) {
      const auto source =
          Source(WriteFile("a", Compressed(content, compression)));
      EXPECT_TRUE(source->bytes() == content) << content.size();
      EXPECT_EQ(source->compression(), compression);
    }
  }
}

TEST_F(BytesTest, ConcatenatedMembersAndFrames) {
  const std::string one = Compressible(300'000);
  const std::string two = RandomBytes(300'000);
  EXPECT_EQ(Source(WriteFile("a", Gzip(one) + Gzip("") + Gzip(two)))->bytes(),
            one + two);
  EXPECT_EQ(Source(WriteFile("b", Zstd(one) + Zstd("") + Zstd(two)))->bytes(),
            one + two);
}

TEST_F(BytesTest, ZstdSkippableFrames) {
  const std::string skipped = std::string("\x5f\x2a\x4d\x18\x05\0\0\0hello"sv);
  const std::string first = std::string("\x50\x2a\x4d\x18\0\0\0\0"sv);
  const auto source =
      Source(WriteFile("a", first + skipped + Zstd("data") + skipped));
  EXPECT_EQ(source->bytes(), "data");
  EXPECT_EQ(source->compression(), Compression::kZstd);
}

TEST_F(BytesTest, ZerosAfterGzipAreTolerated) {
  for (const std::size_t zeros : {1, 2, 511, 600'000}) {
    const auto source =
        Source(WriteFile("a", Gzip("data") + std::string(zeros, '\0')));
    EXPECT_EQ(source->bytes(), "data");
  }
}

TEST_F(BytesTest, GarbageAfterCompressedData) {
  const std::string gzip = Gzip("data");
  Status status = OpenError(WriteFile("a", gzip + "garbage"));
  EXPECT_EQ(status.code(), Code::kMalformed);
  EXPECT_EQ(status.where().byte, gzip.size());
  status = OpenError(WriteFile("a", gzip + std::string("\0\0x"sv)));
  EXPECT_EQ(status.code(), Code::kMalformed);
  EXPECT_EQ(status.where().byte, gzip.size() + 2);
  const std::string zstd = Zstd("data");
  status = OpenError(WriteFile("a", zstd + "garbage"));
  EXPECT_EQ(status.code(), Code::kMalformed);
  EXPECT_EQ(status.where().byte, zstd.size());
}

TEST_F(BytesTest, CompressedTwiceIsUnpackedOnce) {
  const std::string inner = Zstd("data");
  EXPECT_EQ(Source(WriteFile("a", Gzip(inner)))->bytes(), inner);
}

TEST_F(BytesTest, EveryCutOfCompressedData) {
  const std::string content = Compressible(400);
  for (const std::string& whole :
       {Gzip(content) + Gzip(content), Zstd(content) + Zstd(content)}) {
    const std::size_t border = whole.size() / 2;  // between the two
    for (std::size_t size = kCompressionMagic; size < whole.size(); ++size) {
      const std::string path = WriteFile("a", whole.substr(0, size));
      if (size == border) {
        EXPECT_EQ(Source(path)->bytes(), content);
        continue;
      }
      const Status status = OpenError(path);
      ASSERT_EQ(status.code(), Code::kTruncated) << size << status.message();
      ASSERT_EQ(status.where().byte, size);
    }
  }
}

TEST_F(BytesTest, DamagedCompressedData) {
  const std::string content = Compressible(2 * kMiB);
  for (const Compression compression :
       {Compression::kGzip, Compression::kZstd}) {
    const std::string good = Compressed(content, compression);
    for (std::size_t at = 12; at < good.size(); at += good.size() / 23) {
      std::string bad = good;
      bad[at] = static_cast<char>(bad[at] ^ 0x55);
      const Status status = OpenError(WriteFile("a", bad));
      ASSERT_TRUE(status.code() == Code::kMalformed ||
                  status.code() == Code::kTruncated)
          << at << status.message();
      ASSERT_LE(status.where().byte, good.size());
      ASSERT_TRUE(status.message().starts_with(ToString(compression)));
    }
  }
}

TEST_F(BytesTest, ZstdDamageIsLocatedToTheBlock) {
  std::string data = Zstd(RandomBytes(4 * kMiB));  // stored blocks of 128 KiB
  constexpr std::size_t kBlock = 128 << 10;
  const std::size_t at = 2 * kMiB;
  // All block headers near there become the reserved type.
  for (std::size_t i = at - kBlock; i < at + kBlock; ++i) data[i] = '\xff';
  const Status status = OpenError(WriteFile("a", data));
  EXPECT_EQ(status.code(), Code::kMalformed);
  EXPECT_GE(*status.where().byte + 2 * kBlock, at);
  EXPECT_LE(*status.where().byte, at + 2 * kBlock);
}

// The header of `zstd --long=31`, with an empty block.
TEST_F(BytesTest, ZstdWindowsAreLimited) {
  const Status status =
      OpenError(WriteFile("a", "\x28\xb5\x2f\xfd\0\xa8\x01\0\0"sv));
  EXPECT_EQ(status.code(), Code::kLimit) << status.message();
}

TEST_F(BytesTest, BombsHitTheLimits) {
  const std::string zeros(64 * kMiB, '\0');
  Limits limits;
  limits.max_ratio = 100;
  for (const std::string& bomb : {Gzip(zeros), Zstd(zeros)}) {
    const std::string path = WriteFile("bomb", bomb);
    Status status = OpenError(path, limits);
    EXPECT_EQ(status.code(), Code::kLimit);
    EXPECT_LT(*status.where().byte, bomb.size());
    EXPECT_NE(status.message().find("100 times its size (--max-ratio)"),
              std::string::npos)
        << status.message();
    Limits small;
    small.max_ratio = ~std::uint64_t{0};
    small.max_decompressed = zeros.size() - 1;
    EXPECT_EQ(OpenError(path, small).code(), Code::kLimit);
    small.max_decompressed = zeros.size();
    EXPECT_EQ(Source(path, small)->bytes().size(), zeros.size());
  }
  EXPECT_EQ(OpenError(WriteFile("bomb", Zstd(zeros))).code(), Code::kLimit);
}

TEST_F(BytesTest, SmallInputsMayBeMostlyZeros) {
  Limits limits;
  limits.max_ratio = 10;
  const std::string zeros(kMiB, '\0');
  EXPECT_EQ(Source(WriteFile("a", Gzip(zeros)), limits)->bytes(), zeros);
  EXPECT_EQ(OpenError(WriteFile("a", Gzip(zeros + "x")), limits).code(),
            Code::kLimit);
}

TEST_F(BytesTest, EndlessDeviceHitsTheLimit) {
  Limits limits;
  limits.max_decompressed = 20 * kMiB;
  const Status status = OpenError("/dev/zero", limits);
  EXPECT_EQ(status.code(), Code::kLimit);
  EXPECT_GT(*status.where().byte, limits.max_decompressed);
}

TEST_F(BytesTest, HeadIsCheckedBeforeTheRestIsRead) {
  std::size_t seen = 0;
  const ByteSource::OpenOptions refuse = {
      .check_head = [&seen](std::string_view head) -> Status {
        seen = head.size();
        return {Code::kUnsupported, "no dump"};
      }};
  EXPECT_EQ(OpenError("/dev/zero", {}, refuse).message(), "no dump");
  EXPECT_EQ(seen, ByteSource::kHeadBytes);
  EXPECT_EQ(OpenError(WriteFile("a", "short"), {}, refuse).message(),
            "no dump");
  EXPECT_EQ(seen, 5u);
  EXPECT_EQ(OpenError(WriteFile("a", ""), {}, refuse).message(), "no dump");
  EXPECT_EQ(seen, 0u);
  // The cut is not reached.
  const std::string bomb = Gzip(Compressible(kMiB));
  EXPECT_EQ(
      OpenError(WriteFile("a", bomb.substr(0, bomb.size() - 9)), {}, refuse)
          .message(),
      "no dump");
}

TEST_F(BytesTest, HeadIsThatOfTheDecompressedInput) {
  const std::string content = Compressible(2000);
  std::string seen;
  const ByteSource::OpenOptions look = {
      .check_head = [&seen](std::string_view head) {
        seen += head;
        return Status();
      }};
  const std::string fifo = Path("fifo");
  ASSERT_EQ(mkfifo(fifo.c_str(), 0600), 0);
  for (const std::string& sent : {content, Gzip(content), Zstd(content)}) {
    for (const bool through_fifo : {false, true}) {
      seen.clear();
      std::thread writer;
      const std::string path = through_fifo ? fifo : WriteFile("a", sent);
      if (through_fifo) writer = FifoWriter(fifo, sent, 7);
      const auto source = ByteSource::Open(path, Limits(), look);
      ASSERT_TRUE(source.ok());
      EXPECT_EQ((*source)->bytes(), content);
      // Once, however the input comes.
      EXPECT_EQ(seen, content.substr(0, ByteSource::kHeadBytes));
      if (through_fifo) writer.join();
    }
  }
}

// Notes what Open() says about its progress, and stops it after `most` bytes.
class Watch {
 public:
  explicit Watch(std::uint64_t most = ~std::uint64_t{0}) {
    options_.proceed = [this, most](std::string_view phase, std::uint64_t done,
                                    std::uint64_t total) -> Status {
      EXPECT_GE(done, done_);
      EXPECT_TRUE(total == 0 || done <= total) << done;
      phases_ = phases_.empty() || phases_ == phase ? phase : "several";
      total_ = total;
      done_ = done;
      if (done > most) return {Code::kCancelled, "enough"};
      return {};
    };
  }
  const ByteSource::OpenOptions& options() const { return options_; }
  // "phase done/total" of the last call.
  std::string Last() const {
    return std::string(phases_) + ' ' + std::to_string(done_) + '/' +
           std::to_string(total_);
  }

 private:
  ByteSource::OpenOptions options_;
  std::string_view phases_;
  std::uint64_t done_ = 0;
  std::uint64_t total_ = 0;
};

TEST_F(BytesTest, SaysHowFarItIs) {
  const std::string content = Compressible(3 * kMiB);
  const std::string fifo = Path("fifo");
  ASSERT_EQ(mkfifo(fifo.c_str(), 0600), 0);
  for (const std::string& sent : {content, Gzip(content), Zstd(content)}) {
    const std::string size = std::to_string(sent.size());
    const bool is_mapped = sent == content;
    Watch of_file;
    ASSERT_TRUE(
        ByteSource::Open(WriteFile("a", sent), Limits(), of_file.options())
            .ok());
    EXPECT_EQ(of_file.Last(),
              is_mapped ? " 0/0" : "unpacking " + size + "/" + size);
    Watch of_pipe;
    std::thread writer = FifoWriter(fifo, sent, 7000);
    ASSERT_TRUE(ByteSource::Open(fifo, Limits(), of_pipe.options()).ok());
    writer.join();
    EXPECT_EQ(of_pipe.Last(),
              (is_mapped ? "reading " : "unpacking ") + size + "/0");
  }
}

TEST_F(BytesTest, StopsOnTheWay) {
  const std::string content = Compressible(8 * kMiB);
  const std::string packed = Zstd(content);
  Watch of_file(packed.size() / 2);
  const Status status =
      OpenError(WriteFile("a", packed), {}, of_file.options());
  EXPECT_EQ(status.code(), Code::kCancelled);
  EXPECT_EQ(status.message(), "enough");
  Watch of_device(20 * kMiB);
  EXPECT_EQ(OpenError("/dev/zero", {}, of_device.options()).code(),
            Code::kCancelled);
}

TEST(DetectCompressionTest, Table) {
  EXPECT_EQ(DetectCompression("\x1f\x8b\x08x"), Compression::kGzip);
  EXPECT_EQ(DetectCompression("\x1f\x8b\x07x"), Compression::kNone);
  EXPECT_EQ(DetectCompression("\x1f\x8b"), Compression::kGzip);
  EXPECT_EQ(DetectCompression("\x28\xb5\x2f\xfd"), Compression::kZstd);
  EXPECT_EQ(DetectCompression("\x28"), Compression::kZstd);
  EXPECT_EQ(DetectCompression("\x28\xb5\x2e"), Compression::kNone);
  EXPECT_EQ(DetectCompression("\x5a\x2a\x4d\x18"), Compression::kZstd);
  EXPECT_EQ(DetectCompression("\x60\x2a\x4d\x18"), Compression::kNone);
  EXPECT_EQ(DetectCompression(""), Compression::kNone);
  EXPECT_EQ(DetectCompression("dartheap"), Compression::kNone);
}

TEST(CompressionTest, Names) {
  EXPECT_EQ(ToString(Compression::kNone), "none");
  EXPECT_EQ(ToString(Compression::kGzip), "gzip");
  EXPECT_EQ(ToString(Compression::kZstd), "zstd");
}

// --------------------------------------------------------- compressing sinks

TEST(CompressTest, CutsIntoCallsDoNotShow) {
  const std::string content = Compressible(700'000) + RandomBytes(300'000);
  for (const Compression compression :
       {Compression::kGzip, Compression::kZstd}) {
    const std::string whole = Compressed(content, compression);
    std::string pieces;
    const auto sink = Compress(ByteSink::ToString(&pieces), compression);
    std::mt19937_64 random(5);
    for (std::string_view rest = content; !rest.empty();) {
      const std::string_view piece = rest.substr(0, random() % 5000);
      ASSERT_TRUE(sink->Write(piece).ok());
      rest.remove_prefix(piece.size());
    }
    EXPECT_EQ(sink->position(), content.size());
    ASSERT_TRUE(sink->Close().ok());
    EXPECT_TRUE(pieces == whole);
  }
}

TEST(CompressTest, GzipHeaderHasNoTimeAndNoName) {
  // The next byte says how hard the library tried, which may vary.
  EXPECT_EQ(Gzip("x").substr(0, 8), "\x1f\x8b\x08\0\0\0\0\0"sv);
}

// Takes `room` bytes, then fails.
class FullSink final : public ByteSink {
 public:
  explicit FullSink(std::size_t room) : room_(room) {}
  Status Write(std::string_view bytes) override {
    if (bytes.size() > room_) return {Code::kOutput, "full"};
    room_ -= bytes.size();
    return {};
  }
  Status Close() override {
    ADD_FAILURE() << "must not be closed";
    return {};
  }
  std::uint64_t position() const override { return 0; }

 private:
  std::size_t room_;
};

TEST(CompressTest, ErrorsOfTheInnerSinkStick) {
  const std::string content = RandomBytes(2 * kMiB);
  for (const Compression compression :
       {Compression::kGzip, Compression::kZstd}) {
    const auto sink =
        Compress(std::make_unique<FullSink>(kIoBuffer), compression);
    EXPECT_EQ(sink->Write(content).message(), "full");
    EXPECT_EQ(sink->Write("x").message(), "full");
    EXPECT_EQ(sink->Close().message(), "full");
  }
}

// --------------------------------------------------------------------- sinks

TEST(StringSinkTest, AppendsUntilClosed) {
  std::string out = "a";
  const auto sink = ByteSink::ToString(&out);
  EXPECT_TRUE(sink->Write("bc").ok());
  EXPECT_EQ(sink->position(), 2u);
  EXPECT_EQ(out, "abc");
  EXPECT_TRUE(sink->Close().ok());
  EXPECT_EQ(sink->Write("d").code(), Code::kInternal);
}

TEST_F(BytesTest, FileAppearsAtClose) {
  const std::string path = Path("out");
  const auto sink = Sink(path);
  EXPECT_TRUE(sink->Write("hello ").ok());
  EXPECT_TRUE(sink->Write("world").ok());
  EXPECT_EQ(sink->position(), 11u);
  EXPECT_FALSE(fs::exists(path));
  EXPECT_TRUE(sink->Close().ok());
  EXPECT_EQ(ReadFile(path), "hello world");
  EXPECT_EQ(Listing(), "out");
  EXPECT_TRUE(sink->Close().ok());
  EXPECT_EQ(sink->Write("x").code(), Code::kInternal);
}

TEST_F(BytesTest, TemporaryFileIsNamedAfterTheOutput) {
  const auto sink = Sink(Path("out"));
  EXPECT_TRUE(
      Listing().starts_with(".out.tmp-" + std::to_string(getpid()) + "-"))
      << Listing();
}

TEST_F(BytesTest, AbandonedFileLeavesNothing) {
  Sink(Path("out"))->Write("x").ok();
  EXPECT_EQ(Listing(), "");
  const std::string old = WriteFile("old", "old");
  ASSERT_TRUE(Sink(old, {.replace = true})->Write("x").ok());
  EXPECT_EQ(ReadFile(old), "old");
  EXPECT_EQ(Listing(), "old");
}

TEST_F(BytesTest, PiecesOfEverySize) {
  const std::string content = RandomBytes(5 * kMiB);
  std::mt19937_64 random(6);
  const auto sink = Sink(Path("out"));
  for (std::string_view rest = content; !rest.empty();) {
    const std::size_t most = random() % 3 == 0 ? 3 * kIoBuffer : 1000;
    const std::string_view piece = rest.substr(0, random() % most);
    ASSERT_TRUE(sink->Write(piece).ok());
    rest.remove_prefix(piece.size());
  }
  ASSERT_TRUE(sink->Close().ok());
  EXPECT_TRUE(ReadFile(Path("out")) == content);
}

// Room that was reserved but not needed is given back.
TEST_F(BytesTest, TakesNoMoreOfTheDiskThanItNeeds) {
  const std::string content = RandomBytes(17 * kMiB + 1);
  const auto sink = Sink(Path("out"));
  ASSERT_TRUE(sink->Write(content).ok());
  ASSERT_TRUE(sink->Close().ok());
  struct stat info;
  ASSERT_EQ(stat(Path("out").c_str(), &info), 0);
  constexpr long kBlock = 512;  // as stat(2) counts
  EXPECT_LE(info.st_blocks * kBlock, static_cast<long>(18 * kMiB));
  EXPECT_TRUE(ReadFile(Path("out")) == content);
}

TEST_F(BytesTest, CopiesWhatIsAFileAndWhatIsNot) {
  const std::string content = RandomBytes(17 * kMiB + 5);
  const std::string packed = WriteFile("packed", Zstd(content));
  const std::string plain = WriteFile("plain", content);
  const auto memory = ByteSource::FromMemory(content);
  EXPECT_GE(Source(plain)->file(), 0);
  EXPECT_EQ(memory->file(), -1);
  for (const Compression compression :
       {Compression::kNone, Compression::kZstd}) {
    for (const std::string& from : {plain, packed, std::string()}) {
      const auto source = from.empty() ? nullptr : Source(from);
      const auto sink =
          Sink(Path("out"), {.compression = compression, .replace = true});
      ASSERT_TRUE(sink->Write("before ").ok());
      ASSERT_TRUE(sink->Copy(source ? *source : *memory).ok());
      ASSERT_TRUE(sink->Write(" behind").ok());
      EXPECT_EQ(sink->position(), content.size() + 14);
      ASSERT_TRUE(sink->Close().ok());
      EXPECT_EQ(sink->Copy(*memory).code(), Code::kInternal);
      EXPECT_TRUE(Source(Path("out"))->bytes() ==
                  "before " + content + " behind")
          << from;
    }
  }
  std::string text;
  const auto sink = ByteSink::ToString(&text);
  EXPECT_TRUE(sink->Copy(*Source(plain)).ok());
  EXPECT_TRUE(text == content);
}

TEST_F(BytesTest, CopiesNothing) {
  const auto sink = Sink(Path("out"));
  EXPECT_TRUE(sink->Copy(*Source(WriteFile("empty", ""))).ok());
  EXPECT_TRUE(sink->Close().ok());
  EXPECT_EQ(ReadFile(Path("out")), "");
}

// If the kernel cannot copy, the sink writes, and that gives the reason.
TEST_F(BytesTest, CopiesWhereItCannot) {
  const auto source = Source(WriteFile("in", RandomBytes(3 * kMiB)));
  const auto full = Sink("/dev/full");
  const Status status = full->Copy(*source);
  EXPECT_EQ(status.message(), "cannot write: No space left on device");
  EXPECT_EQ(full->Copy(*source).code(), Code::kOutput);  // sticky
  const std::string path = Path("fifo");
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  std::string read;
  std::thread reader([&] { read = ReadFile(path); });
  const auto sink = Sink(path);
  EXPECT_TRUE(sink->Copy(*source).ok());
  EXPECT_TRUE(sink->Close().ok());
  reader.join();
  EXPECT_TRUE(read == source->bytes());
}

TEST_F(BytesTest, CompressedFile) {
  for (const Compression compression :
       {Compression::kGzip, Compression::kZstd}) {
    const std::string path = Path("out");
    const auto sink = Sink(path, {.compression = compression, .replace = true});
    ASSERT_TRUE(sink->Write("hello").ok());
    ASSERT_TRUE(sink->Close().ok());
    EXPECT_EQ(Source(path)->bytes(), "hello");
    EXPECT_EQ(Source(path)->compression(), compression);
  }
  EXPECT_EQ(Listing(), "out");
}

TEST_F(BytesTest, ReplacesOnlyWhenTold) {
  const std::string path = WriteFile("out", "old");
  const Status status = CreateError(path);
  EXPECT_EQ(status.code(), Code::kOutput);
  EXPECT_EQ(status.message(), "exists (use -f to replace it)");
  EXPECT_EQ(Listing(), "out");
  const auto sink = Sink(path, {.replace = true});
  ASSERT_TRUE(sink->Write("new").ok());
  EXPECT_EQ(ReadFile(path), "old");
  ASSERT_TRUE(sink->Close().ok());
  EXPECT_EQ(ReadFile(path), "new");
  EXPECT_EQ(Listing(), "out");
}

TEST_F(BytesTest, TellsRightBeforeItIsRenamed) {
  static std::string seen;
  static std::string path;
  seen.clear();
  path = Path("out");
  const auto sink = Sink(path, {.before_rename = [] {
                           seen += fs::exists(path) ? "late" : "soon";
                         }});
  ASSERT_TRUE(sink->Write("x").ok());
  EXPECT_EQ(seen, "");
  ASSERT_TRUE(sink->Close().ok());
  EXPECT_EQ(seen, "soon");
}

TEST_F(BytesTest, FileThatAppearsMeanwhileIsKept) {
  const std::string path = Path("out");
  auto sink = Sink(path);
  ASSERT_TRUE(sink->Write("ours").ok());
  WriteFile("out", "theirs");
  EXPECT_EQ(sink->Close().message(), "exists (use -f to replace it)");
  EXPECT_EQ(sink->Close().code(), Code::kOutput);
  sink.reset();
  EXPECT_EQ(ReadFile(path), "theirs");
  EXPECT_EQ(Listing(), "out");
}

mode_t ModeOf(const std::string& path) {
  struct stat info = {};
  EXPECT_EQ(stat(path.c_str(), &info), 0);
  return info.st_mode & 07777;
}

TEST_F(BytesTest, ModeIsKeptOrFollowsTheUmask) {
  for (const mode_t mode : {0600, 0640, 0666, 0444}) {
    const std::string path = WriteFile("out", "old");
    chmod(path.c_str(), mode);
    EXPECT_TRUE(Sink(path, {.replace = true})->Close().ok());
    EXPECT_EQ(ModeOf(path), mode);
    fs::remove(path);
  }
  const mode_t old_mask = umask(027);
  EXPECT_TRUE(Sink(Path("new"))->Close().ok());
  umask(old_mask);
  EXPECT_EQ(ModeOf(Path("new")), 0640u);
}

TEST_F(BytesTest, SymbolicLinksAreFollowed) {
  fs::create_directory(Path("d"));
  fs::create_symlink("d/link2", Path("link"));
  fs::create_symlink("target", Path("d/link2"));
  for (const std::string content : {"created", "replaced"}) {
    const auto sink = Sink(Path("link"), {.replace = true});
    ASSERT_TRUE(sink->Write(content).ok());
    ASSERT_TRUE(sink->Close().ok());
    EXPECT_TRUE(fs::is_symlink(Path("link")));
    EXPECT_TRUE(fs::is_symlink(Path("d/link2")));
    EXPECT_EQ(ReadFile(Path("d/target")), content);
  }
  fs::create_symlink("loop", Path("loop"));
  EXPECT_EQ(CreateError(Path("loop")).code(), Code::kOutput);
  fs::create_symlink("d", Path("to-directory"));
  EXPECT_EQ(CreateError(Path("to-directory"), {.replace = true}).code(),
            Code::kOutput);
  fs::create_symlink("nowhere/file", Path("to-nowhere"));
  EXPECT_EQ(CreateError(Path("to-nowhere")).code(), Code::kOutput);
}

TEST_F(BytesTest, RefusesAtOnceWhatCannotBeWritten) {
  EXPECT_EQ(CreateError(Path("missing/out")).code(), Code::kOutput);
  EXPECT_NE(CreateError(Path("missing/out")).message().find("No such file"),
            std::string::npos);
  EXPECT_EQ(CreateError(directory_, {.replace = true}).code(), Code::kOutput);
  EXPECT_EQ(CreateError("").code(), Code::kOutput);
  WriteFile("file", "");
  EXPECT_EQ(CreateError(Path("file/out")).code(), Code::kOutput);
  if (geteuid() != 0) {
    fs::permissions(directory_, fs::perms::owner_read | fs::perms::owner_exec);
    EXPECT_EQ(CreateError(Path("out")).code(), Code::kOutput);
  }
}

TEST_F(BytesTest, LongestName) {
  std::string name(251, 'n');
  name += "\u4e2dn";
  ASSERT_EQ(name.size(), 255u);
  const auto sink = Sink(Path(name));
  ASSERT_TRUE(sink->Close().ok());
  EXPECT_EQ(Listing(), name);
  EXPECT_EQ(CreateError(Path(name + "n")).code(), Code::kOutput);
}

TEST_F(BytesTest, OutputMayBeTheInput) {
  const std::string path = WriteFile("a", Compressible(kMiB));
  const auto source = Source(path);
  const auto sink = Sink(path, {.replace = true});
  ASSERT_TRUE(sink->Write("new").ok());
  ASSERT_TRUE(sink->Close().ok());
  EXPECT_EQ(source->bytes(), Compressible(kMiB));
  EXPECT_EQ(ReadFile(path), "new");
}

TEST_F(BytesTest, FullDevice) {
  const auto sink = Sink("/dev/full");
  EXPECT_TRUE(sink->Write("buffered").ok());
  const Status status = sink->Close();
  EXPECT_EQ(status.code(), Code::kOutput);
  EXPECT_EQ(status.message(), "cannot write: No space left on device");
  EXPECT_FALSE(IsBrokenPipe(status));
  const auto large = Sink("/dev/full");
  EXPECT_EQ(large->Write(std::string(kMiB, 'x')).code(), Code::kOutput);
  EXPECT_EQ(large->Write("x").code(), Code::kOutput);  // sticky
  EXPECT_EQ(large->Close().code(), Code::kOutput);
}

TEST_F(BytesTest, FileSizeLimit) {
  const std::string old = WriteFile("out", "old");
  EXPECT_TRUE(InChild([&old] {
    std::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit = {.rlim_cur = kMiB, .rlim_max = kMiB};
    setrlimit(RLIMIT_FSIZE, &limit);
    auto sink = ByteSink::Create(old, {.replace = true});
    if (!sink.ok()) return false;
    const Status status = (*sink)->Write(std::string(3 * kMiB, 'x'));
    return status.message() == "cannot write: File too large" &&
           (*sink)->Close().code() == Code::kOutput;
  }));
  // _exit() runs no destructors, so the child leaves its temporary file.
  EXPECT_EQ(ReadFile(old), "old");
}

TEST_F(BytesTest, BrokenPipe) {
  const std::string path = Path("fifo");
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  const int reader = open(path.c_str(), O_RDONLY | O_NONBLOCK);
  const auto sink = Sink(path);
  close(reader);
  EXPECT_TRUE(sink->Write("x").ok());
  const Status status = sink->Close();
  EXPECT_EQ(status.code(), Code::kOutput);
  EXPECT_TRUE(IsBrokenPipe(status));
  EXPECT_TRUE(fs::exists(path));
}

TEST_F(BytesTest, StandardOutputToASlowNonBlockingPipe) {
  int ends[2];
  ASSERT_EQ(pipe2(ends, O_NONBLOCK), 0);
  const std::string content = RandomBytes(kMiB);
  std::string received;
  std::thread reader([&ends, &received] {
    char buffer[1000];
    fcntl(ends[0], F_SETFL, 0);
    for (ssize_t count; (count = read(ends[0], buffer, sizeof buffer)) > 0;) {
      received.append(buffer, static_cast<std::size_t>(count));
    }
  });
  EXPECT_TRUE(InChild([&ends, &content] {
    dup2(ends[1], STDOUT_FILENO);
    auto sink = ByteSink::Create("-", {});
    return sink.ok() && (*sink)->Write(content).ok() && (*sink)->Close().ok();
  }));
  close(ends[1]);
  reader.join();
  close(ends[0]);
  EXPECT_TRUE(received == content);
}

TEST_F(BytesTest, ClosedStandardStreamsDoNotCatchOurFiles) {
  const std::string path = WriteFile("in.gz", Gzip("x"));
  EXPECT_TRUE(InChild([this, &path] {
    close(STDIN_FILENO);
    close(STDOUT_FILENO);
    const auto source = ByteSource::Open(path, Limits());
    const auto file = ByteSink::Create(Path("out"), {});
    return source.ok() && file.ok() &&
           ByteSink::Create("-", {}).status().code() == Code::kOutput &&
           fcntl(STDIN_FILENO, F_GETFD) < 0 &&
           fcntl(STDOUT_FILENO, F_GETFD) < 0;
  }));
}

TEST_F(BytesTest, TerminalIsRefusedForBinaryData) {
  const int terminal = posix_openpt(O_RDWR | O_NOCTTY);
  if (terminal < 0 || grantpt(terminal) != 0 || unlockpt(terminal) != 0) {
    GTEST_SKIP() << "no pseudo terminal here";
  }
  char name[64];
  ASSERT_EQ(ptsname_r(terminal, name, sizeof name), 0);
  const Status status = CreateError(name);
  EXPECT_EQ(status.code(), Code::kUsage);
  EXPECT_EQ(status.message(), "refusing to write binary data to a terminal");
  EXPECT_EQ(CreateError(
                name, {.compression = Compression::kGzip, .no_terminal = false})
                .code(),
            Code::kUsage);
  EXPECT_TRUE(Sink(name, {.no_terminal = false})->Close().ok());
  close(terminal);
}

TEST_F(BytesTest, SignalHandlerRemovesTemporaryFiles) {
  const std::string old = WriteFile("old", "old");
  EXPECT_TRUE(InChild([this, &old] {
    auto done = ByteSink::Create(Path("done"), {});
    if (!done.ok() || !(*done)->Close().ok()) return false;
    const auto one = ByteSink::Create(Path("one"), {});
    const auto two = ByteSink::Create(old, {.replace = true});
    UnlinkTemporaryFiles();
    return one.ok() && two.ok();
  }));
  EXPECT_EQ(Listing(), "done old");
}

TEST_F(BytesTest, ManySinksAtOnce) {
  std::vector<std::unique_ptr<ByteSink>> sinks;
  for (int i = 0; i < 100; ++i) sinks.push_back(Sink(Path(std::to_string(i))));
  for (const auto& sink : sinks) EXPECT_TRUE(sink->Close().ok());
  sinks.clear();
  EXPECT_EQ(std::distance(fs::directory_iterator(directory_), {}), 100);
}

}  // namespace
}  // namespace heapglot
