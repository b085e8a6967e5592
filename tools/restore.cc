// heapglot restore: a dump of an archive, in its own format or any other.
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/bytes/sha256.h"
#include "heapglot/convert.h"
#include "tools/archive_dump.h"
#include "tools/archive_store.h"
#include "tools/flags.h"
#include "tools/loss_report.h"
#include "tools/manifest.h"
#include "tools/memory_limit.h"
#include "tools/signals.h"
#include "tools/text.h"
#include "tools/verbs.h"

namespace heapglot::tool {
namespace {

constexpr char kRestoreName[] = "restore";
constexpr char kRestoreExamples[] =
    R"(Examples:
  heapglot restore archive DIGEST -o leak.heapsnapshot
  heapglot restore archive DIGEST -o - --to ndjson

DIGEST is the beginning of a dump's digest, or of the SHA-256 of its file, as it
was compressed, or uncompressed. If the archive was made with normalize --exact,
a dump in its original format gets its original bytes, uncompressed. Otherwise,
the canonical dump is converted.)";

struct RestoreFlags {
  InputFlags in;
  std::string directory;
  std::string digest;
  std::string output;
  std::string to;
  bool force = false;
  bool verify = false;
};

// What to convert from the archive.
struct Found {
  std::string exact;   // SHA-256 of the original bytes; or empty, then
  std::string digest;  // the dump, and
  ManifestRow row;     // the file that it comes from, or one of them
};

// An output that does not appear unless its bytes have the expected SHA-256.
// Files in an archive may have been moved.
class ExactOutput final : public ByteSink {
 public:
  ExactOutput(ByteSink& output, std::string_view sha256)
      : output_(output), sha256_(sha256) {}

  Status Write(std::string_view bytes) override {
    digest_.Add(bytes);
    return output_.Write(bytes);
  }
  Status Prepare() override { return output_.Prepare(); }
  Status Close() override {
    if (given_.empty()) given_ = Hex(digest_.Finish());
    if (given_ != sha256_)
      return {Code::kMalformed, "it holds the bytes of " + given_};
    return output_.Close();
  }
  std::uint64_t position() const override { return output_.position(); }
  bool is_all_or_nothing() const override {
    return output_.is_all_or_nothing();
  }
  SpareWork* Share() override { return output_.Share(); }

 private:
  ByteSink& output_;
  const std::string sha256_;
  Sha256 digest_;
  std::string given_;  // the digest, once it is known
};

// The rows of the dump that is meant.
Result<std::vector<const ManifestRow*>> FindRows(const ManifestRows& rows,
                                                 const std::string& prefix) {
  std::vector<const ManifestRow*> found;
  std::set<std::string_view> digests;
  for (const auto& [source, row] : rows) {
    if (!row.ok()) continue;
    if (!row.HasDigest(prefix)) continue;
    found.push_back(&row);
    digests.insert(row.digest);
  }
  if (digests.size() == 1) return found;
  if (digests.empty())
    return Status(Code::kUsage, "no dump has a digest that begins with '" +
                                    EscapeForTerminal(prefix) + "'");
  return Status(Code::kUsage, std::to_string(digests.size()) +
                                  " dumps have a digest that begins with '" +
                                  EscapeForTerminal(prefix) + "'");
}

// Chooses the original bytes, if they are wanted and stored, or else the dump.
Result<Found> Choose(const RestoreFlags& flags, const WriterInfo& to) {
  const Result<ManifestRows> rows = ReadManifest(flags.directory);
  if (!rows.ok()) return rows.status();
  const Result<std::vector<const ManifestRow*>> found =
      FindRows(*rows, flags.digest);
  if (!found.ok()) return found.status();
  std::set<std::string> exact;
  for (const ManifestRow* const row : *found)
    if (row->format == to.name && !row->exact.empty()) exact.insert(row->exact);
  if (exact.size() > 1)
    return Status(
        Code::kUsage,
        "several files have this content: select one by its SHA-256 (" +
            *exact.begin() + " ...)");
  if (!exact.empty())
    return Found{.exact = *exact.begin(), .digest = {}, .row = {}};
  return Found{
      .exact = {}, .digest = found->front()->digest, .row = *found->front()};
}

class Restoration {
 public:
  Restoration(const RestoreFlags& flags, const Console& console)
      : flags_(flags), console_(console) {}

