// heapglot roundtrip: to other formats and back, and what has changed.
#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/checked_reader.h"
#include "core/roundtrip/minimize.h"
#include "core/roundtrip/round_trip.h"
#include "core/saturating.h"
#include "tools/flags.h"
#include "tools/progress.h"
#include "tools/roundtrip_page.h"
#include "tools/same_file.h"
#include "tools/signals.h"
#include "tools/text.h"
#include "tools/verbs.h"

namespace heapglot::tool {
namespace {

constexpr char kRoundTripName[] = "roundtrip";
constexpr char kAll[] = "all";
constexpr char kRoundTripExamples[] =
    R"(Examples:
  heapglot roundtrip app.heapsnapshot --via dartheap,ndjson
  heapglot roundtrip app.dartheap --via all --json
  heapglot roundtrip app.dartheap --via netcf --minimize small.dartheap

Each format in --via is a round trip of its own. Exit code 10 if the content is
not the same after one of them.)";

struct RoundTripFlags {
  InputFlags in;
  std::string via;
  bool json = false;
  bool exact = false;
  std::string embed = "auto";
  std::string minimize;
  std::uint64_t tries = MinimizeOptions().max_tries;
  bool force = false;
};

// Formats with a way there and back, and "all".
std::vector<std::string_view> ViaWords() {
  std::vector<std::string_view> words;
  for (const WriterInfo* const writer : Writers()) {
    if (CanReturn(*writer)) words.push_back(writer->name);
  }
  words.emplace_back(kAll);
  return words;
}

// Calls use(word) for each word between commas.
template <typename Use>
void ForEachWord(std::string_view list, Use use) {
  for (std::size_t begin = 0; begin <= list.size();) {
    const std::size_t end = std::min(list.find(',', begin), list.size());
    use(list.substr(begin, end - begin));
    begin = end + 1;
  }
}

CLI::Validator ListOf(std::vector<std::string_view> words) {
  const CLI::Validator one = OneOf(std::move(words));
  const auto check = [one](const std::string& list) {
    std::string message;
    ForEachWord(list, [&](std::string_view word) {
      std::string copy(word);
      if (message.empty()) message = one(copy);
    });
    return message;
  };
  return {check, one.get_description()};
}

// In the order given; each once.
std::vector<const WriterInfo*> ParseVia(std::string_view list) {
  std::vector<const WriterInfo*> writers;
  const auto add = [&writers](const WriterInfo* writer) {
    if (std::find(writers.begin(), writers.end(), writer) == writers.end()) {
      writers.push_back(writer);
    }
  };
  ForEachWord(list, [&](std::string_view word) {
    for (const WriterInfo* const writer : Writers()) {
      if (word == writer->name || (word == kAll && CanReturn(*writer))) {
        add(writer);
      }
    }
  });
  return writers;
}

// Nodes and edges of all graphs, as in the source.
class TotalsSink : public ChunkSink {
 public:
  static constexpr ChunkSet kWanted = {pb::Chunk::kGraphEnd};

  explicit TotalsSink(RoundTrips& trips) : trips_(trips) {}
  Status Accept(const pb::Chunk& chunk) override {
    if (!chunk.has_graph_end()) return {};
    const pb::GraphEnd& end = chunk.graph_end();
    trips_.nodes = AddSaturating(trips_.nodes, end.nodes());
    trips_.edges =
        AddSaturating(trips_.edges, end.edges() - end.edges_synthesized());
    return {};
  }

 private:
  RoundTrips& trips_;
};

// One run of the verb.
class RoundTripRun {
 public:
  RoundTripRun(const RoundTripFlags& flags, const Console& console)
      : flags_(flags),
        console_(console),
        progress_(flags.in.progress, console) {}

  // Returns the exit code.
  int Do();

 private:
  Status OpenOutput();
  Status ReadInput();
  Status TakeTrips();
  Status MinimizeFirst();
  Status WriteMinimized(const MinimizedDump& minimized);
  RoundTripOptions TripOptions();
  int Print() const;
  int Fail(const Status& status);

