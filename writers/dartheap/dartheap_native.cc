#include "writers/dartheap/dartheap_native.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "core/bytes/buffered_out.h"
#include "core/bytes/spill_buffer.h"
#include "core/column.h"
#include "core/ir/greatest.h"
#include "core/ir/index_columns.h"
#include "core/ir/put_varints.h"
#include "core/ir/synthesized_edges.h"
#include "core/ir/wire.h"
#include "core/ir/word_count.h"
#include "core/text/string_store.h"
#include "writers/dartheap/dartheap_data.h"
#include "writers/dartheap/dartheap_encode.h"
#include "writers/dartheap/dartheap_header.h"
#include "writers/dartheap/dartheap_losses.h"
#include "writers/dartheap/dartheap_objects.h"

namespace heapglot::dartheap {
namespace {

// Sections in the order of the file. The text of an object is written inside
// the object: it is taken from the Strings chunks right before the Nodes chunk,
// where the reader puts it. If it is elsewhere, writing stops at that object, a
// pass stores all strings, and one more pass continues.
enum class NativeStep {
  kSurvey,
  kClasses,
  kObjects,
  kStrings,      // only if a text was elsewhere
  kMoreObjects,  // the same
  kTrailing,
  kDone,
};

// Collects small numbers that follow each other, and encodes many at a time.
class UlebRun {
 public:
  explicit UlebRun(BufferedOut& out) : out_(out) {}

  // Room for `count` numbers, at most kMost, and for three more; Commit() says
  // how many were written.
  static constexpr std::size_t kMost = 128;
  std::uint32_t* Reserve(std::size_t count) {
    if (count_ + count > kRoom) Flush();
    return numbers_.data() + count_;
  }
  void Commit(std::size_t count) { count_ += count; }
  // To be called before anything else is written to the output.
  void Flush() {
    if (count_ == 0) return;
    out_.Commit(
        wire::PutVarints(std::span(numbers_.data(), std::exchange(count_, 0)),
                         out_.Reserve(kRoom * wire::kMaxVarint)));
  }

 private:
  static constexpr std::size_t kRoom = 400;
  static_assert(kMost <= kRoom &&
                kRoom * wire::kMaxVarint <= BufferedOut::kMaxReserve);

  BufferedOut& out_;
  std::size_t count_ = 0;
  std::array<std::uint32_t, kRoom + 3> numbers_;
};

// What precedes the references of an object that has no data and a small size,
// as one number; 0 for other objects.
class PlainHead {
 public:
  static std::uint64_t Pack(std::uint64_t tag, std::uint64_t type_ref,
                            std::uint64_t self_size) {
    if (tag > kTagNull || type_ref > kMost || self_size > kMost) return 0;
    return self_size << 2 | tag << 1 | 1;
  }
  explicit PlainHead(std::uint64_t packed) : packed_(packed) {}
  std::uint32_t self_size() const {
    return static_cast<std::uint32_t>(packed_ >> 2);
  }
  std::uint32_t tag() const { return packed_ >> 1 & 1; }

 private:
  static_assert(kTagNone == 0 && kTagNull == 1);
  static constexpr std::uint64_t kMost = ~std::uint32_t{0};

  std::uint64_t packed_;
};

class NativeWriter : public Writer, private ObjectQueue::Handler {
 public:
  NativeWriter(ByteSink& sink, Context& context)
      : out_(sink), losses_(context.loss) {}

  ChunkSet Wanted(int pass) override;
  Status Accept(const pb::Chunk& chunk) override;
  Status Finish() override;
  bool HasPutBack() const override { return true; }

 private:
  NativeStep NextStep();
  Status Survey(const pb::Chunk& chunk);
  void AddStrings(const pb::Strings& strings, StringStore* store);
  void WriteHeader();
  void WriteClasses(const pb::Types& types);
  // The text of a name; empty, and texts_status_ is an error, if TakeText()
  // fails.
  std::string_view Name(std::uint64_t string);
  bool TakeText(std::uint64_t size);
  void AddNodes(const pb::Nodes& nodes);
  bool AddNode(const pb::Nodes& nodes, int row);
  bool MakeData(const pb::Nodes& nodes, int row, Data* data);
  Data MakeText(std::uint32_t form, std::uint64_t string, StringStore& store);
  void AddExternals(const pb::Externals& externals);
  void EndObjects();
  void AddExtra(const pb::Extra& extra);

