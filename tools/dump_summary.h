// The overview of a dump that `info` shows. Works for any stream of chunks.
#ifndef HEAPGLOT_TOOLS_DUMP_SUMMARY_H_
#define HEAPGLOT_TOOLS_DUMP_SUMMARY_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/leftovers/leftovers.h"
#include "heapglot/status.h"
#include "heapglot/stream.h"

namespace heapglot::tool {

// The nodes of one class; of one kind for nodes without a class.
struct TypeSummary {
  // The class's name; "Name (library uri)" if classes share a name; "(kind)"
  // for nodes without a class. As in the source, so perhaps not UTF-8.
  std::string name;
  std::string library;  // uri; may be empty
  std::uint64_t count = 0;
  std::uint64_t self_size = 0;  // bytes, saturating
};

struct DumpSummary {
  struct OneGraph {
    pb::Graph stated;  // what the source says about itself
    // What was counted, with two exceptions: `edges` is without those that the
    // reader made up (EDGE_SYNTHESIZED); `roots` is 1 if a node stands for the
    // roots and there is no list of them.
    pb::GraphEnd totals;
  };
  pb::Header header;
  // What the dump says about the bytes of its source, without the data.
  pb::SourceImage image;
  // What it carries for the way back; not set by Summarize().
  LeftoversVerdict leftovers;
  std::uint64_t leftovers_size = 0;  // bytes in the file
  std::vector<OneGraph> graphs;
  // Without those that name kinds, classes, roots or external memory: for a
  // heapsnapshot, the file's own table.
  std::uint64_t strings = 0;
  // Sums over the graphs, saturating.
  pb::GraphEnd totals;
  // Of all graphs; only those with nodes, largest self size first.
  std::vector<TypeSummary> types;
};

// Reads the dump. Memory: 32 bytes per class, and the names of classes that
// have nodes; nothing that grows with nodes, edges or strings.
Result<DumpSummary> Summarize(Reader& reader);

// The same for a stream that passes by anyway. Memory: in addition, the names
// of all classes, cut at 64 KiB.
class Summarizer : public ChunkSink {
 public:
  Summarizer();
  ~Summarizer() override;

  Status Accept(const pb::Chunk& chunk) override;
  // Call once, after the whole stream.
  DumpSummary Finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace heapglot::tool

#endif  // HEAPGLOT_TOOLS_DUMP_SUMMARY_H_
