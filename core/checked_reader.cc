#include "core/checked_reader.h"

#include <algorithm>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "core/builtin_formats.h"
#include "core/check_sink.h"
#include "core/ir/checksum.h"
#include "core/loss/feature_tally.h"
#include "core/made.h"
#include "core/out_of_memory.h"

namespace heapglot {
namespace {

using Body = pb::Chunk::BodyCase;

// What every pass must have, whether it was asked for or not: without totals
// and vocabulary, indices and kinds cannot be checked.
constexpr ChunkSet kFrame = {Body::kGraph, Body::kVocabulary, Body::kGraphEnd,
                             Body::kFooter};

// Passes on what was asked for, as long as it is correct.
class Guard : public ChunkSink {
 public:
  Guard(std::string_view format, ChunkSet wanted, ChunkSink* out,
        const Context& context)
      : format_(format),
        wanted_(wanted),
        out_(out),
        context_(context),
        check_(wanted | kFrame) {}

  Status Accept(const pb::Chunk& chunk) override {
    HEAPGLOT_RETURN_IF_ERROR(Check(chunk));
    if (IsPassedOn(chunk)) error_ = out_->Accept(chunk);
    return error_;
  }
  Status AcceptOwned(pb::Chunk& chunk) override {
    HEAPGLOT_RETURN_IF_ERROR(Check(chunk));
    if (IsPassedOn(chunk)) error_ = out_->AcceptOwned(chunk);
    return error_;
  }

  // The first status that was not ok.
  const Status& error() const { return error_; }
  Hash128 totals() const { return totals_.hash(); }
  // What is wrong at the end of a pass: it has no footer, or not these totals.
  Status Finish(const std::optional<Hash128>& totals) const {
    HEAPGLOT_RETURN_IF_ERROR(Named(check_.Finish()));
    if (!totals || *totals == this->totals()) return {};
    return Named({Code::kInternal,
                  "the graphs or totals of a later pass are not "
                  "those of the first one"});
  }

 private:
  Status Check(const pb::Chunk& chunk) {
    // Nobody else sees the chunks of the first pass.
    if (error_.ok()) error_ = context_.CheckCancel();
    // A reader may go on after an error.
    if (error_.ok()) error_ = Named(check_.Accept(chunk));
    HEAPGLOT_RETURN_IF_ERROR(error_);
    if (chunk.has_header() && chunk.header().format() != format_) {
      error_ = Named({Code::kInternal, "chunk 1 (header): format is '" +
                                           chunk.header().format() +
                                           "', but that is not its name"});
    }
    if (chunk.has_graph() || chunk.has_graph_end() || chunk.has_footer())
      totals_.Add(chunk.SerializeAsString());
    return error_;
  }
  bool IsPassedOn(const pb::Chunk& chunk) const {
    return out_ != nullptr && wanted_.Includes(chunk);
  }
  Status Named(const Status& status) const {
    if (status.ok()) return status;
    return {status.code(),
            "the reader of " + std::string(format_) + ": " + status.message()};
  }

  const std::string_view format_;
  const ChunkSet wanted_;
  ChunkSink* const out_;
  const Context& context_;
  CheckSink check_;
  Digest128 totals_;
  Status error_;
};

class CheckedReader : public Reader {
 public:
  CheckedReader(const ReaderInfo& format, const ByteSource& source,
                Context& context)
      : reader_(Made(format.make(source, context), format.name)),
        format_(format.name),
        context_(context) {}

  Status Read(ChunkSet wanted, ChunkSink& out) override {
    if (!totals_) HEAPGLOT_RETURN_IF_ERROR(Pass(ChunkSet::All(), nullptr));
    return Pass(wanted, &out);
  }

 private:
  Status Pass(ChunkSet wanted, ChunkSink* out) {
    if (!reader_.ok()) return reader_.status();
    Guard guard(format_, wanted, out, context_);
    const Status status = (*reader_)->Read(wanted | kFrame, guard);
    if (!guard.error().ok()) return guard.error();
    HEAPGLOT_RETURN_IF_ERROR(status);
    HEAPGLOT_RETURN_IF_ERROR(guard.Finish(totals_));
    totals_ = guard.totals();
    return {};
  }

  const Result<std::unique_ptr<Reader>> reader_;
  const std::string_view format_;
  const Context& context_;
  std::optional<Hash128> totals_;  // of the first pass, once it is over
};

class NoSink : public ChunkSink {
 public:
  Status Accept(const pb::Chunk&) override { return {}; }
};

}  // namespace

std::unique_ptr<Reader> MakeReader(const ReaderInfo& format,
                                   const ByteSource& source, Context& context) {
  const auto builtin = BuiltinReaders();
  const bool is_builtin =
      std::find(builtin.begin(), builtin.end(), &format) != builtin.end();
  if (is_builtin) return format.make(source, context);
  return std::make_unique<CheckedReader>(format, source, context);
}

Status CheckReader(const ReaderInfo& format, const ByteSource& source,
                   Context& context) try {
  CheckedReader reader(format, source, context);
  FeatureTally tally;
  HEAPGLOT_RETURN_IF_ERROR(CountFeatures(reader, &tally));
  for (std::size_t i = 0; i < kFeatures; ++i) {
    const auto feature = static_cast<Feature>(i);
    if (tally.count(feature) == 0 || format.produces.Has(feature)) continue;
    return {Code::kInternal, "the reader of " + std::string(format.name) +
                                 ": `produces` lacks '" +
                                 std::string(Key(feature)) + "'"};
  }
  NoSink nobody;
  const int last = pb::Chunk::descriptor()->field_count();
  for (int kind = 1; kind <= last; ++kind)
    HEAPGLOT_RETURN_IF_ERROR(reader.Read({static_cast<Body>(kind)}, nobody));
  return reader.Read(ChunkSet::All(), nobody);
} catch (const std::bad_alloc&) {
  return OutOfMemory();
}

}  // namespace heapglot
