#include "core/bytes/zstd_delta.h"

#include <zstd.h>

#include <algorithm>
#include <bit>
#include <limits>
#include <memory>
#include <new>
#include <string>

namespace heapglot {
namespace {

// Level 1 takes half the time and 10 % more space; 9 takes four times the time,
// and 10 to 20 % less space.
constexpr int kDeltaLevel = 3;
// A block of a zstd frame: its header, and the most that it unpacks to.
constexpr std::uint64_t kBlockHead = 3;
constexpr std::uint64_t kMaxBlock = std::uint64_t{128} << 10;

struct FreeDeltaCompressor {
  void operator()(ZSTD_CCtx* context) const { ZSTD_freeCCtx(context); }
};

struct FreeDeltaDecompressor {
  void operator()(ZSTD_DCtx* context) const { ZSTD_freeDCtx(context); }
};

int WindowLog(std::uint64_t size) {
  constexpr int kLeast = 20;
  return std::max(kLeast, static_cast<int>(std::bit_width(size)));
}

}  // namespace

Result<ByteBuffer> MakeZstdDelta(std::string_view base,
                                 std::string_view bytes) {
  const std::uint64_t window = base.size() + bytes.size();
  if (window > kMaxDeltaWindow) {
    return Status(Code::kLimit, "the dumps are too large for a delta");
  }
  const std::unique_ptr<ZSTD_CCtx, FreeDeltaCompressor> zstd(ZSTD_createCCtx());
  if (zstd == nullptr) throw std::bad_alloc();
  // None of these can fail: the values are in their ranges.
  ZSTD_CCtx_setParameter(zstd.get(), ZSTD_c_compressionLevel, kDeltaLevel);
  ZSTD_CCtx_setParameter(zstd.get(), ZSTD_c_windowLog, WindowLog(window));
  ZSTD_CCtx_setParameter(zstd.get(), ZSTD_c_enableLongDistanceMatching, 1);
  ZSTD_CCtx_refPrefix(zstd.get(), base.data(), base.size());
  ByteBuffer delta;
  const std::size_t most = ZSTD_compressBound(bytes.size());
  const std::size_t size = ZSTD_compress2(zstd.get(), delta.Grow(most), most,
                                          bytes.data(), bytes.size());
  // There is enough room, so only memory can run out.
  if (ZSTD_isError(size) != 0) throw std::bad_alloc();
  delta.Shrink(size);
  return delta;
}

std::uint64_t MaxOfZstdDelta(std::uint64_t size) {
  const std::uint64_t blocks = size / kBlockHead;
  return blocks > std::numeric_limits<std::uint64_t>::max() / kMaxBlock
             ? std::numeric_limits<std::uint64_t>::max()
             : blocks * kMaxBlock;
}

Status ApplyZstdDelta(std::string_view base, std::string_view delta,
                      std::span<char> out) {
  const auto damaged = [](const std::string& how) {
    return Status(Code::kMalformed, "the delta is damaged: " + how);
  };
  // It must be one whole frame, with nothing after it, and need no dictionary.
  if (ZSTD_getFrameContentSize(delta.data(), delta.size()) != out.size() ||
      ZSTD_getDictID_fromFrame(delta.data(), delta.size()) != 0 ||
      ZSTD_findFrameCompressedSize(delta.data(), delta.size()) !=
          delta.size()) {
    return damaged("it is no zstd frame of " + std::to_string(out.size()) +
                   " bytes");
  }
  const std::unique_ptr<ZSTD_DCtx, FreeDeltaDecompressor> zstd(
      ZSTD_createDCtx());
  if (zstd == nullptr) throw std::bad_alloc();
  if (ZSTD_isError(ZSTD_DCtx_refPrefix(zstd.get(), base.data(), base.size())) !=
      0)
    throw std::bad_alloc();
  const std::size_t size = ZSTD_decompressDCtx(
      zstd.get(), out.data(), out.size(), delta.data(), delta.size());
  if (ZSTD_isError(size) != 0) return damaged(ZSTD_getErrorName(size));
  if (size != out.size()) return damaged("it ends too early");
  return {};
}

}  // namespace heapglot