  const RoundTripFlags& flags_;
  const Console& console_;
  Progress progress_;
  OpenInput input_;
  Context context_;
  RoundTrips trips_;
  std::unique_ptr<ByteSink> output_;
  bool output_failed_ = false;
};

int RoundTripRun::Do() {
  if (Status status = OpenOutput(); !status.ok()) return Fail(status);
  if (Status status = ReadInput(); !status.ok()) return Fail(status);
  if (Status status = TakeTrips(); !status.ok()) return Fail(status);
  progress_.Erase();
  if (const int exit_code = Print(); exit_code != 0) return exit_code;
  console_.Warn(context_.findings(), flags_.in.input);
  if (output_ != nullptr) {
    if (Status status = MinimizeFirst(); !status.ok()) return Fail(status);
  }
  return trips_.HasDifference() ? kExitDifferent : 0;
}

// First of all: a mistake here should not cost the time of the trips.
Status RoundTripRun::OpenOutput() {
  if (flags_.minimize.empty()) return {};
  if (flags_.minimize == "-") {
    return {Code::kUsage,
            "--minimize needs a file: standard output is for the result"};
  }
  if (SameFile(flags_.minimize, flags_.in.input)) {
    return {Code::kUsage,
            "--minimize and INPUT are the same: '" + flags_.minimize + "'"};
  }
  Result<std::unique_ptr<ByteSink>> output = ByteSink::Create(
      flags_.minimize, {.compression = CompressionOf(flags_.minimize),
                        .replace = flags_.force,
                        .no_terminal = true,
                        .before_rename = IgnoreTermination});
  output_failed_ = !output.ok();
  if (!output.ok()) return output.status();
  output_ = *std::move(output);
  return {};
}

RoundTripOptions RoundTripRun::TripOptions() {
  RoundTripOptions options;
  options.limits = flags_.in.limits;
  options.strict = flags_.in.strict;
  options.embed = flags_.embed == "auto";
  options.progress = progress_.Hook();
  return options;
}

// Reads all of it, so that defects of the input are reported as such.
Status RoundTripRun::ReadInput() {
  Sandbox sandbox(!flags_.in.no_sandbox);
  sandbox.AnnounceOutput(flags_.minimize);
  Result<OpenInput> input = Open(flags_.in, sandbox, console_, &progress_);
  if (!input.ok()) return input.status();
  input_ = *std::move(input);
  if (FindWriter(input_.format->name) == nullptr) {
    return {Code::kUsage,
            "cannot convert back: " + std::string(input_.format->name) +
                " cannot be written"};
  }
  const RoundTripOptions options = TripOptions();
  context_.limits = options.limits;
  context_.strict = options.strict;
  context_.progress = options.progress;
  TotalsSink totals(trips_);
  const std::unique_ptr<Reader> reader =
      MakeReader(*input_.format, *input_.source, context_);
  return reader->Read(TotalsSink::kWanted, totals);
}

Status RoundTripRun::TakeTrips() {
  trips_.is_exact = flags_.exact;
  for (const WriterInfo* const via : ParseVia(flags_.via)) {
    Result<RoundTrip> trip =
        TakeRoundTrip(*input_.source, *input_.format, *via, TripOptions());
    if (!trip.ok()) return trip.status();
    trips_.trips.push_back(*std::move(trip));
  }
  return {};
}

int RoundTripRun::Print() const {
  if (flags_.json) return console_.Print(RoundTripJson(trips_, input_));
  const PageStyle style = {.columns = StdoutColumns(),
                           .color = console_.StdoutHasColor(),
                           .unicode = StdoutIsUtf8()};
  return console_.Print(RoundTripPage(trips_, input_, style));
}

// Minimizes for the first trip that shows a difference.
Status RoundTripRun::MinimizeFirst() {
  const auto shown =
      std::find_if(trips_.trips.begin(), trips_.trips.end(),
                   [this](const RoundTrip& t) { return trips_.Differs(t); });
  if (shown == trips_.trips.end()) {
    console_.Note(
        "nothing to minimize: every round trip brought the same back");
    return {};
  }
  MinimizeOptions options;
  options.trip = TripOptions();
  options.trip.progress = nullptr;  // single tries are not worth reporting
  options.trip.strict = false;
  options.max_tries = flags_.tries;
  std::uint64_t smallest = 0;
  options.progress = [&](std::uint64_t tries, std::uint64_t nodes,
                         std::uint64_t size) {
    progress_.Update("minimizing", tries, options.max_tries);
    if (size == smallest || !console_.verbose()) return;
    smallest = size;
    progress_.Erase();
    console_.Note("try " + Thousands(tries) + ": " + Thousands(nodes) +
                  " nodes, " + BytesInFull(size));
  };
  const Result<MinimizedDump> minimized =
      Minimize(*input_.source, *input_.format, *shown, options);
  progress_.Erase();
  if (!minimized.ok()) return minimized.status();
  if (minimized->dump != nullptr) return WriteMinimized(*minimized);
  console_.Note("via " + std::string(shown->via->name) +
                ": the difference disappears when the dump is rewritten, so it "
                "comes from how this file is written; nothing was minimized");
  return {};
}

Status RoundTripRun::WriteMinimized(const MinimizedDump& minimized) {
  const ByteSource& dump = *minimized.dump;
  Status status = output_->Write(dump.bytes());
  if (status.ok()) status = output_->Close();
  output_failed_ = !status.ok();
  if (!status.ok()) return status;
  if (!minimized.of_spelling.empty()) {
    const std::vector<std::string_view> names(minimized.of_spelling.begin(),
                                              minimized.of_spelling.end());
    console_.Note(EscapeForTerminal(
        "once the dump is rewritten, it no longer differs by " +
            Enumerate(names, "and") +
            ", which come from how the file is written",
        490));
  }
  console_.Note(EscapeForTerminal(
      flags_.minimize + ": " + BytesInFull(dump.bytes().size()) +
          ", nodes: " + Thousands(minimized.nodes) + ", edges: " +
          Thousands(minimized.edges) + ", differs the same way via " +
          std::string(minimized.trip.via->name) +
          " (tries: " + Thousands(minimized.tries) +
          (minimized.is_minimal ? ")" : "; more with --tries)"),
      490));
  return {};
}

int RoundTripRun::Fail(const Status& status) {
  progress_.Erase();
  if (status.code() == Code::kUsage) {
    return console_.Usage(kRoundTripName, status.message());
  }
  if (console_.verbose()) console_.Warn(context_.findings(), flags_.in.input);
  return console_.Fail(status,
                       output_failed_ ? flags_.minimize : flags_.in.input);
}

}  // namespace

