#include "writers/dartheap/dartheap_data.h"

#include "core/text/utf.h"
#include "writers/dartheap/dartheap_encode.h"

namespace heapglot::dartheap {
namespace {

void WriteText(const Data& data, SpillBuffer& out) {
  if (data.tag == kTagName) {
    WriteUleb(data.text.size, out);
    if (data.text.size > 0) WriteBytes(data.text, *data.store, out);
    return;
  }
  WriteUleb(data.length != 0 ? data.length : data.units, out);
  WriteUleb(data.units, out);
  if (data.units == 0) return;
  if (data.is_raw)
    WriteBytes(data.text, *data.store, out);
  else if (data.tag == kTagLatin1)
    WriteLatin1(data.text, *data.store, out);
  else
    WriteUtf16(data.text, *data.store, out);
}

}  // namespace

void WriteData(const Data& data, SpillBuffer& out) {
  WriteUleb(data.tag, out);
  switch (data.tag) {
    case kTagBool:
    case kTagLength:
      WriteUleb(data.number, out);
      break;
    case kTagInt:
      if (data.is_signed)
        WriteSleb(static_cast<std::int64_t>(data.number), out);
      else
        WriteUleb(data.number, out);
      break;
    case kTagDouble:
      WriteFixed64(data.number, out);
      break;
    case kTagLatin1:
    case kTagUtf16:
    case kTagName:
      WriteText(data, out);
      break;
    default:
      break;
  }
}

Data StringData(const StringStore::Text& text, const Units& units,
                StringStore& store, bool prefer_utf16) {
  Data data;
  data.store = &store;
  data.text = text;
  if (text.encoding == pb::BYTES) {
    data.tag = kTagLatin1;
    data.is_raw = true;
    data.units = text.size;
    return data;
  }
  data.tag = units.IsLatin1() && !prefer_utf16 ? kTagLatin1 : kTagUtf16;
  data.units = units.count;
  return data;
}

Data NameData(const StringStore::Text& text, StringStore& store) {
  Data data;
  data.tag = kTagName;
  data.store = &store;
  data.text = text;
  return data;
}

Data IntData(std::uint64_t value, std::uint32_t encoding, IntClass of,
             std::uint32_t pointer_size) {
  Data data;
  data.tag = kTagInt;
  data.is_signed = encoding == pb::SLEB_INT ||
                   (encoding != pb::ULEB_INT && of == IntClass::kMint);
  const bool is_half_word =
      !data.is_signed && of == IntClass::kSmi && pointer_size == 4;
  data.number = is_half_word ? static_cast<std::uint32_t>(value) : value;
  return data;
}

bool Spend(TextBudget& budget, std::string_view& name) {
  if (budget.Take(name.size())) return false;
  name = name.substr(0, CutAtCodePoint(name, TextBudget::kLong));
  return true;
}

bool Spend(TextBudget& budget, Data& data) {
  constexpr std::uint64_t kLong = TextBudget::kLong;
  if (budget.Take(data.text.size)) return false;
  // A few bytes more, so that the cut need not be one through the last point.
  data.text.size =
      CutAtCodePoint(data.store->Piece(data.text, 0, kLong + 4), kLong);
  if (data.tag == kTagName) return true;
  if (data.length == 0) data.length = data.units;
  data.units =
      data.is_raw ? data.text.size : MeasureText(data.text, *data.store).count;
  return true;
}

}  // namespace heapglot::dartheap
