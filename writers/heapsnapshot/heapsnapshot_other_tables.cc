#include "writers/heapsnapshot/heapsnapshot_other_tables.h"

#include <limits>

#include "core/column.h"
#include "writers/heapsnapshot/heapsnapshot_losses.h"
#include "writers/heapsnapshot/heapsnapshot_profile.h"
#include "writers/heapsnapshot/heapsnapshot_wire.h"

namespace heapglot::heapsnapshot {
namespace {

// As V8 has them: one line per row, and the tree in one line.
const ArrayLayout kRows = UsualMember(SectionKind::kSamples).array;
const ArrayLayout kOneLine = UsualMember(SectionKind::kTraceTree).array;

template <typename Column>
std::uint64_t NumberAt(const Column& column, int row) {
  return static_cast<std::uint64_t>(At(column, row));
}

}  // namespace

constinit const OtherTables::Section OtherTables::kSections[kTables] = {
    {",\n\"trace_function_infos\":", pb::Chunk::kTraceFunctions,
     kTraceFunctionFields},
    {",\n\"trace_tree\":", pb::Chunk::kTraceNodes, kTraceNodeFields},
    {",\n\"samples\":", pb::Chunk::kSamples, kSampleFields},
    {",\n\"locations\":", pb::Chunk::kLocations, kLocationFields},
};

void OtherTables::Announce(const pb::GraphEnd& totals, bool keeps_ids) {
  // DevTools needs both or neither.
  if (totals.trace_functions() != 0 && totals.trace_nodes() != 0) {
    rows_[kFunctions] = totals.trace_functions();
    rows_[kTree] = totals.trace_nodes();
  }
  if (keeps_ids) rows_[kSamples] = totals.samples();
  rows_[kLocations] = totals.locations();
}

ChunkSet OtherTables::Next() {
  if (table_ >= 0) End();
  while (++table_ < kTables) {
    Begin();
    // Few streams have any.
    if (rows_[table_] != 0) return {kSections[table_].body};
    End();
  }
  return {};
}

void OtherTables::Begin() {
  const Section& section = kSections[table_];
  out_.Write(section.key);
  if (table_ == kTree) {
    tree_.emplace(kOneLine, out_);
    tree_->Begin();
  } else {
    // Signed: times, and what is -1 if it is not known.
    writer_.emplace(kRows, std::vector<bool>(section.width, true), out_);
    writer_->Begin();
  }
}

void OtherTables::End() {
  if (tree_) tree_->End();
  if (writer_) writer_->End();
  tree_.reset();
  writer_.reset();
}

void OtherTables::Add(const pb::Chunk& chunk) {
  block_.clear();
  switch (chunk.body_case()) {
    case pb::Chunk::kTraceFunctions:
      AddFunctions(chunk.trace_functions());
      break;
    case pb::Chunk::kTraceNodes:
      AddNodes(chunk.trace_nodes());
      break;
    case pb::Chunk::kSamples:
      AddSamples(chunk.samples());
      break;
    case pb::Chunk::kLocations:
      AddLocations(chunk.locations());
      break;
    default:
      break;
  }
  if (writer_ && !block_.empty()) writer_->Write(block_);
}

void OtherTables::AddFunctions(const pb::TraceFunctions& functions) {
  for (int row = 0; row < static_cast<int>(functions.count()); ++row) {
    block_.insert(
        block_.end(),
        {NumberAt(functions.function_id(), row),
         numbers_.OfStream(At(functions.name(), row)),
         numbers_.OfStream(At(functions.script_name(), row)),
         NumberAt(functions.script_id(), row), NumberAt(functions.line(), row),
         NumberAt(functions.column(), row)});
  }
  CountTraces(functions.count(), !functions.extra().empty());
}

void OtherTables::AddNodes(const pb::TraceNodes& nodes) {
  for (int row = 0; row < static_cast<int>(nodes.count()); ++row) {
    const std::uint64_t numbers[] = {
        NumberAt(nodes.id(), row), At(nodes.function_index(), row),
        At(nodes.alloc_count(), row), At(nodes.alloc_size(), row)};
    // The children are the last field.
    static_assert(std::size(numbers) == kTraceNodeFields - 1);
    tree_->Write(numbers, std::size(numbers), At(nodes.child_count(), row));
  }
  CountTraces(nodes.count(), !nodes.extra().empty());
}

void OtherTables::AddSamples(const pb::Samples& samples) {
  for (int row = 0; row < static_cast<int>(samples.count()); ++row) {
    block_.push_back(NumberAt(samples.timestamp_us(), row));
    block_.push_back(NumberAt(samples.last_assigned_id(), row));
  }
  CountTraces(samples.count(), !samples.extra().empty());
}

void OtherTables::AddLocations(const pb::Locations& locations) {
  // The range of V8 and of its readers.
  constexpr std::uint64_t kMax = std::numeric_limits<std::int32_t>::max();
  for (int row = 0; row < static_cast<int>(locations.count()); ++row) {
    const std::uint64_t node = At(locations.to(), row);
    const std::uint64_t script = NumberAt(locations.script_id(), row);
    const std::uint64_t line = NumberAt(locations.line(), row);
    const std::uint64_t column = NumberAt(locations.column(), row);
    if (At(locations.to_form(), row) != pb::TO_NODE) {
      ++odd_locations_.count;
      continue;
    }
    if (script > kMax || line > kMax || column > kMax) {
      odd_locations_.Add(node);
      continue;
    }
    if (!locations.extra().empty()) cut_locations_.Add(node);
    block_.insert(block_.end(),
                  {layout_.Ordinal(node) * kNodeFields, script, line, column});
  }
}

void OtherTables::CountTraces(std::uint64_t rows, bool has_more) {
  (has_more ? cut_traces_ : traces_) += rows;
}

void OtherTables::Report(LossReport* loss) const {
  Lose("heapsnapshot.trace.kept", traces_, loss);
  Lose("heapsnapshot.trace.extra", cut_traces_, loss);
  Lose("heapsnapshot.location.odd", odd_locations_, loss);
  Lose("heapsnapshot.location.extra", cut_locations_, loss);
}

}  // namespace heapglot::heapsnapshot
