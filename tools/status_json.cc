#include "tools/status_json.h"

#include <cstdint>

#include "tools/text.h"

namespace heapglot::tool {
namespace {

constexpr std::size_t kMaxMessage = 500;

}  // namespace

void AddWhere(const Where& where, Json& json) {
  if (where.byte) json.Add("offset", *where.byte);
  if (where.line != 0) json.Add("line", where.line);
  if (where.column != 0) json.Add("column", where.column);
}

void AddFailure(const Status& status, Json& json) {
  json.Add("exit_code", static_cast<std::uint64_t>(ExitCode(status.code())));
  json.Add("message", EscapeForTerminal(status.message(), kMaxMessage));
  AddWhere(status.where(), json);
}

}  // namespace heapglot::tool
