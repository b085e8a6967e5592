// Measures the seconds of one piece of work, without a process around it:
// measure WHAT FILE.
//
//   check      heapglot's reader over all bytes, with no chunks wanted
//   read       the same, then all chunks, which are ignored
//   write      heapglot's writer of heapsnapshots in a conversion to nowhere,
//              wall time
//   encode     heapglot's writer of heapir, in the same way
//   memcpy     one copy of the file's bytes, source and destination warm
//   rapidjson  RapidJSON's SAX parser over the file in memory, nothing kept
//   simdjson   simdjson on demand, the same
//   peers      prints which peers there are besides those that always exist
//   unpack     heapglot, a block at a time
//   open       heapglot's way to get all of a compressed file: what exceeds
//              16 MiB goes to a temporary file
//   gunzip     zlib, a block at a time
//   unzstd     zstd, a block at a time
//
// Prints the seconds of the work alone, without reading the file: CPU time,
// unless stated otherwise.
#include <fcntl.h>
#include <rapidjson/reader.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#ifdef HEAPGLOT_HAS_SIMDJSON
#include <simdjson.h>
#endif

#include "core/bytes/decompress.h"
#include "heapglot/bytes.h"
#include "heapglot/format.h"

namespace {

[[noreturn]] void Fail(const std::string& message) {
  std::fprintf(stderr, "measure: %s\n", message.c_str());
  std::exit(1);
}

// A file in memory, all of whose pages have been touched.
class File {
 public:
  explicit File(const char* path) {
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    struct stat info = {};
    if (fd < 0 || fstat(fd, &info) != 0) Fail(std::string(path) + ": no file");
    size_ = static_cast<std::size_t>(info.st_size);
    void* const at =
        mmap(nullptr, size_, PROT_READ, MAP_PRIVATE | MAP_POPULATE, fd, 0);
    if (at == MAP_FAILED) Fail(std::string(path) + ": cannot be mapped");
    close(fd);
    data_ = static_cast<const char*>(at);
  }
  ~File() { munmap(const_cast<char*>(data_), size_); }
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  std::string_view bytes() const { return {data_, size_}; }

 private:
  const char* data_ = nullptr;
  std::size_t size_ = 0;
};

double CpuSeconds() {
  timespec now = {};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) +
         1e-9 * static_cast<double>(now.tv_nsec);
}

// The CPU seconds of `work`().
template <typename Work>
double Measure(Work&& work) {
  const double start = CpuSeconds();
  work();
  return CpuSeconds() - start;
}

// Keeps the compiler from omitting what is never read.
void Use(const void* data) { asm volatile("" : : "r"(data) : "memory"); }

double Memcpy(std::string_view bytes) {
  const auto copy = std::make_unique<char[]>(bytes.size());
  std::memset(copy.get(), 1, bytes.size());
  return Measure([&] {
    std::memcpy(copy.get(), bytes.data(), bytes.size());
    Use(copy.get());
  });
}

// A RapidJSON stream over a part of a file, which does not end in 0.
class Stream {
 public:
  using Ch = char;
  explicit Stream(std::string_view bytes)
      : begin_(bytes.data()), p_(begin_), end_(begin_ + bytes.size()) {}
  Ch Peek() const { return p_ == end_ ? '\0' : *p_; }
  Ch Take() { return p_ == end_ ? '\0' : *p_++; }
  std::size_t Tell() const { return static_cast<std::size_t>(p_ - begin_); }
  Ch* PutBegin() { return nullptr; }
  void Put(Ch) {}
  void Flush() {}
  std::size_t PutEnd(Ch*) { return 0; }

 private:
  const char* begin_;
  const char* p_;
  const char* end_;
};

double RapidJson(std::string_view bytes) {
  return Measure([&] {
    Stream stream(bytes);
    rapidjson::BaseReaderHandler<> handler;
    rapidjson::Reader reader;
    if (reader.Parse(stream, handler).IsError()) Fail("rapidjson: no JSON");
  });
}

