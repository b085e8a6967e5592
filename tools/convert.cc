// heapglot convert: one dump to another format.
#include "heapglot/convert.h"

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/bytes/file_sink.h"
#include "tools/flags.h"
#include "tools/loss_report.h"
#include "tools/progress.h"
#include "tools/same_file.h"
#include "tools/sidecar.h"
#include "tools/signals.h"
#include "tools/text.h"
#include "tools/verbs.h"

namespace heapglot::tool {
namespace {

constexpr char kConvertName[] = "convert";
constexpr char kConvertExamples[] =
    R"(Examples:
  heapglot convert app.dartheap -o app.heapsnapshot
  heapglot convert app.dartheap.gz -o app.heapsnapshot --report losses.json
  heapglot convert app.dartheap -o live.heapsnapshot --unreachable drop
  heapglot convert old.heapsnapshot -o old.heapir.zst
  heapglot convert app.heapsnapshot -o app.gclog --sidecar app.heapir
  ssh phone cat app.dartheap | heapglot convert - -o - --to heapsnapshot | less

OUTPUT appears whole or not at all.)";

struct ConvertFlags {
  InputFlags in;
  std::string output;
  std::string to;
  std::string unreachable;  // empty: as suits the formats
  std::string layout = std::string(kSourceLayout);
  std::string max_loss = "dropped";
  std::string report;
  std::string embed = "auto";
  std::string sidecar;
  bool ignore_leftovers = false;
  bool force = false;
  bool durable = false;
  bool lossless = false;
};

// Where the result goes, and in which form.
struct Target {
  const WriterInfo* writer = nullptr;
  Compression compression = Compression::kNone;
};

// The extension that names the format: ".x" of "dir/a.x.gz"; may be empty.
std::string Extension(std::filesystem::path path) {
  if (CompressionOf(path.native()) != Compression::kNone) {
    path.replace_extension();
  }
  return path.extension();
}

// The message for an `output` that does not tell the format.
std::string UnknownExtension(const std::string& output) {
  if (output == "-") {
    return "standard output has no extension: give its format with --to";
  }
  const std::string extension = Extension(output);
  for (const ReaderInfo* reader : Readers()) {
    for (const std::string_view known : Words(reader->extensions)) {
      if (extension == "." + std::string(known)) {
        std::string message = "'";
        message += extension;
        if (FindWriter(reader->name) == nullptr) {
          message += "' is ";
          message += reader->name;
          return message += ", which can be read but not written";
        }
        message +=
            "' is used by other formats, too: give the format with --to ";
        return message += reader->name;
      }
    }
  }
  std::vector<std::string> known;
  for (const WriterInfo* writer : Writers()) {
    for (const std::string_view word : Words(writer->extensions)) {
      known.push_back("." + std::string(word));
    }
  }
  const std::vector<std::string_view> views(known.begin(), known.end());
  std::string message = extension.empty()
                            ? "OUTPUT '" + output + "' has no extension"
                            : "the extension '" + extension + "' is unknown";
  const std::string_view guess = Closest(extension, views);
  if (!guess.empty()) {
    message += ", did you mean '" + std::string(guess) + "'?";
  }
  return message + " (known: " + Enumerate(views, "and") +
         ", each also with .gz or .zst; or give the format with --to)";
}

Result<Target> ChooseTarget(const ConvertFlags& flags) {
  Target target;
  target.compression = CompressionOf(flags.output);
  target.writer =
      flags.to.empty() ? FindWriterForPath(flags.output) : FindWriter(flags.to);
  if (target.writer == nullptr) {
    return Status(Code::kUsage, UnknownExtension(flags.output));
  }
  return target;
}

Status CheckSidecarPath(const ConvertFlags& flags) {
  if (flags.sidecar.empty()) return {};
  if (OutputDescriptor(flags.sidecar) >= 0)
    return {Code::kUsage, "--sidecar must be a file, not " + flags.sidecar};
  const std::pair<const char*, const std::string*> others[] = {
      {"OUTPUT", &flags.output},
      {"INPUT", &flags.in.input},
      {"--report", &flags.report}};
  for (const auto& [name, path] : others) {
    if (path->empty() || !SameFile(flags.sidecar, *path)) continue;
    return Status(Code::kUsage, "--sidecar and " + std::string(name) +
                                    " are the same: '" + flags.sidecar + "'");
  }
  return {};
}

Status CheckReportPath(const ConvertFlags& flags) {
  if (flags.report.empty()) return {};
  if (SameOutput(flags.report, flags.output)) {
    return Status(Code::kUsage,
                  "--report and OUTPUT are the same: '" + flags.report + "'");
  }
  if (flags.report != "-" && SameFile(flags.report, flags.in.input)) {
    return Status(Code::kUsage,
                  "--report and INPUT are the same: '" + flags.report + "'");
  }
  return {};
}

std::vector<std::string_view> LossClassNames() {
  std::vector<std::string_view> names;
  for (std::size_t i = 0; i < kLossClasses; ++i) {
    names.push_back(ToString(static_cast<LossClass>(i)));
  }
  return names;
}

// ", or object (ndjson: ...)" for the layouts that writers have.
std::string LayoutNames() {
  std::string names;
  for (const WriterInfo* writer : Writers()) {
    for (const NamedLayout& layout : writer->layouts) {
      names += ",\n" + std::string(layout.name) + " (" +
               std::string(writer->name) + ": " + std::string(layout.title) +
               ")";
    }
  }
  return names;
}

// An output that does not appear if its report cannot be written: that is
// written when the output is complete.
class ReportedOutput final : public ByteSink {
 public:
  ReportedOutput(ByteSink& output, std::function<Status()> write_report)
      : output_(output), write_report_(std::move(write_report)) {}

