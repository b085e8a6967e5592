// Makes each allocation of a run fail in turn: the run ends as if it had hit a
// limit, or with the whole output.
//
// A program of its own, because it replaces the allocator.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "core/bytes/sha256.h"
#include "core/no_exceptions.h"
#include "heapglot/bytes.h"
#include "heapglot/convert.h"
#include "heapglot/format.h"
#include "heapglot/validate.h"
#include "tests/faults/failing_allocator.h"
#include "tests/sanitized.h"
#include "tools/archive_store.h"
#include "tools/delta_file.h"
#include "tools/manifest.h"
#include "tools/signals.h"

namespace heapglot {
namespace {

namespace fs = std::filesystem;

// In bytes: the largest input that is tried.
constexpr std::uintmax_t kLargest = 1280;

// The largest small file of a format, which has the most in it.
fs::path InputOf(const ReaderInfo& reader) {
  fs::path best;
  std::uintmax_t best_size = 0;
  const fs::path folder = fs::path(HEAPGLOT_CORPUS_DIR) / reader.name / "good";
  for (const fs::directory_entry& file : fs::directory_iterator(folder)) {
    const std::uintmax_t size = file.file_size();
    if (size > kLargest || size < best_size) continue;
    if (size == best_size && file.path() > best) continue;
    best = file.path();
    best_size = size;
  }
  return best;
}

struct Case {
  const ReaderInfo* from;
  const WriterInfo* to;
};

// Pairs that include each reader and each writer twice.
std::vector<Case> SomePairs() {
  std::vector<Case> cases;
  for (std::size_t i = 0; i < Readers().size(); ++i) {
    for (std::size_t step = 1; step <= 2; ++step) {
      const std::size_t to = (i + step) % Writers().size();
      cases.push_back({Readers()[i], Writers()[to]});
    }
  }
  return cases;
}

std::string CaseName(const ::testing::TestParamInfo<Case>& info) {
  return std::string(info.param.from->name) + "_" +
         std::string(info.param.to->name);
}

void PrintTo(const Case& test, std::ostream* out) {
  *out << test.from->name << " to " << test.to->name;
}

std::string ReadFile(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

// Shows what a file sink would: nothing before it is closed.
class ShownSink : public ByteSink {
 public:
  Status Write(std::string_view bytes) override {
    content_ += bytes;
    return {};
  }
  Status Close() override {
    is_shown_ = true;
    return {};
  }
  std::uint64_t position() const override { return content_.size(); }

  bool is_shown() const { return is_shown_; }
  const std::string& content() const { return content_; }

 private:
  std::string content_;
  bool is_shown_ = false;
};

Status ConvertTo(const Case& test, const std::string& input, ByteSink& sink) {
  Context context;
  const Result<std::unique_ptr<ByteSource>> source =
      ByteSource::Open(input, context.limits);
  if (!source.ok()) return source.status();
  return Convert(**source, sink, {.from = test.from, .to = test.to}, context);
}

// Exit codes of a run's process, in addition to those of heapglot.
constexpr int kNothingFailed = 64;
constexpr int kWrong = 65;

// Runs with allocation number `n` failing, in a process of its own, because
// `new` does not return then. `is_right` checks the output of a success.
template <typename Run, typename IsRight>
int RunWithFault(std::uint64_t n, Run run, IsRight is_right) {
  const pid_t child = fork();
  if (child != 0) {
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  }
  // Silences the many messages.
  if (close(STDERR_FILENO) == 0) tool::PrepareStandardDescriptors();
  tool::InstallSignalHandlers();
  tool::InstallMemoryHandler();
  FailAllocation(n);
  const Status status = run();
  const bool happened = StopFailing();
  if (!status.ok()) _exit(ExitCode(status.code()));
  if (!is_right()) _exit(kWrong);
  _exit(happened ? 0 : kNothingFailed);
}

// Calls RunWithFault() for the first, second, ... allocation until none fails.
// After the first thousand it tries fewer and fewer: they are much alike
// (SQLite makes ten thousand). Calls check() with the exit code after each.
template <typename Run, typename IsRight, typename Check>
void FailEach(Run run, IsRight is_right, Check check) {
  constexpr std::uint64_t kAll = Rounds(1000);
  for (std::uint64_t n = 1;; n += 1 + n / kAll) {
    const int code = RunWithFault(n, run, is_right);
    SCOPED_TRACE("allocation " + std::to_string(n));
    check(code);
    // The run cannot succeed without the first allocation.
    if (n > 1 && code == kNothingFailed) return;
    if (n > 1 && code == 0) continue;
    ASSERT_EQ(code, ExitCode(Code::kLimit));
  }
}

constexpr auto kNoCheck = [](int) {};

class Allocations : public ::testing::TestWithParam<Case> {};

TEST_P(Allocations, OfAConversion) {
  const std::string input = InputOf(*GetParam().from).string();
  SCOPED_TRACE(input);
  ShownSink expected;
  const Status plain = ConvertTo(GetParam(), input, expected);
  ASSERT_TRUE(plain.ok()) << plain.ToString();
  ShownSink sink;
  FailEach(
      [&] { return ConvertTo(GetParam(), input, sink); },
      [&] { return sink.is_shown() && sink.content() == expected.content(); },
      kNoCheck);
}

INSTANTIATE_TEST_SUITE_P(Pairs, Allocations, ::testing::ValuesIn(SomePairs()),
                         CaseName);

// A temporary directory that is removed with the object.
class Directory {
 public:
  Directory() {
    std::string name = (fs::temp_directory_path() / "heapglot-XXXXXX").string();
    path_ = mkdtemp(name.data());
  }
  ~Directory() { fs::remove_all(path_); }
  Directory(const Directory&) = delete;
  Directory& operator=(const Directory&) = delete;

  fs::path operator/(const std::string& name) const { return path_ / name; }
  std::ptrdiff_t CountFiles() const {
    return std::distance(fs::directory_iterator(path_),
                         fs::directory_iterator());
  }

 private:
  fs::path path_;
};

Compression CompressionOf(std::string_view path) {
  if (path.ends_with(".gz")) return Compression::kGzip;
  return path.ends_with(".zst") ? Compression::kZstd : Compression::kNone;
}

class AllocationsOfFiles : public ::testing::TestWithParam<const char*> {
 protected:
  std::string Path(std::string_view name) const {
    return (directory_ / (std::string(name) + GetParam())).string();
  }
  const Directory& directory() const { return directory_; }

 private:
  Directory directory_;
};

TEST_P(AllocationsOfFiles, LeaveTheOldOrTheWholeNewOne) {
  const Case test = {FindReader("netcf"), FindWriter("ndjson")};
  const std::string input = InputOf(*test.from).string();
  const std::string path = Path("o.ndjson");
  const auto run = [&]() -> Status {
    Result<std::unique_ptr<ByteSink>> sink = ByteSink::Create(
        path, {.compression = CompressionOf(path), .replace = true});
    return sink.ok() ? ConvertTo(test, input, **sink) : sink.status();
  };
  ASSERT_TRUE(run().ok());
  const std::string expected = ReadFile(path);
  std::ofstream(path) << "old";
  FailEach(
      run, [&] { return ReadFile(path) == expected; },
      [&](int code) {
        const bool done = code == 0 || code == kNothingFailed;
        EXPECT_EQ(ReadFile(path), done ? expected : "old");
        EXPECT_EQ(directory().CountFiles(), 1);
        std::ofstream(path) << "old";
      });
}

TEST_P(AllocationsOfFiles, UnpackTheWholeInputOrNone) {
  const std::string content = ReadFile(InputOf(*FindReader("netcf")));
  const std::string path = Path("i.gclog");
  {
    Result<std::unique_ptr<ByteSink>> sink =
        ByteSink::Create(path, {.compression = CompressionOf(path)});
    ASSERT_TRUE(sink.ok() && (*sink)->Write(content).ok() &&
                (*sink)->Close().ok());
  }
  Result<std::unique_ptr<ByteSource>> source = Status();
  FailEach(
      [&] {
        source = ByteSource::Open(path, Limits());
        return source.status();
      },
      [&] { return (*source)->bytes() == content; }, kNoCheck);
}

INSTANTIATE_TEST_SUITE_P(Compressions, AllocationsOfFiles,
                         ::testing::Values("", ".gz", ".zst"));

tool::ManifestRow RowOf(const std::string& source) {
  tool::ManifestRow row;
  tool::ParseManifestRow(R"({"source":")" + source + R"(","digest":")" +
                             std::string(64, 'a') +
                             R"(","top_types":[{"name":"A"}]})",
                         &row);
  return row;
}

