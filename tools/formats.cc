// heapglot formats: what can be read and written.
#include <algorithm>
#include <array>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "heapglot/format.h"
#include "tools/flags.h"
#include "tools/json.h"
#include "tools/page.h"
#include "tools/text.h"
#include "tools/verbs.h"

namespace heapglot::tool {
namespace {

constexpr int kMinTitle = 20;

constexpr char kFormatsExamples[] = R"(Examples:
  heapglot formats
  heapglot formats --json)";

// A reader, a writer, or both with the same name.
struct Format {
  std::string_view name;
  const ReaderInfo* reader = nullptr;
  const WriterInfo* writer = nullptr;

  std::string_view title() const {
    return reader != nullptr ? reader->title : writer->title;
  }
  std::vector<std::string_view> extensions() const {
    return Words(reader != nullptr ? reader->extensions : writer->extensions);
  }
};

std::vector<Format> AllFormats() {
  std::vector<Format> formats;
  for (const ReaderInfo* reader : Readers()) {
    formats.push_back({.name = reader->name,
                       .reader = reader,
                       .writer = FindWriter(reader->name)});
  }
  for (const WriterInfo* writer : Writers()) {
    if (FindReader(writer->name) != nullptr) continue;
    formats.push_back({.name = writer->name, .writer = writer});
  }
  return formats;
}

std::string FormatsJson() {
  Json json;
  json.BeginObject();
  json.Key("formats");
  json.BeginArray();
  for (const Format& format : AllFormats()) {
    json.BeginObject();
    json.Add("name", format.name);
    json.Add("title", format.title());
    json.AddBool("reads", format.reader != nullptr);
    json.AddBool("writes", format.writer != nullptr);
    json.AddBool("sniffs", format.reader != nullptr);
    json.Key("extensions");
    json.BeginArray();
    for (const std::string_view word : format.extensions()) {
      json.String(std::string(".").append(word));
    }
    json.EndArray();
    json.EndObject();
  }
  json.EndArray();
  json.Key("compressions");
  json.BeginArray();
  json.String(ToString(Compression::kGzip));
  json.String(ToString(Compression::kZstd));
  json.EndArray();
  json.EndObject();
  return json.Take();
}

// Titles wrap, so that no line is longer than `columns` if possible.
std::string FormatsTable(int columns) {
  std::vector<std::array<std::string, 5>> rows = {
      {"name", "read", "write", "extensions", "what it is"}};
  for (const Format& format : AllFormats()) {
    std::string extensions;
    for (const std::string_view word : format.extensions()) {
      if (!extensions.empty()) extensions += ' ';
      extensions.append(".").append(word);
    }
    rows.push_back({std::string(format.name),
                    format.reader != nullptr ? "yes" : "-",
                    format.writer != nullptr ? "yes" : "-", extensions,
                    std::string(format.title())});
  }
  std::array<std::size_t, 5> widths = {};
  for (const auto& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      widths[i] = std::max(widths[i], row[i].size());
    }
  }
  const std::size_t titles =
      std::accumulate(widths.begin(), widths.end() - 1, std::size_t{8});
  const int room = std::max(kMinTitle, columns - static_cast<int>(titles));
  std::string table;
  for (const auto& row : rows) {
    for (std::size_t i = 0; i + 1 < row.size(); ++i) {
      table += row[i] + std::string(widths[i] - row[i].size() + 2, ' ');
    }
    const std::vector<std::string> lines = Wrap(row.back(), room, room);
    for (std::size_t i = 0; i < lines.size(); ++i) {
      if (i > 0) table += std::string(titles, ' ');
      table += lines[i] + "\n";
    }
  }
  return table +
         "\nInputs are recognised by their content, never by their name; gzip "
         "and zstd are\ndecompressed. An output's extension selects its "
         "format, unless several formats\nshare it (then use --to); .gz or "
         ".zst after it compresses the output.\n";
}

}  // namespace

Verb AddFormats(CLI::App& app) {
  const auto json = std::make_shared<bool>(false);
  CLI::App* command = app.add_subcommand(
      "formats", "Lists the formats that can be read and written.");
  command->add_flag("--json", *json, "print JSON");
  command->footer(kFormatsExamples);
  return {command, [json](const Console& console) {
            return console.Print(*json ? FormatsJson()
                                       : FormatsTable(StdoutColumns()));
          }};
}

}  // namespace heapglot::tool
