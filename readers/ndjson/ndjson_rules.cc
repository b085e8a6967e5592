#include "heapglot/validate.h"
#include "readers/ndjson/ndjson_reader.h"

namespace heapglot {
namespace {

// docs/ndjson.schema.json has the records.
constexpr Rule kNdjsonRules[] = {
    {"ndjson.file.bom", Severity::kWarning,
     "the file begins with a byte order mark", "Write UTF-8 without a BOM."},
    {"ndjson.line.blank", Severity::kWarning, "a line is blank",
     "Write one record per line and nothing else."},
    {"ndjson.line.unended", Severity::kWarning,
     "the last line does not end with a line feed",
     "End every record with a line feed, so that a truncated file can be "
     "recognized."},
    {"ndjson.line.crlf", Severity::kWarning,
     "lines end with carriage return and line feed",
     "Open the file in binary mode and write only a line feed."},
    {"ndjson.type.undeclared", Severity::kWarning,
     "a record has a type that is not declared",
     "Declare the type in a record before its first node or edge."},
    {"ndjson.type.late", Severity::kWarning,
     "a type or subtype is declared after the first node or edge",
     "Write all declarations first: readers that stream need them."},
    {"ndjson.subtype.undeclared", Severity::kWarning,
     "a record has a subtype that is not declared",
     "Declare the subtype with its type."},
    {"ndjson.field.undeclared", Severity::kWarning,
     "a record has a field that its type does not declare",
     "Declare the field with its type, or leave it out."},
    {"ndjson.heap.mixed", Severity::kWarning,
     "references lead from one heap to another",
     "Write one heap, or give each heap its own nodes: all become one graph."},
    {"ndjson.heap.words", Severity::kWarning,
     "heaps that are merged have different names for a kind",
     "Give kinds the same place in hg.word in all heaps: the first heap that "
     "has a kind names it."},
    {"ndjson.number.text", Severity::kWarning, "a number is written as text",
     "Write a JSON number if it is below 2^53; only larger ones are text, "
     "because JavaScript loses their last digits."},
    {"ndjson.field.range", Severity::kWarning,
     "the value of a field is out of range for its type",
     "Declare a wider type, or write what the declared one can hold."},
    {"ndjson.field.type", Severity::kWarning,
     "a field of the draft is declared with a different type",
     "Declare it as the draft does: identifier id, subtype u32, source and "
     "dest value, label and id stringid, data utf8."},
    {"ndjson.string.bytes", Severity::kWarning,
     "the data of a string is not UTF-8",
     "Escape what is not text, or declare the encoding of the string."},
    {"ndjson.string.field", Severity::kWarning,
     "a string has fields besides its id and text, which are not read",
     "Put them on the nodes that have the string."},
    {"ndjson.string.twice", Severity::kWarning, "a string is written twice",
     "Write each string once and refer to it."},
    {"ndjson.version.twice", Severity::kWarning,
     "version_major is written twice",
     "Write the version once, in the first record."},
    {"ndjson.trailer.missing", Severity::kWarning, "there is no trailer",
     "Write the trailer last, with the counts: without it, nobody can tell "
     "whether the file is complete."},
    {"ndjson.edge.source", Severity::kWarning,
     "the source of an edge is not a node", "Write the node before its edges."},
    {"ndjson.slice.offset", Severity::kWarning,
     "a sliced string begins after the end of its parent",
     "Write the offset in characters within the parent."},
    {"ndjson.oddball.unknown", Severity::kWarning,
     "an oddball has an unknown name",
     "Use undefined, null, true or false, or another type for anything else."},
    {"ndjson.closure.metadata", Severity::kWarning,
     "the metadata of a closure is a small integer",
     "Refer to the record that describes the function."},
    {"ndjson.reference.dangling", Severity::kWarning,
     "a field refers to something that no record defines",
     "Write the record, or 0 for none."},
    {"ndjson.row.reference", Severity::kWarning,
     "one of heapglot's own records refers to something that is missing",
     "Write the row, or 0 for none."},
    {"ndjson.value.form", Severity::kWarning,
     "a value has an unknown form, or one that does not match its parts",
     "Use the numbers of ValueForm and ValueEncoding in chunk.proto."},
    {"ndjson.name.order", Severity::kWarning,
     "a value is a name whose string is not right before its node",
     "Write the string right after the previous node, again if it is "
     "elsewhere, too, or make the value a text (hg.form 9)."},
    {"ndjson.value.order", Severity::kWarning,
     "values are not in the order of their owners",
     "Write the values of a node where the node is written."},
    {"ndjson.value.owner", Severity::kWarning,
     "the owner of a value is missing",
     "Write the node, or leave out the value."},
    {"ndjson.column.order", Severity::kWarning,
     "cells of a column do not come before the rows that they belong to",
     "Write the record hg.column right before the first of its nodes or "
     "edges."},
};

}  // namespace

constinit const Validator kNdjsonValidator = {.rules = kNdjsonRules};

}  // namespace heapglot
