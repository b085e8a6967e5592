#include "core/compare/cells.h"

#include <algorithm>
#include <bit>
#include <string_view>

#include "core/ir/index_columns.h"
#include "core/text/number.h"
#include "core/text/utf.h"

namespace heapglot {
namespace {

// The numbers that make up a cell.
struct Cell {
  std::uint64_t value = 0;
  std::uint64_t form = 0;
};

Cell CellOf(const ColumnSpec& spec, const ColumnAt& at, std::size_t row) {
  Cell cell = {at.column->value[row], at.column->form[row]};
  switch (spec.role) {
    case CellRole::kEdgeName:
      if (!at.column->form.empty()) break;
      cell.form =
          at.cursor->KindOf(pb::Vocabulary::EDGE_KIND, at.column->kind[row])
              .name_form;
      break;
    case CellRole::kEdgeFlags:
      cell.value |=
          at.cursor->KindOf(pb::Vocabulary::EDGE_KIND, at.column->kind[row])
              .edge_flags;
      break;
    case CellRole::kKind:
      cell.value = at.cursor->KindOf(spec.space, cell.value).identity;
      break;
    case CellRole::kKindRef:
      // Refs to nothing get an identity that no kind has.
      cell.form = cell.value == 0 ? 0 : 1;
      cell.value = at.cursor->KindOf(spec.space, cell.value - 1).identity;
      break;
    default:
      break;
  }
  return cell;
}

bool IsText(const ColumnSpec& spec, const Cell& cell) {
  switch (spec.role) {
    case CellRole::kString:
      return true;
    case CellRole::kValue:
      return IsStringForm(static_cast<std::uint32_t>(cell.form));
    case CellRole::kEdgeName:
      return cell.form == pb::NAME_STRING;
    default:
      return false;
  }
}

bool SameString(StringStore& a, std::uint64_t string, StringStore& b,
                std::uint64_t other) {
  constexpr std::uint64_t kPiece = std::uint64_t{64} << 10;
  const StringStore::Text text = a.Locate(string);
  const StringStore::Text other_text = b.Locate(other);
  if (text.size != other_text.size) return false;
  for (std::uint64_t at = 0; at < text.size; at += kPiece) {
    if (a.Piece(text, at, kPiece) != b.Piece(other_text, at, kPiece)) {
      return false;
    }
  }
  return true;
}

std::string Quoted(StringStore& strings, std::uint64_t string,
                   std::size_t max_text) {
  const StringStore::Text text = strings.Locate(string);
  std::string_view begin = strings.Piece(text, 0, max_text);
  const bool is_cut = begin.size() < text.size;
  if (is_cut) begin = begin.substr(0, CutAtCodePoint(begin, begin.size() - 1));
  std::string quoted = "\"";
  quoted.append(begin).append(is_cut ? "...\"" : "\"");
  if (is_cut) quoted += " (" + std::to_string(text.size) + " bytes)";
  return quoted;
}

// The name of a value of a protobuf enumeration, as "V_INT"; else its number.
std::string EnumName(const google::protobuf::EnumDescriptor& type,
                     std::uint64_t number) {
  const auto* const value =
      number <= 1000 ? type.FindValueByNumber(static_cast<int>(number))
                     : nullptr;
  return value != nullptr ? value->name() : std::to_string(number);
}

std::string Signed(std::uint64_t bits) {
  std::string text;
  AppendSigned(static_cast<std::int64_t>(bits), &text);
  return text;
}

std::string Double(std::uint64_t bits) {
  std::string text;
  AppendDouble(std::bit_cast<double>(bits), &text);
  return text;
}

std::string TargetText(const Cell& cell) {
  switch (cell.form) {
    case pb::TO_NODE:
      return "node " + std::to_string(cell.value);
    case pb::TO_OMITTED:
      return "(omitted)";
    case pb::TO_DANGLING:
      return "dangling id " + std::to_string(cell.value);
    default:
      return "immediate " + Signed(cell.value);
  }
}

std::string ValueText(const Cell& cell) {
  switch (cell.form) {
    case pb::V_NONE:
      return "(none)";
    case pb::V_NULL:
      return "null";
    case pb::V_INT:
      return Signed(cell.value);
    case pb::V_DOUBLE:
      return Double(cell.value);
    case pb::V_NODE:
      return "node " + std::to_string(cell.value);
    case pb::V_DANGLING:
      return "dangling id " + std::to_string(cell.value);
    default:
      return std::to_string(cell.value);
  }
}

}  // namespace

bool SameCell(const ColumnSpec& spec, const ColumnAt& a, std::size_t row,
              const ColumnAt& b, std::size_t other, EqualStrings& known) {
  if (spec.role == CellRole::kOwnText) {
    return a.cursor->own_text(a.index, row) ==
           b.cursor->own_text(b.index, other);
  }
  const Cell cell = CellOf(spec, a, row);
  const Cell other_cell = CellOf(spec, b, other);
  const bool is_text = IsText(spec, cell);
  if (is_text != IsText(spec, other_cell)) return false;
  if (is_text) {
    if (known.Has(cell.value, other_cell.value)) return true;
    const bool is_same = SameString(a.cursor->strings(), cell.value,
                                    b.cursor->strings(), other_cell.value);
    if (is_same) known.Add(cell.value, other_cell.value);
    return is_same;
  }
  // The form of a value is a column of its own. What is no name or value has no
  // number either.
  const bool form_counts = spec.role == CellRole::kTarget ||
                           spec.role == CellRole::kKindRef ||
                           spec.role == CellRole::kEdgeName;
  return cell.value == other_cell.value &&
         (!form_counts || cell.form == other_cell.form);
}

std::string CellText(const ColumnSpec& spec, const ColumnAt& at,
                     std::size_t row, const KindNames& names,
                     std::size_t max_text) {
  if (spec.role == CellRole::kOwnText) {
    const std::string& text = at.cursor->own_text(at.index, row);
    if (text.size() <= max_text) return text;
    return text.substr(0, CutAtCodePoint(text, max_text)) + "...";
  }
  const Cell cell = CellOf(spec, at, row);
  if (IsText(spec, cell)) {
    return Quoted(at.cursor->strings(), cell.value, max_text);
  }
  switch (spec.role) {
    case CellRole::kSigned:
      return Signed(cell.value);
    case CellRole::kDouble:
      return Double(cell.value);
    case CellRole::kIndexRef:
      return cell.value == 0 ? "(none)" : std::to_string(cell.value - 1);
    case CellRole::kTarget:
      return TargetText(cell);
    case CellRole::kValue:
      return ValueText(cell);
    case CellRole::kEdgeName:
      return cell.form == pb::NAME_NONE ? "(none)"
                                        : "[" + Signed(cell.value) + "]";
    case CellRole::kForm:
      return EnumName(*pb::ValueForm_descriptor(), cell.value);
    case CellRole::kKind:
      return names.NameOf(static_cast<std::uint32_t>(cell.value));
    case CellRole::kKindRef:
      return cell.form == 0
                 ? "(none)"
                 : names.NameOf(static_cast<std::uint32_t>(cell.value));
    default:
      return std::to_string(cell.value);
  }
}

}  // namespace heapglot
