#include "heapglot/convert.h"

#include <algorithm>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/bytes/trail.h"
#include "core/cancellable_reader.h"
#include "core/checked_reader.h"
#include "core/image/image_restorer.h"
#include "core/image/recording_reader.h"
#include "core/image/source_image.h"
#include "core/image/source_only.h"
#include "core/leftovers/early_leftovers.h"
#include "core/leftovers/leftovers.h"
#include "core/loss/feature_tally.h"
#include "core/loss/loss_code.h"
#include "core/loss/reader_losses.h"
#include "core/made.h"
#include "core/out_of_memory.h"
#include "core/registry.h"
#include "core/transforms/group_edges.h"
#include "core/transforms/merge_graphs.h"
#include "core/transforms/unreachable.h"

namespace heapglot {
namespace {

using Body = pb::Chunk::BodyCase;

// What must be known about a stream to decide what to do with it.
class Outline : public ChunkSink {
 public:
  static constexpr ChunkSet kWanted = {Body::kHeader, Body::kSourceImage,
                                       Body::kGraph, Body::kGraphEnd};

  // An image may have many patches, so it is kept only if the dump comes from
  // the format `image_of`.
  explicit Outline(std::string_view image_of) : image_of_(image_of) {}

  Status Accept(const pb::Chunk& chunk) override {
    if (chunk.has_header()) {
      format_ = chunk.header().format();
      source_size_ = chunk.header().source_size();
    }
    if (chunk.has_source_image() && format_ == image_of_)
      image_.Add(chunk.source_image());
    if (chunk.has_graph()) {
      ++graphs_;
      is_scattered_ = !chunk.graph().edges_grouped();
    }
    if (chunk.has_graph_end() && is_scattered_) {
      has_scattered_ = true;
      scattered_edges_ += chunk.graph_end().edges();
    }
    return {};
  }

  const std::string& format() const { return format_; }  // of the source
  std::uint64_t source_size() const { return source_size_; }
  // NONE if it was not kept.
  const pb::SourceImage& image() const { return image_.image(); }
  bool has_several_graphs() const { return graphs_ > 1; }
  bool is_grouped() const { return !has_scattered_; }
  // Adds what transforms change before anybody counts it.
  void AddTo(FeatureTally* tally) const {
    tally->Set(Feature::kGraphSeveral, graphs_ > 1 ? graphs_ : 0);
    tally->Set(Feature::kEdgeScattered, scattered_edges_);
  }

 private:
  const std::string_view image_of_;
  std::string format_;
  std::uint64_t source_size_ = 0;
  ImageCollector image_;
  std::uint64_t graphs_ = 0;
  bool is_scattered_ = false;  // the current graph
  bool has_scattered_ = false;
  std::uint64_t scattered_edges_ = 0;
};

// Whether a stream says, for all its graphs, how their records were laid out.
class LayoutSink : public ChunkSink {
 public:
  static constexpr ChunkSet kWanted = {Body::kGraph, Body::kRecordOrder,
                                       Body::kGraphEnd};

  Status Accept(const pb::Chunk& chunk) override {
    if (chunk.has_graph()) has_order_ = false;
    if (chunk.has_record_order()) has_order_ = true;
    if (chunk.has_graph_end()) has_layout_ = has_layout_ && has_order_;
    return {};
  }
  bool has_layout() const { return has_layout_; }

 private:
  bool has_order_ = false;  // of the current graph
  bool has_layout_ = true;
};

// Whether a file of the format `from` returns home as the same bytes, with all
// that is in it, if nothing has to be changed.
bool KeepsBytes(const ReaderInfo& from, const ConvertOptions& options) {
  return options.native && from.name == options.to->name &&
         options.layout == kSourceLayout &&
         options.unreachable.value_or(Unreachable::kKeep) == Unreachable::kKeep;
}

// Whether leftovers of a file of the format `from`, if any are made, are the
// file itself.
bool LeftoversAreTheFile(const ReaderInfo& from,
                         const ConvertOptions& options) {
  return from.is_compact && options.new_sidecar == nullptr &&
         options.unreachable != Unreachable::kDrop;
}

// What happens to a dump that has been opened. `from` is its reader; the dump
// `is_restored` if that reads the IR in leftovers.
struct Plan {
  Plan(const Outline& outline, const ReaderInfo& from, bool is_restored,
       const ConvertOptions& options);

