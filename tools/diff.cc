// heapglot diff: whether two dumps are the same graph, and what changed.
#include <limits>
#include <memory>
#include <string>
#include <utility>

#include "core/checked_reader.h"
#include "core/compare/graph_compare.h"
#include "tools/diff_page.h"
#include "tools/flags.h"
#include "tools/progress.h"
#include "tools/signals.h"
#include "tools/verbs.h"

namespace heapglot::tool {
namespace {

constexpr char kDiffName[] = "diff";
constexpr char kDiffExamples[] = R"(Examples:
  heapglot diff before.heapsnapshot after.heapsnapshot
  heapglot diff app.dartheap app.heapir.zst
  heapglot diff monday.gclog tuesday.gclog --all --nodes 50
  heapglot diff app.dartheap app.heapsnapshot --ignore kinds,names --json

Exit code 0: the same graph; 10: a different one. Nodes are matched by their
order; else by id, if both dumps are of one process; else by their content and
references. Locations, samples, traces and metadata are not compared.)";

struct DiffFlags {
  InputFlags a;
  InputFlags b;  // the user only sets input and format
  std::string from;
  std::vector<std::string> ignore;
  std::string match = "auto";
  int depth = 3;
  bool json = false;
  bool all = false;
  std::size_t top = 20;
  std::size_t nodes = 10;
};

// Blames what goes wrong in a pass on its input.
class BlamingReader : public Reader {
 public:
  BlamingReader(std::unique_ptr<Reader> reader, const std::string& name,
                std::string_view* blamed)
      : reader_(std::move(reader)), name_(name), blamed_(blamed) {}

  Status Read(ChunkSet wanted, ChunkSink& out) override {
    const InputGuard guard(name_);
    *blamed_ = name_;
    return reader_->Read(wanted, out);
  }

 private:
  std::unique_ptr<Reader> reader_;
  const std::string& name_;
  std::string_view* blamed_;
};

// Whether both have the same bytes. Reads in pieces, because mapped pages count
// as memory.
bool HaveSameBytes(const ByteSource& a, const ByteSource& b) {
  constexpr std::size_t kPiece = std::size_t{4} << 20;
  const std::string_view of_a = a.bytes();
  const std::string_view of_b = b.bytes();
  if (of_a.size() != of_b.size()) return false;
  for (std::size_t begin = 0; begin < of_a.size(); begin += kPiece) {
    if (of_a.substr(begin, kPiece) != of_b.substr(begin, kPiece)) return false;
    a.Release(begin, begin + kPiece);
    b.Release(begin, begin + kPiece);
  }
  return true;
}

// One of the two dumps.
struct Dump {
  OpenInput input;
  Context context;
};

// One run of the verb.
class Diff {
 public:
  Diff(const DiffFlags& flags, const Console& console)
      : flags_(flags), console_(console), sandbox_(!flags.a.no_sandbox) {}

  // Returns the exit code.
  int Run();

 private:
  Status Compare();
  Status OpenDump(const InputFlags& flags, Progress& progress, Dump& dump);
  CompareOptions Options() const;
  int Print() const;
  int Fail(const Status& status) const;

