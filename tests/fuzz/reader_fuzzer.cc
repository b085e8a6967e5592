// Feeds bytes to the reader of HEAPGLOT_FUZZ_FORMAT: it must answer with an
// error or, in every pass, with a stream that keeps the grammar. Whatever else
// looks at a file of the format gets it, too: sniffer, validator, and the
// search for leftovers.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "core/leftovers/leftovers.h"
#include "heapglot/validate.h"
#include "tests/fuzz/require.h"

namespace heapglot::fuzz {
namespace {

// Tables that a pass may ask for by themselves.
constexpr ChunkSet kSelections[] = {
    {pb::Chunk::kNodes},
    {pb::Chunk::kStrings},
    {pb::Chunk::kEdges, pb::Chunk::kRoots},
    {pb::Chunk::kNodes, pb::Chunk::kEdges, pb::Chunk::kTypes},
    {pb::Chunk::kValues, pb::Chunk::kExtra, pb::Chunk::kTraceNodes},
};

void FuzzPasses(const ByteSource& source, const ReaderInfo& format,
                bool* is_read) {
  const std::size_t size = source.bytes().size();
  Context context;
  const auto reader = format.make(source, context);
  *is_read = ReadChecked(*reader, size, ChunkSet::All(), nullptr).ok();
  if (!*is_read) return;
  const ChunkSet wanted = kSelections[size % std::size(kSelections)];
  RequireOk(ReadChecked(*reader, size, wanted, nullptr), "in the second pass");
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
  bool is_read = false;
  FuzzPasses(*source, format, &is_read);
  FuzzValidator(*source, format, is_read);
  FuzzLeftovers(*source, format);
}

}  // namespace heapglot::fuzz
