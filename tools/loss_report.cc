#include "tools/loss_report.h"

#include <vector>

#include "core/bytes/sha256.h"
#include "tools/json.h"
#include "tools/text.h"

namespace heapglot::tool {
namespace {

// So that a line with "heapglot: " stays below 512 bytes.
constexpr std::size_t kMaxLine = 490;

// "value.double" of "heapsnapshot.value.double": the target is known to who
// reads the summary.
std::string_view WithoutFormat(std::string_view code) {
  const std::size_t dot = code.find('.');
  return dot == std::string_view::npos ? code : code.substr(dot + 1);
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

// One class of losses, or what was synthesized.
void PrintGroup(const std::vector<const LossReport::Item*>& items,
                std::string_view group, const Console& console) {
  if (items.empty()) return;
  if (console.json()) return PrintJson(items, group, console);
  if (console.verbose()) {
    for (const LossReport::Item* item : items) {
      PrintInDetail(*item, group, console);
    }
    return;
  }
  std::string line = std::string(group) + ": ";
  for (const LossReport::Item* item : items) {
    if (item != items.front()) line += ", ";
    line += Thousands(item->count) + " ";
    line += WithoutFormat(item->code);
  }
  console.Note(EscapeForTerminal(line, kMaxLine));
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
  // What other programs get where leftovers make good for it.
  if (item.native_class) json.Add("native", ToString(*item.native_class));
  json.EndObject();
}

}  // namespace

void PrintLosses(const LossReport& losses, const Console& console) {
  for (std::size_t i = 0; i < kLossClasses; ++i) {
    const auto loss_class = static_cast<LossClass>(i);
    std::vector<const LossReport::Item*> items;
    for (const LossReport::Item& item : losses.items()) {
      if (item.loss_class == loss_class) items.push_back(&item);
    }
    PrintGroup(items, ToString(loss_class), console);
  }
  std::vector<const LossReport::Item*> synthesized;
  for (const LossReport::Item& item : losses.synthesized()) {
    synthesized.push_back(&item);
  }
  PrintGroup(synthesized, "synthesized", console);
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
  json.Add("sha256", Hex(Sha256Of(input.source->bytes())));
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
