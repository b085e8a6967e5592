#include "writers/heapir/heapir_writer.h"

#include "writers/heapir/heapir_coalescer.h"
#include "writers/heapir/heapir_encoder.h"
#include "writers/heapir/heapir_losses.h"
#include "writers/heapir/heapir_relabel.h"

namespace heapglot {
namespace {

// One pass over everything: nothing of a stream is lost.
class HeapirWriter : public Writer {
 public:
  explicit HeapirWriter(ByteSink& sink)
      : frames_(sink, /*compress=*/true), coalescer_(frames_) {}

  ChunkSet Wanted(int pass) override {
    return pass == 0 ? ChunkSet::All() : ChunkSet();
  }
  Status Accept(const pb::Chunk& chunk) override {
    return coalescer_.Accept(chunk);
  }
  Status Finish() override { return frames_.Finish(); }
  bool HasPutBack() const override { return true; }
  bool TakesInBursts() const override { return true; }

 private:
  heapir::FrameWriter frames_;
  heapir::Coalescer coalescer_;
};

}  // namespace

constinit const WriterInfo kHeapirWriter = {
    .name = "heapir",
    .title = "heapglot's intermediate representation",
    .extensions = "heapir",
    .binary = true,
    .several_graphs = true,
    .ungrouped_edges = true,
    .shows_distance = false,
    .unreachable_roots = true,
    .library_decides_bytes = true,
    .keeps_source_image = true,
    .fidelity = heapir::kFidelity,
    .profile = nullptr,
    .relabel = [](const ByteSource& file, const pb::Host& host,
                  ByteSink& sink) -> Result<bool> {
      if (!heapir::IsWorthCopying(file)) return false;
      HEAPGLOT_RETURN_IF_ERROR(heapir::WriteRelabelled(file, host, sink));
      return true;
    },
    .replace_header = heapir::WriteWithHeader,
    .make = [](ByteSink& sink, const WriterOptions& options,
               Context& context) -> std::unique_ptr<Writer> {
      (void)options;
      (void)context;
      return std::make_unique<HeapirWriter>(sink);
    },
};

}  // namespace heapglot
