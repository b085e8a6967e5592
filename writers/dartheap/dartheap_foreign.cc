#include "writers/dartheap/dartheap_foreign.h"

#include <bit>
#include <charconv>
#include <string>
#include <string_view>
#include <vector>

#include "core/bytes/buffered_out.h"
#include "core/bytes/spill_buffer.h"
#include "core/column.h"
#include "core/ir/index_columns.h"
#include "core/leftovers/leftovers_tail.h"
#include "core/text/number.h"
#include "core/text/string_store.h"
#include "writers/dartheap/dartheap_data.h"
#include "writers/dartheap/dartheap_encode.h"
#include "writers/dartheap/dartheap_header.h"
#include "writers/dartheap/dartheap_losses.h"
#include "writers/dartheap/dartheap_objects.h"
#include "writers/dartheap/dartheap_survey.h"

namespace heapglot::dartheap {
namespace {

// A longer name is not compared with what its object shows anyway.
constexpr std::uint64_t kMaxCompared = std::uint64_t{64} << 10;

// Bytes of a Smi, which is a word of a 64-bit VM.
constexpr std::uint32_t kPointerSize = 8;

enum class ForeignStep { kSurvey, kRoots, kObjects, kDone };

// Bytes of an element of an array (pb::BasicType).
std::uint64_t ElementSize(std::uint32_t type) {
  switch (type) {
    case pb::TYPE_BOOL:
    case pb::TYPE_BYTE:
      return 1;
    case pb::TYPE_CHAR:
    case pb::TYPE_SHORT:
      return 2;
    case pb::TYPE_DOUBLE:
    case pb::TYPE_LONG:
      return 8;
    default:
      return 4;
  }
}

class ForeignWriter : public Writer, private ObjectQueue::Handler {
 public:
  ForeignWriter(ByteSink& sink, Leftovers* leftovers, Context& context)
      : out_(sink), leftovers_(leftovers), losses_(context.loss) {}

  ChunkSet Wanted(int pass) override;
  Status Accept(const pb::Chunk& chunk) override;
  Status Finish() override;

 private:
  ForeignStep NextStep();
  void WriteHeader();
  void WriteClasses();
  void WriteClass(ClassName name, std::span<const Field> fields);
  void BeginObjects();
  void BeginRoot();
  void WriteRoots(const pb::Roots& roots);
  void AddNodes(const pb::Nodes& nodes);
  void AddExternals(const pb::Externals& externals);
  void WriteStandIns();
  void EndObjects();
  Status WriteLeftovers();

  // The data of a node. The base of its class may change from kOneByteString to
  // kTwoByteString.
  Data DataOf(const pb::Nodes& nodes, int row, Base* base);
  Data TextOf(const pb::Nodes& nodes, int row);
  Data ValueOf(const pb::Nodes& nodes, int row, Base base);
  // Whether the name of the node can be seen without being written.
  bool ShowsName(const pb::Nodes& nodes, int row, Base base, const Data& data);
  ClassName NameOfBase(Base base);

  // ObjectQueue::Handler
  void TakeEdges(const pb::Edges& edges, int begin, int end) override;
  void FinishNode() override;

  std::string_view Text(std::uint64_t string) {
    return survey_.strings().Find(string);
  }
  Status status() const;

  BufferedOut out_;
  Leftovers* const leftovers_;
  Losses losses_;
  ForeignStep step_ = ForeignStep::kDone;
  Survey survey_;
  std::string format_uri_;

  ObjectQueue queue_{*this};
  // Of the front node.
  std::vector<Field> fields_;
  SpillBuffer named_{std::size_t{1} << 20};
  SpillBuffer elements_{std::size_t{1} << 20};
  std::uint64_t named_count_ = 0;
  std::uint64_t element_count_ = 0;