  // ObjectQueue::Handler
  void TakeEdges(const pb::Edges& edges, int begin, int end) override;
  void FinishNode() override;
  bool TakeWhole(const pb::Edges& edges, int begin, int end) override;

  void AddEdges(const pb::Edges& edges);
  // Writes a plain node up to the number of its references; returns where they
  // go.
  std::uint32_t* BeginPlain(std::size_t references);
  // The store that has string `index`; nullptr if none has it yet.
  StringStore* StoreOf(std::uint64_t index);
  IntClass IntClassOfType(std::uint64_t type_ref) const {
    return type_ref - 1 < int_classes_.size() ? int_classes_[type_ref - 1]
                                              : IntClass::kOther;
  }
  std::uint64_t Target(std::uint32_t form, std::uint64_t to) const {
    if (form == pb::TO_NODE) [[likely]]
      return to + 1;
    // A dangling reference never becomes one to an object that exists.
    return form == pb::TO_DANGLING ? std::max(to, totals_.nodes() + 1) : 0;
  }
  Status status() const;

  BufferedOut out_;
  UlebRun run_{out_};  // to be flushed before out_ is written to
  Losses losses_;
  NativeStep step_ = NativeStep::kDone;
  pb::Graph graph_;
  pb::GraphEnd totals_;
  std::uint64_t graphs_ = 0;
  bool has_hashes_ = true;
  SynthesizedEdges synthesized_;
  std::vector<std::uint32_t> root_kinds_;  // by vocabulary row
  std::uint64_t roots_ = 0;
  std::uint64_t metadata_ = 0;
  std::uint64_t extras_ = 0;
  std::vector<IntClass> int_classes_;  // by type

