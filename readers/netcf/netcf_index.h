// The first look at a log: where its domains are, and the ids in each.
#ifndef HEAPGLOT_READERS_NETCF_NETCF_INDEX_H_
#define HEAPGLOT_READERS_NETCF_NETCF_INDEX_H_

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/id_map.h"
#include "heapglot/bytes.h"
#include "heapglot/context.h"
#include "readers/netcf/netcf_findings.h"
#include "readers/netcf/netcf_line.h"
#include "readers/netcf/netcf_text.h"

namespace heapglot::netcf {

// An application domain: the records from one start record to the next.
struct Domain {
  Text::Place begin;  // of its first line
  bool has_start = false;
  bool has_timestamp = false;
  bool has_end_timestamp = false;
  // Whether records come as the writer sends them: types, objects, roots.
  bool is_in_usual_order = true;
  std::uint64_t end_line = 0;  // of the end record; 0 = there is none
  std::string version;         // these five as written
  std::string name;
  std::string timestamp;
  std::string end_name;
  std::string end_timestamp;

  IdMap types;  // type ids to indices
  IdMap nodes;  // object ids to indices
  // For each type: a hash of its name, kNoName for none.
  std::vector<std::uint64_t> names;
  static constexpr std::uint64_t kNoName = 0;
  std::uint64_t named_types = 0;
  // Kinds of root other than 0 to 5, sorted.
  std::vector<std::uint64_t> other_kinds;
  std::uint64_t roots = 0;

  // Totals, from the first pass on.
  std::uint64_t edges = 0;
  std::uint64_t omitted = 0;
  std::uint64_t dangling = 0;
  std::uint64_t self_sizes = 0;  // saturating
};

struct Index {
  TextForm form;
  std::vector<Domain> domains;
  // The line that is not a record because it may be cut; 0 = none.
  std::uint64_t cut_line = 0;
};

// Records as both passes read them. All functions return false if the line is
// no such record; the reason has then been reported.
struct Object {
  std::uint64_t id = 0;
  std::uint64_t type = 0;
  std::uint64_t size = 0;
};
struct Root {
  std::uint64_t id = 0;
  std::uint64_t kind = 0;
  std::uint64_t flags = 0;
  std::uint64_t container = 0;
  bool has_container = false;
};
// Afterwards, the references can be read from the line.
inline bool ReadObject(Line& line, Findings* findings, Object* object);
bool ReadRoot(Line& line, Findings* findings, Root* root);
// Afterwards, the name can be taken from the line.
bool ReadTypeId(Line& line, Findings* findings, std::uint64_t* id);

// Objects and roots have at least this many numbers.
inline constexpr int kLeastElements = 3;

// Reports what else is wrong with a line that has no number after the first
// `elements`. Afterwards, nothing of it is left to read.
void ReportBroken(Line::Got got, int elements, Line& line, Findings* findings);

inline bool ReadNumbers(Line& line, Findings* findings,
                        std::array<std::uint64_t*, kLeastElements> numbers) {
  int elements = 0;
  for (std::uint64_t* const number : numbers) {
    const Line::Got got = line.Number(number);
    if (got != Line::Got::kNumber) [[unlikely]] {
      ReportBroken(got, elements, line, findings);
      return false;
    }
    ++elements;
  }
  return true;
}

inline bool ReadObject(Line& line, Findings* findings, Object* object) {
  return ReadNumbers(line, findings,
                     {&object->id, &object->type, &object->size});
}

// A hash of a type's name; kNoName only for an empty name.
std::uint64_t HashName(std::string_view name);

// Reads all of `source` once. Reports everything odd about domains and types;
// objects and roots are left to the reader's first pass.
// Errors: those that cannot be stepped over (not a log, a limit). All others
// are in findings->status().
// Memory: 8 bytes per object meanwhile, then that of IdMap; 20 bytes per type;
// 600 bytes per domain.
Status BuildIndex(const ByteSource& source, const Context& context,
                  Findings* findings, Index* index);

}  // namespace heapglot::netcf

#endif  // HEAPGLOT_READERS_NETCF_NETCF_INDEX_H_
