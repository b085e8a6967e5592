#include "core/roundtrip/round_trip.h"

#include <algorithm>
#include <utility>

#include "core/bytes/spool.h"
#include "core/bytes/trail.h"
#include "core/checked_reader.h"
#include "core/roundtrip/compare_spool.h"

namespace heapglot {
namespace {

// Bytes of either side that are shown.
constexpr std::size_t kShownBytes = 24;

// Whether a failure says something about a format or a dump. Otherwise it is
// about this machine, and would be different elsewhere.
bool IsFinding(const Status& status) {
  switch (status.code()) {
    case Code::kLimit:
    case Code::kOutput:
    case Code::kInput:
    case Code::kCancelled:
      return false;
    default:
      return true;
  }
}

// Line and column of an offset.
void FindLine(const ByteSource& source, ByteDifference* at) {
  const std::string_view text = source.bytes().substr(0, at->offset);
  Trail trail(source);
  at->line = 1;
  std::size_t line_begin = 0;
  for (;;) {
    const std::size_t end = text.find('\n', line_begin);
    if (end == std::string_view::npos) break;
    line_begin = end + 1;
    ++at->line;
    trail.Advance(line_begin);
  }
  at->column = text.size() - line_begin + 1;
}

ByteDifference DifferenceAt(std::uint64_t offset, const ByteSource& before,
                            const ByteSource& after, bool is_binary) {
  const auto shown = [offset](const ByteSource& source) {
    const std::string_view bytes = source.bytes();
    return std::string(bytes.substr(
        std::min<std::uint64_t>(offset, bytes.size()), kShownBytes));
  };
  ByteDifference difference = {
      .offset = offset, .before = shown(before), .after = shown(after)};
  if (!is_binary) FindLine(before, &difference);
  return difference;
}

class Trip {
 public:
  Trip(const ByteSource& source, const ReaderInfo& format,
       const WriterInfo& via, const RoundTripOptions& options)
      : source_(source), format_(format), options_(options) {
    trip_.via = &via;
  }

  Result<RoundTrip> Take();

 private:
  // How both conversions of a trip are done.
  ConvertOptions OptionsOf(const ReaderInfo& from, const WriterInfo& to) const {
    return {.from = &from, .to = &to, .embed = options_.embed};
  }
  bool NeedsSidecar() const {
    const WriterInfo& via = *trip_.via;
    return options_.embed && via.max_leftovers == 0 && !via.keeps_source_image;
  }

  Status Run();
  Status Go(const ByteSource& from, ByteSink& to, const ConvertOptions& options,
            bool strict, Leg* leg) const;
  Status Compare(const ByteSource& result);

  const ByteSource& source_;
  const ReaderInfo& format_;
  const RoundTripOptions& options_;
  RoundTrip trip_;
};

Result<RoundTrip> Trip::Take() {
  const Status status = Run();
  if (!status.ok()) {
    if (!IsFinding(status)) return status;
    trip_.sameness = Sameness::kFailed;
    trip_.failure = status;
  }
  return std::move(trip_);
}

Status Trip::Run() {
  const WriterInfo& via = *trip_.via;
  const WriterInfo& home = *FindWriter(format_.name);
  SpoolSink there;
  SpoolSink beside;
  ConvertOptions options = OptionsOf(format_, via);
  if (NeedsSidecar()) options.new_sidecar = &beside;
  HEAPGLOT_RETURN_IF_ERROR(
      Go(source_, there, options, options_.strict, &trip_.there));
  trip_.there.sidecar_size = beside.position();
  Result<std::unique_ptr<ByteSource>> middle =
      there.TakeSource("(" + std::string(via.name) + ")");
  if (!middle.ok()) return middle.status();
  trip_.failed_on_the_way_back = true;
  const Result<std::unique_ptr<ByteSource>> sidecar =
      beside.TakeSource("(sidecar)");
  if (!sidecar.ok()) return sidecar.status();
  options = OptionsOf(*FindReader(via.name), home);
  if (trip_.there.sidecar_size > 0) options.sidecar = sidecar->get();
  CompareSpool back(source_);
  HEAPGLOT_RETURN_IF_ERROR(Go(**middle, back, options, false, &trip_.back));
  middle = std::unique_ptr<ByteSource>();  // its room is no longer needed
  if (!back.difference()) return {};
  const Result<std::unique_ptr<ByteSource>> result =
      back.TakeSource("(result)");
  if (!result.ok()) return result.status();
  trip_.bytes =
      DifferenceAt(*back.difference(), source_, **result, home.binary);
  return Compare(**result);
}

Status Trip::Go(const ByteSource& from, ByteSink& to,
                const ConvertOptions& options, bool strict, Leg* leg) const {
  Context context;
  context.limits = options_.limits;
  context.strict = strict;
  context.progress = options_.progress;
  Status status = Convert(from, to, options, context);
  leg->size = to.position();
  leg->loss = std::move(context.loss);
  leg->findings = context.findings();
  return status;
}

Status Trip::Compare(const ByteSource& result) {
  Context before;
  Context after;
  before.limits = after.limits = options_.limits;
  const std::unique_ptr<Reader> source_reader =
      MakeReader(format_, source_, before);
  const std::unique_ptr<Reader> result_reader =
      MakeReader(format_, result, after);
  StreamCompareOptions options = options_.compare;
  options.progress = options_.progress;
  Result<StreamDifference> difference =
      CompareStreams(*source_reader, *result_reader, options);
  if (!difference.ok()) return difference.status();
  trip_.content = *std::move(difference);
  trip_.sameness =
      trip_.content.empty() ? Sameness::kEqual : Sameness::kChanged;
  return {};
}

}  // namespace

std::string_view ToString(Sameness sameness) {
  switch (sameness) {
    case Sameness::kIdentical:
      return "identical";
    case Sameness::kEqual:
      return "equal";
    case Sameness::kChanged:
      return "changed";
    case Sameness::kFailed:
      break;
  }
  return "failed";
}

bool CanReturn(const WriterInfo& via) {
  return FindReader(via.name) != nullptr;
}

Result<RoundTrip> TakeRoundTrip(const ByteSource& source,
                                const ReaderInfo& format, const WriterInfo& via,
                                const RoundTripOptions& options) {
  if (FindWriter(format.name) == nullptr || !CanReturn(via)) {
    return Status(Code::kUsage, "there is no way back");
  }
  return Trip(source, format, via, options).Take();
}

std::string SortOf(const RoundTrip& trip) {
  std::string sort(ToString(trip.sameness));
  if (trip.sameness == Sameness::kFailed) {
    sort += trip.failed_on_the_way_back ? " back " : " there ";
    return sort + std::to_string(static_cast<int>(trip.failure.code()));
  }
  for (const std::string& name : trip.content.Names()) sort += " " + name;
  return sort;
}

}  // namespace heapglot
