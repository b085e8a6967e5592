#include "tools/delta_file.h"

#include <algorithm>
#include <utility>

#include "core/bytes/scratch.h"
#include "core/bytes/sha256.h"
#include "core/bytes/spool.h"
#include "core/bytes/zstd_delta.h"
#include "core/ir/wire.h"
#include "readers/heapir/heapir_raw.h"

namespace heapglot::tool {
namespace {

constexpr std::size_t kHash = 32;  // bytes of a SHA-256

std::string FromHex(std::string_view digits) {
  const auto value = [](char c) { return c <= '9' ? c - '0' : c - 'a' + 10; };
  std::string bytes;
  for (std::size_t i = 0; i + 1 < digits.size(); i += 2)
    bytes += static_cast<char>(value(digits[i]) << 4 | value(digits[i + 1]));
  return bytes;
}

// The content of a Scratch.
class ScratchSource : public ByteSource {
 public:
  ScratchSource(Scratch scratch, std::string name)
      : scratch_(std::move(scratch)), name_(std::move(name)) {}

  std::string_view bytes() const override {
    const std::span<char> all = scratch_.As<char>();
    return {all.data(), all.size()};
  }
  Compression compression() const override { return Compression::kNone; }
  const std::string& name() const override { return name_; }
  void Release(std::uint64_t begin, std::uint64_t end) const override {
    scratch_.Release(begin, end);
  }

 private:
  Scratch scratch_;
  std::string name_;
};

// Checks the size before anything is allocated for it.
Status CheckSize(const DeltaHeader& header, std::size_t delta,
                 const Limits& limits) {
  if (header.size > MaxOfZstdDelta(delta)) {
    return {Code::kMalformed,
            "the delta is damaged: " + std::to_string(header.size) +
                " bytes cannot come of " + std::to_string(delta)};
  }
  const std::uint64_t most = std::min(limits.max_decompressed, kMaxDeltaWindow);
  if (header.size <= most) return {};
  return {Code::kLimit, "the delta makes " + std::to_string(header.size) +
                            " bytes; at most " + std::to_string(most) +
                            " are allowed"};
}

}  // namespace

std::string DeltaHeader::Encode() const {
  std::string bytes(kMagic);
  bytes += FromHex(digest) + FromHex(base);
  char number[8];
  wire::StoreFixed64(size, number);
  bytes.append(number, sizeof number);
  return bytes + sha256;
}

Result<DeltaHeader> DeltaHeader::Decode(std::string_view bytes) {
  if (!IsDelta(bytes)) return Status(Code::kMalformed, "this is not a delta");
  if (bytes.size() < kBytes) {
    return Status(Code::kTruncated, "the delta ends in its header",
                  Where::Byte(bytes.size()));
  }
  bytes.remove_prefix(kMagic.size());
  const auto take = [&bytes](std::size_t count) {
    const std::string_view taken = bytes.substr(0, count);
    bytes.remove_prefix(count);
    return taken;
  };
  DeltaHeader header;
  header.digest = Hex(take(kHash));
  header.base = Hex(take(kHash));
  header.size = wire::LoadFixed64(take(8).data());
  header.sha256 = take(kHash);
  return header;
}

Result<std::string> MakeDelta(const DeltaHeader& header, std::string_view base,
                              std::string_view dump) {
  const Result<ByteBuffer> delta = MakeZstdDelta(base, dump);
  if (!delta.ok()) return delta.status();
  std::string file = header.Encode();
  file += delta->view();
  return file;
}

Result<std::unique_ptr<ByteSource>> ApplyDelta(std::string_view base,
                                               std::string_view delta,
                                               const Limits& limits,
                                               std::string name) {
  const Result<DeltaHeader> header = DeltaHeader::Decode(delta);
  if (!header.ok()) return header.status();
  delta.remove_prefix(DeltaHeader::kBytes);
  HEAPGLOT_RETURN_IF_ERROR(CheckSize(*header, delta.size(), limits));
  Result<Scratch> scratch = Scratch::Create(header->size);
  if (!scratch.ok()) return scratch.status();
  const std::span<char> out = scratch->As<char>();
  HEAPGLOT_RETURN_IF_ERROR(ApplyZstdDelta(base, delta, out));
  if (Sha256Of({out.data(), out.size()}) != header->sha256) {
    return Status(Code::kMalformed,
                  "the delta does not match: it, or the dump that it is based "
                  "on, is damaged");
  }
  return std::unique_ptr<ByteSource>(
      std::make_unique<ScratchSource>(*std::move(scratch), std::move(name)));
}

Result<std::unique_ptr<ByteSource>> RawFormOf(std::string_view heapir,
                                              const Limits& limits,
                                              std::string name) {
  SpoolSink sink;
  HEAPGLOT_RETURN_IF_ERROR(
      heapir::WriteRawForm(heapir, limits.max_decompressed, sink));
  return sink.TakeSource(std::move(name));
}

}  // namespace heapglot::tool
