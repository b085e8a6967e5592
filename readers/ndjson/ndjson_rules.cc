#include "heapglot/validate.h"
#include "readers/ndjson/ndjson_reader.h"

namespace heapglot {
namespace {

// docs/ndjson.schema.json has the records.
constexpr Rule kNdjsonRules[] = {
    {"ndjson.file.bom", Severity::kWarning,
     "the file begins with a byte order mark", "Write UTF-8 without a BOM."},
    {"ndjson.line.blank", Severity::kWarning, "a line is blank",
     "Write one record a line and nothing else."},
    {"ndjson.line.unended", Severity::kWarning,
     "the last line has no line feed",
     "End every record with a line feed, so that a cut file can be told from a "
     "whole one."},
    {"ndjson.line.crlf", Severity::kWarning,
     "lines end in carriage return and line feed",
     "Open the file in binary mode and write a line feed alone."},
    {"ndjson.type.undeclared", Severity::kWarning,
     "a record has a type that is not declared",
     "Declare the type in a record before the first node or edge of it."},
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
     "Write one heap, or give each heap nodes of its own: all become one "
     "graph."},
    {"ndjson.heap.words", Severity::kWarning,
     "heaps that become one call a kind differently",
     "Give kinds the same place in hg.word in all heaps: the first heap that "
     "has one names it."},
    {"ndjson.number.text", Severity::kWarning, "a number is written as text",
     "Write a JSON number if it is below 2^53; only larger ones are text, for "
     "JavaScript loses their last digits."},
    {"ndjson.field.range", Severity::kWarning,
     "the value of a field is out of the range of its type",
     "Declare a wider type, or write what the declared one can hold."},
    {"ndjson.field.type", Severity::kWarning,
     "a field of the draft is declared with another type than the draft's",
     "Declare it as the draft does: identifier id, subtype u32, source and "
     "dest value, label and id stringid, data utf8."},
    {"ndjson.string.bytes", Severity::kWarning,
     "the data of a string is not UTF-8",
     "Escape what is no text, or declare the encoding of the string."},
    {"ndjson.string.field", Severity::kWarning,
     "a string has fields besides its id and its text, which are not read",
     "Say it of the nodes that have the string."},
    {"ndjson.string.twice", Severity::kWarning, "a string stands there twice",
     "Write each string once and refer to it."},
    {"ndjson.version.twice", Severity::kWarning,
     "version_major stands there again",
     "Write the version once, in the first record."},
    {"ndjson.trailer.missing", Severity::kWarning, "there is no trailer",
     "Write the trailer last, with the counts: without it nobody can tell that "
     "the file is whole."},
    {"ndjson.edge.source", Severity::kWarning,
     "the source of an edge is no node", "Write the node before its edges."},
    {"ndjson.slice.offset", Severity::kWarning,
     "a sliced string begins behind the end of its parent",
     "Write the offset in characters of the parent."},
    {"ndjson.oddball.unknown", Severity::kWarning,
     "an oddball has a name that nobody knows",
     "Use undefined, null, true, false, or another type for what is none of "
     "them."},
    {"ndjson.closure.metadata", Severity::kWarning,
     "the metadata of a closure is a small integer",
     "Refer to the record that describes the function."},
    {"ndjson.reference.dangling", Severity::kWarning,
     "a field refers to what no record defines",
     "Write the record, or 0 for none."},
    {"ndjson.row.reference", Severity::kWarning,
     "a record of heapglot's own refers to what is not there",
     "Write the row, or 0 for none."},
    {"ndjson.value.form", Severity::kWarning,
     "a value has no form that is known, or one that its parts do not go with",
     "Use the numbers of ValueForm and ValueEncoding in chunk.proto."},
    {"ndjson.name.order", Severity::kWarning,
     "a value is a name whose string does not stand right before its node",
     "Write the string after the node before, once more if it stands "
     "elsewhere, "
     "or a text (hg.form 9)."},
    {"ndjson.value.order", Severity::kWarning,
     "values do not come in the order of their owners",
     "Write the values of a node where the node is written."},
    {"ndjson.value.owner", Severity::kWarning,
     "a value is of an owner that is not there",
     "Write the node, or leave out the value."},
    {"ndjson.column.order", Severity::kWarning,
     "cells of a column do not come before the rows that they belong to",
     "Write the record hg.column right before the first of its nodes or "
     "edges."},
};

}  // namespace

constinit const Validator kNdjsonValidator = {.rules = kNdjsonRules};

}  // namespace heapglot
