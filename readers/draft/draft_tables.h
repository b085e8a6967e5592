// The records of the namespace "hg." that are rows of tables of the stream.
#ifndef HEAPGLOT_READERS_DRAFT_DRAFT_TABLES_H_
#define HEAPGLOT_READERS_DRAFT_DRAFT_TABLES_H_

#include <string>
#include <vector>

#include "readers/draft/draft_index.h"

namespace heapglot::draft {

// Takes a record of kTable, kTypeField, kWord or kSchema. Strings and nodes
// stay ids until the Resolve functions. The answer is what is wrong with it;
// empty = nothing.
std::string AddTableRow(const Record& record, Section* section);
// Takes an hg.graph record. The same.
std::string SetGraph(const Record& record, Section* section);

// Rows of a table of hg. records; `body` is the field of Chunk.
std::uint64_t CountRows(const Section& section, int body);

// Children of trace nodes, by their counts, that are not there.
std::uint64_t MissingTraceNodes(const Section& section);

// Makes one section of all. False: some rows are called as those of another graph.
bool MergeSections(std::vector<Section>* sections);

// Strings of vocabularies, types, roots and externals become names.
void ResolveNames(const ByteSource& source, Index* index);
// Other strings and nodes become indices, the totals are set, and tables get their
// columns. All names must be known.
LeftOut ResolveReferences(const ByteSource& source, Index* index);

}  // namespace heapglot::draft

#endif  // HEAPGLOT_READERS_DRAFT_DRAFT_TABLES_H_
