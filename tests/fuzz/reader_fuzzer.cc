// Feeds bytes to the reader of HEAPGLOT_FUZZ_FORMAT, which must return an error
// or, in every pass, a stream that keeps the grammar. Everything else that
// looks at a file of the format gets the bytes, too: the sniffer, the
// validator, and the search for leftovers.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "core/bytes/spool.h"
#include "core/leftovers/leftovers.h"
#include "heapglot/convert.h"
#include "heapglot/validate.h"
#include "tests/fuzz/require.h"

namespace heapglot::fuzz {
namespace {

// Sets of tables that a pass may ask for.
constexpr ChunkSet kSelections[] = {
    {pb::Chunk::kNodes},
    {pb::Chunk::kStrings},
    {pb::Chunk::kEdges, pb::Chunk::kRoots},
    {pb::Chunk::kNodes, pb::Chunk::kEdges, pb::Chunk::kTypes},
    {pb::Chunk::kValues, pb::Chunk::kExtra, pb::Chunk::kTraceNodes},
};

ChunkSet SelectionFor(std::size_t size) {
  return kSelections[size % std::size(kSelections)];
}

// Returns the status of a pass over all chunks.
Status FuzzPasses(const ByteSource& source, const ReaderInfo& format) {
  const std::size_t size = source.bytes().size();
  Context context;
  const auto reader = format.make(source, context);
  Status status = ReadChecked(*reader, size, ChunkSet::All(), nullptr);
  if (!status.ok()) return status;
  RequireOk(ReadChecked(*reader, size, SelectionFor(size), nullptr),
            "in the second pass");
  return status;
}

// Late errors must be the same ones, and a conversion must survive input whose
// errors come late.
void FuzzLateErrors(const ByteSource& source, const ReaderInfo& format,
                    const Status& expected) {
  const std::size_t size = source.bytes().size();
  Context context;
  context.errors_may_come_late = true;
  const auto reader = format.make(source, context);
  Status status = ReadChecked(*reader, size, SelectionFor(size), nullptr);
  if (status.ok())
    status = ReadChecked(*reader, size, ChunkSet::All(), nullptr);
  Require(status.ToString() == expected.ToString(),
          "late: " + status.ToString() + ", not " + expected.ToString());
  ConvertOptions options;
  options.to = Writers()[size / std::size(kSelections) % Writers().size()];
  SpoolSink thrown_away;
  Context run;
  // A writer may refuse it before the reader does.
  (void)Convert(source, thrown_away, options, run);
}

void FuzzValidator(const ByteSource& source, const ReaderInfo& format,
                   bool is_read) {
  Context context;
  const Result<Validation> validation = Validate(source, format, context);
  RequireOk(validation.status(), "validate");
  Require(validation->is_whole == is_read, "validate reads another file");
  Require(is_read || validation->Count(Severity::kError) > 0,
          "validate finds no error in what cannot be read");
}

void FuzzLeftovers(const ByteSource& source, const ReaderInfo& format) {
  const Result<EmbeddedLeftovers> found =
      FindLeftovers(source, format, IrReader(), FindReader, Limits());
  Require(found.ok() || found.status().code() == Code::kLimit,
          "leftovers: " + found.status().ToString());
}

}  // namespace

void Fuzz(std::string_view bytes) {
  static const ReaderInfo& format = *FindReader(HEAPGLOT_FUZZ_FORMAT);
  const auto source = ByteSource::FromMemory(bytes);
  (void)format.sniff(bytes.substr(0, kSniffBytes));
  const Status status = FuzzPasses(*source, format);
  if (&format == &IrReader()) FuzzLateErrors(*source, format, status);
  FuzzValidator(*source, format, status.ok());
  FuzzLeftovers(*source, format);
}

}  // namespace heapglot::fuzz
