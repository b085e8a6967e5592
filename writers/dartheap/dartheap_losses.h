// What a dartheap file cannot hold as it is.
#ifndef HEAPGLOT_WRITERS_DARTHEAP_DARTHEAP_LOSSES_H_
#define HEAPGLOT_WRITERS_DARTHEAP_DARTHEAP_LOSSES_H_

#include <cstdint>
#include <string_view>
#include <vector>

#include "heapglot/context.h"
#include "heapglot/format.h"
#include "heapglot/stream.h"

namespace heapglot::dartheap {

// A row for each code that a run may count under.
inline constexpr FidelityRow kFidelity[] = {
    {"dartheap.node.id", LossClass::kDropped,
     "the id of an object is its position"},
    {"dartheap.node.kind", LossClass::kDropped,
     "the kind of a node that has a class of its own"},
    {"dartheap.node.name", LossClass::kDropped,
     "the name of a node that has a value"},
    {"dartheap.node.detachedness", LossClass::kDropped,
     "whether a node is detached"},
    {"dartheap.node.trace", LossClass::kDropped, "where a node was allocated"},
    {"dartheap.node.heap_space", LossClass::kDropped,
     "the part of the heap that a node is in"},
    {"dartheap.node.phantom", LossClass::kDropped,
     "that a node has no record in the source"},
    {"dartheap.node.column", LossClass::kDropped,
     "columns of nodes that only the source's format knows"},
    {"dartheap.value.unsigned", LossClass::kApproximated,
     "a number of 2^63 or more is shown as a negative one"},
    {"dartheap.value.bool", LossClass::kApproximated,
     "a truth value other than 0 and 1 is shown as true"},
    {"dartheap.value.node", LossClass::kDropped,
     "a value that refers to a node"},
    {"dartheap.value.text", LossClass::kApproximated,
     "the text of an array or a JSON value is shown as a name"},
    {"dartheap.value.named", LossClass::kDropped,
     "values beside a node's own one"},
    {"dartheap.string.bytes", LossClass::kApproximated,
     "bytes that are no text are shown as Latin-1"},
    {"dartheap.type.id", LossClass::kDropped, "the id of a type"},
    {"dartheap.type.dangling", LossClass::kDropped,
     "the id of a type that does not exist"},
    {"dartheap.type.fields", LossClass::kApproximated,
     "fields are made from the edges that objects have"},
    {"dartheap.type.relation", LossClass::kDropped,
     "the superclass, module, loader, size or class object of a type"},
    {"dartheap.type.column", LossClass::kDropped,
     "columns of types that only the source's format knows"},
    {"dartheap.edge.name", LossClass::kDropped,
     "the name of an edge beyond the classes and fields that the file may "
     "have"},
    {"dartheap.edge.index", LossClass::kDropped,
     "the index of an element that is not its position"},
    {"dartheap.edge.order", LossClass::kApproximated,
     "elements follow the fields"},
    {"dartheap.edge.kind", LossClass::kDropped,
     "that an edge is internal, hidden, a shortcut or a context variable"},
    {"dartheap.edge.weak", LossClass::kApproximated,
     "a weak reference: only the flags of its field are 0"},
    {"dartheap.edge.weak_element", LossClass::kDropped,
     "that an element is weak"},
    {"dartheap.edge.dangling", LossClass::kApproximated,
     "a reference to an object that does not exist leads to one that is made "
     "for its id"},
    {"dartheap.edge.immediate", LossClass::kApproximated,
     "a small integer in place of a reference is an object of its own"},
    {"dartheap.edge.column", LossClass::kDropped,
     "columns of edges that only the source's format knows"},
    {"dartheap.external.holder", LossClass::kApproximated,
     "external memory of an object that does not exist is held by one that is "
     "made for its id"},
    {"dartheap.root.kind", LossClass::kDropped,
     "kind, flags and label of a root, which is a reference of object 1"},
    {"dartheap.root.unreachable", LossClass::kEquivalent,
     "entry points into garbage, which need none in a dartheap"},
    {"dartheap.graph.text", LossClass::kDropped,
     "version, times and closing name of the source"},
    {"dartheap.graph.flags", LossClass::kDropped, "flags of another format"},
    {"dartheap.locations", LossClass::kDropped, "where functions stand"},
    {"dartheap.traces", LossClass::kDropped, "allocation traces"},
    {"dartheap.samples", LossClass::kDropped, "samples of a timeline"},
    {"dartheap.stack_frames", LossClass::kDropped, "stack frames"},
    {"dartheap.threads", LossClass::kDropped, "threads"},
    {"dartheap.metadata", LossClass::kDropped, "metadata of the source"},
    {"dartheap.extra", LossClass::kDropped,
     "what only the source's own format has a place for"},
};

// Counts a loss that nodes suffer.
struct Tally {
  std::uint64_t count = 0;
  std::vector<std::uint64_t> examples;
  void Add(std::uint64_t node, std::uint64_t cases = 1) {
    count += cases;
    if (examples.size() < LossReport::kExamples) examples.push_back(node);
  }
};

// Counts under the declared codes.
class Losses {
 public:
  explicit Losses(LossReport& report) : report_(report) {}

  void Lose(std::string_view code, std::uint64_t count,
            const std::vector<std::uint64_t>& examples = {});
  void Lose(std::string_view code, const Tally& tally) {
    Lose(code, tally.count, tally.examples);
  }

  // Tables that no dartheap has.
  void LoseTables(const pb::GraphEnd& totals);
  // What a graph says of itself beyond name and totals.
  void LoseGraph(const pb::Graph& graph);

 private:
  LossReport& report_;
};

}  // namespace heapglot::dartheap

#endif  // HEAPGLOT_WRITERS_DARTHEAP_DARTHEAP_LOSSES_H_