  const DiffFlags& flags_;
  const Console& console_;
  Sandbox sandbox_;
  Dump a_;
  Dump b_;
  std::string_view blamed_;  // the input that a failure is about
  GraphComparison comparison_;
};

int Diff::Run() {
  if (flags_.a.input == "-" && flags_.b.input == "-") {
    return console_.Usage(kDiffName,
                          "only one of A and B can be standard input");
  }
  if (const Status status = Compare(); !status.ok()) return Fail(status);
  if (const int exit_code = Print(); exit_code != 0) return exit_code;
  console_.Warn(a_.context.findings(), flags_.a.input);
  console_.Warn(b_.context.findings(), flags_.b.input);
  return comparison_.same ? 0 : kExitDifferent;
}

Status Diff::Compare() {
  Progress progress(flags_.a.progress, console_);
  sandbox_.AnnounceInput(flags_.b.input);
  HEAPGLOT_RETURN_IF_ERROR(OpenDump(flags_.a, progress, a_));
  HEAPGLOT_RETURN_IF_ERROR(OpenDump(flags_.b, progress, b_));
  BlamingReader a(MakeReader(*a_.input.format, *a_.input.source, a_.context),
                  flags_.a.input, &blamed_);
  BlamingReader b(MakeReader(*b_.input.format, *b_.input.source, b_.context),
                  flags_.b.input, &blamed_);
  return CompareGraphs(a, b, Options(), &comparison_);
}

Status Diff::OpenDump(const InputFlags& flags, Progress& progress, Dump& dump) {
  const InputGuard guard(flags.input);
  blamed_ = flags.input;
  dump.context.limits = flags.limits;
  dump.context.strict = flags.strict;
  Result<OpenInput> input = Open(flags, sandbox_, console_, &progress);
  if (!input.ok()) return input.status();
  dump.input = *std::move(input);
  progress.Watch(&dump.context, dump.input.source->bytes().size());
  return {};
}

CompareOptions Diff::Options() const {
  CompareOptions options;
  for (const std::string& word : flags_.ignore) {
    for (std::size_t i = 0; i < kAspects; ++i) {
      if (kAspectNames[i] == word)
        options.aspects.Remove(static_cast<Aspect>(i));
    }
  }
  options.match = flags_.match == "ids"         ? Match::kIds
                  : flags_.match == "structure" ? Match::kStructure
                                                : Match::kAuto;
  options.depth = flags_.depth;
  options.max_nodes = flags_.nodes;
  const InputGuard guard(flags_.b.input);
  options.same_bytes = a_.input.format == b_.input.format &&
                       HaveSameBytes(*a_.input.source, *b_.input.source);
  return options;
}

int Diff::Print() const {
  const std::size_t top =
      flags_.all ? std::numeric_limits<std::size_t>::max() : flags_.top;
  const PageStyle style = {.columns = StdoutColumns(),
                           .color = console_.StdoutHasColor(),
                           .unicode = StdoutIsUtf8()};
  return console_.Print(
      flags_.json ? DiffJson(comparison_, a_.input, b_.input, top)
                  : DiffPage(comparison_, a_.input, b_.input, top, style));
}

int Diff::Fail(const Status& status) const {
  if (status.code() == Code::kUsage) {
    return console_.Usage(kDiffName, status.message());
  }
  if (console_.verbose()) {
    console_.Warn(a_.context.findings(), flags_.a.input);
    console_.Warn(b_.context.findings(), flags_.b.input);
  }
  return console_.Fail(status, blamed_);
}

void AddInputs(CLI::App& command, DiffFlags& flags) {
  command.add_option("A", flags.a.input, "a dump; - is standard input")
      ->required();
  command.add_option("B", flags.b.input, "the dump to compare it with")
      ->required();
  CLI::Option* from =
      command
          .add_option("--from", flags.from,
                      "format of both; default: detected from the content")
          ->check(ReaderName())
          ->option_text("FORMAT");
  command.add_option("--from-a", flags.a.from, "format of A")
      ->check(ReaderName())
      ->excludes(from)
      ->option_text("FORMAT");
  command.add_option("--from-b", flags.b.from, "format of B")
      ->check(ReaderName())
      ->excludes(from)
      ->option_text("FORMAT");
}

void AddComparison(CLI::App& command, DiffFlags& flags) {
  const std::string group = "Comparison";
  command
      .add_option("--ignore", flags.ignore,
                  "do not compare these: classes, kinds,\n"
                  "names, values, sizes, attributes, edges,\n"
                  "edge-kinds, edge-names, roots, externals, heaps")
      ->delimiter(',')
      ->check(OneOf({kAspectNames.begin(), kAspectNames.end()}))
      ->option_text("WHAT,...")
      ->group(group);
  command
      .add_option("--match", flags.match,
                  "how to match nodes that are in another order: ids,\n"
                  "structure, or auto (default): by ids if both dumps\n"
                  "are of one process, else by structure")
      ->check(OneOf({"auto", "ids", "structure"}))
      ->option_text("HOW")
      ->group(group);
  command
      .add_option("--depth", flags.depth,
                  "edges to follow when matching by structure (3)")
      ->check(CLI::Range(0, 1000))
      ->option_text("N")
      ->group(group);
}

}  // namespace

Verb AddDiff(CLI::App& app) {
  const auto flags = std::make_shared<DiffFlags>();
  CLI::App* command = app.add_subcommand(
      kDiffName, "Compares two dumps, and shows what changed.");
  AddInputs(*command, *flags);
  command->add_flag("--json", flags->json, "print JSON");
  CLI::Option* top =
      command->add_option("--top", flags->top, "number of classes to list (20)")
          ->check(CountText())
          ->option_text("N");
  command->add_flag("--all", flags->all, "list all classes that differ")
      ->excludes(top);
  command
      ->add_option("--nodes", flags->nodes,
                   "number of nodes to list, if matched by id (10)")
      ->check(CountText())
      ->option_text("N");
  AddReadingFlags(*command, flags->a);
  AddComparison(*command, *flags);
  command->footer(kDiffExamples);
  return {command, [flags](const Console& console) {
            if (!flags->from.empty()) {
              flags->a.from = flags->from;
              flags->b.from = flags->from;
            }
            flags->b.strict = flags->a.strict;
            flags->b.limits = flags->a.limits;
            return Diff(*flags, console).Run();
          }};
}

}  // namespace heapglot::tool
