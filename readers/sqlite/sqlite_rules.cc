#include "heapglot/validate.h"
#include "readers/sqlite/sqlite_reader.h"

namespace heapglot {
namespace {

// Rules about the file and its tables, and those of readers/draft that tables
// can have.
constexpr Rule kSqliteRules[] = {
    {"sqlite.trailing", Severity::kWarning, "bytes follow the last page",
     "End the file there, as SQLite does. If it is one of heapglot's, its "
     "leftovers were cut: compare the size after a transfer."},
    {"sqlite.subtype.undeclared", Severity::kWarning,
     "a record has a subtype that is not declared",
     "Declare the subtype with its type."},
    {"sqlite.heap.mixed", Severity::kWarning,
     "references lead from one heap to another",
     "Write one heap, or give each heap nodes of its own: all become one "
     "graph."},
    {"sqlite.heap.words", Severity::kWarning,
     "heaps that become one call a kind differently",
     "Give kinds the same place in hg.word in all heaps: the first heap that "
     "has one names it."},
    {"sqlite.field.range", Severity::kWarning,
     "the value of a field is out of the range of its type",
     "Declare a wider type, or write what the declared one can hold."},
    {"sqlite.string.bytes", Severity::kWarning, "a text is not UTF-8",
     "Write text as UTF-8; in a string, what is no text as hg.bytes."},
    {"sqlite.string.field", Severity::kWarning,
     "a string has fields besides its id and its text, which are not read",
     "Say it of the nodes that have the string."},
    {"sqlite.table.unread", Severity::kWarning,
     "a table has rows, but nothing is read from it",
     "Name it in node_types.table_name, if nodes have their fields there."},
    {"sqlite.column.unread", Severity::kWarning,
     "a column of metadata or of types has values, but nothing is read from "
     "it, "
     "or one called subtype or id stands beside the draft's",
     "Put what is said of all of the dump into rows of metadata, and the rest "
     "into columns of node and edge."},
    {"sqlite.row.unowned", Severity::kWarning,
     "a row of a type's table is of no node of that type, or a second one",
     "Write one row for each node, into the table of its type."},
    {"sqlite.version.twice", Severity::kWarning,
     "version_major stands there again",
     "Write the version once, in the first record."},
    {"sqlite.edge.source", Severity::kWarning,
     "the source of an edge is no node", "Write the node before its edges."},
    {"sqlite.slice.offset", Severity::kWarning,
     "a sliced string begins behind the end of its parent",
     "Write the offset in characters of the parent."},
    {"sqlite.oddball.unknown", Severity::kWarning,
     "an oddball has a name that nobody knows",
     "Use undefined, null, true, false, or another type for what is none of "
     "them."},
    {"sqlite.closure.metadata", Severity::kWarning,
     "the metadata of a closure is a small integer",
     "Refer to the record that describes the function."},
    {"sqlite.reference.dangling", Severity::kWarning,
     "a field refers to what no record defines",
     "Write the record, or 0 for none."},
    {"sqlite.row.reference", Severity::kWarning,
     "a record of heapglot's own refers to what is not there",
     "Write the row, or 0 for none."},
    {"sqlite.value.form", Severity::kWarning,
     "a value has no form that is known, or one that its parts do not go with",
     "Use the numbers of ValueForm and ValueEncoding in chunk.proto."},
    {"sqlite.name.order", Severity::kWarning,
     "a value is a name whose string does not stand right before its node",
     "Write the string after the node before, once more if it stands "
     "elsewhere, "
     "or a text (hg.form 9)."},
    {"sqlite.value.order", Severity::kWarning,
     "values do not come in the order of their owners",
     "Write the values of a node where the node is written."},
    {"sqlite.value.owner", Severity::kWarning,
     "a value is of an owner that is not there",
     "Write the node, or leave out the value."},
    {"sqlite.column.order", Severity::kWarning,
     "cells of a column do not come before the rows that they belong to",
     "Write the row of hg_column right before the first of its nodes or "
     "edges."},
};

}  // namespace

constinit const Validator kSqliteValidator = {.rules = kSqliteRules};

}  // namespace heapglot
