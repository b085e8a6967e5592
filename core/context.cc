#include "heapglot/context.h"

#include <algorithm>
#include <utility>

#include "core/saturating.h"

namespace heapglot {
namespace {

// The item of `code`, made if there is none.
LossReport::Item& ItemOf(std::vector<LossReport::Item>& items,
                         std::string_view code, LossClass loss_class,
                         std::string_view detail) {
  const auto known = std::find_if(
      items.begin(), items.end(),
      [code](const LossReport::Item& item) { return item.code == code; });
  if (known != items.end()) return *known;
  LossReport::Item item;
  item.code = code;
  item.loss_class = loss_class;
  item.detail = detail;
  return items.emplace_back(std::move(item));
}

}  // namespace

std::string_view ToString(LossClass loss_class) {
  switch (loss_class) {
    case LossClass::kExact:
      return "exact";
    case LossClass::kEquivalent:
      return "equivalent";
    case LossClass::kEmbedded:
      return "embedded";
    case LossClass::kApproximated:
      return "approximated";
    case LossClass::kDropped:
      break;
  }
  return "dropped";
}

void LossReport::Add(std::string_view code, LossClass loss_class,
                     std::uint64_t count, std::string_view detail,
                     const std::vector<std::uint64_t>& examples) {
  if (count == 0) return;
  Item& item = ItemOf(items_, code, loss_class, detail);
  item.loss_class = std::max(item.loss_class, loss_class);
  item.count = AddSaturating(item.count, count);
  for (const std::uint64_t node : examples) {
    if (item.examples.size() == kExamples) break;
    item.examples.push_back(node);
  }
}

void LossReport::AddSynthesized(std::string_view code, std::uint64_t count,
                                std::string_view detail) {
  if (count == 0) return;
  Item& item = ItemOf(synthesized_, code, LossClass::kExact, detail);
  item.count = AddSaturating(item.count, count);
}

void LossReport::MakeGood(std::string_view prefix, std::string_view except) {
  for (Item& item : items_) {
    if (item.loss_class <= LossClass::kEmbedded) continue;
    if (!item.code.starts_with(prefix) || item.code == except) continue;
    item.native_class = item.loss_class;
    item.loss_class = LossClass::kEmbedded;
  }
}

LossClass LossReport::worst() const {
  LossClass worst = LossClass::kExact;
  for (const Item& item : items_) worst = std::max(worst, item.loss_class);
  return worst;
}

Status Context::Proceed(std::string_view phase, std::uint64_t done,
                        std::uint64_t total) const {
  if (progress) progress(phase, done, total);
  return CheckCancel();
}

Status Context::CheckCancel() const {
  if (cancel == nullptr || !cancel->load(std::memory_order_relaxed)) return {};
  return {Code::kCancelled, "it was cancelled"};
}

Status Context::Warn(std::string_view code, std::string message, Where where) {
  Status result = strict ? Status(Code::kMalformed, message, where) : Status();
  Note(code, std::move(message), where, 1);
  return result;
}

void Context::Note(std::string_view code, std::string message, Where where,
                   std::uint64_t count) {
  if (Finding* known = FindFinding(code)) {
    if (known->count < examples) {
      known->others.push_back({.message = std::move(message), .where = where});
    }
    known->count += count;
    return;
  }
  findings_.push_back({.code = std::string(code),
                       .message = std::move(message),
                       .where = where,
                       .count = count,
                       .others = {}});
}

Finding* Context::FindFinding(std::string_view code) {
  const auto known = std::find_if(
      findings_.begin(), findings_.end(),
      [code](const Finding& finding) { return finding.code == code; });
  return known == findings_.end() ? nullptr : &*known;
}

}  // namespace heapglot
