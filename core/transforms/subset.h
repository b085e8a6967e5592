// A part of a dump that is itself a dump.
#ifndef HEAPGLOT_CORE_TRANSFORMS_SUBSET_H_
#define HEAPGLOT_CORE_TRANSFORMS_SUBSET_H_

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "core/rank_bitmap.h"
#include "heapglot/format.h"
#include "heapglot/status.h"
#include "heapglot/stream.h"

namespace heapglot {

// Rows of a table that stay; nullopt: all of them.
using KeptRows = std::optional<RankBitmap>;

// What stays of a dump. Sets must be as large as the tables they are for.
struct Subset {
  // Tables whose rows can be chosen.
  struct Graph {
    KeptRows nodes;
    KeptRows edges;
    KeptRows types;
    KeptRows roots;
    KeptRows values;
    KeptRows externals;
    KeptRows locations;
    KeptRows samples;
  };
  std::vector<Graph> graphs;  // if fewer than there are, the others stay whole
  // Tables that are dropped as a whole; not Graph, Nodes, Vocabulary or
  // Strings.
  ChunkSet dropped;
  // Strings that stay; others become the empty string.
  KeptRows strings;
  // Longer strings are cut to this many bytes, between characters.
  std::uint64_t max_text = ~std::uint64_t{0};
  // Edges and roots that otherwise stay do so even if their target goes: it is
  // omitted. A set of edges must then not contain edges of nodes that go.
  bool omits_targets = false;
  // If nodes go, those without ids get their old index + 1 as id.
  bool makes_ids = false;
  // Strings that nothing in the whole dump uses stay.
  bool keeps_unused_strings = false;
  // Totals that the source states stay as they are if they are not true.
  bool keeps_claims = true;
  // FindReader(), for JSON that may refer to nodes (SubsetLosses); nullptr:
  // there is none.
  decltype(&FindReader) find = nullptr;
};

// What is lost with nodes that go, besides what belongs to them.
struct SubsetLosses {
  // Edges from nodes that stay to nodes that go: removed, or without a target.
  std::uint64_t edges = 0;
  // The same for references from tables, classes, values and roots.
  std::uint64_t references = 0;
  std::uint64_t table_rows = 0;  // of ExtraTables that are emptied
  // Numbers that may refer to nodes, though nothing says so: they stay as they
  // are.
  std::uint64_t unknown_numbers = 0;
};

class SubsetReader : public Reader {
 public:
  // Reads upstream as far as needed. Otherwise the first Read() does so.
  virtual Status Plan() = 0;
  // Valid after Plan(). If edges are not grouped, removed edges do not count.
  virtual const SubsetLosses& losses() const = 0;
};

// A reader that shows the part of `upstream` that `subset` keeps. `upstream`
// must outlive it.
//
// A node takes along its edges, edges to it, and its roots, values, externals
// and locations. An edge, a type or a root takes along its values. References
// to rows that go become none. Rows are renumbered; ids stay if the source has
// any. Totals that the source states stay true if they were; others are not
// changed (keeps_claims), or are left out. Strings that nothing uses are left
// out, and so is what describes the layout of the file (SourceImage,
// RecordOrder). An ExtraTable that may refer to rows in ways we do not know has
// no rows. A subset that keeps everything only drops SourceImage.
//
// Plan() reads upstream up to three times: for totals; for edges and roots, if
// rows are chosen (with omits_targets, not if edges are); for everything.
// Memory: 1.25 bits for each row of a table that has a set, for each edge and
// root if they are read, and for each string; twice that for strings with
// keeps_unused_strings.
// Errors: those of upstream.
std::unique_ptr<SubsetReader> MakeSubset(Reader& upstream, Subset subset);

}  // namespace heapglot

#endif  // HEAPGLOT_CORE_TRANSFORMS_SUBSET_H_
