#include "heapglot/convert.h"

#include "core/transforms/unreachable.h"

namespace heapglot {

Status Convert(const ByteSource& source, ByteSink& sink,
               const ConvertOptions& options, Context& context) {
  const ReaderInfo* from = options.from;
  if (from == nullptr) {
    const Result<const ReaderInfo*> identified = Identify(source.bytes());
    if (!identified.ok()) return identified.status();
    from = *identified;
  }
  const std::unique_ptr<Reader> reader = from->make(source, context);
  const std::unique_ptr<Writer> writer =
      options.to->make(sink, WriterOptions(), context);
  if (options.unreachable == Unreachable::kKeep) {
    HEAPGLOT_RETURN_IF_ERROR(RunPasses(*reader, *writer));
  } else {
    const std::unique_ptr<Reader> filter =
        MakeUnreachableFilter(*reader, options.unreachable);
    HEAPGLOT_RETURN_IF_ERROR(RunPasses(*filter, *writer));
  }
  if (context.loss.worst() > options.max_loss) {
    return {Code::kLossy, "some of it would be " +
                              std::string(ToString(context.loss.worst())) +
                              ", which --max-loss does not allow"};
  }
  return sink.Close();
}

}  // namespace heapglot