  Status Write(std::string_view bytes) override {
    return Noted(output_.Write(bytes));
  }
  Status Copy(const ByteSource& source) override {
    return Noted(output_.Copy(source));
  }
  Status Close() override {
    if (Status status = write_report_(); !status.ok()) return status;
    return Noted(output_.Close());
  }
  Status Prepare() override { return Noted(output_.Prepare()); }
  std::uint64_t position() const override { return output_.position(); }
  bool is_all_or_nothing() const override {
    return output_.is_all_or_nothing();
  }
  SpareWork* Share() override { return output_.Share(); }
  // Whether the output could not be written; failures of the report do not
  // count.
  bool has_failed() const { return has_failed_; }

 private:
  Status Noted(Status status) {
    has_failed_ |= !status.ok();
    return status;
  }

  bool has_failed_ = false;
  ByteSink& output_;
  const std::function<Status()> write_report_;
};

// One run of the verb.
class Conversion {
 public:
  Conversion(const ConvertFlags& flags, const Console& console)
      : flags_(flags), console_(console), sandbox_(!flags.in.no_sandbox) {}

  // Returns the exit code.
  int Run();

 private:
  Status OpenOutputs();
  Status ConvertInput();
  // Writes the report, if it is wanted and not yet written.
  Status WriteReport();
  // Makes the report visible.
  Status CloseReport();
  void SayWhatWasDone() const;
  int Fail(const Status& status) const;

