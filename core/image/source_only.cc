#include "core/image/source_only.h"

#include <optional>
#include <utility>

#include "core/image/source_image.h"

namespace heapglot {
namespace {

using Body = pb::Chunk::BodyCase;

// A stream without rows.
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
  SourceOnlyReader(Reader& upstream, const ByteSource& source,
                   std::optional<pb::SourceImage> image)
      : empty_(upstream), source_(source), image_(std::move(image)) {}

  Status Read(ChunkSet wanted, ChunkSink& out) override {
    if (!wanted.Has(Body::kSourceImage)) return empty_.Read(wanted, out);
    if (!image_) image_ = WholeImage(source_);
    return MakeImageReader(empty_, *image_, source_)->Read(wanted, out);
  }

 private:
  EmptyReader empty_;
  const ByteSource& source_;
  std::optional<pb::SourceImage> image_;
};

}  // namespace

std::unique_ptr<Reader> MakeSourceOnlyReader(Reader& upstream,
                                             const ByteSource& source) {
  return std::make_unique<SourceOnlyReader>(upstream, source, std::nullopt);
}

std::unique_ptr<Reader> MakeSourceOnlyReader(Reader& upstream,
                                             const ByteSource& source,
                                             pb::SourceImage image) {
  return std::make_unique<SourceOnlyReader>(upstream, source, std::move(image));
}

}  // namespace heapglot
