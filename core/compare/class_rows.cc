#include "core/compare/class_rows.h"

#include <algorithm>
#include <numeric>
#include <tuple>
#include <utility>

#include "core/saturating.h"
#include "core/text/string_picker.h"

namespace heapglot {

void ClassSum::Add(std::uint64_t size) {
  ++count;
  self_size = AddSaturating(self_size, size);
}

std::uint32_t ClassRows::RowOf(std::uint64_t hash, const ClassLabel& label,
                               Side side) {
  const auto next = static_cast<std::uint32_t>(rows_.size());
  const auto [at, is_new] = row_of_.emplace(hash, next);
  if (is_new) rows_.push_back({.difference = {}, .label = label, .side = side});
  return at->second;
}

Status ClassRows::ReadNames(Reader& reader, Side side) {
  std::vector<std::uint64_t> indices;
  for (const Row& row : rows_) {
    if (row.side != side) continue;
    indices.push_back(row.label.name);
    indices.push_back(row.label.library);
  }
  StringPicker strings(std::move(indices));
  HEAPGLOT_RETURN_IF_ERROR(strings.Pick(reader));
  for (Row& row : rows_) {
    if (row.side != side) continue;
    row.difference.name =
        ClassName(row.label.what, strings.Text(row.label.name));
    row.difference.library = strings.Text(row.label.library);
  }
  return {};
}

Status ClassRows::Finish(Reader& a, Reader& b,
                         std::vector<ClassDifference>* classes,
                         std::vector<std::uint32_t>* order) {
  HEAPGLOT_RETURN_IF_ERROR(ReadNames(a, Side::kA));
  HEAPGLOT_RETURN_IF_ERROR(ReadNames(b, Side::kB));
  std::vector<std::uint32_t> by_name(rows_.size());
  std::iota(by_name.begin(), by_name.end(), 0U);
  std::sort(by_name.begin(), by_name.end(), [this](auto x, auto y) {
    const ClassDifference& left = rows_[x].difference;
    const ClassDifference& right = rows_[y].difference;
    return std::tie(left.name, left.library) <
           std::tie(right.name, right.library);
  });
  std::vector<ClassDifference> named;
  named.reserve(rows_.size());
  for (const std::uint32_t row : by_name) {
    named.push_back(std::move(rows_[row].difference));
  }
  TellApart(named);
  std::vector<std::uint32_t> by_size(named.size());
  std::iota(by_size.begin(), by_size.end(), 0U);
  std::stable_sort(by_size.begin(), by_size.end(), [&](auto x, auto y) {
    return named[x].size_distance() > named[y].size_distance();
  });
  order->resize(rows_.size());
  classes->clear();
  for (const std::uint32_t at : by_size) {
    (*order)[by_name[at]] = static_cast<std::uint32_t>(classes->size());
    classes->push_back(std::move(named[at]));
  }
  rows_.clear();
  row_of_.clear();
  return {};
}

}  // namespace heapglot
