#include "readers/draft/draft_lookup.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "core/draft/draft_values.h"
#include "core/text/base64.h"
#include "core/text/utf.h"

namespace heapglot::draft {
namespace {

// Limits on the search for a name and on its length: a file may have a chain of
// any length, and one that never ends.
constexpr int kMaxNameSteps = 64;
// The same for the steps from a closure by its metadata to a string: there may
// be as many such chains as closures.
constexpr int kMaxTextSteps = 8;
constexpr std::size_t kMaxNameBytes = 1024;
// How much of a long text is taken, so that it is cut where the whole would be.
constexpr std::size_t kNameStart = kMaxNameBytes + 8;
// From this size on, parsing a line again costs more than keeping its result.
constexpr std::size_t kLongLine = std::size_t{8} << 10;

std::uint64_t LengthIn(const Record& node) {
  const auto& fields = node.layout->fields;
  for (std::size_t slot = 0; slot < fields.size(); ++slot) {
    Integer length;
    if (fields[slot].name != "length" ||
        !ReadInteger(node.fields[slot], &length) || length.negative)
      continue;
    return fields[slot].type == FieldType::kValue ? length.magnitude >> 1
                                                  : length.magnitude;
  }
  return IdMap::kNone;
}

// The start of a token's text: `most` bytes, counting an escape as one, or a
// little more, so as not to split an escape or a code point.
std::string_view StartOf(std::string_view text, std::size_t most) {
  std::size_t end = 0;
  for (std::size_t i = 0; i < most && end < text.size(); ++i)
    end += text[end] != '\\' ? 1 : text[end + 1] != 'u' ? 2 : 6;
  while (end < text.size() &&
         (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80)
    ++end;
  return text.substr(0, end);
}

pb::StringEncoding AppendFields(const Token& utf16, const Token& bytes,
                                const Token& data, std::string* out) {
  const std::size_t begin = out->size();
  if (!utf16.is_null()) {
    std::string units;
    if (AppendFromBase64(utf16.text, &units) && units.size() % 2 == 0)
      return AppendUtf16Le(units, out);
  }
  if (!bytes.is_null()) {
    if (AppendFromBase64(bytes.text, out)) {
      // The bytes decide, whatever the field's name says.
      return ClassifyUtf8(std::string_view(*out).substr(begin));
    }
    out->resize(begin);
  }
  return AppendText(data, out);
}

// The same as AppendStringText(), but takes no more of a long text than a name
// may have.
pb::StringEncoding AppendStart(const Record& record, std::string* out) {
  Token utf16 = record.At(Role::kUtf16);
  utf16.text = utf16.text.substr(0, 4 * kNameStart);
  Token data = record.At(Role::kData);
  // A cut could turn data that is not text into text.
  if (ClassifyWtf8(data.text) != pb::BYTES)
    data.text = StartOf(data.text, kNameStart);
  const pb::StringEncoding encoding =
      AppendFields(utf16, record.At(Role::kBytes), data, out);
  out->resize(CutAtCodePoint(*out, kNameStart));
  out->shrink_to_fit();
  return encoding;
}

}  // namespace

std::uint64_t NameTable::Index(std::string_view text) {
  return Index(text, ClassifyWtf8(text));
}

std::uint64_t NameTable::Index(std::string_view text,
                               pb::StringEncoding encoding) {
  if (text.empty()) return 0;
  if (const auto known = indices_.find(text); known != indices_.end())
    return known->second;
  names_.push_back({std::string(text), encoding});
  indices_.emplace(text, names_.size());
  return names_.size();
}

std::uint64_t Index::StringIndex(std::uint64_t position) const {
  const auto made = made_strings.empty()
                        ? 0
                        : std::upper_bound(made_strings.begin(),
                                           made_strings.end(), position) -
                              made_strings.begin();
  return names.names().size() + 1 + position + static_cast<std::uint64_t>(made);
}

bool Index::IsHelper(const Record& string) const {
  Integer id;
  return is_own && ReadInteger(string.At(Role::kStringId), &id) &&
         IsHelper(id.bits());
}

std::uint64_t Index::DecimalOf(std::uint64_t position) const {
  if (decimals.empty() || position < decimals.front().first ||
      position > decimals.back().first)
    return IdMap::kNone;
  // No string has two entries, so the one of this string is at the latest where
  // it would be if every string since the first one had an entry.
  auto found = decimals.begin() +
               static_cast<std::ptrdiff_t>(std::min<std::uint64_t>(
                   position - decimals.front().first, decimals.size() - 1));
  if (found->first != position) {
    found = std::lower_bound(decimals.begin(), found, position,
                             [](const auto& entry, std::uint64_t wanted) {
                               return entry.first < wanted;
                             });
  }
  return found->first == position ? found->second : IdMap::kNone;
}

void GraphCounts::Store(Section* section) const {
  pb::GraphEnd& totals = section->totals;
  totals.set_nodes(section->node_count);
  totals.set_edges(edges);
  totals.set_values(values);
  totals.set_edges_omitted(edges_omitted);
  totals.set_edges_dangling(edges_dangling);
  totals.set_edges_immediate(edges_immediate);
  totals.set_edges_synthesized(edges_synthesized);
  totals.set_self_size_total(self_sizes);
  std::uint64_t limit = std::max(id_limit, section->node_count + 1);
  const std::uint64_t without = section->nodes_without_id;
  if (without != 0 && without != section->node_count) {
    section->first_new_id = limit | 1;  // odd, as V8's are
    limit = section->first_new_id + 2 * without;
  }
  totals.set_id_limit(limit);
  section->grouped = grouped;
}

void Index::ForgetSurvey() {
  made_strings.clear();
  // clear() would keep the memory.
  edge_counts = std::vector<std::uint8_t>();
  large_counts.clear();
  constructors.clear();
  edges_are_plain = true;
  for (Section& section : sections) section.types.clear();
}

std::uint64_t Index::EdgeCount(std::uint64_t node) const {
  const std::uint8_t count = edge_counts[node];
  if (count != std::numeric_limits<std::uint8_t>::max()) return count;
  const auto found =
      std::lower_bound(large_counts.begin(), large_counts.end(), node,
                       [](const auto& entry, std::uint64_t wanted) {
                         return entry.first < wanted;
                       });
  return found->second;
}

Where PlaceOf(std::string_view bytes, std::uint64_t offset) {
  const std::string_view before = bytes.substr(0, offset);
  Where where = Where::Byte(offset);
  where.line = 1 + static_cast<std::uint64_t>(
                       std::count(before.begin(), before.end(), '\n'));
  // Without a line feed, rfind() returns npos, and npos + 1 is 0.
  where.column = offset - (before.rfind('\n') + 1) + 1;
  return where;
}

const Section& Index::SectionOf(std::uint64_t node) const {
  const auto after =
      std::upper_bound(sections.begin(), sections.end(), node,
                       [](std::uint64_t wanted, const Section& section) {
                         return wanted < section.first_node;
                       });
  return *(after - 1);
}

pb::StringEncoding AppendStringText(const Record& record, std::string* out) {
  return AppendFields(record.At(Role::kUtf16), record.At(Role::kBytes),
                      record.At(Role::kData), out);
}

const Record* Lookup::Find(RecordKind kind, const RecordPlaces& places,
                           std::uint64_t position) {
  if (!places.Has(position)) return nullptr;
  const RecordPlaces::Place from = places.Find(position);
  LineCursor lines(index_.bytes, from.offset, index_.bytes.size());
  std::uint64_t left = position - from.position;
  LineError error;
  while (lines.Next()) {
    strays_.Note(lines.offset());
    if (!index_.parser.Parse(lines.text(), lines.offset(), &record_, &error))
      return nullptr;
    if (record_.kind != LineKind::kData || record_.type->kind != kind) continue;
    if (kind == RecordKind::kString && index_.IsHelper(record_)) continue;
    if (left-- != 0) continue;
    is_long_ = lines.text().size() > kLongLine;
    return &record_;
  }
  return nullptr;
}

Where Lookup::Place(const Token& token) const {
  if (token.is_null()) return {};
  return PlaceOf(index_.bytes, static_cast<std::uint64_t>(token.text.data() -
                                                          index_.bytes.data()));
}

std::uint64_t Lookup::LengthOf(std::uint64_t position) {
  const auto known = lengths_.find(position);
  if (known != lengths_.end()) return known->second;
  const Record* const node = Node(position);
  if (node == nullptr) return IdMap::kNone;
  const std::uint64_t length = LengthIn(*node);
  if (is_long_) lengths_.emplace(position, length);
  return length;
}

pb::StringEncoding Lookup::AppendString(std::uint64_t position,
                                        std::string* out) {
  const Record* const record = String(position);
  return record == nullptr ? pb::UTF8 : AppendStringText(*record, out);
}

pb::StringEncoding Lookup::AppendName(std::uint64_t position,
                                      std::string* out) {
  auto known = names_.find(position);
  if (known == names_.end()) {
    const Record* const record = String(position);
    if (record == nullptr) return pb::UTF8;
    if (!is_long_) return AppendStringText(*record, out);
    Name name;
    name.encoding = AppendStart(*record, &name.text);
    known = names_.emplace(position, std::move(name)).first;
  }
  *out += known->second.text;
  return known->second.encoding;
}

std::uint64_t Lookup::Target(const Token& token) const {
  Integer integer;
  if (token.is_null() || !ReadInteger(token, &integer)) return IdMap::kNone;
  const bool is_id = index_.is_version0 || integer.magnitude % 2 != 0;
  return is_id ? index_.nodes.Find(integer.bits()) : IdMap::kNone;
}

Lookup::Step Lookup::NameStep(std::uint64_t position) {
  const auto known = steps_.find(position);
  if (known != steps_.end()) return known->second;
  const Record* const node = Node(position);
  if (node == nullptr) return {};
  const Step step = ReadNameStep(*node);
  if (is_long_) steps_.emplace(position, step);
  return step;
}

Lookup::Step Lookup::ReadNameStep(const Record& node) const {
  Step step;
  const auto string = [&](const Token& token) {
    Integer id;
    if (!token.is_null() && ReadInteger(token, &id))
      step.string = index_.strings.Find(id.bits());
  };
  const auto& fields = node.layout->fields;
  string(node.At(Role::kData));
  string(node.At(Role::kHgName));
  if (step.string != IdMap::kNone) return step;
  for (const Role role : {Role::kMetadata, Role::kFunction}) {
    const int slot = node.layout->Slot(role);
    if (slot < 0) continue;
    const Token& token = node.fields[static_cast<std::size_t>(slot)];
    if (fields[static_cast<std::size_t>(slot)].type == FieldType::kStringId)
      string(token);
    else
      step.node = Target(token);
    return step;
  }
  for (std::size_t slot = 0; slot < fields.size(); ++slot) {
    if (fields[slot].name == "s1") step.node = Target(node.fields[slot]);
    if (fields[slot].name == "s2") step.second = Target(node.fields[slot]);
  }
  return step;
}

std::uint64_t Lookup::TextOfNode(std::uint64_t position) {
  for (int i = 0; i < kMaxTextSteps && position != IdMap::kNone; ++i) {
    const Step step = NameStep(position);
    if (step.string != IdMap::kNone) return step.string;
    if (step.second != IdMap::kNone) break;
    position = step.node;
  }
  return IdMap::kNone;
}

std::string Lookup::NameOfNode(std::uint64_t position) {
  std::string name;
  std::vector<std::uint64_t> todo = {position};
  for (int i = 0; i < kMaxNameSteps && !todo.empty(); ++i) {
    const std::uint64_t node = todo.back();
    todo.pop_back();
    const Step step = NameStep(node);
    if (step.string != IdMap::kNone) {
      if (AppendName(step.string, &name) == pb::BYTES) return {};
      if (name.size() > kMaxNameBytes) {
        name.resize(CutAtCodePoint(name, kMaxNameBytes));
        break;
      }
      continue;
    }
    if (step.second != IdMap::kNone) todo.push_back(step.second);
    if (step.node != IdMap::kNone) todo.push_back(step.node);
  }
  return ClassifyUtf8(name) == pb::UTF8 ? name : std::string();
}

}  // namespace heapglot::draft