  StringStore names_;   // those of classes, fields and externals
  StringStore window_;  // since the last Nodes chunk; or all, from kStrings on
  TextBudget texts_;
  Status texts_status_;
  ObjectQueue queue_{*this, /*takes_whole=*/true};
  bool are_plain_ = false;  // all edges of the current chunk lead to objects
  std::uint64_t next_node_ = 0;
  bool is_stalled_ = false;  // node next_node_ has its text elsewhere
  SpillBuffer references_{std::size_t{1} << 20};  // of the front node
  std::uint64_t reference_count_ = 0;
  SpillBuffer externals_{std::size_t{256} << 10};
  SpillBuffer hashes_{std::size_t{1} << 20};
};

NativeStep NativeWriter::NextStep() {
  switch (step_) {
    case NativeStep::kSurvey:
      WriteHeader();
      return NativeStep::kClasses;
    case NativeStep::kClasses:
      WriteUleb(graph_.has_edge_count()
                    ? graph_.edge_count()
                    : totals_.edges() - totals_.edges_synthesized(),
                out_);
      WriteUleb(totals_.nodes(), out_);
      return NativeStep::kObjects;
    case NativeStep::kObjects:
    case NativeStep::kMoreObjects:
      queue_.End();
      if (is_stalled_) {
        window_.Clear();
        return NativeStep::kStrings;
      }
      EndObjects();
      return NativeStep::kTrailing;
    case NativeStep::kStrings:
      is_stalled_ = false;
      queue_.Begin(next_node_);
      return NativeStep::kMoreObjects;
    default:
      return NativeStep::kDone;
  }
}

ChunkSet NativeWriter::Wanted(int pass) {
  step_ = pass == 0 ? NativeStep::kSurvey : NextStep();
  switch (step_) {
    case NativeStep::kSurvey:
      return {pb::Chunk::kGraph,    pb::Chunk::kVocabulary,
              pb::Chunk::kRoots,    pb::Chunk::kMetadata,
              pb::Chunk::kGraphEnd, pb::Chunk::kExtraTable};
    case NativeStep::kClasses:
      return {pb::Chunk::kTypes};
    case NativeStep::kObjects:
      return {pb::Chunk::kNodes, pb::Chunk::kEdges, pb::Chunk::kStrings,
              pb::Chunk::kExternals};
    case NativeStep::kStrings:
      return {pb::Chunk::kStrings};
    case NativeStep::kMoreObjects:
      return {pb::Chunk::kNodes, pb::Chunk::kEdges};
    case NativeStep::kTrailing:
      return {pb::Chunk::kExtra};
    case NativeStep::kDone:
      break;
  }
  return {};
}

Status NativeWriter::Accept(const pb::Chunk& chunk) {
  switch (step_) {
    case NativeStep::kSurvey:
      return Survey(chunk);
    case NativeStep::kClasses:
      if (chunk.has_strings()) AddStrings(chunk.strings(), &names_);
      if (chunk.has_types()) WriteClasses(chunk.types());
      break;
    case NativeStep::kObjects:
      if (chunk.has_strings()) AddStrings(chunk.strings(), &window_);
      if (chunk.has_nodes()) {
        AddNodes(chunk.nodes());
        window_.Clear();
      }
      if (chunk.has_edges()) AddEdges(chunk.edges());
      if (chunk.has_externals()) AddExternals(chunk.externals());
      break;
    case NativeStep::kStrings:
      if (chunk.has_strings()) window_.Add(chunk.strings());
      break;
    case NativeStep::kMoreObjects:
      if (chunk.has_nodes()) AddNodes(chunk.nodes());
      if (chunk.has_edges()) AddEdges(chunk.edges());
      break;
    case NativeStep::kTrailing:
      if (chunk.has_extra()) AddExtra(chunk.extra());
      break;
    case NativeStep::kDone:
      break;
  }
  return status();
}

Status NativeWriter::status() const {
  for (const Status* const status :
       {&out_.status(), &names_.status(), &window_.status(), &texts_status_,
        &queue_.status(), &references_.status(), &externals_.status(),
        &hashes_.status()})
    if (!status->ok()) return *status;
  return {};
}

// ------------------------------------------------------- header and classes

Status NativeWriter::Survey(const pb::Chunk& chunk) {
  switch (chunk.body_case()) {
    case pb::Chunk::kGraph:
      HEAPGLOT_RETURN_IF_ERROR(CheckGraph(chunk.graph(), ++graphs_));
      graph_ = chunk.graph();
      break;
    case pb::Chunk::kVocabulary: {
      const pb::Vocabulary& vocabulary = chunk.vocabulary();
      synthesized_.Add(vocabulary);
      for (int i = 0; i < WordCount(vocabulary); ++i) {
        if (vocabulary.space() == pb::Vocabulary::ROOT_KIND)
          root_kinds_.push_back(At(vocabulary.known(), i));
      }
      break;
    }
    case pb::Chunk::kRoots:
      for (int i = 0; i < static_cast<int>(chunk.roots().count()); ++i) {
        const std::uint32_t kind = At(chunk.roots().kind(), i);
        roots_ += kind >= root_kinds_.size() ||
                  root_kinds_[kind] != pb::ROOT_UNREACHABLE;
      }
      break;
    case pb::Chunk::kMetadata:
      metadata_ += static_cast<std::uint64_t>(chunk.metadata().entry_size());
      break;
    case pb::Chunk::kExtraTable:
      ++extras_;
      break;
    case pb::Chunk::kGraphEnd:
      totals_ = chunk.graph_end();
      break;
    default:
      break;
  }
  return {};
}

void NativeWriter::AddStrings(const pb::Strings& strings, StringStore* store) {
  store->Add(strings);
  texts_.Add(strings.data().size());
}

// A reader gives each text of a dartheap a string of its own, or the previous
// one. So only hand-made streams are refused.
bool NativeWriter::TakeText(std::uint64_t size) {
  if (texts_.Take(size)) [[likely]]
    return true;
  texts_status_ = {
      Code::kLimit,
      "dartheap: texts that several classes or objects share would "
      "take " +
          std::to_string(TextBudget::kRepeated >> 20) +
          " MiB more than they have"};
  return false;
}

std::string_view NativeWriter::Name(std::uint64_t string) {
  const std::string_view name = names_.Find(string);
  return TakeText(name.size()) ? name : std::string_view();
}

void NativeWriter::WriteHeader() {
  has_hashes_ =
      !graph_.has_has_identity_hashes() || graph_.has_identity_hashes();
  losses_.LoseTables(totals_);
  losses_.Lose("dartheap.root.kind", roots_);
  losses_.Lose("dartheap.metadata", metadata_);
  losses_.Lose("dartheap.edge.immediate", totals_.edges_immediate());

  out_.Write(kMagic);
  WriteUleb(graph_.flags(), out_);
  WriteString(graph_.name().data(), out_);
  WriteUleb(StatedSelfSize(graph_, totals_), out_);
  WriteUleb(StatedCapacity(graph_, totals_), out_);
  WriteUleb(StatedExternalSize(graph_, totals_), out_);
  WriteUleb(totals_.types(), out_);
}

void NativeWriter::WriteClasses(const pb::Types& types) {
  int field = 0;
  for (int i = 0; i < static_cast<int>(types.count()); ++i) {
    WriteUleb(At(types.flags(), i), out_);
    for (const auto* const column : {&types.name(), &types.library_name(),
                                     &types.library_uri(), &types.reserved()})
      WriteString(Name(At(*column, i)), out_);
    int_classes_.push_back(IntClassOf(names_.Find(At(types.name(), i)),
                                      names_.Find(At(types.library_uri(), i))));
    const std::uint32_t fields = At(types.field_count(), i);
    WriteUleb(fields, out_);
    for (std::uint32_t left = fields; left > 0; --left, ++field) {
      WriteUleb(At(types.field_flags(), field), out_);
      WriteUleb(At(types.field_slot(), field), out_);
      WriteString(Name(At(types.field_name(), field)), out_);
      WriteString(Name(At(types.field_reserved(), field)), out_);
    }
  }
}

// ------------------------------------------------------------------ objects

void NativeWriter::AddNodes(const pb::Nodes& nodes) {
  for (int row = 0; row < static_cast<int>(nodes.count()); ++row) {
    if (nodes.first() + static_cast<std::uint64_t>(row) != next_node_) continue;
    if (is_stalled_ || !AddNode(nodes, row)) {
      is_stalled_ = true;
      return;
    }
    ++next_node_;
  }
  queue_.Drain();
}

bool NativeWriter::AddNode(const pb::Nodes& nodes, int row) {
  const std::uint64_t type_ref = At(nodes.type_ref(), row);
  const std::uint64_t self_size = At(nodes.self_size(), row);
  const std::uint64_t head =
      PlainHead::Pack(At(nodes.value_form(), row), type_ref, self_size);
  if (head == 0) {
    Data data;
    if (!MakeData(nodes, row, &data)) return false;
    WriteUleb(self_size, queue_.body());
    WriteData(data, queue_.body());
  }
  if (has_hashes_) WriteUleb(At(nodes.identity_hash(), row), hashes_);
  queue_.Push(type_ref, At(nodes.edge_count(), row), head);
  return true;
}

StringStore* NativeWriter::StoreOf(std::uint64_t index) {
  if (window_.Has(index)) return &window_;
  if (names_.Has(index)) return &names_;
  // Once all strings are stored, a missing one is empty.
  return step_ == NativeStep::kMoreObjects ? &window_ : nullptr;
}

bool NativeWriter::MakeData(const pb::Nodes& nodes, int row, Data* data) {
  const std::uint32_t form = At(nodes.value_form(), row);
  const std::uint64_t value = At(nodes.value(), row);
  if (IsStringForm(form)) {
    StringStore* const store = StoreOf(value);
    if (store == nullptr) return false;
    *data = MakeText(form, value, *store);
    data->length = At(nodes.value_length(), row);
    return true;
  }
  switch (form) {
    case pb::V_INT:
    case pb::V_UINT:
      *data = IntData(value, At(nodes.value_encoding(), row),
                      IntClassOfType(At(nodes.type_ref(), row)),
                      graph_.pointer_size());
      break;
    case pb::V_NULL:
    case pb::V_BOOL:
    case pb::V_DOUBLE:
    case pb::V_LENGTH:
      data->tag = form;
      data->number = value;
      break;
    default:
      break;
  }
  return true;
}

Data NativeWriter::MakeText(std::uint32_t form, std::uint64_t string,
                            StringStore& store) {
  const StringStore::Text text = store.Locate(string);
  if (!TakeText(text.size)) return {};
  switch (form) {
    case pb::V_LATIN1:
    case pb::V_UTF16:
    case pb::V_UTF8:
      return StringData(text, MeasureText(text, store), store,
                        form == pb::V_UTF16);
    default:
      return NameData(text, store);
  }
}

void NativeWriter::TakeEdges(const pb::Edges& edges, int begin, int end) {
  for (int row = begin; row < end; ++row) {
    if (synthesized_.Has(edges, row)) continue;
    WriteUleb(Target(At(edges.to_form(), row), At(edges.to(), row)),
              references_);
    ++reference_count_;
  }
}

void NativeWriter::FinishNode() {
  if (queue_.head() != 0) {
    if (reference_count_ == 0) {
      BeginPlain(0);
      return;
    }
    const PlainHead head(queue_.head());
    run_.Flush();
    WriteUleb(queue_.tag(), out_);
    WriteUleb(head.self_size(), out_);
    WriteUleb(head.tag(), out_);
  } else {
    run_.Flush();
    WriteUleb(queue_.tag(), out_);
    queue_.WriteBody(out_);
  }
  WriteUleb(reference_count_, out_);
  CopyTo(references_, 0, references_.size(), out_);
  references_.Clear();
  reference_count_ = 0;
}

void NativeWriter::AddEdges(const pb::Edges& edges) {
  // Targets up to this fit into 32 bits after 1 is added.
  constexpr std::uint64_t kMost = ~std::uint32_t{0} - 1;
  are_plain_ = edges.to_form().empty() && edges.flags().empty() &&
               !edges.to().empty() &&
               GreatestOf(edges.kind()) < synthesized_.first_kind() &&
               GreatestOf(edges.to()) <= kMost;
  queue_.AddEdges(edges);
}

bool NativeWriter::TakeWhole(const pb::Edges& edges, int begin, int end) {
  // Most objects need only one step of this many references.
  constexpr int kStep = 4;
  const int count = end - begin;
  constexpr int kMost = static_cast<int>(UlebRun::kMost) - 4;
  if (!are_plain_ || queue_.head() == 0 || count > kMost ||
      end + kStep > edges.to_size())
    return false;
  std::uint32_t* const references = BeginPlain(static_cast<unsigned>(count));
  const std::uint64_t* const targets = edges.to().data() + begin;
  for (int row = 0; row < count; row += kStep) {
    for (int i = row; i < row + kStep; ++i)
      references[i] = static_cast<std::uint32_t>(targets[i] + 1);
  }
  run_.Commit(static_cast<unsigned>(count));
  return true;
}

inline std::uint32_t* NativeWriter::BeginPlain(std::size_t references) {
  const PlainHead head(queue_.head());
  std::uint32_t* const numbers = run_.Reserve(4 + references);
  numbers[0] = static_cast<std::uint32_t>(queue_.tag());
  numbers[1] = head.self_size();
  numbers[2] = head.tag();
  numbers[3] = static_cast<std::uint32_t>(references);
  run_.Commit(4);
  return numbers + 4;
}

// ------------------------------------------------------- after the objects

void NativeWriter::AddExternals(const pb::Externals& externals) {
  for (int i = 0; i < static_cast<int>(externals.count()); ++i) {
    WriteUleb(Target(At(externals.to_form(), i), At(externals.to(), i)),
              externals_);
    WriteUleb(At(externals.size(), i), externals_);
    WriteString(Name(At(externals.name(), i)), externals_);
  }
}

void NativeWriter::EndObjects() {
  run_.Flush();
  WriteUleb(totals_.externals(), out_);
  CopyTo(externals_, 0, externals_.size(), out_);
  CopyTo(hashes_, 0, hashes_.size(), out_);
}

void NativeWriter::AddExtra(const pb::Extra& extra) {
  if (extra.format() == "dartheap" && extra.section() == kTrailingSection)
    out_.Write(extra.data());
  else if (!extra.continued())
    ++extras_;
}

Status NativeWriter::Finish() {
  losses_.Lose("dartheap.extra", extras_);
  out_.Flush();
  return status();
}

}  // namespace

std::unique_ptr<Writer> MakeNativeWriter(ByteSink& sink, Context& context) {
  return std::make_unique<NativeWriter>(sink, context);
}

}  // namespace heapglot::dartheap
