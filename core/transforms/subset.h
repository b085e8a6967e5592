// A part of a dump that is a dump itself.
#ifndef HEAPGLOT_CORE_TRANSFORMS_SUBSET_H_
#define HEAPGLOT_CORE_TRANSFORMS_SUBSET_H_

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "core/rank_bitmap.h"
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
  // What upstream is a part of, if it is: strings that something in it uses, and
  // nothing in the part, go. Those that nothing has used stay then.
  Reader* whole = nullptr;
};

// A reader that shows of `upstream`, which must outlive it, what `subset` keeps.
//
// Goes along with a node: its edges, edges to it, and roots, values, externals
// and locations of it. Goes along with an edge, a type or a root: its values.
// References to what is gone are none. Rows are numbered anew; ids stay where
// the source has any. Totals that the source states stay true if they were.
// Strings that nothing uses are not there (but see Subset::whole), nor is what
// describes the layout of the file (SourceImage, RecordOrder). An ExtraTable that
// may refer to rows in ways we do not know has no rows. A subset of all that drops
// nothing only drops SourceImage.
//
// The first Read() reads upstream three times before, or twice if no rows are
// chosen, and the whole twice.
// Memory: 1.25 bits for each row of a table that has a set, for each edge and
// root if there is any set, and for each string; as much again for those of the
// whole.
// Errors: those of upstream.
std::unique_ptr<Reader> MakeSubset(Reader& upstream, Subset subset);

}  // namespace heapglot

#endif  // HEAPGLOT_CORE_TRANSFORMS_SUBSET_H_
