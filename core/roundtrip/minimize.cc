#include "core/roundtrip/minimize.h"

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include "core/bytes/spool.h"
#include "core/checked_reader.h"
#include "core/transforms/subset.h"

namespace heapglot {
namespace {

using Body = pb::Chunk::BodyCase;

// How large a dump is.
class SizeSink : public ChunkSink {
 public:
  static constexpr ChunkSet kWanted = {Body::kHeader, Body::kExtra,
                                       Body::kMetadata, Body::kGraphEnd,
                                       Body::kFooter};
  Status Accept(const pb::Chunk& chunk) override {
    if (chunk.has_header()) format = chunk.header().format();
    if (chunk.has_graph_end()) graphs.push_back(chunk.graph_end());
    if (chunk.has_footer()) strings = chunk.footer().strings();
    if (chunk.has_extra()) has_extra = true;
    if (chunk.has_metadata()) has_metadata = true;
    return {};
  }

  std::uint64_t Total(std::uint64_t (pb::GraphEnd::*rows)() const) const {
    std::uint64_t total = 0;
    for (const pb::GraphEnd& graph : graphs) total += (graph.*rows)();
    return total;
  }

  std::string format;
  std::vector<pb::GraphEnd> graphs;
  std::uint64_t strings = 0;
  bool has_extra = false;
  bool has_metadata = false;
};

// A kind of rows of which any selection can be left out: how many a graph has,
// and where a selection of them goes.
struct Dimension {
  std::uint64_t (pb::GraphEnd::*rows)() const;
  KeptRows Subset::Graph::*keep;
};

constexpr Dimension kNodes = {&pb::GraphEnd::nodes, &Subset::Graph::nodes};
// Edges come before what may refer to them. Types come last: without them, a
// node is a different one.
constexpr Dimension kOthers[] = {
    {&pb::GraphEnd::edges, &Subset::Graph::edges},
    {&pb::GraphEnd::roots, &Subset::Graph::roots},
    {&pb::GraphEnd::values, &Subset::Graph::values},
    {&pb::GraphEnd::externals, &Subset::Graph::externals},
    {&pb::GraphEnd::locations, &Subset::Graph::locations},
    {&pb::GraphEnd::samples, &Subset::Graph::samples},
    {&pb::GraphEnd::types, &Subset::Graph::types},
};

// What is dropped as a whole or not at all, and how many rows it has. A table
// that refers to another comes before it.
struct Table {
  ChunkSet kinds;
  std::uint64_t (pb::GraphEnd::*rows)() const;
};
const Table kTables[] = {
    {{Body::kSamples}, &pb::GraphEnd::samples},
    {{Body::kTraceNodes, Body::kTraceFunctions},
     &pb::GraphEnd::trace_functions},
    {{Body::kThreads}, &pb::GraphEnd::threads},
    {{Body::kStackFrames}, &pb::GraphEnd::stack_frames},
    {{Body::kLocations}, &pb::GraphEnd::locations},
    {{Body::kExternals}, &pb::GraphEnd::externals},
    {{Body::kValues}, &pb::GraphEnd::values},
    {{Body::kRoots}, &pb::GraphEnd::roots},
    {{Body::kEdges}, &pb::GraphEnd::edges},
    {{Body::kTypes}, &pb::GraphEnd::types},
};

// All rows of 0 ... size - 1 except begin ... end - 1.
RankBitmap Without(std::uint64_t size, std::uint64_t begin, std::uint64_t end) {
  RankBitmap rows(size);
  rows.AddRange(0, begin);
  rows.AddRange(end, size);
  return rows;
}

class Minimizer {
 public:
  Minimizer(const ByteSource& source, const ReaderInfo& format,
            const RoundTrip& shown, const MinimizeOptions& options)
      : source_(&source),
        format_(format),
        shown_(shown),
        options_(options),
        sort_(SortOf(shown)) {}

  Result<MinimizedDump> Run();

 private:
  // Tries a part of the dump. If it shows the defect, it becomes the dump.
  // Returns whether it does.
  Result<bool> Try(Subset subset);
  // Makes a part the dump.
  void Take(std::unique_ptr<ByteSource> part, SizeSink size, RoundTrip trip);
  Result<bool> TryAll();
  // Tries all of the dump, as it is written or put back.
  Result<bool> TryAllOf(Subset subset, bool is_native, bool settles);
  // Whether a trip of all of the dump, written anew, shows some of what is
  // wanted and nothing else. If so, that becomes what is wanted.
  bool Settle(const RoundTrip& trip);
  Status Write(Subset subset, SpoolSink& out) const;
  // Takes the size of the dump as it is now.
  Status Measure();
  // Leaves out ever smaller parts of the rows of all graphs.
  Status Reduce(const Dimension& dimension);
  Status ReduceStrings();
  Status DropTables();
  Status Drop(ChunkSet tables);
  Status CutTexts();
  // Tries to leave out parts of total() things; without(begin, end) is the
  // subset without some of them.
  template <typename TotalOf, typename MakePart>
  Status LeaveOut(TotalOf total, MakePart without);
  Subset WithoutRows(const Dimension& dimension, std::uint64_t begin,
                     std::uint64_t end) const;
  bool is_exhausted() const { return result_.tries >= options_.max_tries; }

