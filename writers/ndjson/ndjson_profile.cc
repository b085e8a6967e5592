#include "writers/ndjson/ndjson_profile.h"

#include <algorithm>
#include <utility>

namespace heapglot::ndjson {
namespace {

constexpr std::string_view kKeys = "keys=";

// Removes and returns what precedes `end`; removes that, too.
std::string TakeUntil(char end, std::string_view* text) {
  std::string part(text->substr(0, text->find(end)));
  text->remove_prefix(std::min(part.size() + 1, text->size()));
  return part;
}

// TYPE/SUBTYPE:KEY,KEY,...
void AddOrder(std::string_view text, draft::Style* style) {
  if (style->orders.size() == kMaxOrders) return;
  draft::Style::KeyOrder order;
  std::string_view keys = text.substr(std::min(text.find(':'), text.size()));
  text.remove_suffix(keys.size());
  if (!keys.empty()) keys.remove_prefix(1);
  order.type = TakeUntil('/', &text);
  order.subtype = text;
  while (!keys.empty() && order.keys.size() < kMaxKeys)
    order.keys.push_back(TakeUntil(',', &keys));
  style->orders.push_back(std::move(order));
}

}  // namespace

Profile ReadProfile(std::string_view text) {
  Profile profile;
  profile.all = text.empty();
  using draft::Style;
  Style& style = profile.style;
  while (!text.empty()) {
    const std::string_view part = text.substr(0, text.find(';'));
    text.remove_prefix(std::min(part.size() + 1, text.size()));
    if (part == "shape=object") style.object = true;
    if (part == "subtypes=code") style.names = false;
    if (part == "twins") style.twins = true;
    if (part == "ascii") style.ascii = true;
    if (part == "eol=crlf") style.crlf = true;
    if (part == "ids=hex") style.ids = Style::Ids::kHex;
    if (part == "ids=dec") style.ids = Style::Ids::kDecimal;
    if (part == "string_ids=hex") style.string_ids = Style::Ids::kHex;
    if (part == "string_ids=dec") style.string_ids = Style::Ids::kDecimal;
    if (part == "f64=e10") style.doubles = Style::Doubles::kExponent;
    if (part == "f64=py") style.doubles = Style::Doubles::kPython;
    if (part == "trailer=no") style.trailer = false;
    if (part == "bom") style.bom = true;
    if (part == "sorted") style.sorted_keys = true;
    if (part == "comma=space") style.comma_space = true;
    if (part == "colon=space") style.colon_space = true;
    if (part.starts_with(kKeys)) AddOrder(part.substr(kKeys.size()), &style);
    if (part == "all") profile.all = true;
  }
  // What returns to its own format stays as it was.
  style.distinct = profile.all;
  return profile;
}

}  // namespace heapglot::ndjson