  const ConvertFlags& flags_;
  const Console& console_;
  Sandbox sandbox_;
  Target target_;
  OpenInput input_;
  Context context_;
  std::unique_ptr<ByteSink> output_;
  std::unique_ptr<ByteSink> report_;
  bool report_is_written_ = false;
  Sidecar sidecar_;
  bool report_failed_ = false;   // the failure is about the report
  bool sidecar_failed_ = false;  // about the sidecar
};

int Conversion::Run() {
  for (const auto check : {CheckReportPath, CheckSidecarPath})
    if (Status status = check(flags_); !status.ok()) return Fail(status);
  Result<Target> target = ChooseTarget(flags_);
  if (!target.ok()) return Fail(target.status());
  target_ = *target;
  if (Status status = OpenOutputs(); !status.ok()) return Fail(status);
  const Status status = ConvertInput();
  // A refused conversion is explained; any other failure gets one line.
  const bool explain = status.ok() || status.code() == Code::kLossy;
  if (explain || console_.verbose()) {
    console_.Warn(context_.findings(), flags_.in.input);
  }
  if (explain) PrintLosses(context_.loss, *target_.writer, console_);
  if (status.ok()) SayWhatWasDone();
  const Status report_status = explain ? CloseReport() : Status();
  // A refusal is reported as such, even if its report cannot be written.
  if (!status.ok()) return Fail(status);
  return report_status.ok() ? 0 : Fail(report_status);
}

// Before anything is read: a mistake here should not cost the time of a
// conversion.
Status Conversion::OpenOutputs() {
  Result<std::unique_ptr<ByteSink>> output = ByteSink::Create(
      flags_.output, {.compression = target_.compression,
                      .replace = flags_.force,
                      .no_terminal = target_.writer->binary,
                      .max_threads = flags_.in.limits.max_threads,
                      .durable = flags_.durable,
                      .before_rename = IgnoreTermination});
  if (!output.ok()) return output.status();
  output_ = *std::move(output);
  if (flags_.report.empty()) return {};
  Result<std::unique_ptr<ByteSink>> report = ByteSink::Create(
      flags_.report,
      {.replace = true, .no_terminal = false, .durable = flags_.durable});
  report_failed_ = !report.ok();
  if (!report.ok()) return report.status();
  report_ = *std::move(report);
  return {};
}

Status Conversion::ConvertInput() {
  Progress progress(flags_.in.progress, console_);
  context_.limits = flags_.in.limits;
  context_.strict = flags_.in.strict;
  progress.Watch(&context_);
  sandbox_.AnnounceOutput(flags_.output);
  sandbox_.AnnounceOutput(flags_.report);
  sandbox_.AnnounceInput(flags_.sidecar);
  sandbox_.AnnounceNewFile(flags_.sidecar);
  Result<OpenInput> input = Open(flags_.in, sandbox_, console_, &progress);
  if (!input.ok()) return input.status();
  input_ = *std::move(input);
  const bool embeds = flags_.embed == "auto";
  if (Status status =
          sidecar_.Open({flags_.sidecar, flags_.force, embeds, flags_.durable},
                        input_, *target_.writer, context_.limits);
      !status.ok()) {
    sidecar_failed_ = true;
    return status;
  }
  ConvertOptions options;
  options.embed = embeds;
  options.ignore_leftovers = flags_.ignore_leftovers;
  options.sidecar = sidecar_.found();
  options.new_sidecar = sidecar_.made();
  options.from = input_.format;
  options.to = target_.writer;
  options.unreachable = ParseUnreachable(flags_.unreachable);
  options.layout = flags_.layout;
  options.max_loss =
      flags_.lossless ? LossClass::kEmbedded : ParseLossClass(flags_.max_loss);
  const auto write_report = [this] { return WriteReport(); };
  ReportedOutput output(*output_, write_report);
  std::optional<ReportedOutput> sidecar;  // appears before the output
  if (options.new_sidecar != nullptr) {
    options.new_sidecar = &sidecar.emplace(*options.new_sidecar, write_report);
  }
  Status status = heapglot::Convert(*input_.source, output, options, context_);
  sidecar_failed_ = sidecar && sidecar->has_failed();
  return status;
}

Status Conversion::WriteReport() {
  if (report_ == nullptr || report_is_written_) return {};
  Status status =
      report_->Write(LossReportJson(context_.loss, input_, *target_.writer));
  if (status.ok()) status = report_->Prepare();
  report_is_written_ = status.ok();
  report_failed_ = !status.ok();
  return status;
}

Status Conversion::CloseReport() {
  if (report_ == nullptr) return {};
  HEAPGLOT_RETURN_IF_ERROR(WriteReport());
  Status status = report_->Close();
  report_failed_ = !status.ok();
  return status;
}

void Conversion::SayWhatWasDone() const {
  // Always said: on the way back, it means that the name was mistyped.
  if (sidecar_.made() != nullptr && sidecar_.made()->position() > 0) {
    console_.Note(EscapeForTerminal(
        "leftovers: written to " + flags_.sidecar + ", for converting back",
        490));
  }
  if (!console_.verbose()) return;
  const std::string line = flags_.in.input + ": " +
                           BytesInFull(input_.source->bytes().size()) + " of " +
                           std::string(input_.format->name) + " became " +
                           BytesInFull(output_->position()) + " of " +
                           std::string(target_.writer->name);
  console_.Note(EscapeForTerminal(line, 490));
}

int Conversion::Fail(const Status& status) const {
  if (status.code() == Code::kUsage) {
    return console_.Usage(kConvertName, status.message());
  }
  if (sidecar_failed_) return console_.Fail(status, flags_.sidecar);
  if (status.code() == Code::kOutput) {
    return console_.Fail(status,
                         report_failed_ ? flags_.report : flags_.output);
  }
  return console_.Fail(status, flags_.in.input);
}

}  // namespace