  // Whether the writer gets a stream other than the reader's.
  bool is_changed() const {
    return groups || merges || unreachable != Unreachable::kKeep;
  }

  Unreachable unreachable;
  bool groups;  // edges are sorted
  bool merges;  // several graphs become one
  // Edges are sorted for a transform, not for the writer.
  bool sorts_for_nobody;
  // The dump returns to the format that it comes from, and nothing is added to
  // it for which there is no place in what its writer puts back.
  bool returns_home;
  // The input is the file that the dump comes from. An IR file never is, even
  // if it says that the dump was made as IR.
  bool has_file;
  // That file is copied.
  bool is_copied;
  // The leftovers are that file.
  bool keeps_file;
};

Plan::Plan(const Outline& outline, const ReaderInfo& from, bool is_restored,
           const ConvertOptions& options) {
  const WriterInfo& to = *options.to;
  const bool is_of_target = options.native && outline.format() == to.name;
  const Unreachable usual = to.shows_distance && !is_of_target
                                ? Unreachable::kRoot
                                : Unreachable::kKeep;
  unreachable = options.unreachable.value_or(usual);
  const bool finds_unreachable = unreachable != Unreachable::kKeep;
  groups = !outline.is_grouped() && (!to.ungrouped_edges || finds_unreachable);
  merges = outline.has_several_graphs() && !to.several_graphs;
  sorts_for_nobody = groups && to.ungrouped_edges;
  const bool is_shown_anew = unreachable == Unreachable::kRoot &&
                             to.unreachable_roots && !to.native_needs_layout;
  returns_home = is_of_target && !is_shown_anew;
  has_file = &from != &IrReader() && outline.format() == from.name;
  is_copied = !is_restored && !is_changed() && KeepsBytes(from, options);
  keeps_file = has_file && LeftoversAreTheFile(from, options);
}

class Conversion {
 public:
  Conversion(const ByteSource& source, ByteSink& sink,
             const ConvertOptions& options, Context& context)
      : source_(&source),
        sink_(sink),
        options_(options),
        context_(context),
        has_late_errors_(context.errors_may_come_late),
        outline_(options.layout == kSourceLayout ? options.to->name : "") {}
  ~Conversion() { context_.errors_may_come_late = has_late_errors_; }
  Conversion(const Conversion&) = delete;
  Conversion& operator=(const Conversion&) = delete;

  Status Run();

 private:
  Status RunAll();
  Status Open();
  // Switches to the dump that the source was made from, if it is available.
  Status TakeLeftovers();
  Result<LeftoversVerdict> FindLeftovers();
  // Appends the transforms that the writer needs.
  void AddTransforms();
  void Add(std::unique_ptr<Reader> reader) {
    chain_.push_back(std::move(reader));
    if (context_.cancel == nullptr) return;
    chain_.push_back(MakeCancellableReader(*chain_.back(), context_));
  }
  Reader& stream() { return *chain_.back(); }
  // Finds out whether a dump that returns home can be put back as it was.
  Status FindLayoutOfSource();
  // Finds out what the stream says about making its source's bytes again, if
  // that is of use.
  void FindImage();
  void AddSourceImage();
  // Whether the output has what makes the source's bytes again.
  bool HasSourceInside() const;
  // Starts making leftovers early, if that can run in parallel with the rest.
  void StartLeftovers();
  // Finds out what leftovers there will be.
  Status PrepareLeftovers();
  Status BoundLeftovers();
  const NamedLayout* FindLayout() const;
  Status CheckLayout() const;
  std::string Profile() const;
  Status Write();
  Status Copy();
  Status WriteTo(ByteSink& sink, const std::string& profile);
  Status CheckSent(bool beside) const;
  Status CheckLoss() const;
  Status CountAll();
  void Report(FeatureTally* tally, bool native);
  void ReportUnread();