  const ByteSource* source_;  // the dump as it is now
  const ReaderInfo& format_;
  const RoundTrip& shown_;
  const MinimizeOptions& options_;
  std::string sort_;  // what is wanted
  bool settles_ = false;
  bool is_native_ = false;  // WriterOptions::native of what is written
  SizeSink size_;
  MinimizedDump result_;
};

// No part has a layout. So if a format needs one, its parts are put back as
// they were only if the whole dump shows the difference without a layout.
Result<bool> Minimizer::TryAll() {
  const bool is_native = size_.format == format_.name;
  if (!is_native || !FindWriter(format_.name)->native_needs_layout)
    return TryAllOf(Subset(), is_native, true);
  for (const bool settles : {false, true}) {
    Subset all;
    all.dropped = {Body::kRecordOrder};
    Result<bool> is_shown = TryAllOf(std::move(all), true, settles);
    if (!is_shown.ok() || *is_shown) return is_shown;
    is_shown = TryAllOf(Subset(), false, settles);
    if (!is_shown.ok() || *is_shown) return is_shown;
  }
  return false;
}

Result<bool> Minimizer::TryAllOf(Subset subset, bool is_native, bool settles) {
  is_native_ = is_native;
  settles_ = settles;
  Result<bool> is_shown = Try(std::move(subset));
  settles_ = false;
  return is_shown;
}

Result<MinimizedDump> Minimizer::Run() {
  HEAPGLOT_RETURN_IF_ERROR(Measure());
  const Result<bool> is_shown = TryAll();
  if (!is_shown.ok()) return is_shown.status();
  if (!*is_shown) return std::move(result_);
  // What is done later may make room for what was tried before.
  std::uint64_t size = 0;
  do {
    size = source_->bytes().size();
    HEAPGLOT_RETURN_IF_ERROR(Reduce(kNodes));
    HEAPGLOT_RETURN_IF_ERROR(DropTables());
    for (const Dimension& dimension : kOthers) {
      HEAPGLOT_RETURN_IF_ERROR(Reduce(dimension));
    }
    HEAPGLOT_RETURN_IF_ERROR(ReduceStrings());
    HEAPGLOT_RETURN_IF_ERROR(CutTexts());
  } while (source_->bytes().size() < size && !is_exhausted());
  result_.is_minimal = !is_exhausted();
  result_.nodes = size_.Total(&pb::GraphEnd::nodes);
  result_.edges = size_.Total(&pb::GraphEnd::edges);
  return std::move(result_);
}

Status Minimizer::Write(Subset subset, SpoolSink& out) const {
  const WriterInfo& writer_info = *FindWriter(format_.name);
  Context context;
  context.limits = options_.trip.limits;
  const std::unique_ptr<Reader> reader = MakeReader(format_, *source_, context);
  const std::unique_ptr<Reader> part = MakeSubset(*reader, std::move(subset));
  WriterOptions options;
  options.native = is_native_;
  if (options.native && writer_info.profile != nullptr) {
    options.profile = writer_info.profile(*source_);
  }
  const std::unique_ptr<Writer> writer =
      writer_info.make(out, options, context);
  HEAPGLOT_RETURN_IF_ERROR(RunPasses(*part, *writer));
  return out.Close();
}

// Whether the cause of a failure is a part that is not a dump, not this
// machine.
bool IsOfPart(const Status& status) {
  return status.code() != Code::kOutput && status.code() != Code::kLimit &&
         status.code() != Code::kInput;
}

Result<bool> Minimizer::Try(Subset subset) {
  ++result_.tries;
  SpoolSink out;
  const Status written = Write(std::move(subset), out);
  if (!written.ok()) return IsOfPart(written) ? Result<bool>(false) : written;
  Result<std::unique_ptr<ByteSource>> part = out.TakeSource("(part)");
  if (!part.ok()) return part.status();
  // A part that cannot be read is not a dump, whatever a trip would say.
  Context context;
  context.limits = options_.trip.limits;
  SizeSink size;
  const Status read =
      MakeReader(format_, **part, context)->Read(SizeSink::kWanted, size);
  if (!read.ok()) return IsOfPart(read) ? Result<bool>(false) : read;
  Result<RoundTrip> trip =
      TakeRoundTrip(**part, format_, *shown_.via, options_.trip);
  if (!trip.ok()) return trip.status();
  const bool is_shown = SortOf(*trip) == sort_ || (settles_ && Settle(*trip));
  if (is_shown) Take(*std::move(part), std::move(size), *std::move(trip));
  if (options_.progress) {
    options_.progress(result_.tries, size_.Total(&pb::GraphEnd::nodes),
                      source_->bytes().size());
  }
  return is_shown;
}

bool Minimizer::Settle(const RoundTrip& trip) {
  if (trip.sameness != Sameness::kChanged) return false;
  std::vector<std::string> wanted = shown_.content.Names();
  std::vector<std::string> found = trip.content.Names();
  std::ranges::sort(wanted);
  std::ranges::sort(found);
  if (found.empty() || !std::ranges::includes(wanted, found)) return false;
  std::ranges::set_difference(wanted, found,
                              std::back_inserter(result_.of_spelling));
  sort_ = SortOf(trip);
  return true;
}

void Minimizer::Take(std::unique_ptr<ByteSource> part, SizeSink size,
                     RoundTrip trip) {
  result_.trip = std::move(trip);
  result_.dump = std::move(part);
  source_ = result_.dump.get();
  size_ = std::move(size);
}

Status Minimizer::Measure() {
  Context context;
  context.limits = options_.trip.limits;
  return MakeReader(format_, *source_, context)->Read(SizeSink::kWanted, size_);
}

template <typename TotalOf, typename MakePart>
Status Minimizer::LeaveOut(TotalOf total, MakePart without) {
  for (std::uint64_t part = total(); part != 0;
       part = std::min(part / 2, total())) {
    // From the end, because what comes first is referred to more often.
    for (std::uint64_t end = total(); end != 0;) {
      if (is_exhausted()) return {};
      const std::uint64_t begin = end - std::min(part, end);
      const std::uint64_t before = total();
      const Result<bool> is_smaller = Try(without(begin, end));
      if (!is_smaller.ok()) return is_smaller.status();
      // Others may be gone, too.
      end = *is_smaller && total() < before ? std::min(begin, total()) : begin;
    }
  }
  return {};
}

Subset Minimizer::WithoutRows(const Dimension& dimension, std::uint64_t begin,
                              std::uint64_t end) const {
  Subset subset;
  std::uint64_t first = 0;  // of this graph
  for (const pb::GraphEnd& graph : size_.graphs) {
    const std::uint64_t rows = (graph.*dimension.rows)();
    const auto in_graph = [first, rows](std::uint64_t row) {
      return std::clamp(row, first, first + rows) - first;
    };
    Subset::Graph& kept = subset.graphs.emplace_back();
    if (in_graph(begin) != in_graph(end)) {
      kept.*dimension.keep = Without(rows, in_graph(begin), in_graph(end));
    }
    first += rows;
  }
  return subset;
}

Status Minimizer::Reduce(const Dimension& dimension) {
  return LeaveOut([&] { return size_.Total(dimension.rows); },
                  [&](std::uint64_t begin, std::uint64_t end) {
                    return WithoutRows(dimension, begin, end);
                  });
}

// Index 0 is the empty string, which cannot get shorter.
Status Minimizer::ReduceStrings() {
  return LeaveOut(
      [&] { return size_.strings - std::min<std::uint64_t>(size_.strings, 1); },
      [&](std::uint64_t begin, std::uint64_t end) {
        Subset subset;
        subset.strings = Without(size_.strings, begin + 1, end + 1);
        return subset;
      });
}

Status Minimizer::DropTables() {
  if (size_.has_extra) HEAPGLOT_RETURN_IF_ERROR(Drop({Body::kExtra}));
  if (size_.has_metadata) HEAPGLOT_RETURN_IF_ERROR(Drop({Body::kMetadata}));
  for (const Table& table : kTables) {
    if (size_.Total(table.rows) == 0) continue;
    HEAPGLOT_RETURN_IF_ERROR(Drop(table.kinds));
  }
  return {};
}

Status Minimizer::Drop(ChunkSet tables) {
  if (is_exhausted()) return {};
  Subset subset;
  subset.dropped = tables;
  return Try(std::move(subset)).status();
}

Status Minimizer::CutTexts() {
  for (const std::uint64_t size : {1, 2, 4, 8, 16, 64, 256, 1024}) {
    if (is_exhausted()) return {};
    Subset subset;
    subset.max_text = size;
    const Result<bool> is_shown = Try(std::move(subset));
    if (!is_shown.ok()) return is_shown.status();
    if (*is_shown) break;
  }
  return {};
}

}  // namespace

Result<MinimizedDump> Minimize(const ByteSource& source,
                               const ReaderInfo& format, const RoundTrip& shown,
                               const MinimizeOptions& options) {
  return Minimizer(source, format, shown, options).Run();
}

}  // namespace heapglot