Verb AddRoundtrip(CLI::App& app) {
  const auto flags = std::make_shared<RoundTripFlags>();
  CLI::App* command = app.add_subcommand(
      kRoundTripName, "Converts a dump there and back; shows what changed.");
  AddInputFlags(*command, flags->in);
  command
      ->add_option("--via", flags->via,
                   "formats to convert to, separated by commas, or all")
      ->required()
      ->check(ListOf(ViaWords()))
      ->option_text("FORMAT,...");
  command->add_flag("--json", flags->json, "print JSON");
  command->add_flag("--exact", flags->exact,
                    "the same content in other bytes is a difference");
  command
      ->add_option("--embed", flags->embed,
                   "auto (default): embed what a format cannot hold, or\n"
                   "put it into a sidecar if there is no room; none: test\n"
                   "what the format itself can hold")
      ->check(OneOf({"auto", "none"}))
      ->option_text("WHEN");
  const std::string group = "Minimizing";
  CLI::Option* minimize =
      command
          ->add_option("--minimize", flags->minimize,
                       "write the smallest part of the dump that still\n"
                       "differs in the same way")
          ->option_text("FILE")
          ->group(group);
  command->add_option("--tries", flags->tries, "stop after N attempts (2000)")
      ->check(CountText())
      ->needs(minimize)
      ->option_text("N")
      ->group(group);
  command->add_flag("-f,--force", flags->force, "replace an existing FILE")
      ->needs(minimize)
      ->group(group);
  command->footer(kRoundTripExamples);
  return {command, [flags](const Console& console) {
            const InputGuard guard(flags->in.input);
            return RoundTripRun(*flags, console).Do();
          }};
}

}  // namespace heapglot::tool
