// A part of a dump that is a dump itself.
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

// Rows of a table that stay; nullopt: all.
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
  std::vector<Graph> graphs;  // fewer than there are: the others stay whole
  // Tables of which nothing stays; none of Graph, Nodes, Vocabulary, Strings.
  ChunkSet dropped;
  // Strings of the stream; the others are the empty string.
  KeptRows strings;
  // Longer strings are cut to so many bytes, at a character.
  std::uint64_t max_text = ~std::uint64_t{0};
  // Edges and roots of what stays stay, too, if their target is gone: it is omitted.
  // A set of edges must have none of nodes that go, then.
  bool omits_targets = false;
  // Where nodes go, those that have no ids have their old index + 1 as one.
  bool makes_ids = false;
  // Strings that nothing in the whole uses stay.
  bool keeps_unused_strings = false;
  // Totals that the source states stay as they are where they are not true.
  bool keeps_claims = true;
  // FindReader(), which tells of JSON that may refer to nodes (SubsetLosses);
  // nullptr: there is none.
  decltype(&FindReader) find = nullptr;
};

// What goes with the nodes that go, besides what is of them.
struct SubsetLosses {
  // Of nodes that stay, to nodes that do not: gone, or without a target.
  std::uint64_t edges = 0;
  // The same of tables, classes, values and roots.
  std::uint64_t references = 0;
  std::uint64_t table_rows = 0;  // of each ExtraTable that is emptied
  // Numbers that may refer to nodes, but nobody says so: they stay as they are.
  std::uint64_t unknown_numbers = 0;
};

class SubsetReader : public Reader {
 public:
  // Reads upstream, as far as that is needed before the first Read(), which does
  // so otherwise.
  virtual Status Plan() = 0;
  // After Plan(). Of edges that are not grouped those that are gone do not count.
  virtual const SubsetLosses& losses() const = 0;
};

// A reader that shows of `upstream`, which must outlive it, what `subset` keeps.
//
// Goes along with a node: its edges, edges to it, and roots, values, externals
// and locations of it. Goes along with an edge, a type or a root: its values.
// References to what is gone are none. Rows are numbered anew; ids stay where
// the source has any. Totals that the source states stay true if they were; others
// are not changed (keeps_claims), or are not there.
// Strings that nothing uses are not there, nor is what describes the layout of the
// file (SourceImage, RecordOrder). An ExtraTable that may refer to rows in ways we
// do not know has no rows. A subset of all that drops nothing only drops
// SourceImage.
//
// Plan() reads upstream up to three times: totals, edges and roots if rows are
// chosen (not with omits_targets if edges are), everything.
// Memory: 1.25 bits for each row of a table that has a set, for each edge and
// root if they are looked at, and for each string; as much again for strings with
// keeps_unused_strings.
// Errors: those of upstream.
std::unique_ptr<SubsetReader> MakeSubset(Reader& upstream, Subset subset);

}  // namespace heapglot

#endif  // HEAPGLOT_CORE_TRANSFORMS_SUBSET_H_
