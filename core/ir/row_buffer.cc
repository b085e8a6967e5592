#include "core/ir/row_buffer.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <numeric>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

#include "core/ir/columns.h"

namespace heapglot {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;

constexpr std::size_t kMaxBytes = std::size_t{16} << 20;

// Columns whose absence does not mean that all entries are 0.
bool IsMeantByAbsence(const FieldDescriptor& field) {
  return field.name() == "id" || field.name() == "name_form";
}

bool HasEntryPerRow(const FieldDescriptor& field) {
  return IsColumn(field) && field.name() != "edges_per_node";
}

bool AreSameExtras(const Message& a, const Message& b,
                   const FieldDescriptor& field) {
  const Reflection& reflection = *a.GetReflection();
  const int size = reflection.FieldSize(a, &field);
  if (reflection.FieldSize(b, &field) != size) return false;
  for (int i = 0; i < size; ++i) {
    const auto& x = static_cast<const pb::ExtraColumn&>(
        reflection.GetRepeatedMessage(a, &field, i));
    const auto& y = static_cast<const pb::ExtraColumn&>(
        reflection.GetRepeatedMessage(b, &field, i));
    if (x.name() != y.name() || x.type() != y.type()) return false;
  }
  return true;
}

// Calls use(field) for each field of `table` that has extra columns.
template <typename Use>
void ForEachExtraField(const Message& table, Use use) {
  const Descriptor& fields = *table.GetDescriptor();
  for (int i = 0; i < fields.field_count(); ++i)
    if (IsExtraColumns(*fields.field(i))) use(*fields.field(i));
}

const pb::ExtraColumn& ExtraAt(const Message& table,
                               const FieldDescriptor& field, int index) {
  return static_cast<const pb::ExtraColumn&>(
      table.GetReflection()->GetRepeatedMessage(table, &field, index));
}

// Identifies a column: name, type, and its position among those with the same
// name and type.
using ExtraKey = std::tuple<std::string_view, std::string_view, int>;

std::vector<ExtraKey> KeysOf(const Message& table,
                             const FieldDescriptor& field) {
  std::map<std::pair<std::string_view, std::string_view>, int> seen;
  std::vector<ExtraKey> keys;
  const int size = table.GetReflection()->FieldSize(table, &field);
  for (int i = 0; i < size; ++i) {
    const pb::ExtraColumn& extra = ExtraAt(table, field, i);
    keys.emplace_back(extra.name(), extra.type(),
                      seen[{extra.name(), extra.type()}]++);
  }
  return keys;
}

// Adds to `to`, without entries, the extra columns that only `from` has.
void AddExtras(const Message& from, const FieldDescriptor& field, Message* to) {
  const std::vector<ExtraKey> there = KeysOf(*to, field);
  const std::set<ExtraKey> known(there.begin(), there.end());
  for (const ExtraKey& key : KeysOf(from, field)) {
    if (known.contains(key)) continue;
    auto& added = *static_cast<pb::ExtraColumn*>(
        to->GetReflection()->AddMessage(to, &field));
    added.set_name(std::string(std::get<0>(key)));
    added.set_type(std::string(std::get<1>(key)));
  }
}

// Whether the order of a table's extra columns means something: in an
// ExtraTable, they are the columns of its rows.
bool HasOrderOfExtras(const Message& body) {
  return body.GetDescriptor() == pb::ExtraTable::descriptor();
}

// Moves the column at from[i] to i, for every i.
void Arrange(std::vector<int> from, const FieldDescriptor& field,
             Message* body) {
  for (int start = 0; start < static_cast<int>(from.size()); ++start) {
    // Follow the cycle of columns that take each other's places.
    for (int at = start;;) {
      const int next = std::exchange(from[static_cast<std::size_t>(at)], at);
      if (next == start || next == at) break;
      body->GetReflection()->SwapElements(body, &field, at, next);
      at = next;
    }
  }
}

// Puts the extra columns of `body` into the order of `like`, which has the
// same.
void ArrangeExtras(const Message& like, const FieldDescriptor& field,
                   Message* body) {
  std::map<ExtraKey, int> places;
  for (const ExtraKey& key : KeysOf(*body, field))
    places.emplace(key, static_cast<int>(places.size()));
  std::vector<int> from;
  for (const ExtraKey& key : KeysOf(like, field))
    from.push_back(places.at(key));
  Arrange(std::move(from), field, body);
}

// Adds `size` zeros.
void AppendZeros(Message* to, const FieldDescriptor& column, std::size_t size) {
  if (size == 0) return;
  std::visit([](auto added) { std::fill(added.begin(), added.end(), 0); },
             GrowColumn(to, column, size));
}

void AppendColumn(const Message& from, const FieldDescriptor& column,
                  std::size_t begin, std::size_t end, std::size_t rows,
                  Message* to) {
  const bool is_there = ColumnSize(from, column) != 0;
  const std::size_t size = ColumnSize(*to, column);
  if (!is_there && size == 0) return;
  AppendZeros(to, column, rows - size);
  if (!is_there) return AppendZeros(to, column, end - begin);
  std::visit(
      [&](auto added) {
        using T = typename decltype(added)::value_type;
        const auto entries =
            std::get<std::span<const T>>(EntriesOf(from, column));
        std::copy_n(entries.data() + begin, end - begin, added.data());
      },
      GrowColumn(to, column, end - begin));
}

// The most bytes that a row can take in memory.
std::size_t RowBytes(const Message& body) {
  const Descriptor& table = *body.GetDescriptor();
  std::size_t columns = 1;
  for (int i = 0; i < table.field_count(); ++i) {
    const FieldDescriptor& field = *table.field(i);
    if (IsColumn(field)) ++columns;
    if (IsExtraColumns(field))
      columns += 4 * static_cast<std::size_t>(
                         body.GetReflection()->FieldSize(body, &field));
  }
  return columns * sizeof(std::uint64_t);
}

}  // namespace

