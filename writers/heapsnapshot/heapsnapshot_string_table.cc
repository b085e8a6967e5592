#include "writers/heapsnapshot/heapsnapshot_string_table.h"

#include <cstring>
#include <string>

#include "core/text/format_uint.h"
#include "writers/heapsnapshot/heapsnapshot_losses.h"

namespace heapglot::heapsnapshot {

void StringTable::Add(const pb::Strings& strings) {
  BufferedOut& out = strings_.out();
  std::string_view rest = strings.data();
  for (int row = 0; row < strings.length_size(); ++row) {
    if (!is_in_string_) out.Write(",\n\"");
    WriteEscaped(rest.substr(0, strings.length(row)), out, &replaced_);
    rest.remove_prefix(strings.length(row));
    is_in_string_ = strings.continued() && row + 1 == strings.length_size();
    if (!is_in_string_) out.Write('"');
  }
}

std::uint64_t StringTable::AddMade(std::string_view text) {
  BufferedOut& out = made_strings_.out();
  Replaced counted;
  out.Write(",\n\"");
  WriteEscaped(text, out, &counted);
  out.Write('"');
  return numbers_.FirstMade() + made_++;
}

// A third of a heap may be integers.
std::uint64_t StringTable::AddMade(std::uint32_t form, std::uint64_t value) {
  constexpr std::string_view kBegin = ",\n\"-";
  BufferedOut& out = made_strings_.out();
  char* at = out.Reserve(kBegin.size() + kMaxUintDigits + 4);
  std::memcpy(at, kBegin.data(), kBegin.size());
  const bool is_negative = form == pb::V_INT && value >> 63 != 0;
  at += kBegin.size() - (is_negative ? 0 : 1);
  at = FormatUint(is_negative ? 0 - value : value, at);
  *at++ = '"';
  out.Commit(at);
  return numbers_.FirstMade() + made_++;
}

Status StringTable::status() {
  HEAPGLOT_RETURN_IF_ERROR(strings_.out().status());
  return made_strings_.out().status();
}

Status StringTable::Write(BufferedOut& out) {
  bool is_first = true;
  out.Write('[');
  for (const std::string& text : numbers_.fixed()) {
    out.Write(is_first ? "\"" : ",\n\"");
    is_first = false;
    WriteEscaped(text, out, &replaced_);
    out.Write('"');
  }
  HEAPGLOT_RETURN_IF_ERROR(strings_.MoveTo(out));
  HEAPGLOT_RETURN_IF_ERROR(made_strings_.MoveTo(out));
  out.Write(']');
  return {};
}

void StringTable::Report(LossReport* loss) const {
  Lose("heapsnapshot.string.surrogate", replaced_.lone_surrogates, loss);
  Lose("heapsnapshot.string.bytes", replaced_.bad_bytes, loss);
}

}  // namespace heapglot::heapsnapshot
