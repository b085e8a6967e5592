// The records of the namespace "hg." that are rows of tables of the stream.
#ifndef HEAPGLOT_READERS_DRAFT_DRAFT_TABLES_H_
#define HEAPGLOT_READERS_DRAFT_DRAFT_TABLES_H_

#include <string>
#include <vector>

#include "readers/draft/draft_index.h"

namespace heapglot::draft {

// Adds a record of kTable, kTypeField, kWord or kSchema. Strings and nodes stay
// ids until the Resolve functions. Returns what is wrong with the record; empty
// if nothing is.
std::string AddTableRow(const Record& record, Section* section);
// The same for an hg.graph record.
std::string SetGraph(const Record& record, Section* section);

// Number of rows in a table of hg. records; `body` is the field of Chunk.
std::uint64_t CountRows(const Section& section, int body);

// Number of trace nodes that are missing according to the child counts.
std::uint64_t MissingTraceNodes(const Section& section);

// Makes one section of all. False if graphs use different words for the same
// row.
bool MergeSections(std::vector<Section>* sections);

// Turns strings of vocabularies, types, roots and externals into names.
void ResolveNames(const ByteSource& source, Index* index);
// Turns other strings and nodes into indices, sets the totals, and gives tables
// their columns. All names must be known.
LeftOut ResolveReferences(const ByteSource& source, Index* index);

}  // namespace heapglot::draft

#endif  // HEAPGLOT_READERS_DRAFT_DRAFT_TABLES_H_
