#include "heapglot/validate.h"
#include "readers/sqlite/sqlite_reader.h"

namespace heapglot {
namespace {

// Rules about the file and its tables, and those of readers/draft that tables
// can have.
constexpr Rule kSqliteRules[] = {
    {"sqlite.trailing", Severity::kWarning, "bytes follow the last page",
     "End the file there, as SQLite does. If heapglot wrote it, its leftovers "
     "were cut off: compare the size after a transfer."},
    {"sqlite.subtype.undeclared", Severity::kWarning,
     "a record has a subtype that is not declared",
     "Declare the subtype with its type."},
    {"sqlite.heap.mixed", Severity::kWarning,
     "references lead from one heap to another",
     "Write one heap, or give each heap its own nodes: all become one graph."},
    {"sqlite.heap.words", Severity::kWarning,
     "heaps that are merged have different names for a kind",
     "Give kinds the same place in hg.word in all heaps: the first heap that "
     "has a kind names it."},
    {"sqlite.field.range", Severity::kWarning,
     "the value of a field is out of range for its type",
     "Declare a wider type, or write what the declared one can hold."},
    {"sqlite.string.bytes", Severity::kWarning, "a text is not UTF-8",
     "Write text as UTF-8; in a string, write what is not text as hg.bytes."},
    {"sqlite.string.field", Severity::kWarning,
     "a string has fields besides its id and text, which are not read",
     "Put them on the nodes that have the string."},
    {"sqlite.table.unread", Severity::kWarning,
     "a table has rows, but nothing is read from it",
     "Name it in node_types.table_name, if nodes have their fields there."},
    {"sqlite.column.unread", Severity::kWarning,
     "a column of metadata or of types has values, but nothing is read from "
     "it, or one called subtype or id is there in addition to the draft's",
     "Put what is true for the whole dump into rows of metadata, and the rest "
     "into columns of node and edge."},
    {"sqlite.row.unowned", Severity::kWarning,
     "a row of a type's table belongs to no node of that type, or is a second "
     "one",
     "Write one row per node, into the table of its type."},
    {"sqlite.version.twice", Severity::kWarning,
     "version_major is written twice",
     "Write the version once, in the first record."},
    {"sqlite.edge.source", Severity::kWarning,
     "the source of an edge is not a node", "Write the node before its edges."},
    {"sqlite.slice.offset", Severity::kWarning,
     "a sliced string begins after the end of its parent",
     "Write the offset in characters within the parent."},
    {"sqlite.oddball.unknown", Severity::kWarning,
     "an oddball has an unknown name",
     "Use undefined, null, true or false, or another type for anything else."},
    {"sqlite.closure.metadata", Severity::kWarning,
     "the metadata of a closure is a small integer",
     "Refer to the record that describes the function."},
    {"sqlite.reference.dangling", Severity::kWarning,
     "a field refers to something that no record defines",
     "Write the record, or 0 for none."},
    {"sqlite.row.reference", Severity::kWarning,
     "one of heapglot's own records refers to something that is missing",
     "Write the row, or 0 for none."},
    {"sqlite.value.form", Severity::kWarning,
     "a value has an unknown form, or one that does not match its parts",
     "Use the numbers of ValueForm and ValueEncoding in chunk.proto."},
    {"sqlite.name.order", Severity::kWarning,
     "a value is a name whose string is not right before its node",
     "Write the string right after the previous node, again if it is "
     "elsewhere, too, or make the value a text (hg.form 9)."},
    {"sqlite.value.order", Severity::kWarning,
     "values are not in the order of their owners",
     "Write the values of a node where the node is written."},
    {"sqlite.value.owner", Severity::kWarning,
     "the owner of a value is missing",
     "Write the node, or leave out the value."},
    {"sqlite.column.order", Severity::kWarning,
     "cells of a column do not come before the rows that they belong to",
     "Write the row of hg_column right before the first of its nodes or "
     "edges."},
};

}  // namespace

constinit const Validator kSqliteValidator = {.rules = kSqliteRules};

}  // namespace heapglot
