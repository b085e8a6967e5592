#include "tools/loss_report.h"

#include <algorithm>
#include <vector>

#include "core/bytes/sha256.h"
#include "core/bytes/source_digest.h"
#include "tools/json.h"
#include "tools/text.h"

namespace heapglot::tool {
namespace {

// Keeps a line with "heapglot: " below 512 bytes.
constexpr std::size_t kMaxLine = 490;

// "value.double" of "heapsnapshot.value.double": the reader of the summary
// knows the target.
std::string_view WithoutTarget(std::string_view code, std::string_view target) {
  if (code.starts_with(target) && code.substr(target.size()).starts_with('.'))
    code.remove_prefix(target.size() + 1);
  return code;
}

std::string NodeList(const std::vector<std::uint64_t>& nodes) {
  std::string text;
  for (const std::uint64_t node : nodes) {
    text += text.empty() ? (nodes.size() == 1 ? "node " : "nodes ") : ", ";
    text += std::to_string(node);
  }
  return text;
}

void PrintInDetail(const LossReport::Item& item, std::string_view group,
                   const Console& console) {
  std::string line(group);
  line += ": " + item.code + ": " + Thousands(item.count);
  if (!item.detail.empty()) line += ": " + item.detail;
  if (!item.examples.empty()) line += " (" + NodeList(item.examples) + ")";
  console.Note(EscapeForTerminal(line, kMaxLine));
}

void PrintJson(const std::vector<const LossReport::Item*>& items,
               std::string_view group, const Console& console) {
  Json json(Json::Layout::kOneLine);
  json.BeginObject();
  json.Add("level", "info");
  json.Add("class", group);
  json.Key("items");
  json.BeginArray();
  for (const LossReport::Item* item : items) {
    json.BeginObject();
    json.Add("code", item->code);
    json.Add("count", item->count);
    json.EndObject();
  }
  json.EndArray();
  json.EndObject();
  console.NoteJson(json.Take());
}

// "3 value.double, 2 edge.weak": as many as fit, most frequent first.
std::string Summarize(std::vector<const LossReport::Item*> items,
                      std::string_view target, std::size_t room) {
  std::stable_sort(
      items.begin(), items.end(),
      [](const auto* a, const auto* b) { return a->count > b->count; });
  std::string line;
  for (std::size_t i = 0; i < items.size(); ++i) {
    std::string word = Thousands(items[i]->count) + " ";
    word += EscapeForTerminal(WithoutTarget(items[i]->code, target));
    const std::string rest =
        " and " + std::to_string(items.size() - i) + " more";
    if (line.size() + word.size() + rest.size() + 2 > room) return line + rest;
    if (i > 0) line += ", ";
    line += word;
  }
  return line;
}

// Prints one class of losses, or what was synthesized. What was kept well is
// only counted: it is good to know, but not a warning.
void PrintGroup(const std::vector<const LossReport::Item*>& items,
                std::string_view group, std::string_view target, bool is_brief,
                const Console& console) {
  if (items.empty()) return;
  if (console.json()) return PrintJson(items, group, console);
  if (console.verbose()) {
    for (const LossReport::Item* item : items) {
      PrintInDetail(*item, group, console);
    }
    return;
  }
  std::string line = std::string(group) + ": ";
  if (is_brief) {
    line += std::to_string(items.size());
    line += items.size() == 1 ? " feature" : " features";
  } else {
    line += Summarize(items, target, console.NoteRoom() - line.size());
  }
  console.Note(line);
}

void AddItem(const LossReport::Item& item, bool is_loss, Json& json) {
  json.BeginObject();
  json.Add("code", item.code);
  if (is_loss) json.Add("class", ToString(item.loss_class));
  json.Add("count", item.count);
  json.Add("detail", item.detail);
  if (is_loss) {
    json.Key("examples");
    json.BeginArray();
    for (const std::uint64_t node : item.examples) json.Number(node);
    json.EndArray();
  }
  // What other programs get if leftovers restore it.
  if (item.native_class) json.Add("native", ToString(*item.native_class));
  json.EndObject();
}

}  // namespace

void PrintLosses(const LossReport& losses, const WriterInfo& to,
                 const Console& console) {
  for (std::size_t i = 0; i < kLossClasses; ++i) {
    const auto loss_class = static_cast<LossClass>(i);
    std::vector<const LossReport::Item*> items;
    for (const LossReport::Item& item : losses.items()) {
      if (item.loss_class == loss_class) items.push_back(&item);
    }
    PrintGroup(items, ToString(loss_class), to.name,
               loss_class <= LossClass::kEquivalent, console);
  }
  std::vector<const LossReport::Item*> synthesized;
  for (const LossReport::Item& item : losses.synthesized()) {
    synthesized.push_back(&item);
  }
  PrintGroup(synthesized, "synthesized", to.name, false, console);
}

std::string LossReportJson(const LossReport& losses, const OpenInput& input,
                           const WriterInfo& to) {
  Json json;
  json.BeginObject();
  json.Add("tool", "heapglot");
  json.Add("version", HEAPGLOT_VERSION);
  json.Key("from");
  json.BeginObject();
  json.Add("format", input.format->name);
  json.Add("compression", ToString(input.source->compression()));
  json.Add("size", input.source->bytes().size());
  // Fails only if it has a thread.
  const Result<std::string> sha256 = SourceDigest(*input.source).Finish();
  if (sha256.ok()) json.Add("sha256", Hex(*sha256));
  json.EndObject();
  json.Add("to", to.name);
  json.Key("loss");
  json.BeginArray();
  for (const LossReport::Item& item : losses.items()) AddItem(item, true, json);
  json.EndArray();
  json.Key("synthesized");
  json.BeginArray();
  for (const LossReport::Item& item : losses.synthesized()) {
    AddItem(item, false, json);
  }
  json.EndArray();
  json.Add("worst", ToString(losses.worst()));
  json.EndObject();
  return json.Take();
}

}  // namespace heapglot::tool
