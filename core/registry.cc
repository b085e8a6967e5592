#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "core/builtin_formats.h"
#include "core/text/utf.h"
#include "heapglot/feature.h"
#include "heapglot/format.h"

namespace heapglot {
namespace {

template <typename Info>
const Info* FindByName(std::span<const Info* const> table,
                       std::string_view name) {
  const auto found =
      std::find_if(table.begin(), table.end(),
                   [name](const Info* info) { return info->name == name; });
  return found == table.end() ? nullptr : *found;
}

// Begins with the builtin formats; what is registered comes behind them.
std::vector<const ReaderInfo*>& ReaderTable() {
  static std::vector<const ReaderInfo*> table(BuiltinReaders().begin(),
                                              BuiltinReaders().end());
  return table;
}

std::vector<const WriterInfo*>& WriterTable() {
  static std::vector<const WriterInfo*> table(BuiltinWriters().begin(),
                                              BuiltinWriters().end());
  return table;
}

template <typename Info>
Status CheckName(std::span<const Info* const> table, std::string_view name) {
  if (FindByName(table, name) == nullptr) return {};
  return {Code::kUsage,
          "there is a format '" + std::string(name) + "' already"};
}

// A writer with a rule for every feature.
struct CompleteWriter {
  WriterInfo info;
  std::vector<FidelityRow> rows;
  std::vector<std::string> codes;  // of the rules that were missing
};

bool HasRule(const WriterInfo& info, Feature feature) {
  return std::any_of(info.fidelity.begin(), info.fidelity.end(),
                     [&](const FidelityRow& row) {
                       return row.feature == feature && IsRule(row, info.name);
                     });
}

std::unique_ptr<const CompleteWriter> Complete(const WriterInfo& info) {
  auto complete = std::make_unique<CompleteWriter>();
  complete->info = info;
  complete->rows.assign(info.fidelity.begin(), info.fidelity.end());
  complete->codes.reserve(kFeatures);  // rows refer to them
  for (std::size_t i = 0; i < kFeatures; ++i) {
    const auto feature = static_cast<Feature>(i);
    if (HasRule(info, feature)) continue;
    const std::string& code = complete->codes.emplace_back(
        std::string(info.name) + '.' + std::string(Key(feature)));
    complete->rows.push_back(
        {feature, code, LossClass::kDropped, "the format has no place for it"});
  }
  complete->info.fidelity = complete->rows;
  return complete;
}

// Whether `word` is one of the words of `list`.
bool HasWord(std::string_view list, std::string_view word) {
  while (!list.empty()) {
    const std::size_t space = list.find(' ');
    if (list.substr(0, space) == word) return true;
    if (space == std::string_view::npos) break;
    list.remove_prefix(space + 1);
  }
  return false;
}

}  // namespace

std::span<const ReaderInfo* const> Readers() { return ReaderTable(); }
std::span<const WriterInfo* const> Writers() { return WriterTable(); }

Status Register(const ReaderInfo& info) {
  Status status = CheckName(Readers(), info.name);
  if (status.ok() && (info.sniff == nullptr || info.make == nullptr))
    return {Code::kUsage, "a reader needs `sniff` and `make`"};
  if (status.ok()) ReaderTable().push_back(&info);
  return status;
}

Status Register(const WriterInfo& info) {
  static std::vector<std::unique_ptr<const CompleteWriter>> registered;
  Status status = CheckName(Writers(), info.name);
  if (!status.ok()) return status;
  if (info.make == nullptr) return {Code::kUsage, "a writer needs `make`"};
  registered.push_back(Complete(info));
  WriterTable().push_back(&registered.back()->info);
  return {};
}

const ReaderInfo* FindReader(std::string_view name) {
  return FindByName(Readers(), name);
}

const WriterInfo* FindWriter(std::string_view name) {
  return FindByName(Writers(), name);
}

const WriterInfo& IrWriter() {
  const auto writers = Writers();
  return **std::find_if(
      writers.begin(), writers.end(),
      [](const WriterInfo* writer) { return writer->keeps_source_image; });
}

const ReaderInfo& IrReader() { return *FindReader(IrWriter().name); }

const WriterInfo* FindWriterForPath(std::string_view path) {
  for (const std::string_view compressed : {".gz", ".zst"}) {
    if (path.ends_with(compressed)) {
      path.remove_suffix(compressed.size());
      break;
    }
  }
  const std::size_t dot = path.find_last_of("./");
  if (dot == std::string_view::npos || path[dot] != '.') return nullptr;
  for (const WriterInfo* const writer : Writers())
    if (HasWord(writer->extensions, path.substr(dot + 1))) return writer;
  return nullptr;
}

Result<const ReaderInfo*> Identify(std::string_view head) {
  head = head.substr(0, kSniffBytes);
  if (head.empty())
    return Status(Code::kTruncated, "the input is empty", Where::Byte(0));
  const ReaderInfo* best = nullptr;
  const ReaderInfo* rival = nullptr;
  Sniff surest = Sniff::kNo;
  for (const ReaderInfo* const reader : Readers()) {
    const Sniff answer = reader->sniff(head);
    if (answer == Sniff::kNo || answer < surest) continue;
    rival = answer == surest ? best : nullptr;
    best = reader;
    surest = answer;
  }
  if (best == nullptr && BeginsAsUtf16(head))
    return Status(Code::kMalformed, std::string(kIsUtf16), Where::Byte(0));
  if (best == nullptr) {
    return Status(Code::kMalformed,
                  "no known format: it begins with \"" +
                      EscapeForTerminal(head.substr(0, 16)) + "\"",
                  Where::Byte(0));
  }
  if (rival != nullptr) {
    return Status(Code::kMalformed,
                  "it may be " + std::string(rival->name) + " or " +
                      std::string(best->name) + ": say which with --from",
                  Where::Byte(0));
  }
  return best;
}

}  // namespace heapglot
