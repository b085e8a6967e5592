// Reads arbitrary bytes as files of an archive: as rows of a manifest, as a
// delta preceded by its base, and as a heapir file to bring into raw form.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "core/bytes/sha256.h"
#include "heapglot/bytes.h"
#include "heapglot/context.h"
#include "readers/heapir/heapir_names.h"
#include "readers/heapir/heapir_raw.h"
#include "tests/fuzz/require.h"
#include "tools/archive_store.h"
#include "tools/delta_file.h"
#include "tools/delta_plan.h"
#include "tools/manifest.h"

namespace heapglot::fuzz {
namespace {

constexpr std::uint64_t kMaxUnpacked = std::uint64_t{1} << 22;

void ReadRows(std::string_view text) {
  tool::ManifestRows rows;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    tool::ManifestRow row;
    if (tool::ParseManifestRow(text.substr(0, end), &row)) {
      Require(!row.ok() || tool::IsDigest(row.digest), "a digest that is none");
      Require(!row.source.empty(), "a row without a source");
      rows[row.source] = std::move(row);
    }
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  for (const tool::DeltaChain& chain : tool::PlanDeltas(rows)) {
    Require(chain.size() > 1, "a chain of one");
    for (const std::string& digest : chain)
      Require(tool::IsDigest(digest), "a chain of what is no dump");
  }
}

void ReadDelta(std::string_view base, std::string_view delta) {
  Limits limits;
  limits.max_decompressed = kMaxUnpacked;
  const Result<std::unique_ptr<ByteSource>> dump =
      tool::ApplyDelta(base, delta, limits, "(delta)");
  const Result<tool::DeltaHeader> header = tool::DeltaHeader::Decode(delta);
  if (!dump.ok()) return;
  Require(header.ok(), "a dump of no delta");
  Require((*dump)->bytes().size() == header->size, "a dump of another size");
  Require(header->Encode() == delta.substr(0, tool::DeltaHeader::kBytes),
          "a header that is written in another way");
}

// The delta between the two halves of the input restores the second half.
void MakeAndApply(std::string_view bytes) {
  const std::string_view base = bytes.substr(0, bytes.size() / 2);
  const std::string_view dump = bytes.substr(bytes.size() / 2);
  const tool::DeltaHeader header = {.digest = std::string(64, 'a'),
                                    .base = std::string(64, 'b'),
                                    .size = dump.size(),
                                    .sha256 = Sha256Of(dump)};
  const Result<std::string> delta = tool::MakeDelta(header, base, dump);
  Require(delta.ok(), "no delta");
  const Result<std::unique_ptr<ByteSource>> again =
      tool::ApplyDelta(base, *delta, Limits(), "(delta)");
  Require(again.ok() && (*again)->bytes() == dump, "a delta of another dump");
}

// The raw form of a raw form is the raw form itself, with the same names.
void ReadRawForm(std::string_view file) {
  std::size_t names = 0;
  const auto count = [&names](std::string_view) { return ++names != 0; };
  const bool has_names = heapir::ForEachName(file, count).ok();
  std::string raw;
  if (!heapir::WriteRawForm(file, kMaxUnpacked, *ByteSink::ToString(&raw)).ok())
    return;
  std::string again;
  Require(heapir::WriteRawForm(raw, kMaxUnpacked, *ByteSink::ToString(&again))
                  .ok() &&
              raw == again,
          "another raw form of a raw form");
  const std::size_t before = names;
  names = 0;
  if (!has_names) return;
  Require(heapir::ForEachName(raw, count).ok() && names == before,
          "other names in a raw form");
}

}  // namespace

void Fuzz(std::string_view bytes) {
  ReadRows(bytes);
  ReadRawForm(bytes);
  MakeAndApply(bytes);
  const std::size_t delta = bytes.find(tool::DeltaHeader::kMagic);
  if (delta != std::string_view::npos)
    ReadDelta(bytes.substr(0, delta), bytes.substr(delta));
}

}  // namespace heapglot::fuzz
