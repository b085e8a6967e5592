#include <algorithm>
#include <optional>

#include "heapglot/format.h"
#include "tools/json.h"
#include "tools/status_json.h"
#include "tools/text.h"
#include "tools/validate_page.h"

namespace heapglot::tool {
namespace {

constexpr char kSchema[] =
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/"
    "sarif-schema-2.1.0.json";
// Paths are URIs in SARIF.
constexpr std::string_view kUnreserved =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/";

std::string PathUri(std::string_view path) {
  constexpr char kHex[] = "0123456789ABCDEF";
  std::string uri = path.starts_with('/') ? "file://" : "";
  for (const char c : path) {
    const auto byte = static_cast<unsigned char>(c);
    if (kUnreserved.find(c) != std::string_view::npos) {
      uri += c;
    } else {
      uri += '%';
      uri += kHex[byte >> 4];
      uri += kHex[byte & 15];
    }
  }
  return uri;
}

void AddEffects(const Rule& rule, Json& json) {
  json.Key("readers");
  json.BeginObject();
  for (const Effect& effect : rule.effects) {
    if (!effect.reader.empty())
      json.Add(effect.reader, ToString(effect.outcome));
  }
  json.EndObject();
}

void AddRule(const Rule& rule, Json& json) {
  json.Add("rule", rule.id);
  json.Add("severity", ToString(rule.severity));
  json.Add("summary", rule.summary);
  json.Add("advice", rule.advice);
  AddEffects(rule, json);
}

void AddPlace(const FindingLog::Example& example, Json& json) {
  json.BeginObject();
  json.Add("message", example.message);
  AddWhere(example.where, json);
  if (example.record) json.Add("record", *example.record);
  json.EndObject();
}

void AddError(const Status& status, Json& json) {
  json.Key("error");
  json.BeginObject();
  AddFailure(status, json);
  json.EndObject();
}

void AddFile(const ValidatedFile& file, Json& json) {
  const Validation& found = file.validation;
  json.BeginObject();
  json.Add("file", file.name);
  if (!file.status.ok()) {
    AddError(file.status, json);
    json.EndObject();
    return;
  }
  json.Add("format", found.format);
  json.Add("dialect", found.dialect);
  json.Add("compression", file.compression);
  json.Add("size", file.size);
  json.AddBool("whole", found.is_whole);
  json.Add("nodes", found.nodes);
  json.Add("edges", found.edges);
  json.Add("errors", found.Count(Severity::kError));
  json.Add("warnings", found.Count(Severity::kWarning));
  json.Add("notes", found.Count(Severity::kNote));
  json.Key("readers");
  json.BeginObject();
  for (const Verdict& verdict : found.verdicts)
    json.Add(verdict.reader, ToString(verdict.outcome));
  json.EndObject();
  json.Key("findings");
  json.BeginArray();
  for (const FindingLog::Group& group : found.log.groups()) {
    json.BeginObject();
    AddRule(*group.rule, json);
    json.Add("count", group.count);
    json.Key("places");
    json.BeginArray();
    for (const FindingLog::Example& example : group.examples)
      AddPlace(example, json);
    json.EndArray();
    json.EndObject();
  }
  json.EndArray();
  json.EndObject();
}

void AddText(std::string_view key, std::string_view text, Json& json) {
  json.Key(key);
  json.BeginObject();
  json.Add("text", text);
  json.EndObject();
}

void AddSarifRule(const Rule& rule, Json& json) {
  json.BeginObject();
  json.Add("id", rule.id);
  AddText("shortDescription", rule.summary, json);
  AddText("help", rule.advice, json);
  json.Key("defaultConfiguration");
  json.BeginObject();
  json.Add("level", ToString(rule.severity));
  json.EndObject();
  json.Key("properties");
  json.BeginObject();
  AddEffects(rule, json);
  json.EndObject();
  json.EndObject();
}

void AddSarifTool(Json& json) {
  json.Key("tool");
  json.BeginObject();
  json.Key("driver");
  json.BeginObject();
  json.Add("name", "heapglot");
  json.Add("version", HEAPGLOT_VERSION);
  json.Key("rules");
  json.BeginArray();
  for (const RuleSet& set : AllRules()) {
    for (const Rule& rule : set.rules) AddSarifRule(rule, json);
  }
  json.EndArray();
  json.EndObject();
  json.EndObject();
}

void AddSarifPlace(const ValidatedFile& file, const Where& where, Json& json) {
  json.Key("locations");
  json.BeginArray();
  json.BeginObject();
  json.Key("physicalLocation");
  json.BeginObject();
  json.Key("artifactLocation");
  json.BeginObject();
  json.Add("uri", PathUri(file.name));
  json.EndObject();
  if (where.byte || where.line != 0) {
    json.Key("region");
    json.BeginObject();
    if (where.line != 0) {
      json.Add("startLine", where.line);
      if (where.column != 0) json.Add("startColumn", where.column);
    } else {
      json.Add("byteOffset", *where.byte);
    }
    json.EndObject();
  }
  json.EndObject();
  json.EndObject();
  json.EndArray();
}

void AddSarifResults(const ValidatedFile& file, const FindingLog::Group& group,
                     Json& json) {
  for (const FindingLog::Example& example : group.examples) {
    json.BeginObject();
    json.Add("ruleId", group.rule->id);
    json.Add("level", ToString(group.rule->severity));
    AddText("message",
            EscapeForTerminal(example.message, 512) + ". " +
                std::string(group.rule->advice),
            json);
    AddSarifPlace(file, example.where, json);
    json.Key("properties");
    json.BeginObject();
    json.Add("count", group.count);
    if (example.record) json.Add("record", *example.record);
    json.EndObject();
    json.EndObject();
  }
}

// A file that could not be read has no results, and would look clean.
void AddSarifInvocation(const std::vector<ValidatedFile>& files, Json& json) {
  const bool is_ok =
      std::all_of(files.begin(), files.end(),
                  [](const ValidatedFile& file) { return file.status.ok(); });
  json.Key("invocations");
  json.BeginArray();
  json.BeginObject();
  json.AddBool("executionSuccessful", is_ok);
  json.Key("toolExecutionNotifications");
  json.BeginArray();
  for (const ValidatedFile& file : files) {
    if (file.status.ok()) continue;
    json.BeginObject();
    json.Add("level", "error");
    AddText("message", EscapeForTerminal(file.status.message(), 512), json);
    AddSarifPlace(file, {}, json);
    json.EndObject();
  }
  json.EndArray();
  json.EndObject();
  json.EndArray();
}

}  // namespace

std::vector<RuleSet> AllRules() {
  std::vector<RuleSet> sets = {{"", CommonRules(), {}}};
  for (const ReaderInfo* const reader : Readers()) {
    if (reader->validator == nullptr) continue;
    sets.push_back(
        {reader->name, reader->validator->rules, reader->validator->readers});
  }
  return sets;
}

std::string ValidateJson(const std::vector<ValidatedFile>& files) {
  Json json;
  json.BeginObject();
  json.Add("tool", "heapglot");
  json.Add("version", HEAPGLOT_VERSION);
  json.Key("files");
  json.BeginArray();
  for (const ValidatedFile& file : files) AddFile(file, json);
  json.EndArray();
  json.EndObject();
  return json.Take();
}

std::string ValidateSarif(const std::vector<ValidatedFile>& files) {
  Json json;
  json.BeginObject();
  json.Add("$schema", kSchema);
  json.Add("version", "2.1.0");
  json.Key("runs");
  json.BeginArray();
  json.BeginObject();
  AddSarifTool(json);
  AddSarifInvocation(files, json);
  json.Key("results");
  json.BeginArray();
  for (const ValidatedFile& file : files) {
    for (const FindingLog::Group& group : file.validation.log.groups())
      AddSarifResults(file, group, json);
  }
  json.EndArray();
  json.EndObject();
  json.EndArray();
  json.EndObject();
  return json.Take();
}

std::string RulesJson() {
  Json json;
  json.BeginObject();
  json.Key("rules");
  json.BeginArray();
  for (const RuleSet& set : AllRules()) {
    for (const Rule& rule : set.rules) {
      json.BeginObject();
      json.Add("format", set.format);
      AddRule(rule, json);
      json.EndObject();
    }
  }
  json.EndArray();
  json.EndObject();
  return json.Take();
}

std::string EffectsText(const Rule& rule) {
  std::string text;
  for (const Effect& effect : rule.effects) {
    if (effect.reader.empty()) continue;
    if (!text.empty()) text += ", ";
    text.append(effect.reader).append(" ").append(ToString(effect.outcome));
  }
  return text;
}

std::string RulesMarkdown() {
  std::string page;
  for (const RuleSet& set : AllRules()) {
    page += "## " +
            (set.format.empty() ? "any format" : std::string(set.format)) +
            "\n\n";
    if (set.readers.empty()) {
      page += "| rule | | what is wrong | what to do |\n|---|---|---|---|\n";
    } else {
      page +=
          "| rule | | what is wrong | what to do | effect |\n"
          "|---|---|---|---|---|\n";
    }
    for (const Rule& rule : set.rules) {
      page += "| `" + std::string(rule.id) + "` | " +
              std::string(ToString(rule.severity)) + " | " +
              std::string(rule.summary) + " | " + std::string(rule.advice) +
              " |";
      if (!set.readers.empty()) page += " " + EffectsText(rule) + " |";
      page += "\n";
    }
    page += "\n";
  }
  page.pop_back();
  return page;
}

}  // namespace heapglot::tool
