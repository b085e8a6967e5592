#include "core/ir/unknown_json.h"

namespace heapglot {
namespace {

bool BeginsNumber(char byte) {
  return byte == '-' || (byte >= '0' && byte <= '9');
}
bool EndsNumber(char byte) {
  return byte == ',' || byte == ']' || byte == '}' || byte == ' ' ||
         byte == '\n' || byte == '\r' || byte == '\t';
}

}  // namespace

std::uint64_t UnknownJson::Add(const pb::Extra& extra) {
  if (!goes_on_) {
    const ReaderInfo* const format =
        find_ == nullptr ? nullptr : find_(extra.format());
    is_unknown_ = format != nullptr && !format->unknown_json.empty() &&
                  extra.section() == format->unknown_json;
    is_in_string_ = is_escaped_ = is_in_number_ = false;
  }
  goes_on_ = extra.continued();
  if (!is_unknown_) return 0;
  std::uint64_t numbers = 0;
  for (const char byte : extra.data()) {
    if (is_escaped_) {
      is_escaped_ = false;
    } else if (is_in_string_) {
      is_escaped_ = byte == '\\';
      is_in_string_ = byte != '"';
    } else if (is_in_number_) {
      is_in_number_ = !EndsNumber(byte);
    } else if (byte == '"') {
      is_in_string_ = true;
    } else if (BeginsNumber(byte)) {
      is_in_number_ = true;
      ++numbers;
    }
  }
  return numbers;
}

}  // namespace heapglot