Verb AddConvert(CLI::App& app) {
  const auto flags = std::make_shared<ConvertFlags>();
  CLI::App* command =
      app.add_subcommand(kConvertName, "Converts a dump to another format.");
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
  command->add_flag("--durable", flags->durable,
                    "sync OUTPUT to disk before exiting");
  AddInputFlags(*command, flags->in);
  command
      ->add_option("--unreachable", flags->unreachable,
                   "unreachable objects (garbage): keep, drop, or root\n"
                   "(attach entry points to a node \"(Unreachable)\").\n"
                   "Default: root when converting to heapsnapshot from\n"
                   "another format, else keep")
      ->check(UnreachableWord())
      ->option_text("WHAT");
  command
      ->add_option("--layout", flags->layout,
                   "source (default: a dump that returns to its own\n"
                   "format gets the same bytes), usual (heapglot's)" +
                       LayoutNames())
      ->option_text("LAYOUT");
  const std::string group = "Losses";
  command
      ->add_option("--report", flags->report,
                   "write what was lost to FILE (JSON), replacing it")
      ->option_text("FILE")
      ->group(group);
  CLI::Option* max_loss =
      command
          ->add_option("--max-loss", flags->max_loss,
                       "refuse worse losses: exact, equivalent, embedded,\n"
                       "approximated, dropped (default)")
          ->check(OneOf(LossClassNames()))
          ->option_text("CLASS")
          ->group(group);
  command
      ->add_flag("--lossless", flags->lossless, "same as --max-loss embedded")
      ->excludes(max_loss)
      ->group(group);
  const std::string leftovers = "Leftovers";
  command
      ->add_option("--embed", flags->embed,
                   "auto (default): embed what OUTPUT's format cannot\n"
                   "hold, if there is room, so that it can be restored\n"
                   "when converting back; none: do not")
      ->check(OneOf({"auto", "none"}))
      ->option_text("WHEN")
      ->group(leftovers);
  command
      ->add_option("--sidecar", flags->sidecar,
                   "write what OUTPUT cannot hold to FILE; if FILE\n"
                   "exists, it is the sidecar of INPUT: restore from it")
      ->option_text("FILE")
      ->group(leftovers);
  command
      ->add_flag("--ignore-leftovers", flags->ignore_leftovers,
                 "convert INPUT itself, not what it was made from")
      ->group(leftovers);
  command->footer(kConvertExamples);
  return {command, [flags](const Console& console) {
            const InputGuard guard(flags->in.input);
            return Conversion(*flags, console).Run();
          }};
}

}  // namespace heapglot::tool