constexpr std::size_t kBlock = std::size_t{256} << 10;

double Unpack(const char* path) {
  const int fd = open(path, O_RDONLY | O_CLOEXEC);
  std::vector<char> block(kBlock);
  const double seconds = Measure([&] {
    heapglot::RawInput in(fd);
    if (!in.FillTo(heapglot::kCompressionMagic).ok()) Fail("no input");
    const auto decoder =
        heapglot::MakeDecoder(heapglot::DetectCompression(in.available()));
    std::size_t size = 1;
    while (size != 0) {
      const auto count = decoder->Read(in, block.data(), block.size());
      if (!count.ok()) Fail(count.status().ToString());
      size = *count;
      Use(block.data());
    }
  });
  close(fd);
  return seconds;
}

double Open(const char* path) {
  return Measure([&] {
    const heapglot::Limits limits;
    const auto source = heapglot::ByteSource::Open(path, limits);
    if (!source.ok()) Fail(source.status().ToString());
    Use((*source)->bytes().data());
  });
}

double Gunzip(std::string_view bytes) {
  std::vector<unsigned char> block(kBlock);
  return Measure([&] {
    z_stream stream = {};
    if (inflateInit2(&stream, 15 + 16) != Z_OK) Fail("zlib");
    stream.next_in =
        reinterpret_cast<unsigned char*>(const_cast<char*>(bytes.data()));
    stream.avail_in = static_cast<unsigned>(bytes.size());
    int code = Z_OK;
    while (code == Z_OK) {
      stream.next_out = block.data();
      stream.avail_out = static_cast<unsigned>(block.size());
      code = inflate(&stream, Z_NO_FLUSH);
      Use(block.data());
    }
    inflateEnd(&stream);
    if (code != Z_STREAM_END) Fail("zlib: no gzip");
  });
}

double Unzstd(std::string_view bytes) {
  std::vector<char> block(kBlock);
  return Measure([&] {
    ZSTD_DCtx* const context = ZSTD_createDCtx();
    ZSTD_inBuffer in = {bytes.data(), bytes.size(), 0};
    while (in.pos < in.size) {
      ZSTD_outBuffer out = {block.data(), block.size(), 0};
      if (ZSTD_isError(ZSTD_decompressStream(context, &out, &in)))
        Fail("zstd: no zstd");
      Use(block.data());
    }
    ZSTD_freeDCtx(context);
  });
}

class NullSink : public heapglot::ChunkSink {
 public:
  heapglot::Status Accept(const heapglot::pb::Chunk& chunk) override {
    Use(&chunk);
    return {};
  }
};

double Read(std::string_view bytes, heapglot::ChunkSet wanted) {
  const heapglot::Result<const heapglot::ReaderInfo*> format =
      heapglot::Identify(bytes.substr(0, heapglot::kSniffBytes));
  if (!format.ok()) Fail(format.status().ToString());
  const auto source = heapglot::ByteSource::FromMemory(bytes);
  return Measure([&] {
    heapglot::Context context;
    NullSink sink;
    const heapglot::Status status =
        (*format)->make(*source, context)->Read(wanted, sink);
    if (!status.ok()) Fail(status.ToString());
  });
}

// Counts bytes and discards them.
class NullBytes : public heapglot::ByteSink {
 public:
  heapglot::Status Write(std::string_view bytes) override {
    Use(bytes.data());
    size_ += bytes.size();
    return {};
  }
  heapglot::Status Close() override { return {}; }
  std::uint64_t position() const override { return size_; }

 private:
  std::uint64_t size_ = 0;
};

// Times the work of a writer, without that of the reader in between.
class TimedWriter : public heapglot::Writer {
 private:
  // Wall time, because asking for CPU time takes a microsecond.
  template <typename Work>
  auto Timed(Work&& work) {
    const auto start = std::chrono::steady_clock::now();
    auto result = work();
    seconds_ +=
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
            .count();
    return result;
  }