  const ByteSource* source_;
  ByteSink& sink_;
  DigestingSink digesting_{sink_};
  const ConvertOptions& options_;
  Context& context_;
  const bool has_late_errors_;  // the caller's
  const ReaderInfo* from_ = nullptr;
  EmbeddedLeftovers embedded_;  // what the source was made from
  // Oddities in leftovers have no place in the file that the leftovers are in.
  Context leftovers_context_;
  Context* reading_ = &context_;
  std::vector<std::unique_ptr<Reader>> chain_;
  Outline outline_;
  bool is_restored_ = false;        // the dump is read from the IR in leftovers
  std::optional<const Plan> plan_;  // once the dump is open
  // The dump returns to its format, and what its reader kept is put back.
  bool is_native_ = false;
  // How to make the output as it was before; NONE if it is made anew.
  pb::SourceImage image_;
  // The output, or its leftovers, say how to make the source again.
  bool has_source_image_ = false;
  // The dump as it was, for the leftovers.
  std::unique_ptr<Reader> original_;
  std::optional<EarlyLeftovers> early_leftovers_;
  std::optional<LeftoversMaker> leftovers_;
};

Status Conversion::Run() {
  Status status = RunAll();
  const bool says_all = status.ok() || status.code() == Code::kOutput ||
                        status.code() == Code::kCancelled;
  if (says_all || chain_.empty() || !reading_->errors_may_come_late)
    return status;
  // What a writer refused may be an error in the input, which comes first.
  Status late = chain_.front()->CheckRest();
  return late.ok() ? status : late;
}

Status Conversion::RunAll() {
  HEAPGLOT_RETURN_IF_ERROR(CheckLayout());
  HEAPGLOT_RETURN_IF_ERROR(Open());
  plan_.emplace(outline_, *from_, is_restored_, options_);
  AddTransforms();
  HEAPGLOT_RETURN_IF_ERROR(FindLayoutOfSource());
  FindImage();
  HEAPGLOT_RETURN_IF_ERROR(PrepareLeftovers());
  return Write();
}

Status Conversion::Open() {
  from_ = options_.from;
  if (from_ == nullptr) {
    const Result<const ReaderInfo*> identified = Identify(source_->bytes());
    if (!identified.ok()) return identified.status();
    from_ = *identified;
  }
  if (!options_.ignore_leftovers && !KeepsBytes(*from_, options_))
    HEAPGLOT_RETURN_IF_ERROR(TakeLeftovers());
  reading_->errors_may_come_late =
      sink_.is_all_or_nothing() && (options_.new_sidecar == nullptr ||
                                    options_.new_sidecar->is_all_or_nothing());
  Add(MakeReader(*from_, *source_, *reading_));
  StartLeftovers();
  if (is_restored_) Add(MakeUnlabelledReader(stream()));
  return stream().Read(Outline::kWanted, outline_);
}

Status Conversion::TakeLeftovers() {
  const Result<LeftoversVerdict> verdict = FindLeftovers();
  if (!verdict.ok()) return verdict.status();
  const char* code = "leftovers.stale";
  switch (verdict->state) {
    case LeftoversVerdict::kNone:
      return {};
    case LeftoversVerdict::kIntact:
      source_ = options_.sidecar;
      from_ = &IrReader();
      if (embedded_.source != nullptr) {
        source_ = embedded_.source.get();
        from_ = embedded_.format;
      }
      is_restored_ = from_ == &IrReader();
      leftovers_context_.limits = context_.limits;
      leftovers_context_.progress = context_.progress;
      leftovers_context_.cancel = context_.cancel;
      reading_ = &leftovers_context_;
      return {};
    case LeftoversVerdict::kDamaged:
      code = "leftovers.damaged";
      break;
    case LeftoversVerdict::kStale:
      break;
  }
  const std::string what =
      options_.sidecar != nullptr
          ? "the leftovers in '" +
                EscapeForTerminal(options_.sidecar->name(), 200) + "' are"
          : "the leftovers of the dump that this was made from are";
  context_.Note(code, what + " ignored: " + verdict->problem, Where(), 1);
  return {};
}

Result<LeftoversVerdict> Conversion::FindLeftovers() {
  if (options_.sidecar != nullptr) {
    return CheckSidecar(*options_.sidecar, *source_, *from_, IrReader(),
                        context_.limits);
  }
  Result<EmbeddedLeftovers> found = heapglot::FindLeftovers(
      *source_, *from_, IrReader(), FindReader, context_.limits);
  if (!found.ok()) return found.status();
  embedded_ = *std::move(found);
  return embedded_.verdict;
}

void Conversion::AddTransforms() {
  if (plan_->groups) Add(MakeEdgeGrouper(stream(), context_));
  if (plan_->merges) Add(MakeGraphMerger(stream(), context_));
  if (plan_->unreachable == Unreachable::kKeep) return;
  // No stream gets features that its format does not have.
  const ReaderInfo* const origin = FindReader(outline_.format());
  const bool omits =
      origin == nullptr || origin->produces.Has(Feature::kEdgeOmitted);
  Add(MakeUnreachableFilter(stream(), plan_->unreachable, context_,
                            {.reports_roots = options_.to->unreachable_roots,
                             .omits_targets = omits,
                             .find = &FindReader}));
}

Status Conversion::FindLayoutOfSource() {
  is_native_ = plan_->returns_home;
  const bool is_file = plan_->has_file && !plan_->is_changed();
  if (!is_native_ || !options_.to->native_needs_layout || is_file) return {};
  LayoutSink layout;
  HEAPGLOT_RETURN_IF_ERROR(stream().Read(LayoutSink::kWanted, layout));
  is_native_ = layout.has_layout();
  return {};
}

void Conversion::FindImage() {
  if (plan_->is_changed()) return;
  if (options_.to->keeps_source_image) AddSourceImage();
  if (options_.layout == kSourceLayout && is_native_ && !plan_->is_copied)
    image_ = outline_.image();
}

// Makes the stream say how to make the bytes of its source again.
void Conversion::AddSourceImage() {
  const WriterInfo* const origin = FindWriter(outline_.format());
  if (!plan_->has_file || origin == nullptr) return;
  Add(MakeRecordingReader(stream(), *source_, *origin, context_.limits));
  has_source_image_ = true;
}

void Conversion::StartLeftovers() {
  const WriterInfo& to = *options_.to;
  if (!LeftoversAreTheFile(*from_, options_) || !options_.embed ||
      to.max_leftovers == 0 || to.keeps_source_image ||
      from_->name == to.name || context_.limits.max_threads <= 1 ||
      source_->bytes().size() < EarlyLeftovers::kLeastSource)
    return;
  early_leftovers_.emplace(*source_, IrWriter(), to.max_leftovers);
  early_leftovers_->Start();
}

Status Conversion::PrepareLeftovers() {
  const WriterInfo& to = *options_.to;
  const bool beside = options_.new_sidecar != nullptr;
  const bool inside = options_.embed && to.max_leftovers > 0;
  if (plan_->returns_home || to.keeps_source_image || (!beside && !inside))
    return {};
  Reader* original = chain_.front().get();
  const WriterInfo* const origin = FindWriter(outline_.format());
  if (options_.unreachable == Unreachable::kDrop) {
    // What the user does not want must not come back.
    original = &stream();
  } else if (plan_->keeps_file) {
    original_ = MakeSourceOnlyReader(*original, *source_);
    original = original_.get();
  } else if (plan_->has_file && origin != nullptr) {
    auto recording =
        MakeRecordingReader(*original, *source_, *origin, context_.limits);
    // Done before there is a writer, which would need memory at the same time.
    HEAPGLOT_RETURN_IF_ERROR(recording->Record());
    original_ = std::move(recording);
    original = original_.get();
    has_source_image_ = true;
  }
  leftovers_.emplace(*original, digesting_, to.name, IrWriter(),
                     context_.limits);
  if (from_ == &IrReader() && original == chain_.front().get())
    leftovers_->set_original_file(*source_);
  if (early_leftovers_ && plan_->keeps_file)
    leftovers_->set_early(*early_leftovers_);
  return beside ? Status() : BoundLeftovers();
}

// Drops leftovers that are larger than readers of the output can take.
Status Conversion::BoundLeftovers() {
  const std::uint64_t limit = options_.to->max_leftovers;
  // Leftovers are no larger than the source, or than twice that if they have a
  // graph, too.
  const bool has_graph = !plan_->keeps_file;
  // 0 if the dump does not say how large it was.
  const std::uint64_t size_of_source = outline_.source_size();
  if (size_of_source != 0 && size_of_source <= (has_graph ? limit / 2 : limit))
    return {};
  const Result<std::uint64_t> size = leftovers_->Measure(limit);
  if (!size.ok()) return size.status();
  if (*size <= limit) return {};
  leftovers_.reset();
  context_.Note("leftovers.too_large",
                "the leftovers would take " + std::to_string(*size) +
                    " bytes, more than readers of " +
                    std::string(options_.to->name) +
                    " accept: use a sidecar instead",
                Where(), 1);
  return {};
}

const NamedLayout* Conversion::FindLayout() const {
  for (const NamedLayout& layout : options_.to->layouts) {
    if (layout.name == options_.layout) return &layout;
  }
  return nullptr;
}

Status Conversion::CheckLayout() const {
  if (options_.layout == kSourceLayout || options_.layout == kUsualLayout ||
      FindLayout() != nullptr) {
    return {};
  }
  return {Code::kUsage, std::string(options_.to->name) + " has no layout '" +
                            std::string(options_.layout) + "'"};
}

// For output that is not to be the same file again.
std::string Conversion::Profile() const {
  if (const NamedLayout* const layout = FindLayout()) {
    return std::string(layout->profile);
  }
  const bool looks_alike = options_.layout == kSourceLayout && is_native_ &&
                           plan_->has_file && options_.to->profile != nullptr;
  return looks_alike ? options_.to->profile(*source_) : std::string();
}

Status Conversion::Write() {
  if (plan_->is_copied) return Copy();
  if (image_.method() == pb::SourceImage::NONE) {
    // The leftovers need the digest.
    ByteSink& sink = leftovers_ ? static_cast<ByteSink&>(digesting_) : sink_;
    return WriteTo(sink, Profile());
  }
  if (image_.method() != pb::SourceImage::EMBEDDED) {
    ImageRestorer restorer(image_, sink_);
    return WriteTo(restorer, image_.profile());
  }
  HEAPGLOT_RETURN_IF_ERROR(CountAll());
  return WriteEmbedded(stream(), image_, sink_);
}

// Copies a file that is to stay the same, once all of it was read.
Status Conversion::Copy() {
  HEAPGLOT_RETURN_IF_ERROR(CountAll());
  HEAPGLOT_RETURN_IF_ERROR(CheckLoss());
  HEAPGLOT_RETURN_IF_ERROR(sink_.Copy(*source_));
  return sink_.Close();
}

// Adds what no writer has counted to the report.
void Conversion::Report(FeatureTally* tally, bool native) {
  outline_.AddTo(tally);
  if (plan_->sorts_for_nobody) {
    AddLoss(kSortedEdges, tally->count(Feature::kEdgeScattered), {},
            &context_.loss);
    tally->Set(Feature::kEdgeScattered, 0);
  }
  AddTheRest(*tally, *options_.to,
             native ? FindReader(options_.to->name) : nullptr, &context_.loss);
  if (!leftovers_) return;
  if (options_.unreachable != Unreachable::kDrop)
    return context_.loss.MakeGood("");
  // The leftovers do not have what the user wants to have dropped, and are of
  // one heap.
  const std::string prefix = std::string(options_.to->name) + ".";
  context_.loss.MakeGood(prefix,
                         prefix + std::string(Key(Feature::kGraphSeveral)));
}

bool Conversion::HasSourceInside() const {
  return options_.to->keeps_source_image
             ? has_source_image_
             : leftovers_ && (has_source_image_ || plan_->keeps_file);
}

// Adds what the reader has left out. Output that has the bytes of the source
// has that, too.
void Conversion::ReportUnread() {
  if (image_.method() != pb::SourceImage::NONE) return;
  AddReaderLosses(*from_, reading_->findings(), HasSourceInside(),
                  &context_.loss);
}

// For output that is written without looking at the rows: copies, and sources
// so odd that the IR has them as a whole.
Status Conversion::CountAll() {
  FeatureTally tally;
  HEAPGLOT_RETURN_IF_ERROR(CountFeatures(stream(), &tally));
  Report(&tally, is_native_);
  return {};
}

Status Conversion::WriteTo(ByteSink& sink, const std::string& profile) {
  const bool beside = options_.new_sidecar != nullptr;
  WriterOptions writer_options = {.native = is_native_, .profile = profile};
  if (leftovers_ && !beside) writer_options.leftovers = &*leftovers_;
  const Result<std::unique_ptr<Writer>> made = Made(
      options_.to->make(sink, writer_options, context_), options_.to->name);
  if (!made.ok()) return made.status();
  Writer& writer = **made;
  FeatureTally tally;
  const std::unique_ptr<Reader> counted = MakeTallyReader(stream(), tally);
  const unsigned threads = context_.limits.max_threads;
  HEAPGLOT_RETURN_IF_ERROR(RunPasses(*counted, writer, threads,
                                     threads > 1 ? sink_.Share() : nullptr));
  if (reading_->errors_may_come_late)
    HEAPGLOT_RETURN_IF_ERROR(chain_.front()->CheckRest());
  if (leftovers_ && beside)
    HEAPGLOT_RETURN_IF_ERROR(leftovers_->WriteTo(*options_.new_sidecar));
  // Patched output is the file that it was, whatever the writer can do.
  const bool is_same_file = image_.method() != pb::SourceImage::NONE;
  Report(&tally, is_native_ && (is_same_file || writer.HasPutBack()));
  ReportUnread();
  HEAPGLOT_RETURN_IF_ERROR(CheckSent(beside));
  HEAPGLOT_RETURN_IF_ERROR(CheckLoss());
  if (!leftovers_ || !beside) return sink.Close();
  // Each may replace a file that is still good without the other one.
  HEAPGLOT_RETURN_IF_ERROR(options_.new_sidecar->Prepare());
  HEAPGLOT_RETURN_IF_ERROR(sink.Prepare());
  HEAPGLOT_RETURN_IF_ERROR(options_.new_sidecar->Close());
  return sink.Close();
}

// Otherwise the report would call embedded what is nowhere.
Status Conversion::CheckSent(bool beside) const {
  if (!leftovers_ || beside || leftovers_->is_sent()) return {};
  return {Code::kInternal, "the writer of " + std::string(options_.to->name) +
                               " did not send the leftovers"};
}

Status Conversion::CheckLoss() const {
  const LossClass worst = context_.loss.worst();
  if (worst <= options_.max_loss) return {};
  const auto& items = context_.loss.items();
  const auto first = std::find_if(items.begin(), items.end(),
                                  [worst](const LossReport::Item& item) {
                                    return item.loss_class == worst;
                                  });
  return {Code::kLossy, "some of it (" + first->code + ") would be " +
                            std::string(ToString(worst)) +
                            ", which --max-loss does not allow"};
}

}  // namespace

Status Convert(const ByteSource& source, ByteSink& sink,
               const ConvertOptions& options, Context& context) try {
  if (options.to == nullptr)
    return {Code::kUsage, "there is no format to convert to"};
  // It need not be the writer that is registered under its name, if any is.
  const CompleteWriter to(*options.to);
  ConvertOptions complete = options;
  complete.to = &to.info();
  return Conversion(source, sink, complete, context).Run();
} catch (const std::bad_alloc&) {
  return OutOfMemory();
}

}  // namespace heapglot
