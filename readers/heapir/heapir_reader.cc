#include "readers/heapir/heapir_reader.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "core/bytes/trail.h"
#include "core/check_sink.h"
#include "core/ir/checksum.h"
#include "core/process_random.h"
#include "core/record_limit.h"
#include "core/saturating.h"
#include "heapglot/ir/v1/frame.pb.h"
#include "readers/heapir/heapir_content.h"
#include "readers/heapir/heapir_cross_checks.h"
#include "readers/heapir/heapir_frames.h"
#include "readers/heapir/heapir_wire.h"

namespace heapglot {
namespace {

using heapir::ContentReader;
using heapir::Frame;
using heapir::FrameCursor;
using heapir::Unpacker;

// Frames between two calls of Context::Proceed().
constexpr std::uint64_t kProgressFrames = 16;

// Content of up to this size is not limited by that of the file.
constexpr std::uint64_t kFreeContent = std::uint64_t{64} << 20;
// Memory that a patch takes: a conversion needs all of them at once.
constexpr std::uint64_t kPatchBytes = 24;

// What makes up most of a file.
constexpr ChunkSet kBulk = {pb::Chunk::kNodes, pb::Chunk::kEdges,
                            pb::Chunk::kStrings};
// What bulk is checked against, besides itself.
constexpr ChunkSet kOutline = {pb::Chunk::kHeader, pb::Chunk::kGraph,
                               pb::Chunk::kVocabulary, pb::Chunk::kGraphEnd,
                               pb::Chunk::kFooter};
// Graphs whose ends are kept, at most.
constexpr std::size_t kMostGraphEnds = 1024;

// Passes over a file. Writers trust what they get, so everything is checked: in
// a first look at everything or, if errors may come late, bulk when it is first
// sent, and the rest in a first look at that.
class HeapirReader : public Reader {
 public:
  HeapirReader(const ByteSource& source, Context& context)
      : source_(source), context_(context) {}

  Status Read(ChunkSet wanted, ChunkSink& out) override {
    if (!is_looked_at_) HEAPGLOT_RETURN_IF_ERROR(Look());
    is_looked_at_ = true;
    return IsChecked(wanted & kBulk) ? Send(wanted, out)
                                     : CheckAndSend(wanted, out);
  }

  Status CheckRest() override;

 private:
  Status Look();
  bool IsChecked(ChunkSet bulk) const {
    return std::any_of(
        checked_.begin(), checked_.end(),
        [bulk](ChunkSet checked) { return (bulk & checked) == bulk; });
  }
  Status CheckAndSend(ChunkSet wanted, ChunkSink& out);
  // The error that a look at everything finds, in a file that has one.
  Status FirstError();
  // Checks all frames, and the chunks of `checked` in them. Sends those of
  // `wanted` to `out`, unless it is nullptr; `*sent` is its error.
  Status Verify(ChunkSet checked, ChunkSet wanted = {},
                ChunkSink* out = nullptr, Status* sent = nullptr);
  Status VerifyFileHeader(const Frame& frame);
  Status VerifyChunk(const Frame& frame, ChunkSet checked, CheckSink& check);
  Status NoteTotals(const Frame& frame, const pb::Chunk& chunk);
  Status CheckSize(const Frame& frame, const pb::Chunk& chunk);
  Status CheckStringSize(const Frame& frame, const pb::Strings& strings);
  // The most bytes and rows that the file may have.
  std::uint64_t MostUnpacked() const;
  Status Send(ChunkSet wanted, ChunkSink& out);
  // Whether a pass that wants `wanted` must unpack the frame.
  static bool Has(ChunkSet wanted, const Frame& frame) {
    return heapir::IsChunkKind(frame.kind) &&
           (wanted.Has(static_cast<pb::Chunk::BodyCase>(frame.kind)) ||
            (frame.names && wanted.HasUserOfNames()));
  }
  // Reads it to contents_.chunk().
  Status ReadChunk(const Frame& frame);
  Status Proceed(std::string_view phase, const Frame& frame) const {
    if (frame.number % kProgressFrames != 0) return {};
    return context_.Proceed(phase, frame.offset, source_.bytes().size());
  }

  const ByteSource& source_;
  Context& context_;
  bool is_looked_at_ = false;
  std::vector<ChunkSet> checked_;  // parts of bulk, each checked as a whole
  bool has_zstd_ = false;
  bool has_prediction_ = false;
  bool has_warned_ = false;
  Unpacker unpacker_;
  ContentReader contents_;