void SortExtras(Message* body) {
  if (HasOrderOfExtras(*body)) return;
  ForEachExtraField(*body, [&](const FieldDescriptor& field) {
    const std::vector<ExtraKey> keys = KeysOf(*body, field);
    std::vector<int> from(keys.size());
    std::iota(from.begin(), from.end(), 0);
    std::sort(from.begin(), from.end(), [&keys](int a, int b) {
      return keys[static_cast<std::size_t>(a)] <
             keys[static_cast<std::size_t>(b)];
    });
    Arrange(std::move(from), field, body);
  });
}

std::size_t CountOf(const Message& body) {
  return body.GetReflection()->GetUInt32(
      body, body.GetDescriptor()->FindFieldByName("count"));
}

void AppendColumns(const Message& from, std::size_t begin, std::size_t end,
                   std::size_t rows, Message* to) {
  const Descriptor& table = *from.GetDescriptor();
  const Reflection& reflection = *from.GetReflection();
  for (int i = 0; i < table.field_count(); ++i) {
    const FieldDescriptor& field = *table.field(i);
    if (HasEntryPerRow(field)) {
      AppendColumn(from, field, begin, end, rows, to);
    } else if (IsExtraColumns(field)) {
      for (int k = 0; k < reflection.FieldSize(from, &field); ++k) {
        AppendColumns(reflection.GetRepeatedMessage(from, &field, k), begin,
                      end, rows,
                      reflection.MutableRepeatedMessage(to, &field, k));
      }
    }
  }
}

RowBuffer::RowBuffer(int kind, std::size_t max_rows)
    : max_rows_(max_rows),
      limit_(max_rows),
      body_(MutableBody(&chunk_, kind)) {}

bool RowBuffer::Fits(const Message& body) const {
  if (rows_ == 0) return true;
  const Descriptor& table = *body.GetDescriptor();
  for (int i = 0; i < table.field_count(); ++i) {
    const FieldDescriptor& field = *table.field(i);
    if (IsMeantByAbsence(field) && IsColumn(field) &&
        (ColumnSize(body, field) == 0) != (ColumnSize(*body_, field) == 0))
      return false;
    if (IsExtraColumns(field) && !AreSameExtras(body, *body_, field))
      return false;
  }
  return true;
}

void RowBuffer::ShareExtras(Message* body) {
  if (rows_ == 0) return;
  ForEachExtraField(*body, [&](const FieldDescriptor& field) {
    if (AreSameExtras(*body, *body_, field)) return;
    AddExtras(*body, field, body_);
    AddExtras(*body_, field, body);
    if (HasOrderOfExtras(*body)) ArrangeExtras(*body_, field, body);
  });
  SortExtras(body);
  SortExtras(body_);
}

void RowBuffer::Begin(const Message& body, std::size_t begin) {
  const Reflection& reflection = *body.GetReflection();
  const Descriptor& table = *body.GetDescriptor();
  const FieldDescriptor* const first = table.FindFieldByName("first");
  reflection.SetUInt64(body_, first, reflection.GetUInt64(body, first) + begin);
  for (int i = 0; i < table.field_count(); ++i) {
    const FieldDescriptor& field = *table.field(i);
    if (!IsExtraColumns(field)) continue;
    for (int k = 0; k < reflection.FieldSize(body, &field); ++k) {
      const auto& extra = static_cast<const pb::ExtraColumn&>(
          reflection.GetRepeatedMessage(body, &field, k));
      auto& copy =
          *static_cast<pb::ExtraColumn*>(reflection.AddMessage(body_, &field));
      copy.set_name(extra.name());
      copy.set_type(extra.type());
    }
  }
  limit_ = std::clamp<std::size_t>(kMaxBytes / RowBytes(body), 1, max_rows_);
}

void RowBuffer::Append(const Message& body, std::size_t begin,
                       std::size_t end) {
  if (rows_ == 0) Begin(body, begin);
  AppendColumns(body, begin, end, rows_, body_);
  rows_ += end - begin;
  body_->GetReflection()->SetUInt32(
      body_, body_->GetDescriptor()->FindFieldByName("count"),
      static_cast<std::uint32_t>(rows_));
}

void RowBuffer::Clear() {
  body_->Clear();
  rows_ = 0;
  limit_ = max_rows_;
}

}  // namespace heapglot
