// A space after a record means nothing, but disables the fast paths for many
// lines of numbers at a time and for lines of the same shape as an earlier one.
// The reader must give the same with and without spaces.
#ifndef HEAPGLOT_TESTS_NDJSON_SPACED_LINES_H_
#define HEAPGLOT_TESTS_NDJSON_SPACED_LINES_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "heapglot/bytes.h"
#include "readers/ndjson/ndjson_reader.h"

namespace heapglot {

// The lines of a file, except trailers, which state its size.
inline std::vector<std::string_view> LinesToSpace(std::string_view file) {
  std::vector<std::string_view> lines;
  while (!file.empty()) {
    const std::string_view line =
        file.substr(0, std::min(file.find('\n'), file.size() - 1) + 1);
    file.remove_prefix(line.size());
    if (line.find("hg.trailer") == std::string_view::npos)
      lines.push_back(line);
  }
  return lines;
}

// A file of lines, with or without a space after those that look like arrays of
// numbers, or like nodes and edges that are objects. In other lines a space may
// be part of a text, or of an error.
class SpacedLines {
 public:
  SpacedLines(const std::vector<std::string_view>& lines, bool spaced) {
    for (const std::string_view line : lines) {
      if (!spaced || !(IsNumbers(line) || IsObject(line))) {
        text_ += line;
        continue;
      }
      text_ += line.substr(0, line.size() - 1);
      spaces_.push_back(text_.size());
      text_ += " \n";
    }
  }

  // Everything that the reader returns, as text, with the offsets of the file
  // without spaces.
  std::string Reading() const {
    const auto source = ByteSource::FromMemory(text_);
    Context context;
    Texts texts;
    const auto reader = kNdjsonReader.make(*source, context);
    for (const ChunkSet wanted :
         {ChunkSet::All(), ChunkSet({pb::Chunk::kNodes}),
          ChunkSet({pb::Chunk::kStrings, pb::Chunk::kValues}),
          ChunkSet({pb::Chunk::kNodes, pb::Chunk::kEdges})}) {
      const Status status = reader->Read(wanted, texts);
      texts.text += status.message() + Place(status.where());
    }
    for (const Finding& finding : context.findings()) {
      texts.text += finding.code + finding.message + Place(finding.where) +
                    std::to_string(finding.count) + "\n";
      for (const Finding::Place& other : finding.others)
        texts.text += other.message + Place(other.where);
    }
    return std::move(texts.text);
  }

 private:
  static bool IsNumbers(std::string_view line) {
    return line.starts_with('[') && line.ends_with("]\n") &&
           line.find_first_not_of("0123456789,", 1) == line.size() - 2;
  }

  // Whether a line is a complete object without nested ones, so that any error
  // is before its end.
  static bool IsObject(std::string_view line) {
    const auto count = [line](char byte) {
      return std::count(line.begin(), line.end(), byte);
    };
    return line.starts_with('{') && line.ends_with("}\n") && count('{') == 1 &&
           count('}') == 1 && count('"') % 2 == 0 && count('[') == 0 &&
           count('\\') == 0 &&
           (line.find(R"("type":"node")") != std::string_view::npos ||
            line.find(R"("type":"edge")") != std::string_view::npos);
  }

  // Removes spaces from lines that the stream has verbatim.
  static void DropSpaces(std::string* lines) {
    for (std::size_t at = lines->find(" \n"); at != std::string::npos;
         at = lines->find(" \n", at))
      lines->erase(at, 1);
  }

  struct Texts : public ChunkSink {
    Status Accept(const pb::Chunk& chunk) override {
      pb::Chunk same = chunk;
      if (same.has_header()) same.mutable_header()->clear_source_size();
      if (same.has_extra()) DropSpaces(same.mutable_extra()->mutable_data());
      if (same.has_record_order())
        DropSpaces(same.mutable_record_order()->mutable_lines());
      text += same.SerializeAsString() + "\n";
      return {};
    }
    std::string text;
  };

  std::string Place(const Where& where) const {
    std::string place = " at ";
    if (where.byte) {
      const auto spaces = std::lower_bound(spaces_.begin(), spaces_.end(),
                                           std::uint64_t{*where.byte}) -
                          spaces_.begin();
      place += std::to_string(*where.byte - static_cast<std::uint64_t>(spaces));
    }
    return place + ":" + std::to_string(where.line) + ":" +
           std::to_string(where.column) + "\n";
  }

  std::string text_;
  std::vector<std::uint64_t> spaces_;  // their offsets
};

}  // namespace heapglot

#endif  // HEAPGLOT_TESTS_NDJSON_SPACED_LINES_H_