  SpillBuffer externals_{std::size_t{256} << 10};
  SpillBuffer hashes_{std::size_t{1} << 20};
  std::string number_;  // reused
  TextMeasure measure_;
  TextBudget texts_;
  Tally names_, edge_names_, bytes_, named_texts_, cut_texts_, repeated_;
  // How many have names that were cut.
  std::uint64_t cut_classes_ = 0;
  std::uint64_t cut_fields_ = 0;
  std::uint64_t cut_externals_ = 0;
};

ChunkSet ForeignWriter::Wanted(int pass) {
  step_ = pass == 0 ? ForeignStep::kSurvey : NextStep();
  switch (step_) {
    case ForeignStep::kSurvey:
      return Survey::Wanted();
    case ForeignStep::kRoots:
      return {pb::Chunk::kRoots};
    case ForeignStep::kObjects:
      return {pb::Chunk::kNodes, pb::Chunk::kEdges, pb::Chunk::kExternals};
    case ForeignStep::kDone:
      break;
  }
  return {};
}

ForeignStep ForeignWriter::NextStep() {
  switch (step_) {
    case ForeignStep::kSurvey:
      survey_.Finish();
      survey_.CountLosses(losses_);
      WriteHeader();
      texts_.Add(survey_.strings().size());
      WriteClasses();
      BeginObjects();
      if (!survey_.makes_root()) return ForeignStep::kObjects;
      BeginRoot();
      return ForeignStep::kRoots;
    case ForeignStep::kRoots:
      return ForeignStep::kObjects;
    case ForeignStep::kObjects:
      EndObjects();
      return ForeignStep::kDone;
    case ForeignStep::kDone:
      break;
  }
  return ForeignStep::kDone;
}

Status ForeignWriter::Accept(const pb::Chunk& chunk) {
  if (step_ == ForeignStep::kSurvey) return survey_.Accept(chunk);
  if (chunk.has_roots()) WriteRoots(chunk.roots());
  if (chunk.has_nodes()) AddNodes(chunk.nodes());
  if (chunk.has_edges()) queue_.AddEdges(chunk.edges());
  if (chunk.has_externals()) AddExternals(chunk.externals());
  return status();
}

Status ForeignWriter::status() const {
  for (const Status* const status :
       {&out_.status(), &survey_.status(), &queue_.status(), &named_.status(),
        &elements_.status(), &externals_.status(), &hashes_.status()})
    if (!status->ok()) return *status;
  return {};
}

// ------------------------------------------------------- header and classes

void ForeignWriter::WriteHeader() {
  const pb::Graph& graph = survey_.graph();
  const pb::GraphEnd& totals = survey_.totals();
  out_.Write(kMagic);
  WriteUleb(0, out_);
  WriteString(graph.name().data(), out_);
  WriteUleb(StatedSelfSize(graph, totals), out_);
  WriteUleb(StatedCapacity(graph, totals), out_);
  WriteUleb(StatedExternalSize(graph, totals), out_);
}

ClassName ForeignWriter::NameOfBase(Base base) {
  const std::uint64_t index = IndexOf(base);
  const ClassName unknown = {"(no class)", survey_.format(), format_uri_};
  switch (SpaceOf(base)) {
    case BaseSpace::kVm:
      return NameOf(static_cast<VmClass>(index));
    case BaseSpace::kWord: {
      if (index >= survey_.words().size()) return unknown;
      const Survey::Word& word = survey_.words()[index];
      const std::string_view name = Text(word.name);
      const std::string_view shown = name.empty() ? unknown.name : name;
      // A class without a library belongs to the VM.
      if (word.known != pb::NODE_OBJECT) return {shown, "", ""};
      return {shown, survey_.format(), format_uri_};
    }
    case BaseSpace::kType:
      break;
  }
  if (index >= survey_.types().size()) return unknown;
  const Survey::Type& type = survey_.types()[index];
  if (type.library_name == 0 && type.library_uri == 0)
    return {Text(type.name), survey_.format(), format_uri_};
  return {Text(type.name), Text(type.library_name), Text(type.library_uri)};
}

void ForeignWriter::WriteClasses() {
  if (!survey_.format().empty()) format_uri_ = survey_.format() + ":";
  ShapeTable& shapes = survey_.shapes();
  WriteUleb(shapes.class_count(), out_);
  for (const ShapeTable::Shape& shape : shapes.shapes()) {
    WriteClass(NameOfBase(shape.base), shapes.FieldsOf(shape));
    if (shape.base == MakeBase(VmClass::kOneByteString))
      WriteClass(NameOf(VmClass::kTwoByteString), shapes.FieldsOf(shape));
  }
  losses_.Make(kMadeClass, shapes.class_count());
}

void ForeignWriter::WriteClass(ClassName name, std::span<const Field> fields) {
  bool is_cut = false;
  for (std::string_view* const text :
       {&name.name, &name.library_name, &name.library_uri})
    is_cut = Spend(texts_, *text) || is_cut;
  if (is_cut) ++cut_classes_;
  WriteUleb(0, out_);
  WriteString(name.name, out_);
  WriteString(name.library_name, out_);
  WriteString(name.library_uri, out_);
  WriteString({}, out_);
  WriteUleb(fields.size(), out_);
  std::uint64_t slot = 0;
  for (const Field field : fields) {
    // What the VM writes for a strong reference.
    WriteUleb(field.is_weak() ? 0 : 1, out_);
    WriteUleb(slot++, out_);
    std::string_view text = Text(field.name());
    if (Spend(texts_, text)) ++cut_fields_;
    WriteString(text, out_);
    WriteString({}, out_);
  }
}

// ------------------------------------------------------------------ objects

void ForeignWriter::BeginObjects() {
  const std::uint64_t made = survey_.makes_root() ? 1 : 0;
  const std::uint64_t references =
      survey_.totals().edges() + made * survey_.root_references();
  WriteUleb(references, out_);
  WriteUleb(
      made + survey_.totals().nodes() + survey_.stand_ins().items().size(),
      out_);
}

void ForeignWriter::BeginRoot() {
  WriteUleb(survey_.shapes().Find(Survey::kRoot, {}).class_id, out_);
  WriteUleb(0, out_);
  WriteUleb(0, hashes_);
  WriteUleb(kTagNone, out_);
  WriteUleb(survey_.root_references(), out_);
  if (const std::uint64_t root = survey_.graph().root_ref(); root != 0)
    WriteUleb(survey_.Target(pb::TO_NODE, root - 1), out_);
  losses_.Make(kMadeRoot, 1);
}

void ForeignWriter::WriteRoots(const pb::Roots& roots) {
  for (int i = 0; i < static_cast<int>(roots.count()); ++i) {
    if (!survey_.IsRoot(At(roots.kind(), i))) continue;
    WriteUleb(survey_.Target(At(roots.to_form(), i), At(roots.to(), i)), out_);
  }
}

void ForeignWriter::AddNodes(const pb::Nodes& nodes) {
  for (int row = 0; row < static_cast<int>(nodes.count()); ++row) {
    Base base = survey_.BaseOf(nodes, row);
    const std::uint64_t node = nodes.first() + static_cast<std::uint64_t>(row);
    Data data = DataOf(nodes, row, &base);
    if (data.is_raw) bytes_.Add(node);
    if (Spend(texts_, data)) repeated_.Add(node);
    WriteUleb(At(nodes.self_size(), row), queue_.body());
    WriteData(data, queue_.body());
    WriteUleb(At(nodes.identity_hash(), row), hashes_);
    queue_.Push(base, At(nodes.edge_count(), row));
  }
  queue_.Drain();
}

Data ForeignWriter::DataOf(const pb::Nodes& nodes, int row, Base* base) {
  Data data = IsStringForm(At(nodes.value_form(), row))
                  ? TextOf(nodes, row)
                  : ValueOf(nodes, row, *base);
  if (*base == MakeBase(VmClass::kOneByteString) && data.tag == kTagUtf16)
    *base = MakeBase(VmClass::kTwoByteString);
  const std::uint64_t name = At(nodes.name(), row);
  if (name == 0 || ShowsName(nodes, row, *base, data)) return data;
  const StringStore::Text text = survey_.strings().Locate(name);
  if (data.tag == kTagNone) return NameData(text, survey_.strings());
  if (text.size > 0)
    names_.Add(nodes.first() + static_cast<std::uint64_t>(row));
  return data;
}

Data ForeignWriter::TextOf(const pb::Nodes& nodes, int row) {
  const std::uint32_t form = At(nodes.value_form(), row);
  StringStore& strings = survey_.strings();
  const StringStore::Text text = strings.Locate(At(nodes.value(), row));
  if (form == pb::V_ARRAY) {
    Data data;
    data.tag = kTagLength;
    data.number = text.size / ElementSize(At(nodes.value_encoding(), row));
    return data;
  }
  const bool is_text = form != pb::V_NAME && form != pb::V_JSON &&
                       IsTextKind(survey_.WordOf(nodes, row).known);
  if (!is_text) {
    if (At(nodes.value_length(), row) != 0)
      cut_texts_.Add(nodes.first() + static_cast<std::uint64_t>(row));
    if (form != pb::V_NAME && form != pb::V_JSON)
      named_texts_.Add(nodes.first() + static_cast<std::uint64_t>(row));
    return NameData(text, strings);
  }
  Data data = StringData(text, measure_.Of(text, strings), strings,
                         form == pb::V_UTF16);
  data.length = At(nodes.value_length(), row);
  return data;
}

Data ForeignWriter::ValueOf(const pb::Nodes& nodes, int row, Base base) {
  Data data;
  data.number = At(nodes.value(), row);
  const std::uint32_t form = At(nodes.value_form(), row);
  switch (form) {
    case pb::V_INT:
    case pb::V_UINT: {
      IntClass of = IntClass::kOther;
      if (base == MakeBase(VmClass::kMint)) of = IntClass::kMint;
      if (SpaceOf(base) == BaseSpace::kType &&
          IndexOf(base) < survey_.types().size())
        of = survey_.types()[IndexOf(base)].int_class;
      return IntData(data.number, pb::USUAL, of, kPointerSize);
    }
    case pb::V_BOOL:
      data.number = data.number != 0 ? 1 : 0;
      [[fallthrough]];
    case pb::V_NULL:
    case pb::V_DOUBLE:
    case pb::V_LENGTH:
      data.tag = form;
      break;
    default:
      break;
  }
  return data;
}

bool ForeignWriter::ShowsName(const pb::Nodes& nodes, int row, Base base,
                              const Data& data) {
  const std::uint64_t name = At(nodes.name(), row);
  const std::uint32_t form = At(nodes.value_form(), row);
  const std::uint64_t value = At(nodes.value(), row);
  if (IsStringForm(form) && data.tag != kTagLength && value == name)
    return true;
  const StringStore::Text text = survey_.strings().Locate(name);
  if (text.size > kMaxCompared) return false;
  const std::string_view wanted = Text(name);
  if (NameOfBase(base).name == wanted) return true;
  switch (data.tag) {
    case kTagNull:
      return wanted == "null";
    case kTagBool:
      return wanted == (data.number != 0 ? "true" : "false");
    case kTagInt:
      number_.clear();
      AppendSigned(static_cast<std::int64_t>(value), &number_);
      return wanted == number_;
    case kTagDouble:
      number_.clear();
      AppendDouble(std::bit_cast<double>(value), &number_);
      return wanted == number_;
    case kTagLatin1:
    case kTagUtf16:
    case kTagName:
      return data.text.size == text.size && Text(value) == wanted;
    default:
      return false;
  }
}

void ForeignWriter::TakeEdges(const pb::Edges& edges, int begin, int end) {
  for (int row = begin; row < end; ++row) {
    const EdgeForm form = survey_.FormOf(edges, row);
    const std::uint64_t target =
        survey_.Target(At(edges.to_form(), row), At(edges.to(), row));
    if (!form.is_named) {
      WriteUleb(target, elements_);
      ++element_count_;
      continue;
    }
    WriteUleb(target, named_);
    ++named_count_;
    if (fields_.size() < ShapeTable::kMaxFields)
      fields_.push_back(Field::Of(At(edges.name(), row), form.is_weak));
  }
}

void ForeignWriter::FinishNode() {
  Base base = queue_.tag();
  const bool is_two_byte = base == MakeBase(VmClass::kTwoByteString);
  if (is_two_byte) base = MakeBase(VmClass::kOneByteString);
  const ShapeTable::Match match = survey_.shapes().Find(base, fields_);
  if (named_count_ > match.fields)
    edge_names_.Add(queue_.node(), named_count_ - match.fields);
  WriteUleb(match.class_id + (is_two_byte ? 1 : 0), out_);
  queue_.WriteBody(out_);
  WriteUleb(named_count_ + element_count_, out_);
  CopyTo(named_, 0, named_.size(), out_);
  CopyTo(elements_, 0, elements_.size(), out_);
  fields_.clear();
  named_.Clear();
  elements_.Clear();
  named_count_ = 0;
  element_count_ = 0;
}

// ------------------------------------------------------- after the objects

void ForeignWriter::AddExternals(const pb::Externals& externals) {
  for (int i = 0; i < static_cast<int>(externals.count()); ++i) {
    WriteUleb(survey_.Target(At(externals.to_form(), i), At(externals.to(), i)),
              externals_);
    WriteUleb(At(externals.size(), i), externals_);
    std::string_view name = Text(At(externals.name(), i));
    if (Spend(texts_, name)) ++cut_externals_;
    WriteString(name, externals_);
  }
}

void ForeignWriter::WriteStandIns() {
  const auto& items = survey_.stand_ins().items();
  const bool is_hexadecimal =
      survey_.graph().id_space() != pb::Graph::IMPLICIT &&
      survey_.graph().id_space() != pb::Graph::OPAQUE;
  for (const StandIns::Item& item : items) {
    WriteUleb(survey_.shapes().Find(Survey::BaseOfStandIn(item), {}).class_id,
              out_);
    WriteUleb(0, out_);
    if (item.is_rest) {
      WriteUleb(kTagNone, out_);
    } else if (item.form == pb::TO_IMMEDIATE) {
      const auto value = static_cast<std::int64_t>(item.value);
      WriteUleb(kTagInt, out_);
      if (IntegerClass(value) == VmClass::kMint)
        WriteSleb(value, out_);
      else
        WriteUleb(item.value, out_);
    } else {
      char text[20] = {'0', 'x'};
      char* const begin = is_hexadecimal ? text + 2 : text;
      const auto end = std::to_chars(begin, text + sizeof text, item.value,
                                     is_hexadecimal ? 16 : 10);
      WriteUleb(kTagName, out_);
      WriteString({text, static_cast<std::size_t>(end.ptr - text)}, out_);
    }
    WriteUleb(0, out_);
    WriteUleb(0, hashes_);
  }
  if (items.empty()) return;
  losses_.Make(kMadeStandIn, items.size());
}

void ForeignWriter::EndObjects() {
  queue_.End();
  WriteStandIns();
  WriteUleb(survey_.totals().externals(), out_);
  CopyTo(externals_, 0, externals_.size(), out_);
  // Zeros, too: the official reader expects a hash for each object.
  CopyTo(hashes_, 0, hashes_.size(), out_);
}

Status ForeignWriter::Finish() {
  losses_.Lose("dartheap.node.name.valued", names_);
  losses_.Lose("dartheap.edge.name.excess", edge_names_);
  losses_.Lose("dartheap.string.bytes", bytes_);
  losses_.Lose("dartheap.value.text.named", named_texts_);
  losses_.Lose("dartheap.value.cut.named", cut_texts_);
  losses_.Lose("dartheap.value.text.repeated", repeated_);
  losses_.Lose("dartheap.type.repeated", cut_classes_);
  losses_.Lose("dartheap.edge.name.repeated", cut_fields_);
  losses_.Lose("dartheap.external.repeated", cut_externals_);
  out_.Flush();
  HEAPGLOT_RETURN_IF_ERROR(status());
  return leftovers_ == nullptr ? Status() : WriteLeftovers();
}

Status ForeignWriter::WriteLeftovers() {
  HEAPGLOT_RETURN_IF_ERROR(
      WriteLeftoversTail(*leftovers_, [&](std::string_view bytes) {
        out_.Write(bytes);
        return out_.status();
      }));
  out_.Flush();
  return out_.status();
}

}  // namespace

std::unique_ptr<Writer> MakeForeignWriter(ByteSink& sink, Leftovers* leftovers,
                                          Context& context) {
  return std::make_unique<ForeignWriter>(sink, leftovers, context);
}

}  // namespace heapglot::dartheap
