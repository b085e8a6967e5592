// Finds the verb, and reports what goes wrong.
#include "heapglot/command.h"

#include <algorithm>
#include <cctype>
#include <exception>
#include <memory>
#include <new>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/out_of_memory.h"
#include "tools/console.h"
#include "tools/flags.h"
#include "tools/help.h"
#include "tools/memory_limit.h"
#include "tools/signals.h"
#include "tools/text.h"
#include "tools/verbs.h"

namespace heapglot::tool {
namespace {

constexpr char kFooter[] = R"(Examples:
  heapglot info app.dartheap
  heapglot convert app.dartheap -o app.heapsnapshot

heapglot VERB --help shows the options of a verb.)";

struct VerbFactory {
  std::string_view name;  // the one that `add` gives it
  Verb (*add)(CLI::App& app) = nullptr;
  bool tells_of_others = false;  // needs all verbs to be there
};

constexpr VerbFactory kVerbs[] = {
    {"convert", AddConvert},     {"info", AddInfo},
    {"validate", AddValidate},   {"diff", AddDiff},
    {"roundtrip", AddRoundtrip}, {"query", AddQuery},
    {"normalize", AddNormalize}, {"restore", AddRestore},
    {"archive", AddArchive},     {"explain", AddExplain},
    {"formats", AddFormats},     {"completions", AddCompletions, true},
    {"manual", AddManual, true}};

// The message for a word of the command line that no verb has.
std::string UnknownVerb(std::string_view word, const std::vector<Verb>& verbs) {
  std::vector<std::string> names;
  names.reserve(verbs.size());
  for (const Verb& verb : verbs) names.push_back(verb.command->get_name());
  const std::vector<std::string_view> views(names.begin(), names.end());
  std::string message = "unknown command '" + std::string(word) + "'";
  if (word == "help") return message + ", try heapglot VERB --help";
  const std::string_view guess = Closest(word, views);
  if (!guess.empty()) {
    return message + ", did you mean '" + std::string(guess) + "'?";
  }
  return message + ", known: " + Enumerate(views, "and");
}

// What the flag `word` probably means: ", did you mean ...?".
std::string GuessFlag(std::string_view word, const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) {
      names.push_back("--" + name);
    }
  }
  const std::vector<std::string_view> views(names.begin(), names.end());
  const std::string_view guess = Closest(word.substr(0, word.find('=')), views);
  if (guess.empty()) return {};
  return ", did you mean '" + std::string(guess) + "'?";
}

// The message for what is superfluous on the command line; CLI11's is `what`.
std::string Unexpected(const CLI::App& command, std::string_view what) {
  for (const std::string& word : command.remaining(true)) {
    if (word.size() > 1 && word[0] == '-' && word != "--") {
      // If there is a verb after it, the option may belong to that.
      return "unknown option '" + word + "'" +
             (command.get_subcommands().empty()
                  ? GuessFlag(word, command)
                  : "; options of a verb go after it");
    }
  }
  for (const std::string& word : command.remaining(true)) {
    if (word == "--") continue;
    const bool has_output = command.get_option_no_throw("--output") != nullptr;
    return "unexpected '" + word + "'" +
           (has_output ? ": give the output with -o" : "");
  }
  // After "--", words are not flags.
  const std::size_t words = what.find(": ");
  return words == std::string_view::npos
             ? "unexpected argument"
             : "unexpected '" + std::string(what.substr(words + 2)) + "'";
}

// The first required argument that is not given; empty if it is a flag.
std::string MissingPath(const CLI::App& command) {
  for (const CLI::Option* option : command.get_options()) {
    if (option->get_positional() && option->get_required() &&
        option->count() == 0) {
      return option->get_name();
    }
  }
  return {};
}

// The message for a flag with the wrong number of values: CLI11's is about
// types.
std::string WrongCount(const CLI::ParseError& error, const CLI::App& command) {
  const std::string message = error.what();
  const std::string name = message.substr(0, message.find(':'));
  const CLI::Option* const option = command.get_option_no_throw(name);
  return option != nullptr && option->count() > 1 ? name + " is given twice"
                                                  : name + " needs a value";
}

// The first argument or flag that is given as "", such as a variable of a
// script that is not set; empty: none.
std::string EmptyValue(const CLI::App& command) {
  for (const CLI::Option* option : command.get_options()) {
    const std::vector<std::string>& values = option->results();
    if (std::find(values.begin(), values.end(), "") != values.end())
      return option->get_name();
  }
  return {};
}

