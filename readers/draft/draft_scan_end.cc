// What can be checked once all lines have been seen: the trailer and ids.
#include "core/text_table.h"
#include "readers/draft/draft_lookup.h"
#include "readers/draft/draft_scan.h"
#include "readers/draft/draft_tables.h"
#include "readers/draft/draft_trailer.h"

namespace heapglot::draft {

Status Scanner::ScanTrailer() {
  has_trailer_ = true;
  const std::string problem = TrailerProblem(record_, records_, lines_.offset(),
                                             Checksum(lines_.offset()));
  if (!problem.empty()) return Malformed(problem);
  // There may be many of both: types, and what the trailer counts.
  OwnTextTable<std::uint64_t> records = unknown_;
  for (const Type& type : index_.schema.types())
    records[type.name] += type.records;
  const char* place = lines_.text().data();
  const std::string wrong =
      CountsProblem(record_.Find("counts"), records, counts_all_,
                    context_.limits.max_depth, &place);
  return wrong.empty() ? Status() : Malformed(wrong, place);
}

Status Scanner::CheckEnd() {
  if (line_ == 0 || records_ == 0)
    return {Code::kTruncated, index_.form.Say("the file has no records"),
            Where::Byte(bytes_.size())};
  if (!has_version_) {
    // Metadata may come in any order, so it may have been cut off.
    const bool cut = !has_trailer_ && !has_data_;
    return {cut ? Code::kTruncated : Code::kMalformed,
            index_.form.Say("there is no metadata \"version_major\""),
            Where::Byte(bytes_.size())};
  }
  for (const Section& section : index_.sections) {
    const std::uint64_t missing = MissingTraceNodes(section);
    if (missing == 0) continue;
    const bool cut = index_.form.has_trailer() && !has_trailer_;
    return {cut ? Code::kTruncated : Code::kMalformed,
            index_.form.Say("children of hg.trace_node are missing: ") +
                std::to_string(missing),
            section.last_trace_node};
  }
  if (has_trailer_ || index_.is_version0 || !index_.form.has_trailer())
    return {};
  return context_.Warn(
      index_.form.Code("trailer.missing"),
      index_.form.Say("there is no trailer: the file may be cut"), AtEnd());
}

Status Scanner::CheckTwins() {
  Lookup lookup(source_, index_);
  index_.nodes.Finish();
  index_.strings.Finish();
  if (!index_.nodes.duplicates().empty()) {
    const Record* const node =
        lookup.Node(index_.nodes.duplicates().front().ordinal);
    const Token& id = node->At(Role::kIdentifier);
    return {Code::kMalformed,
            index_.form.Say("two nodes have the identifier ") + Shown(id),
            lookup.Place(id)};
  }
  for (const IdMap::Duplicate& twin : index_.strings.duplicates())
    HEAPGLOT_RETURN_IF_ERROR(CheckStringTwin(twin, lookup));
  return {};
}

Status Scanner::CheckStringTwin(const IdMap::Duplicate& twin, Lookup& lookup) {
  std::string first, second;
  lookup.AppendString(twin.first_index, &first);
  const Record* const string = lookup.String(twin.ordinal);
  AppendStringText(*string, &second);
  const Token& id = string->At(Role::kStringId);
  if (first != second) {
    return {Code::kMalformed,
            index_.form.Say("two strings with the id ") + Shown(id) +
                " have different data",
            lookup.Place(id)};
  }
  // Lines are not counted for each of these, because there may be many.
  const Where where =
      Where::Byte(static_cast<std::uint64_t>(id.text.data() - bytes_.data()));
  return context_.Warn(index_.form.Code("string.twice"), where, [&] {
    return index_.form.Say("a string is written twice");
  });
}

Status Scanner::Finish() {
  index_.sections.back().end = bytes_.size();
  HEAPGLOT_RETURN_IF_ERROR(CheckEnd());
  if (heaps_mixed_) MergeSections(&index_.sections);
  return CheckTwins();
}

}  // namespace heapglot::draft