  // From a look without bulk: what bulk is checked against later.
  bool keeps_totals_ = false;
  std::vector<pb::GraphEnd> graph_ends_;  // up to kMostGraphEnds
  std::uint64_t graphs_ = 0;
  std::uint64_t strings_ = 0;
  heapir::CrossChecks cross_checks_;

  std::uint64_t claimed_ = 0;  // rows, by all graph ends
  Status first_error_;

  // How much was unpacked of each kind of chunk, by its number.
  struct Size {
    std::uint64_t rows = 0;
    std::uint64_t unpacked = 0;  // bytes and rows
  };
  std::array<Size, kChunkKinds> sizes_ = {};  // the most in any look
  // Of the current look.
  std::array<Size, kChunkKinds> sizes_now_ = {};
  std::uint64_t string_size_ = 0;  // of the string that continues
  std::uint64_t patches_ = 0;      // so far
};

// ---------------------------------------------------------------- first looks

Status HeapirReader::Look() {
  keeps_totals_ = context_.errors_may_come_late;
  if (keeps_totals_) {
    if (!Verify(ChunkSet::All().Without(kBulk)).ok()) return FirstError();
    keeps_totals_ = false;
    checked_.emplace_back();
    if (graphs_ <= kMostGraphEnds) return {};
  }
  HEAPGLOT_RETURN_IF_ERROR(Verify(ChunkSet::All()));
  checked_.push_back(kBulk);
  return {};
}

Status HeapirReader::CheckAndSend(ChunkSet wanted, ChunkSink& out) {
  Status sent;
  const Status status = Verify(wanted | kOutline, wanted, &out, &sent);
  HEAPGLOT_RETURN_IF_ERROR(sent);
  if (!status.ok() || !cross_checks_.Agree()) return FirstError();
  checked_.push_back(wanted & kBulk);
  return {};
}

Status HeapirReader::CheckRest() {
  if (!first_error_.ok()) return first_error_;
  ChunkSet rest = kBulk;
  for (const ChunkSet checked : checked_) rest = rest.Without(checked);
  if (!rest.empty() && !Verify(rest | kOutline).ok()) return FirstError();
  if (!cross_checks_.Agree()) return FirstError();
  if (cross_checks_.is_full()) first_error_ = Verify(ChunkSet::All());
  return first_error_;
}

Status HeapirReader::FirstError() {
  keeps_totals_ = false;
  has_warned_ = has_warned_ && !context_.strict;  // or it was the error
  sizes_ = {};
  first_error_ = Verify(ChunkSet::All());
  if (first_error_.ok())
    first_error_ = {Code::kInput, "the input changed while it was read"};
  return first_error_;
}

Status HeapirReader::Verify(ChunkSet checked, ChunkSet wanted, ChunkSink* out,
                            Status* sent) {
  sizes_now_ = {};
  string_size_ = patches_ = 0;
  const std::string_view file = source_.bytes();
  HEAPGLOT_RETURN_IF_ERROR(heapir::CheckMagic(file));
  FrameCursor cursor(file);
  Trail trail(source_);
  CheckSink check(checked);
  check.set_seed(ProcessRandom()[0]);
  cross_checks_.Begin(checked);
  std::size_t graph = 0;
  ChecksumOfNumbers checksums;
  Frame frame;
  while (!cursor.at_end()) {
    HEAPGLOT_RETURN_IF_ERROR(cursor.Next(&frame));
    HEAPGLOT_RETURN_IF_ERROR(
        Proceed(out == nullptr ? "checking" : "reading", frame));
    HEAPGLOT_RETURN_IF_ERROR(heapir::CheckChecksum(frame));
    if (out != nullptr && frame.kind == pb::Chunk::kGraph &&
        graph < graph_ends_.size())
      check.Announce(graph_ends_[graph++], strings_);
    if (frame.number == 0) {
      HEAPGLOT_RETURN_IF_ERROR(VerifyFileHeader(frame));
    } else {
      HEAPGLOT_RETURN_IF_ERROR(VerifyChunk(frame, checked, check));
    }
    if (out != nullptr && frame.number != 0 && Has(wanted, frame)) {
      *sent = out->AcceptOwned(contents_.mutable_chunk());
      HEAPGLOT_RETURN_IF_ERROR(*sent);
    }
    if (frame.kind == pb::Chunk::kFooter) {
      cross_checks_.End(check.MarkOfEdgeCounts());
      return CheckEnd(cursor, frame, *contents_.trailer(), checksums.value());
    }
    checksums.Add(frame.checksum);
    trail.Advance(cursor.offset());
  }
  return {Code::kTruncated, "heapir: the file ends without a footer",
          Where::Byte(file.size())};
}

Status HeapirReader::VerifyFileHeader(const Frame& frame) {
  if (frame.kind != heapir::kFileHeaderKind) {
    return frame.Error(Code::kMalformed,
                       "it is of kind " + std::to_string(frame.kind) +
                           ", but the file header comes first");
  }
  if (frame.is_compressed)
    return frame.Error(Code::kMalformed, "the file header is compressed");
  const Result<std::string_view> content = unpacker_.Unpack(frame);
  if (!content.ok()) return content.status();
  ir::v1::FileHeader header;
  HEAPGLOT_RETURN_IF_ERROR(heapir::ReadFileHeader(frame, *content, &header));
  contents_.set_lenient(header.version_minor() > heapir::kVersionMinor);
  const auto requires_it = [&header](std::string_view feature) {
    const auto& all = header.required_features();
    return std::find(all.begin(), all.end(), feature) != all.end();
  };
  has_zstd_ = requires_it(heapir::kFeatureZstd);
  has_prediction_ = requires_it(heapir::kFeaturePrediction);
  return {};
}

Status HeapirReader::VerifyChunk(const Frame& frame, ChunkSet checked,
                                 CheckSink& check) {
  if (frame.is_compressed && !has_zstd_) {
    return frame.Error(Code::kMalformed,
                       "it is compressed, but the file header does not say so");
  }
  if (frame.kind >= heapir::kFirstSkippableKind) return {};
  if (frame.kind == heapir::kFileHeaderKind)
    return frame.Error(Code::kMalformed, "it is another file header");
  if (!heapir::IsChunkKind(frame.kind)) {
    return frame.Error(Code::kUnsupported,
                       "it is of kind " + std::to_string(frame.kind) +
                           ", which this program does not know");
  }
  if (!Has(checked, frame)) {
    if (!check.is_in_string()) return {};
    return frame.Error(Code::kMalformed, "the string before it is not whole");
  }
  HEAPGLOT_RETURN_IF_ERROR(ReadChunk(frame));
  if (contents_.has_prediction() && !has_prediction_) {
    return frame.Error(Code::kMalformed,
                       "it is predicted, but the file header does not say so");
  }
  const pb::Chunk& chunk = contents_.chunk();
  if (frame.names != (chunk.has_strings() && chunk.strings().names()))
    return frame.Error(Code::kMalformed, "its names is not that of its chunk");
  if (contents_.trailer().has_value() != chunk.has_footer()) {
    return frame.Error(Code::kMalformed, chunk.has_footer()
                                             ? "the footer has no trailer"
                                             : "it has a trailer");
  }
  HEAPGLOT_RETURN_IF_ERROR(CheckSize(frame, chunk));
  const Status status = check.Accept(chunk);
  if (!status.ok()) return frame.Error(Code::kMalformed, status.message());
  cross_checks_.Add(frame.number, chunk);
  if (keeps_totals_) HEAPGLOT_RETURN_IF_ERROR(NoteTotals(frame, chunk));
  if (!chunk.header().is_source_only() || has_warned_) return {};
  has_warned_ = true;
  return context_.Warn(
      "heapir.source_only",
      "heapir: by its header the " + chunk.header().format() +
          " is in it as a file, but no graph: these are leftovers, to be read "
          "with the file that they come from",
      Where::Byte(frame.offset));
}

// Notes what passes with bulk need later. These numbers are still claims.
Status HeapirReader::NoteTotals(const Frame& frame, const pb::Chunk& chunk) {
  if (chunk.has_footer()) strings_ = chunk.footer().strings();
  const pb::GraphEnd& end = chunk.graph_end();
  claimed_ = AddSaturating(claimed_, AddSaturating(end.nodes(), end.edges()));
  if (std::max(claimed_, chunk.footer().strings()) > MostUnpacked())
    return frame.Error(Code::kLimit, "there cannot be that much");
  if (!chunk.has_graph_end() || ++graphs_ > kMostGraphEnds) return {};
  graph_ends_.push_back(end);
  return {};
}

// Bounds what costs a file nothing (a compressed frame, rows without columns),
// like the content of a compressed input.
Status HeapirReader::CheckSize(const Frame& frame, const pb::Chunk& chunk) {
  if (chunk.has_strings())
    HEAPGLOT_RETURN_IF_ERROR(CheckStringSize(frame, chunk.strings()));
  const Extent& extent = contents_.extent();
  Size& now = sizes_now_[frame.kind];
  now.rows += extent.rows;
  now.unpacked += frame.raw_size + extent.rows + extent.fields;
  Size& most = sizes_[frame.kind];
  most = {std::max(most.rows, now.rows), std::max(most.unpacked, now.unpacked)};
  Size all;
  for (const Size& size : sizes_) {
    all.rows += size.rows;
    all.unpacked += size.unpacked;
  }
  const Status few =
      CheckRecordCount(context_.limits, all.rows, [] { return Where(); });
  if (!few.ok()) return frame.Error(few.code(), few.message());
  const std::uint64_t stored = source_.bytes().size();
  patches_ += static_cast<std::uint64_t>(chunk.source_image().copy_size());
  if (patches_ > (kFreeContent + 16 * stored) / kPatchBytes)
    return frame.Error(Code::kLimit, "too many patches of the source");
  if (all.unpacked <= MostUnpacked()) return {};
  return frame.Error(Code::kLimit,
                     "what is in the file is more than " +
                         std::to_string(context_.limits.max_ratio) +
                         " times its size (--max-ratio)");
}

std::uint64_t HeapirReader::MostUnpacked() const {
  constexpr std::uint64_t kAny = std::numeric_limits<std::uint64_t>::max();
  const std::uint64_t stored = source_.bytes().size();
  const std::uint64_t ratio =
      std::max<std::uint64_t>(context_.limits.max_ratio, 1);
  const std::uint64_t most =
      stored > kAny / ratio ? kAny : stored * context_.limits.max_ratio;
  return std::max(most, kFreeContent);
}

Status HeapirReader::CheckStringSize(const Frame& frame,
                                     const pb::Strings& strings) {
  const int rows = strings.length_size();
  for (int i = 0; i < rows; ++i) {
    string_size_ += strings.length(i);
    if (string_size_ > context_.limits.max_string) {
      return frame.Error(Code::kLimit,
                         "a string has more than " +
                             std::to_string(context_.limits.max_string) +
                             " bytes (--max-string)");
    }
    if (i + 1 < rows || !strings.continued()) string_size_ = 0;
  }
  return {};
}

// ---------------------------------------------------------------- every pass

Status HeapirReader::ReadChunk(const Frame& frame) {
  const Result<std::string_view> content = unpacker_.Unpack(frame);
  if (!content.ok()) return content.status();
  return contents_.Read(frame, *content);
}

Status HeapirReader::Send(ChunkSet wanted, ChunkSink& out) {
  FrameCursor cursor(source_.bytes());
  Trail trail(source_);
  Frame frame;
  while (!cursor.at_end()) {
    Status status = cursor.Next(&frame);
    HEAPGLOT_RETURN_IF_ERROR(Proceed("reading", frame));
    const bool is_wanted = status.ok() && Has(wanted, frame);
    if (is_wanted) status = ReadChunk(frame);
    if (!status.ok())
      return {Code::kInput, "the input changed while it was read"};
    if (is_wanted)
      HEAPGLOT_RETURN_IF_ERROR(out.AcceptOwned(contents_.mutable_chunk()));
    trail.Advance(cursor.offset());
  }
  return {};
}

Sniff SniffHeapir(std::string_view head) {
  if (head.starts_with(heapir::kMagic)) return Sniff::kYes;
  if (head.empty()) return Sniff::kNo;
  // Lets the reader say what is wrong with it.
  const bool is_damaged = head.starts_with(heapir::kMagic.substr(0, 4)) ||
                          head.starts_with("\tHIR\r\n");
  return heapir::kMagic.starts_with(head) || is_damaged ? Sniff::kMaybe
                                                        : Sniff::kNo;
}

}  // namespace

constinit const ReaderInfo kHeapirReader = {
    .name = "heapir",
    .title = "heapglot's intermediate representation",
    .extensions = "heapir",
    .produces = FeatureSet::All(),
    .sniff = SniffHeapir,
    .make = [](const ByteSource& source,
               Context& context) -> std::unique_ptr<Reader> {
      return std::make_unique<HeapirReader>(source, context);
    },
    .adds_edges = true,
    .validator = &kHeapirValidator,
};

}  // namespace heapglot
