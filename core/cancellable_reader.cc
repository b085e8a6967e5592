#include "core/cancellable_reader.h"

namespace heapglot {
namespace {

class CancellableReader : public Reader {
 public:
  CancellableReader(Reader& upstream, const Context& context)
      : upstream_(upstream), context_(context) {}

  Status Read(ChunkSet wanted, ChunkSink& out) override {
    Gate gate(context_, out);
    return upstream_.Read(wanted, gate);
  }
  Status CheckRest() override { return upstream_.CheckRest(); }
  std::optional<FeatureCounts> CountedRows() const override {
    return upstream_.CountedRows();
  }

 private:
  class Gate : public ChunkSink {
   public:
    Gate(const Context& context, ChunkSink& out)
        : context_(context), out_(out) {}
    Status Accept(const pb::Chunk& chunk) override {
      HEAPGLOT_RETURN_IF_ERROR(context_.CheckCancel());
      return out_.Accept(chunk);
    }
    Status AcceptOwned(pb::Chunk& chunk) override {
      HEAPGLOT_RETURN_IF_ERROR(context_.CheckCancel());
      return out_.AcceptOwned(chunk);
    }

   private:
    const Context& context_;
    ChunkSink& out_;
  };

  Reader& upstream_;
  const Context& context_;
};

}  // namespace

std::unique_ptr<Reader> MakeCancellableReader(Reader& upstream,
                                              const Context& context) {
  return std::make_unique<CancellableReader>(upstream, context);
}

}  // namespace heapglot
