#include "core/registry.h"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/builtin_formats.h"
#include "core/text/utf.h"
#include "heapglot/feature.h"
#include "heapglot/format.h"

namespace heapglot {
namespace {

// The name of the program that packed a file; empty if it is not a known one.
std::string_view PackerOf(std::string_view head) {
  using Magic = std::pair<std::string_view, std::string_view>;
  constexpr Magic kMagics[] = {
      {"\3757zXZ", "xz"},           {"BZh", "bzip2"},
      {"PK\x03\x04", "zip"},        {"\x1f\x8b", "gzip"},
      {"\x28\xb5\x2f\xfd", "zstd"}, {"7z\xbc\xaf\x27\x1c", "7-Zip"},
      {"\x04\x22\x4d\x18", "lz4"},
  };
  for (const auto& [magic, name] : kMagics)
    if (head.starts_with(magic)) return name;
  return {};
}

template <typename Info>
const Info* FindByName(std::span<const Info* const> table,
                       std::string_view name) {
  const auto found =
      std::find_if(table.begin(), table.end(),
                   [name](const Info* info) { return info->name == name; });
  return found == table.end() ? nullptr : *found;
}

// Begins with the builtin formats; registered ones come after them.
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

// "[a-z][a-z0-9_]*": names appear in messages, in codes and on command lines.
bool IsName(std::string_view name) {
  const auto is_letter = [](char c) { return c >= 'a' && c <= 'z'; };
  return !name.empty() && is_letter(name[0]) &&
         std::all_of(name.begin(), name.end(), [&](char c) {
           return is_letter(c) || (c >= '0' && c <= '9') || c == '_';
         });
}

template <typename Info>
Status CheckName(std::span<const Info* const> table, std::string_view name) {
  if (!IsName(name)) {
    return {Code::kUsage, "'" + std::string(name) +
                              "' is no name of a format: [a-z][a-z0-9_]*"};
  }
  if (FindByName(table, name) == nullptr) return {};
  return {Code::kUsage,
          "there is a format '" + std::string(name) + "' already"};
}

// `Row` has a code.
template <typename Row>
Status CheckCodes(std::span<const Row> rows, std::string_view name) {
  const std::string prefix = std::string(name) + '.';
  for (const Row& row : rows) {
    if (row.code.starts_with(prefix) && row.code != prefix) continue;
    return {Code::kUsage, "the code '" + std::string(row.code) +
                              "' does not begin with '" + prefix + "'"};
  }
  return {};
}

std::ptrdiff_t CountRules(const WriterInfo& info, Feature feature) {
  return std::count_if(
      info.fidelity.begin(), info.fidelity.end(), [&](const FidelityRow& row) {
        return row.feature == feature && IsRule(row, info.name);
      });
}

// If a special case has no rule, the code of the rule is misspelt.
Status CheckRules(const WriterInfo& info) {
  for (const FidelityRow& row : info.fidelity) {
    const std::ptrdiff_t rules = CountRules(info, row.feature);
    if (rules == 1) continue;
    return {Code::kUsage, "'" + std::string(Key(row.feature)) + "' has " +
                              std::to_string(rules) +
                              " rules, and should have one: '" +
                              std::string(info.name) + '.' +
                              std::string(Key(row.feature)) + "'"};
  }
  return {};
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

CompleteWriter::CompleteWriter(const WriterInfo& info)
    : info_(info), rows_(info.fidelity.begin(), info.fidelity.end()) {
  codes_.reserve(kFeatures);  // rows refer to them
  for (std::size_t i = 0; i < kFeatures; ++i) {
    const auto feature = static_cast<Feature>(i);
    if (CountRules(info, feature) > 0) continue;
    const std::string& code = codes_.emplace_back(std::string(info.name) + '.' +
                                                  std::string(Key(feature)));
    rows_.push_back(
        {feature, code, LossClass::kDropped, "the format has no place for it"});
  }
  info_.fidelity = rows_;
}

std::span<const ReaderInfo* const> Readers() { return ReaderTable(); }
std::span<const WriterInfo* const> Writers() { return WriterTable(); }

Status Register(const ReaderInfo& info) {
  HEAPGLOT_RETURN_IF_ERROR(CheckName(Readers(), info.name));
  if (info.sniff == nullptr || info.make == nullptr)
    return {Code::kUsage, "a reader needs `sniff` and `make`"};
  HEAPGLOT_RETURN_IF_ERROR(CheckCodes(info.losses, info.name));
  ReaderTable().push_back(&info);
  return {};
}

Status Register(const WriterInfo& info) {
  static std::vector<std::unique_ptr<const CompleteWriter>> registered;
  HEAPGLOT_RETURN_IF_ERROR(CheckName(Writers(), info.name));
  if (info.make == nullptr) return {Code::kUsage, "a writer needs `make`"};
  HEAPGLOT_RETURN_IF_ERROR(CheckCodes(info.fidelity, info.name));
  HEAPGLOT_RETURN_IF_ERROR(CheckCodes(info.synthesized, info.name));
  HEAPGLOT_RETURN_IF_ERROR(CheckRules(info));
  registered.push_back(std::make_unique<const CompleteWriter>(info));
  WriterTable().push_back(&registered.back()->info());
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
    const std::string_view packer = PackerOf(head);
    return Status(Code::kMalformed,
                  packer.empty()
                      ? "no known format: it begins with \"" +
                            EscapeForTerminal(head.substr(0, 16)) + "\""
                      : "it is compressed with " + std::string(packer) +
                            ": decompress it first (gzip and zstd are read "
                            "directly, once)",
                  Where::Byte(0));
  }
  if (rival != nullptr) {
    return Status(Code::kMalformed,
                  "it may be " + std::string(rival->name) + " or " +
                      std::string(best->name) + ": select one with --from",
                  Where::Byte(0));
  }
  return best;
}

}  // namespace heapglot
