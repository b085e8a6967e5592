// The first of the two scans that make an Index: each line by itself.
#ifndef HEAPGLOT_READERS_DRAFT_DRAFT_SCAN_H_
#define HEAPGLOT_READERS_DRAFT_DRAFT_SCAN_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "core/id_bitmap.h"
#include "core/id_table.h"
#include "core/text_table.h"
#include "readers/draft/draft_index.h"
#include "readers/draft/draft_lookup.h"
#include "readers/draft/draft_tally.h"

namespace heapglot::draft {

class Scanner {
 public:
  Scanner(const ByteSource& source, Context& context, Index* index,
          Tally* tally)
      : source_(source),
        bytes_(source.bytes()),
        context_(context),
        index_(*index),
        tally_(*tally),
        lines_(bytes_, 0, bytes_.size()),
        ids_(bytes_.size()) {}

  Status Run();

 private:
  Status ScanBom();
  bool ScanNumbers();
  bool ScanNumberNode(const NumberRecord& record);
  Status ScanLine();
  // The most bytes that a line may have.
  std::uint64_t MostBytes() const;
  Status CheckLine();
  Status ParseFailed(const LineError& error) const;
  Status ScanRecord();
  Status ScanMetadata();
  Status ScanVersion(std::string_view value);
  Status ScanType();
  Status ScanSubtype();
  // Warns of a declaration that comes after what it might be about.
  Status CheckOrder(const char* what, std::string_view name) const;
  // Checks that the fields from `from` on have the types that their names ask
  // for.
  Status CheckTypes(const Type& type, const Layout& layout,
                    std::size_t from) const;
  Status ScanFields(const Token& token, std::vector<Field>* fields) const;
  Status ScanUnknown();
  Status ScanData();
  Status ScanNode();
  void AddNode(std::uint64_t id);
  bool AddId(bool has_id, std::uint64_t id);
  bool HasRoomForIds() const;
  Status ScanString();
  Status WarnOfStringFields();
  Status CheckHelper(const Token& id) const;
  Status ScanHeap(const Token& token);
  Status ScanGraph();
  Status ScanTrailer();
  Status CheckFields();
  Status CheckField(const Field& field, const Token& token);
  Status CheckInteger(const Field& field, const Token& token);
  Status CheckSurplus();
  Status BeginSection();
  Status Finish();
  Status CheckEnd();
  Status CheckTwins();
  Status CheckStringTwin(const IdMap::Duplicate& twin, Lookup& lookup);

  std::uint32_t Checksum(std::uint64_t end);
  // The place of `position` in the current line.
  Where At(const char* position) const;
  Where AtLine() const { return At(lines_.text().data()); }
  // The place after the last line, which must have been reached.
  Where AtEnd() const;
  Status Malformed(const std::string& message, const char* position) const;
  Status Malformed(const std::string& message) const {
    return Malformed(message, lines_.text().data());
  }
  // A required text of a bootstrap record.
  Status Text(std::string_view key, std::string_view* text);
  Status CodeOf(std::string_view key, std::uint64_t* code) const;

  const ByteSource& source_;
  std::string_view bytes_;
  Context& context_;
  Index& index_;
  Tally& tally_;
  NumberCursor lines_;
  Record record_;
  std::uint64_t line_ = 0;  // number of the current line, from 1
  std::uint64_t records_ = 0;
  bool has_version_ = false;
  bool has_data_ = false;
  bool has_trailer_ = false;
  std::uint64_t last_begin_ = 0;  // of the last line
  bool has_graph_ = false;        // there was an hg.graph record
  // For a graph of our own whose ids must be unique (Graph::OPAQUE). If they
  // are too far apart for the bitmap, they are not checked.
  bool has_unique_ids_ = false;
  IdBitmap ids_;
  std::uint64_t max_id_ = 0;  // of these
  IdSet heaps_;
  std::uint64_t heap_ = 0;
  bool heaps_mixed_ = false;
  OwnTextTable<std::uint64_t> unknown_;  // counts by type
  bool counts_all_ = true;  // unknown array records have no name to count by
  std::string text_;
  bool wants_checksum_ = false;
  std::uint32_t checksum_ = 0;
  std::uint64_t summed_ = 0;
};

}  // namespace heapglot::draft

#endif  // HEAPGLOT_READERS_DRAFT_DRAFT_SCAN_H_