  // Returns the exit code.
  int Run();

 private:
  Status Restore();

  const RestoreFlags& flags_;
  const Console& console_;
  Context context_;
  const WriterInfo* to_ = nullptr;
  std::string blamed_;  // the file that a failure is about
};

int Restoration::Run() {
  blamed_ = flags_.directory;
  const Status status = Restore();
  if (status.code() == Code::kUsage)
    return console_.Usage(kRestoreName, status.message());
  if (!status.ok()) {
    return console_.Fail(
        status, status.code() == Code::kOutput ? flags_.output : blamed_);
  }
  console_.Warn(context_.findings(), blamed_);
  PrintLosses(context_.loss, *to_, console_);
  return 0;
}

Status Restoration::Restore() {
  to_ = flags_.to.empty() ? FindWriterForPath(flags_.output)
                          : FindWriter(flags_.to);
  if (to_ == nullptr) {
    return Status(Code::kUsage,
                  "'" + EscapeForTerminal(flags_.output) +
                      "' has no known extension: give the format with --to");
  }
  const Result<Found> found = Choose(flags_, *to_);
  if (!found.ok()) return found.status();
  const bool is_exact = !found->exact.empty();
  DumpFiles files = {.paths = {ExactPath(flags_.directory, found->exact)},
                     .digests = {{}}};
  if (!is_exact) {
    Result<DumpFiles> dump = FindDump(flags_.directory, found->digest);
    if (!dump.ok()) return dump.status();
    files = *std::move(dump);
  }
  Result<std::unique_ptr<ByteSink>> output = ByteSink::Create(
      flags_.output, {.compression = CompressionOf(flags_.output),
                      .replace = flags_.force,
                      .no_terminal = to_->binary,
                      .max_threads = flags_.in.limits.max_threads,
                      .before_rename = IgnoreTermination});
  if (!output.ok()) return output.status();
  LimitMemory(flags_.in.max_memory);
  Sandbox sandbox(!flags_.in.no_sandbox);
  sandbox.AnnounceOutput(flags_.output);
  const Result<std::unique_ptr<ByteSource>> dump =
      OpenDump(files, flags_.in.limits, sandbox, &blamed_);
  if (!dump.ok()) return dump.status();
  context_.limits = flags_.in.limits;
  context_.strict = flags_.in.strict;
  ConvertOptions options;
  options.from = &IrReader();
  options.to = to_;
  if (is_exact) {
    ExactOutput exact(**output, found->exact);
    return Convert(**dump, exact, options, context_);
  }
  // Files in an archive may have been moved, and deltas made from them since.
  if (flags_.verify)
    HEAPGLOT_RETURN_IF_ERROR(
        CheckDigest(**dump, found->digest, context_.limits));
  // Users who restore a dump want to know what differs from its file.
  AddLosses(found->row, &context_.loss);
  return Convert(**dump, **output, options, context_);
}

}  // namespace

Verb AddRestore(CLI::App& app) {
  const auto flags = std::make_shared<RestoreFlags>();
  CLI::App* command =
      app.add_subcommand(kRestoreName, "Takes a dump out of an archive.");
  command->add_option("DIR", flags->directory, "the archive")->required();
  command->add_option("DIGEST", flags->digest, "which dump; see below")
      ->required();
  command
      ->add_option("-o,--output", flags->output,
                   "output file, compressed if it ends in .gz or .zst;\n"
                   "- is standard output")
      ->required()
      ->option_text("OUTPUT");
  command
      ->add_option("--to", flags->to,
                   "output format; default: by OUTPUT's extension")
      ->check(OneOf(WriterNames()))
      ->option_text("FORMAT");
  command->add_flag("-f,--force", flags->force, "replace an existing OUTPUT");
  command->add_flag("--verify", flags->verify,
                    "check that the stored dump has this digest");
  AddReadingFlags(*command, flags->in);
  command->footer(kRestoreExamples);
  return {command, [flags](const Console& console) {
            const InputGuard guard(flags->directory);
            return Restoration(*flags, console).Run();
          }};
}

}  // namespace heapglot::tool
