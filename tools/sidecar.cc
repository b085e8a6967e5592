#include "tools/sidecar.h"

#include <filesystem>
#include <system_error>
#include <utility>

#include "core/leftovers/leftovers.h"

namespace heapglot::tool {

Status Sidecar::Open(const Options& options, const OpenInput& input,
                     const WriterInfo& to, const Limits& limits) {
  if (options.path.empty()) return {};
  if (options.path == "-")
    return {Code::kUsage, "--sidecar must be a file, not -"};
  std::error_code ignored;
  if (!std::filesystem::exists(options.path, ignored)) return Create(options);
  Result<std::unique_ptr<ByteSource>> found =
      ByteSource::Open(options.path, limits);
  if (!found.ok()) return found.status();
  found_ = *std::move(found);
  const bool has_room =
      to.keeps_source_image || (options.embed && to.max_leftovers > 0);
  if (!options.force || has_room) return {};
  const LeftoversVerdict verdict =
      CheckSidecar(*found_, *input.source, *input.format, IrReader(), limits);
  if (verdict.state == LeftoversVerdict::kIntact) return {};
  found_ = nullptr;
  return Create(options);
}

Status Sidecar::Create(const Options& options) {
  Result<std::unique_ptr<ByteSink>> made =
      ByteSink::Create(options.path, {.compression = Compression::kNone,
                                      .replace = options.force,
                                      .no_terminal = true,
                                      .durable = options.durable});
  if (!made.ok()) return made.status();
  made_ = *std::move(made);
  return {};
}

}  // namespace heapglot::tool
