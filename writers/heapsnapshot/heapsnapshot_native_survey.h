// What the native writer learns about a stream before it writes.
#ifndef HEAPGLOT_WRITERS_HEAPSNAPSHOT_HEAPSNAPSHOT_NATIVE_SURVEY_H_
#define HEAPGLOT_WRITERS_HEAPSNAPSHOT_HEAPSNAPSHOT_NATIVE_SURVEY_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/ir/synthesized_edges.h"
#include "core/text/string_texts.h"
#include "heapglot/status.h"
#include "heapglot/stream.h"
#include "writers/heapsnapshot/heapsnapshot_profile.h"

namespace heapglot::heapsnapshot {

// A member that is written, and where it comes from.
struct Member {
  SectionKind kind = SectionKind::kJson;
  std::string name;  // of an ExtraTable; of JSON: key with quotes, and colon
  std::size_t position = 0;  // of a kept one: among all of these in the stream
  MemberLayout layout;

  // Whether it is a table or JSON that was kept as such.
  bool IsKept() const {
    return kind == SectionKind::kTable || kind == SectionKind::kJson;
  }
  // Whether `next`, which follows it, can be written in the same pass, because
  // it follows it in the stream, too.
  bool SharesPass(const Member& next) const {
    return IsKept() && next.IsKept() && next.position > position;
  }
};

// The key of a kept section, with quotes and colon; empty if `data` does not
// begin with one.
std::string_view HeadOfSection(std::string_view data);

class NativeSurvey {
 public:
  NativeSurvey() : texts_(kMaxTypeName) {}

  static ChunkSet Wanted();
  // Errors: kUnsupported for a second graph, kLimit for a snapshot object that
  // is too big, kMalformed for a section without a key.
  Status Accept(const pb::Chunk& chunk);
  // Ends the survey. Errors: kMalformed if the snapshot object does not fit;
  // kLimit if there are more tables and sections, or longer names of them, than
  // a snapshot may have, or if their order takes too many passes.
  Status Finish(const FileLayout& layout);

  // Whether the stream has what a snapshot is made of.
  bool IsNative() const;

  const pb::Graph& graph() const { return graph_; }
  const pb::GraphEnd& totals() const { return totals_; }
  const std::string& snapshot_object() const { return snapshot_; }
  // In the order in which they are written.
  const std::vector<Member>& members() const { return members_; }

  // The number of a kind in the file, and the form of an edge's name.
  std::uint64_t NodeCode(std::uint32_t kind) const {
    return kind < node_codes_.size() ? node_codes_[kind] : 0;
  }
  std::uint64_t EdgeCode(std::uint32_t kind) const {
    return kind < edge_codes_.size() ? edge_codes_[kind] : 0;
  }
  std::size_t edge_kinds() const { return name_forms_.size(); }
  std::uint32_t EdgeNameForm(std::uint32_t kind) const {
    return kind < name_forms_.size()
               ? name_forms_[kind]
               : static_cast<std::uint32_t>(pb::NAME_NONE);
  }

  // The number, in the file, of a string of the stream, where the file's
  // strings come after the names. If something refers to a name, all names are
  // appended to them, the empty string first. Once the strings are written,
  // that is too late: returns 0.
  std::uint64_t StringNumber(std::uint64_t index) {
    if (index >= first_string_) [[likely]]
      return index - first_string_;
    if (are_strings_written_) return 0;
    needs_names_ = true;
    return strings_ - first_string_ + index;
  }
  std::uint64_t first_string() const { return first_string_; }
  bool needs_names() const { return needs_names_; }
  void SetStringsWritten() { are_strings_written_ = true; }

 private:
  static constexpr std::size_t kMaxTypeName = 4096;

  // The most passes for what is kept. What the reader sends hardly takes more
  // than one.
  static constexpr std::size_t kMaxKeptPasses = 16;

  Status AddExtra(const pb::Extra& extra);
  Status CheckPasses() const;
  void AddVocabulary(const pb::Vocabulary& vocabulary);
  void Plan(const FileLayout& given);
  std::vector<SectionKind> UsualOrder() const;
  // A table that is an ExtraTable, or a section that is JSON.
  struct Kept {
    std::string name;
    std::size_t position = 0;  // Member::position
  };
  void Keep(std::string_view name, std::vector<Kept>* list);
  // Finds the table or JSON that the file has under the key of a known section,
  // or the next one that it has under another key; removes it from those left.
  bool TakeNamed(SectionKind kind, Member* member);
  static bool TakeNext(std::vector<Kept>* left, Member* member);

  pb::Graph graph_;
  pb::GraphEnd totals_;
  int graphs_ = 0;
  std::string snapshot_;
  bool has_snapshot_ = false;
  std::vector<Kept> tables_;    // names of ExtraTables
  std::vector<Kept> sections_;  // heads of other JSON
  Status kept_status_;  // an error if these are not all; may not be needed
  bool extra_goes_on_ = false;
  std::vector<std::uint64_t> node_codes_;
  std::vector<std::uint64_t> edge_codes_;
  std::vector<std::uint32_t> name_forms_;
  std::vector<std::uint64_t> node_type_names_;
  std::vector<std::uint64_t> edge_type_names_;
  SynthesizedEdges synthesized_;
  StringTexts texts_;
  std::uint64_t first_string_ = 1;
  std::uint64_t strings_ = 1;
  bool needs_names_ = false;
  bool are_strings_written_ = false;
  std::vector<Member> members_;
};

}  // namespace heapglot::heapsnapshot

#endif  // HEAPGLOT_WRITERS_HEAPSNAPSHOT_HEAPSNAPSHOT_NATIVE_SURVEY_H_
