#include <string>
#include <string_view>
#include <vector>

#include "tools/completions.h"
#include "tools/text.h"

namespace heapglot::tool {
namespace {

// What follows the tables. `path` is the verbs that are already typed, such as
// "heapglot convert".
constexpr char kBashMain[] = R"(
_heapglot() {
  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]}
  local path=heapglot word i only_paths=
  local verbs flags words kind
  COMPREPLY=()
  # bash makes three words of --flag=value.
  if [[ $current == "=" ]]; then
    current=
  elif [[ $previous == "=" && COMP_CWORD -ge 2 ]]; then
    previous=${COMP_WORDS[COMP_CWORD-2]}
  fi
  for ((i = 1; i < COMP_CWORD; i++)); do
    word=${COMP_WORDS[i]}
    _heapglot_verbs "$path"
    if [[ $word == -- ]]; then
      only_paths=1
    elif [[ " $verbs " == *" $word "* ]]; then
      path+=" $word"
    fi
  done
  _heapglot_verbs "$path"
  if [[ -z $only_paths && $previous == -* ]]; then
    _heapglot_value "$path $previous"
    case $kind in
      words)
        COMPREPLY=($(compgen -W "$words" -- "$current"))
        return ;;
      list)
        local done=
        [[ $current == *,* ]] && done=${current%,*},
        COMPREPLY=($(compgen -P "$done" -W "$words" -- "${current##*,}"))
        compopt -o nospace 2>/dev/null
        return ;;
      file)
        compopt -o filenames 2>/dev/null
        COMPREPLY=($(compgen -f -- "$current"))
        return ;;
      directory)
        compopt -o filenames 2>/dev/null
        COMPREPLY=($(compgen -d -- "$current"))
        return ;;
      any)
        return ;;
    esac
  fi
  if [[ -z $only_paths && $current == -* ]]; then
    _heapglot_flags "$path"
    COMPREPLY=($(compgen -W "$flags" -- "$current"))
  elif [[ -n $verbs ]]; then
    COMPREPLY=($(compgen -W "$verbs" -- "$current"))
  else
    _heapglot_argument "$path"
    if [[ -n $words ]]; then
      COMPREPLY=($(compgen -W "$words" -- "$current"))
    else
      compopt -o filenames 2>/dev/null
      COMPREPLY=($(compgen -f -- "$current"))
    fi
  fi
}

complete -F _heapglot heapglot
)";

std::string_view Kind(const OptionEntry& option) {
  if (option.list) return "list";
  if (!option.words.empty()) return "words";
  if (option.TakesDirectory()) return "directory";
  return option.TakesFile() ? "file" : "any";
}

// The bodies of the four functions with tables.
struct Tables {
  std::string verbs;
  std::string flags;
  std::string values;
  std::string arguments;
};

std::string Case(const std::string& pattern, const std::string& command) {
  return "    " + pattern + ") " + command + " ;;\n";
}

void AddValue(const std::string& path, const OptionEntry& option,
              Tables& tables) {
  std::string pattern;
  for (const std::string& name : option.names) {
    if (!pattern.empty()) pattern += '|';
    pattern.append("\"").append(path).append(" ").append(name).append("\"");
  }
  std::string command = "kind=" + std::string(Kind(option));
  if (!option.words.empty())
    command += " words='" + Join(option.words, ' ') + "'";
  tables.values += Case(pattern, command);
}

void AddTables(const CommandEntry& command, const std::string& path,
               Tables& tables) {
  std::vector<std::string> verbs;
  verbs.reserve(command.verbs.size());
  for (const CommandEntry& verb : command.verbs) verbs.push_back(verb.name);
  if (!verbs.empty()) {
    tables.verbs += Case('"' + path + '"', "verbs='" + Join(verbs, ' ') + "'");
  }
  std::string flags;
  for (const OptionEntry& option : command.options) {
    if (!option.argument) {
      flags += (flags.empty() ? "" : " ") + Join(option.names, ' ');
      if (!option.value.empty()) AddValue(path, option, tables);
    } else if (!option.words.empty()) {
      tables.arguments +=
          Case('"' + path + '"', "words='" + Join(option.words, ' ') + "'");
    }
  }
  tables.flags += Case('"' + path + '"', "flags='" + flags + "'");
  for (const CommandEntry& verb : command.verbs) {
    AddTables(verb, path + ' ' + verb.name, tables);
  }
}

std::string Function(const std::string& name, const std::string& reset,
                     const std::string& cases) {
  std::string text = name + "() {\n  " + reset + "\n";
  if (!cases.empty()) text += "  case $1 in\n" + cases + "  esac\n";
  return text + "}\n";
}

}  // namespace

std::string BashCompletions(const CommandEntry& command) {
  Tables tables;
  AddTables(command, command.name, tables);
  return "# Made by: heapglot completions bash\n\n" +
         Function("_heapglot_verbs", "verbs=", tables.verbs) +
         Function("_heapglot_flags", "flags=", tables.flags) +
         Function("_heapglot_value", "kind= words=", tables.values) +
         Function("_heapglot_argument", "words=", tables.arguments) + kBashMain;
}

}  // namespace heapglot::tool