std::string Describe(const CLI::ParseError& error, const CLI::App& command) {
  const bool missing =
      dynamic_cast<const CLI::RequiredError*>(&error) != nullptr;
  // A misspelt flag or a superfluous path explains a missing one.
  if (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr ||
      (missing && command.remaining_size(true) > 0)) {
    return Unexpected(command, error.what());
  }
  if (missing) {
    // For heapglot itself, nothing else is required.
    if (command.get_parent() == nullptr) return "a command is missing";
    const std::string path = MissingPath(command);
    if (!path.empty()) return path + " is required";
    if (command.get_option_no_throw("--via") != nullptr)
      return "--via FORMAT[,FORMAT...] is required";
    // An archive cannot be written to standard output.
    const CLI::Option* const output = command.get_option_no_throw("--output");
    return output != nullptr && output->get_option_text() == "DIR"
               ? "-o DIR, a directory, is required"
               : "-o OUTPUT is required (- is standard output)";
  }
  if (dynamic_cast<const CLI::ArgumentMismatch*>(&error) != nullptr)
    return WrongCount(error, command);
  std::string message = error.what();
  if (dynamic_cast<const CLI::ConversionError*>(&error) != nullptr) {
    // "Could not convert: --json = maybe"
    const std::size_t name = message.find("--");
    const std::size_t end = message.find(' ', name);
    if (end != std::string::npos)
      return message.substr(name, end - name) + " takes no value";
  }
  for (char& c : message) {
    if (c == '\n') c = ' ';
  }
  return message;
}

// Whether the user wants messages as JSON. Needed before the command line is
// parsed: what is wrong with it is a message, too.
bool WantsJsonLog(std::span<const char* const> words) {
  constexpr std::string_view kFlag = "--log-format";
  std::string_view before;
  for (const std::string_view word : words) {
    if (word == "--") return false;
    if (before == kFlag && word == "json") return true;
    if (word.starts_with(kFlag) && word.substr(kFlag.size()) == "=json")
      return true;
    before = word;
  }
  return false;
}

// As CLI11 wants them: the last one first. It takes "[a,b]" for a list of
// values; with "./" in front, it is the file of that name.
std::vector<std::string> Arguments(int argc, const char* const* argv) {
  std::vector<std::string> arguments;
  for (int i = argc - 1; i > 0; --i) {
    const std::string_view argument = argv[i];
    const bool is_list = argument.starts_with('[') && argument.ends_with(']');
    arguments.emplace_back(is_list ? "./" : "") += argument;
  }
  return arguments;
}

// The command as the user calls it; `first` is the first word after its name.
class Command {
 public:
  explicit Command(std::string_view first) : first_(first) {
    app_.name("heapglot");
    app_.set_version_flag("--version", "heapglot " HEAPGLOT_VERSION,
                          "print the version");
    app_.formatter(std::make_shared<HelpFormatter>());
    app_.set_help_flag("-h,--help", "print this help");
    app_.require_subcommand(1);
    app_.footer(kFooter);
    // The flags of other verbs would take most of the time of a short run.
    const auto* const only = std::find_if(
        std::begin(kVerbs), std::end(kVerbs), [&](const auto& verb) {
          return verb.name == first && !verb.tells_of_others;
        });
    for (const VerbFactory& verb : kVerbs) {
      if (only == std::end(kVerbs) || &verb == only)
        verbs_.push_back(verb.add(app_));
    }
    for (const Verb& verb : verbs_) {
      AddConsoleFlags(*verb.command, console_options_);
    }
  }

  int Run(int argc, const char* const* argv) {
    if (WantsJsonLog({argv, static_cast<std::size_t>(argc)}))
      console_options_.log_format = "json";
    SpeakBy(console_.json() ? JsonErrorLine : nullptr);
    if (argc < 2) return console_.Usage({}, "a command is missing");
    if (!first_.starts_with('-') && FindVerb(first_) == nullptr) {
      return console_.Usage({}, UnknownVerb(first_, verbs_));
    }
    try {
      app_.parse(Arguments(argc, argv));
    } catch (const CLI::CallForHelp&) {
      return console_.Print(app_.help());
    } catch (const CLI::CallForVersion& version) {
      return console_.Print(std::string(version.what()) + "\n");
    } catch (const CLI::ParseError& error) {
      const Verb* verb = FindVerb(first_);
      return console_.Usage(
          verb == nullptr ? "" : first_,
          Describe(error, verb == nullptr ? app_ : *verb->command));
    }
    for (const Verb& verb : verbs_) {
      if (!verb.command->parsed()) continue;
      const std::string empty = EmptyValue(*verb.command);
      return empty.empty() ? verb.run(console_)
                           : console_.Usage(first_, empty + " is empty");
    }
    return console_.Usage({}, "a command is missing");
  }

 private:
  const Verb* FindVerb(std::string_view name) const {
    for (const Verb& verb : verbs_) {
      if (verb.command->get_name() == name) return &verb;
    }
    return nullptr;
  }

  std::string_view first_;
  CLI::App app_{
      "Converts heap dumps between formats, and shows what is in them."};
  ConsoleOptions console_options_;
  Console console_{console_options_};
  std::vector<Verb> verbs_;
};

}  // namespace
}  // namespace heapglot::tool

int heapglot::RunCommand(int argc, const char* const* argv) {
  using namespace tool;
  PrepareStandardDescriptors();
  InstallSignalHandlers();
  InstallMemoryHandler();
  GiveBackFreedMemory();
  const ConsoleOptions plain;
  const Console console(plain);
  try {
    return Command(argc > 1 ? argv[1] : "").Run(argc, argv);
  } catch (const std::bad_alloc&) {
    return console.Fail(OutOfMemory(), {});
  } catch (const std::exception& error) {
    return console.Fail(
        {Code::kInternal, std::string("internal error: ") + error.what()}, {});
  }
}
