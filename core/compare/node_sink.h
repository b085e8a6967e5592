// The pass over the nodes of a dump that is compared.
#ifndef HEAPGLOT_CORE_COMPARE_NODE_SINK_H_
#define HEAPGLOT_CORE_COMPARE_NODE_SINK_H_

#include <cstdint>

#include "core/compare/compared_dump.h"

namespace heapglot {

// The hash of a value that is a text, a number or nothing; for a value that is
// a node, of its form only.
std::uint64_t ValueHash(std::uint32_t form, std::uint64_t value,
                        std::uint32_t encoding, const DumpWords& words);

class ComparedDump::NodeSink : public ChunkSink {
 public:
  static constexpr ChunkSet kWanted = {pb::Chunk::kGraph, pb::Chunk::kNodes,
                                       pb::Chunk::kValues};

  NodeSink(ComparedDump& dump, ClassRows& classes)
      : dump_(dump), classes_(classes) {}

  Status Accept(const pb::Chunk& chunk) override;

 private:
  const GraphWords& graph() const { return dump_.words_.graphs()[graph_]; }
  void AddNodes(const pb::Nodes& nodes);
  std::uint64_t OwnHash(const pb::Nodes& nodes, int row);
  std::uint64_t ClassPart(const pb::Nodes& nodes, int row) const;
  std::uint64_t AttributePart(const pb::Nodes& nodes, int row) const;
  std::uint64_t Part(Aspect aspect, std::uint64_t hash);
  void AddId(const pb::Nodes& nodes, int row, std::uint64_t node);
  void AddValues(const pb::Values& values);

  ComparedDump& dump_;
  ClassRows& classes_;
  std::size_t graph_ = static_cast<std::size_t>(-1);  // before the first
};

}  // namespace heapglot

#endif  // HEAPGLOT_CORE_COMPARE_NODE_SINK_H_
