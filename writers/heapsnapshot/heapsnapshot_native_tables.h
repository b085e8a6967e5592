// Turns rows of the stream into rows of a .heapsnapshot file, with the columns
// of the file that they come from.
#ifndef HEAPGLOT_WRITERS_HEAPSNAPSHOT_HEAPSNAPSHOT_NATIVE_TABLES_H_
#define HEAPGLOT_WRITERS_HEAPSNAPSHOT_HEAPSNAPSHOT_NATIVE_TABLES_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "heapglot/stream.h"
#include "readers/heapsnapshot/heapsnapshot_wire.h"
#include "writers/heapsnapshot/heapsnapshot_native_rows.h"
#include "writers/heapsnapshot/heapsnapshot_native_survey.h"

namespace heapglot::heapsnapshot {

// To be used once the survey, which must outlive this, is finished.
class NativeTables {
 public:
  explicit NativeTables(NativeSurvey& survey) : survey_(survey) {}

  // Which columns of a table with a schema are signed.
  std::vector<bool> Signs(SectionKind kind) const;

  // Sets `*block` to the numbers of these rows.
  void Fill(const pb::Nodes& nodes, RowBlock* block);
  void Fill(const pb::Edges& edges, RowBlock* block);
  void Fill(const pb::Locations& rows, RowBlock* block);
  void Fill(const pb::TraceFunctions& rows, RowBlock* block);
  void Fill(const pb::Samples& rows, RowBlock* block);
  void Fill(const pb::ExtraTable& table, RowBlock* block);
  // Without the children. Returns how many numbers a node has, 0 if the schema
  // is not that of a tree.
  std::size_t Fill(const pb::TraceNodes& rows, RowBlock* block);

 private:
  using ExtraColumns = google::protobuf::RepeatedPtrField<pb::ExtraColumn>;
  using Targets = google::protobuf::RepeatedField<std::uint64_t>;
  using Forms = google::protobuf::RepeatedField<std::uint32_t>;
  void FillNames(std::size_t at, const pb::Edges& edges, RowBlock* block);
  bool FillUsualNames(std::size_t at, const pb::Edges& edges,
                      RowBlock* block) const;
  // `forms`: TargetForm, by row; empty: all targets are nodes.
  void FillTargets(std::size_t at, const Targets& targets, const Forms& forms,
                   RowBlock* block);
  // Fills from the extra column of this field; without one, from empty cells.
  void FillExtra(std::size_t at, const pb::Graph::Field& field,
                 const ExtraColumns& extra, RowBlock* block);
  void FillExtra(std::size_t at, const pb::ExtraColumn& column,
                 RowBlock* block);
  // The number of a target in the file.
  std::uint64_t Offset(std::uint32_t form, std::uint64_t to) const {
    return form == pb::TO_NODE ? to * NodeWidth() : to;
  }
  std::uint64_t NodeWidth() const {
    return static_cast<std::uint64_t>(survey_.graph().node_schema_size());
  }

  NativeSurvey& survey_;
};

}  // namespace heapglot::heapsnapshot

#endif  // HEAPGLOT_WRITERS_HEAPSNAPSHOT_HEAPSNAPSHOT_NATIVE_TABLES_H_
