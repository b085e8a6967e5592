#include "tools/sidecar.h"

#include <filesystem>
#include <system_error>
#include <utility>

#include "core/leftovers/leftovers.h"
#include "tools/signals.h"

namespace heapglot::tool {

Status Sidecar::Open(const Options& options, const OpenInput& input,
                     const WriterInfo& to, const Limits& limits) {
  if (options.path.empty()) return {};
  std::error_code ignored;
  const std::filesystem::file_status status =
      std::filesystem::status(options.path, ignored);
  // Reading a device may take for ever.
  if (std::filesystem::is_character_file(status) ||
      std::filesystem::is_block_file(status)) {
    return {Code::kUsage,
            "--sidecar must be a file, not a device: '" + options.path + "'"};
  }
  if (!std::filesystem::exists(status)) return Create(options);
  Result<std::unique_ptr<ByteSource>> found =
      ByteSource::Open(options.path, limits);
  if (!found.ok()) return found.status();
  found_ = *std::move(found);
  const bool has_room =
      to.keeps_source_image || (options.embed && to.max_leftovers > 0);
  if (has_room) return {};
  const Result<LeftoversVerdict> verdict =
      CheckSidecar(*found_, *input.source, *input.format, IrReader(), limits);
  if (!verdict.ok()) return verdict.status();
  if (verdict->state == LeftoversVerdict::kIntact) return {};
  if (!options.force) {
    return {Code::kOutput,
            "exists, but does not belong to the input (use -f to replace it)"};
  }
  found_ = nullptr;
  return Create(options);
}

Status Sidecar::Create(const Options& options) {
  Result<std::unique_ptr<ByteSink>> made = ByteSink::Create(
      options.path, {.compression = CompressionOf(options.path),
                     .replace = options.force,
                     .no_terminal = true,
                     .durable = options.durable,
                     // The sidecar gets its name before the output does.
                     .before_rename = IgnoreTermination});
  if (!made.ok()) return made.status();
  made_ = *std::move(made);
  return {};
}

}  // namespace heapglot::tool