Status MakeManifest(const std::string& archive) {
  Result<tool::ManifestPart> part =
      tool::ManifestPart::Create(archive, tool::Shard());
  if (!part.ok()) return part.status();
  for (const char* const source : {"b", "a"})
    HEAPGLOT_RETURN_IF_ERROR(part->Add(RowOf(source)));
  HEAPGLOT_RETURN_IF_ERROR(part->Finish());
  std::vector<std::string> missing;
  return tool::MergeManifest(archive, nullptr, &missing);
}

TEST(AllocationsOfArchives, MakeTheWholeManifestOrNone) {
  const Directory directory;
  const std::string archive = (directory / "a").string();
  const std::string path = tool::ManifestPath(archive);
  fs::create_directory(archive);
  ASSERT_TRUE(MakeManifest(archive).ok());
  const std::string expected = ReadFile(path);
  EXPECT_NE(expected, "");
  fs::remove(path);
  FailEach(
      [&] { return WithoutExceptions([&] { return MakeManifest(archive); }); },
      [&] { return ReadFile(path) == expected; },
      [&](int) {
        if (fs::exists(path)) {
          EXPECT_EQ(ReadFile(path), expected);
        }
        // What a failed run leaves behind does not disturb the next one.
        EXPECT_TRUE(MakeManifest(archive).ok());
        EXPECT_EQ(ReadFile(path), expected);
        EXPECT_FALSE(fs::exists(tool::PartsPath(archive)));
        fs::remove(path);
      });
}

