#include "core/image/source_only.h"

#include "core/image/source_image.h"

namespace heapglot {
namespace {

using Body = pb::Chunk::BodyCase;

// A stream of no rows.
class EmptyReader : public Reader {
 public:
  explicit EmptyReader(Reader& upstream) : upstream_(upstream) {}

  Status Read(ChunkSet wanted, ChunkSink& out) override {
    HeaderSink header(out);
    if (wanted.Has(Body::kHeader))
      HEAPGLOT_RETURN_IF_ERROR(upstream_.Read({Body::kHeader}, header));
    pb::Chunk graph, graph_end, footer;
    graph.mutable_graph()->set_edges_grouped(true);
    graph_end.mutable_graph_end();
    footer.mutable_footer()->set_graphs(1);
    footer.mutable_footer()->set_strings(1);
    for (const pb::Chunk* const chunk : {&graph, &graph_end, &footer}) {
      if (wanted.Includes(*chunk)) HEAPGLOT_RETURN_IF_ERROR(out.Accept(*chunk));
    }
    return {};
  }

 private:
  class HeaderSink : public ChunkSink {
   public:
    explicit HeaderSink(ChunkSink& out) : out_(out) {}
    Status Accept(const pb::Chunk& chunk) override {
      pb::Chunk marked = chunk;
      marked.mutable_header()->set_is_source_only(true);
      return out_.Accept(marked);
    }

   private:
    ChunkSink& out_;
  };

  Reader& upstream_;
};

class SourceOnlyReader : public Reader {
 public:
  SourceOnlyReader(Reader& upstream, const ByteSource& source)
      : empty_(upstream),
        image_(WholeImage(source)),
        reader_(MakeImageReader(empty_, image_, source)) {}

  Status Read(ChunkSet wanted, ChunkSink& out) override {
    return reader_->Read(wanted, out);
  }

 private:
  EmptyReader empty_;
  const pb::SourceImage image_;
  const std::unique_ptr<Reader> reader_;
};

}  // namespace

std::unique_ptr<Reader> MakeSourceOnlyReader(Reader& upstream,
                                             const ByteSource& source) {
  return std::make_unique<SourceOnlyReader>(upstream, source);
}

}  // namespace heapglot
