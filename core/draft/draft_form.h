// A physical form of the draft "Extensible heap dumps for Node programs": lines
// (ndjson) or tables (sqlite). The code that core/draft, readers/draft and
// writers/draft share handles the draft's records; a Form tells it where these
// come from or go to.
#ifndef HEAPGLOT_CORE_DRAFT_DRAFT_FORM_H_
#define HEAPGLOT_CORE_DRAFT_DRAFT_FORM_H_

#include <cstdint>
#include <string>
#include <string_view>

namespace heapglot::draft {

class Form {
 public:
  // Where the records of a file come from.
  enum class Records : std::uint8_t {
    kLines,     // the file's own lines: a trailer shows that it is complete
    kRendered,  // lines that the reader made from something else
  };

  // `name` is the format's; `data_section` is the section of Extra for records
  // whose meaning is not known (ReaderInfo::unknown_json). Both must outlive
  // this.
  constexpr Form(std::string_view name, std::string_view data_section,
                 Records records)
      : name_(name), data_section_(data_section), records_(records) {}

  constexpr std::string_view name() const { return name_; }
  constexpr std::string_view data_section() const { return data_section_; }
  bool has_trailer() const { return records_ == Records::kLines; }
  // "ndjson.line.blank".
  std::string Code(std::string_view code) const {
    return std::string(name_).append(1, '.').append(code);
  }
  // "ndjson: a blank line".
  std::string Say(std::string_view text) const {
    return std::string(name_).append(": ").append(text);
  }

 private:
  std::string_view name_;
  std::string_view data_section_;
  Records records_;
};

}  // namespace heapglot::draft

#endif  // HEAPGLOT_CORE_DRAFT_DRAFT_FORM_H_