 public:
  explicit TimedWriter(std::unique_ptr<heapglot::Writer> writer)
      : writer_(std::move(writer)) {}
  double seconds() const { return seconds_; }
  heapglot::ChunkSet Wanted(int pass) override {
    return Timed([&] { return writer_->Wanted(pass); });
  }
  heapglot::Status Accept(const heapglot::pb::Chunk& chunk) override {
    return Timed([&] { return writer_->Accept(chunk); });
  }
  heapglot::Status Finish() override {
    return Timed([&] { return writer_->Finish(); });
  }

 private:
  std::unique_ptr<heapglot::Writer> writer_;
  double seconds_ = 0;
};

// The seconds of a writer in a conversion on one thread.
double Write(std::string_view bytes, std::string_view format) {
  heapglot::Context context;
  const auto source = heapglot::ByteSource::FromMemory(bytes);
  const auto reader =
      (*heapglot::Identify(bytes.substr(0, heapglot::kSniffBytes)))
          ->make(*source, context);
  NullBytes out;
  TimedWriter writer(heapglot::FindWriter(format)->make(out, {}, context));
  const heapglot::Status status = heapglot::RunPasses(*reader, writer, 1);
  if (!status.ok()) Fail(status.ToString());
  return writer.seconds();
}

#ifdef HEAPGLOT_HAS_SIMDJSON
void Walk(simdjson::ondemand::value value) {
  switch (value.type()) {
    case simdjson::ondemand::json_type::array:
      for (auto element : value.get_array()) Walk(element.value());
      break;
    case simdjson::ondemand::json_type::object:
      for (auto field : value.get_object()) Walk(field.value().value());
      break;
    case simdjson::ondemand::json_type::string: {
      const std::string_view text = value.get_string();
      Use(text.data());
      break;
    }
    case simdjson::ondemand::json_type::number: {
      // All numbers of this file are integers.
      const std::uint64_t number = value.get_uint64();
      Use(&number);
      break;
    }
    default:
      break;
  }
}

double SimdJson(std::string_view bytes) {
  const simdjson::padded_string padded(bytes);
  return Measure([&] {
    simdjson::ondemand::parser parser;
    simdjson::ondemand::document document = parser.iterate(padded);
    for (auto field : document.get_object()) Walk(field.value().value());
  });
}
#endif

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) Fail("usage: measure WHAT FILE");
  const std::string_view what = argv[1];
  if (what == "peers") {
#ifdef HEAPGLOT_HAS_SIMDJSON
    std::puts("simdjson");
#endif
    return 0;
  }
  const File file(argv[2]);
  double seconds = 0;
  if (what == "check") {
    seconds = Read(file.bytes(), {});
  } else if (what == "read") {
    seconds = Read(file.bytes(), heapglot::ChunkSet::All());
  } else if (what == "write") {
    seconds = Write(file.bytes(), "heapsnapshot");
  } else if (what == "encode") {
    seconds = Write(file.bytes(), "heapir");
  } else if (what == "memcpy") {
    seconds = Memcpy(file.bytes());
  } else if (what == "rapidjson") {
    seconds = RapidJson(file.bytes());
#ifdef HEAPGLOT_HAS_SIMDJSON
  } else if (what == "simdjson") {
    seconds = SimdJson(file.bytes());
#endif
  } else if (what == "unpack") {
    seconds = Unpack(argv[2]);
  } else if (what == "open") {
    seconds = Open(argv[2]);
  } else if (what == "gunzip") {
    seconds = Gunzip(file.bytes());
  } else if (what == "unzstd") {
    seconds = Unzstd(file.bytes());
  } else {
    Fail("unknown: " + std::string(what));
  }
  std::printf("%.6f\n", seconds);
}