TEST(AllocationsOfArchives, MakeAndApplyDeltas) {
  std::string base;
  for (int i = 0; i < 1000; ++i) base += std::to_string(i) + " of the base\n";
  const std::string dump = base.substr(5000) + "more" + base;
  const tool::DeltaHeader header = {.digest = std::string(64, 'a'),
                                    .base = std::string(64, 'b'),
                                    .size = dump.size(),
                                    .sha256 = Sha256Of(dump)};
  std::string made;
  const auto run = [&] {
    return WithoutExceptions([&]() -> Status {
      Result<std::string> delta = tool::MakeDelta(header, base, dump);
      if (!delta.ok()) return delta.status();
      const Result<std::unique_ptr<ByteSource>> again =
          tool::ApplyDelta(base, *delta, Limits(), "(delta)");
      if (!again.ok()) return again.status();
      made = (*again)->bytes();
      return {};
    });
  };
  FailEach(
      run, [&] { return made == dump; }, kNoCheck);
}

class AllocationsOfReaders
    : public ::testing::TestWithParam<const ReaderInfo*> {};

TEST_P(AllocationsOfReaders, Validate) {
  const std::string input = InputOf(*GetParam()).string();
  SCOPED_TRACE(input);
  const auto run = [&]() -> Status {
    Context context;
    const Result<std::unique_ptr<ByteSource>> source =
        ByteSource::Open(input, context.limits);
    if (!source.ok()) return source.status();
    return Validate(**source, *GetParam(), context).status();
  };
  ASSERT_TRUE(run().ok());
  FailEach(
      run, [] { return true; }, kNoCheck);
}

INSTANTIATE_TEST_SUITE_P(Formats, AllocationsOfReaders,
                         ::testing::ValuesIn(Readers().begin(),
                                             Readers().end()),
                         [](const auto& test) {
                           return std::string(test.param->name);
                         });

}  // namespace
}  // namespace heapglot
