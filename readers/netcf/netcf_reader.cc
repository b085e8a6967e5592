#include "readers/netcf/netcf_reader.h"

#include <algorithm>
#include <limits>
#include <memory>
#include <optional>
#include <string>

#include "core/chunk_builder.h"
#include "core/text/utf.h"
#include "readers/netcf/netcf_checks.h"
#include "readers/netcf/netcf_findings.h"
#include "readers/netcf/netcf_index.h"
#include "readers/netcf/netcf_line.h"
#include "readers/netcf/netcf_text.h"
#include "readers/netcf/netcf_wire.h"

namespace heapglot {
namespace {

using netcf::Checks;
using netcf::Domain;
using netcf::Findings;
using netcf::Index;
using netcf::Line;
using netcf::Oddity;
using netcf::Text;

// A chunk of nodes and one of edges are full at about the same time.
constexpr int kEdgeRows = 4 * static_cast<int>(kChunkRows);
constexpr int kNodeRows = static_cast<int>(kChunkRows);

// Lines between two calls of Context::progress.
constexpr std::uint64_t kProgressLines = 1 << 16;

// CF devices had 32-bit processors only.
constexpr std::uint32_t kPointerSize = 4;

// The vocabulary. A root's row is its kind, or kWeakHandle, or for kind number
// i of Domain::other_kinds kWeakHandle + 1 + i.
constexpr std::string_view kNodeWord = "object";
constexpr std::string_view kEdgeWord = "reference";
struct RootWord {
  std::string_view name;
  pb::RootKind known;
  std::uint64_t source_code;
};
constexpr RootWord kRootWords[] = {
    {"internal", pb::ROOT_VM, netcf::kRootInternal},
    {"local", pb::ROOT_LOCAL, netcf::kRootLocal},
    {"finalizer queue", pb::ROOT_FINALIZER, netcf::kRootFinalizer},
    {"handle", pb::ROOT_HANDLE, netcf::kRootHandle},
    {"static", pb::ROOT_STATIC, netcf::kRootStatic},
    {"interned", pb::ROOT_INTERNED, netcf::kRootInterned},
    // A row of its own, since it keeps nothing alive.
    {"weak handle", pb::ROOT_WEAK, netcf::kRootHandle},
};
constexpr std::uint32_t kWeakHandle = 6;
constexpr std::uint64_t kWords = 2 + std::size(kRootWords);

std::uint32_t RowOf(const netcf::Root& root, const Domain& domain) {
  if (root.kind == netcf::kRootHandle && (root.flags & netcf::kFlagWeak) != 0)
    return kWeakHandle;
  if (root.kind < netcf::kRootKinds)
    return static_cast<std::uint32_t>(root.kind);
  const auto& kinds = domain.other_kinds;
  return kWeakHandle + 1 +
         static_cast<std::uint32_t>(
             std::lower_bound(kinds.begin(), kinds.end(), root.kind) -
             kinds.begin());
}

std::uint64_t AddSaturating(std::uint64_t a, std::uint64_t b) {
  const std::uint64_t sum = a + b;
  return sum < a ? std::numeric_limits<std::uint64_t>::max() : sum;
}

std::string Hex(std::uint64_t number) {
  std::string text;
  for (; number > 15; number >>= 4)
    text.insert(text.begin(), "0123456789abcdef"[number & 15]);
  text.insert(text.begin(), "0123456789abcdef"[number]);
  return text;
}

// What a reference or root leads to.
struct Target {
  pb::TargetForm form;
  std::uint64_t to;
};
Target Resolve(std::uint64_t id, const IdMap& nodes) {
  if (id == netcf::kNullId) return {pb::TO_OMITTED, 0};
  const std::uint64_t index = nodes.Find(id);
  if (index == IdMap::kNone) return {pb::TO_DANGLING, id};
  return {pb::TO_NODE, index};
}

// Collects how records of different tables lie.
class Order {
 public:
  void Add(pb::Chunk::BodyCase body) {
    pb::RecordOrder& order = *chunk_.mutable_record_order();
    const int last = order.body_size() - 1;
    if (last >= 0 && order.body(last) == static_cast<std::uint32_t>(body)) {
      order.set_run(last, order.run(last) + 1);
      return;
    }
    order.add_body(static_cast<std::uint32_t>(body));
    order.add_run(1);
  }
  bool IsFull() const { return chunk_.record_order().body_size() > kNodeRows; }
  // Sends all, and keeps the run that may go on unless it is the end.
  Status Send(ChunkSink& out) {
    if (chunk_.record_order().body().empty()) return {};
    const Status status = out.Accept(chunk_);
    chunk_.mutable_record_order()->Clear();
    return status;
  }

 private:
  pb::Chunk chunk_;
};

// Sends one pass of the stream. The first one, which has `findings`, goes over
// all records, whatever is wanted.
class Pass {
 public:
  Pass(const ByteSource& source, Index& index, Context& context,
       Findings* findings, ChunkSet wanted, ChunkSink& out)
      : source_(source),
        index_(index),
        context_(context),
        findings_(findings),
        wanted_(wanted),
        out_(out),
        text_(source, index.form, context.limits.max_string),
        line_(text_),
        strings_(out) {}

  Status Run();

 private:
  bool Wants(pb::Chunk::BodyCase kind) const { return wanted_.Has(kind); }
  bool WantsNames() const {
    return wanted_.HasUserOfNames() || Wants(pb::Chunk::kStrings);
  }
  bool WantsRecords() const {
    return findings_ != nullptr || Wants(pb::Chunk::kNodes) ||
           Wants(pb::Chunk::kEdges) || Wants(pb::Chunk::kRoots) ||
           Wants(pb::Chunk::kExtra) || Wants(pb::Chunk::kRecordOrder);
  }

  Status SendHeader();
  Status SendDomain();
  Status SendGraph();
  Status SendNames();
  Status SendWords(std::uint64_t first_other_kind);
  Status SendTypes();
  Status AddType(std::uint64_t id, std::string_view name);
  Status AddName(std::string_view name);
  Status FlushTypes();
  Status SendMarks();
  Status SendRecords();
  Status SendLine();
  Status SendGraphEnd();
  Status SendFooter();

  Status AddTypeLine();
  Status AddObjectLine();
  Status AddObject(const netcf::Object& object, std::uint64_t type);
  Status AddReferences();
  Status SplitReferences();
  void AddNode(std::uint64_t edges);
  Status AddRootLine();
  Status KeepLine();
  Status SendExtra(std::string_view section, std::uint64_t position,
                   std::string_view data);
  Status NoteOrder(pb::Chunk::BodyCase body);
  Status FlushNodes();
  Status FlushEdges();
  Status FlushRoots();

  // Whether record `ordinal` of a table is there a second time. In order.
  static const IdMap::Duplicate* DuplicateAt(const IdMap& ids,
                                             std::uint64_t ordinal,
                                             std::size_t* next) {
    if (*next == ids.duplicates().size() ||
        ids.duplicates()[*next].ordinal != ordinal)
      return nullptr;
    return &ids.duplicates()[(*next)++];
  }

  const ByteSource& source_;
  Index& index_;
  Context& context_;
  Findings* findings_;
  ChunkSet wanted_;
  ChunkSink& out_;
  Text text_;
  Line line_;
  StringBuilder strings_;
  std::size_t graph_ = 0;
  std::uint64_t first_word_ = 0;  // string

  // Of this domain.
  Domain* domain_ = nullptr;
  std::optional<Checks> checks_;
  std::uint64_t types_ = 0;
  std::uint64_t type_lines_ = 0;
  std::uint64_t object_lines_ = 0;
  std::uint64_t nodes_ = 0;
  std::uint64_t roots_ = 0;
  std::uint64_t position_ = 0;  // records so far
  std::size_t next_type_duplicate_ = 0;
  std::size_t next_object_duplicate_ = 0;
  Order order_;
  std::uint64_t edges_ = 0;
  std::uint64_t omitted_ = 0;
  std::uint64_t dangling_ = 0;
  std::uint64_t self_sizes_ = 0;
  std::uint64_t first_edge_ = 0;  // of the chunk

  // Of the object in hand.
  netcf::Object object_;
  std::uint64_t type_ = 0;
  std::uint64_t references_ = 0;        // so far
  std::uint64_t chunk_references_ = 0;  // of these, in the chunk
  bool has_node_ = false;               // its row is there

  // Reused from chunk to chunk.
  pb::Chunk types_chunk_;
  pb::Chunk nodes_chunk_;
  pb::Chunk edges_chunk_;
  pb::Chunk roots_chunk_;
  pb::Chunk other_chunk_;
};

Status Pass::Run() {
  HEAPGLOT_RETURN_IF_ERROR(SendHeader());
  for (graph_ = 0; graph_ < index_.domains.size(); ++graph_)
    HEAPGLOT_RETURN_IF_ERROR(SendDomain());
  HEAPGLOT_RETURN_IF_ERROR(text_.status());
  if (findings_ != nullptr) HEAPGLOT_RETURN_IF_ERROR(findings_->status());
  return SendFooter();
}

Status Pass::SendHeader() {
  if (!Wants(pb::Chunk::kHeader)) return {};
  pb::Header& header = *other_chunk_.mutable_header();
  header.set_format(netcf::kFormat.data(), netcf::kFormat.size());
  header.set_source_size(source_.bytes().size());
  return out_.Accept(other_chunk_);
}

Status Pass::SendFooter() {
  if (!Wants(pb::Chunk::kFooter)) return {};
  pb::Footer& footer = *other_chunk_.mutable_footer();
  footer.set_graphs(index_.domains.size());
  footer.set_strings(strings_.next());
  return out_.Accept(other_chunk_);
}

Status Pass::SendDomain() {
  domain_ = &index_.domains[graph_];
  types_ = type_lines_ = object_lines_ = nodes_ = roots_ = position_ = 0;
  next_type_duplicate_ = next_object_duplicate_ = 0;
  edges_ = omitted_ = dangling_ = self_sizes_ = first_edge_ = 0;
  HEAPGLOT_RETURN_IF_ERROR(SendGraph());
  HEAPGLOT_RETURN_IF_ERROR(SendNames());
  HEAPGLOT_RETURN_IF_ERROR(SendMarks());
  if (WantsRecords()) HEAPGLOT_RETURN_IF_ERROR(SendRecords());
  return SendGraphEnd();
}

// ------------------------------------------------------- domains and names

Status Pass::SendGraph() {
  if (!Wants(pb::Chunk::kGraph)) return {};
  pb::Graph& graph = *other_chunk_.mutable_graph();
  graph.Clear();
  const auto set = [](const std::string& text, pb::Text* to) {
    to->set_data(text);
    to->set_encoding(ClassifyUtf8(text));
  };
  const Domain& domain = *domain_;
  if (domain.has_start) {
    set(domain.name, graph.mutable_name());
    set(domain.version, graph.mutable_source_version());
  }
  if (domain.has_timestamp) set(domain.timestamp, graph.mutable_timestamp());
  if (domain.end_line != 0 && domain.end_name != domain.name)
    set(domain.end_name, graph.mutable_end_name());
  if (domain.has_end_timestamp)
    set(domain.end_timestamp, graph.mutable_end_timestamp());
  graph.set_id_space(pb::Graph::UNSTABLE);
  graph.set_pointer_size(kPointerSize);
  graph.set_edges_grouped(true);
  return out_.Accept(other_chunk_);
}

// Strings: the words, with the first graph; names of kinds of root; names of
// types in file order.
Status Pass::SendNames() {
  const std::uint64_t words = graph_ == 0 ? kWords : 0;
  if (graph_ == 0) first_word_ = strings_.next();
  if (!WantsNames()) {
    strings_.Skip(words + domain_->other_kinds.size() + domain_->named_types);
    return {};
  }
  strings_.BeginNames(true);
  if (graph_ == 0) {
    HEAPGLOT_RETURN_IF_ERROR(strings_.Add(kNodeWord, pb::UTF8));
    HEAPGLOT_RETURN_IF_ERROR(strings_.Add(kEdgeWord, pb::UTF8));
    for (const RootWord& word : kRootWords)
      HEAPGLOT_RETURN_IF_ERROR(strings_.Add(word.name, pb::UTF8));
  }
  const std::uint64_t first_other_kind = strings_.next();
  for (const std::uint64_t kind : domain_->other_kinds)
    HEAPGLOT_RETURN_IF_ERROR(strings_.Add("kind " + Hex(kind), pb::UTF8));
  HEAPGLOT_RETURN_IF_ERROR(strings_.Flush());
  HEAPGLOT_RETURN_IF_ERROR(SendWords(first_other_kind));
  return SendTypes();
}

Status Pass::SendWords(std::uint64_t first_other_kind) {
  if (!Wants(pb::Chunk::kVocabulary)) return {};
  pb::Vocabulary& words = *other_chunk_.mutable_vocabulary();
  words.Clear();
  words.set_space(pb::Vocabulary::NODE_KIND);
  words.add_name(first_word_);
  words.add_known(pb::NODE_OBJECT);
  HEAPGLOT_RETURN_IF_ERROR(out_.Accept(other_chunk_));

  words.set_space(pb::Vocabulary::EDGE_KIND);
  words.set_name(0, first_word_ + 1);
  words.set_known(0, pb::EDGE_OTHER);
  words.add_name_form(pb::NAME_NONE);
  HEAPGLOT_RETURN_IF_ERROR(out_.Accept(other_chunk_));

  words.Clear();
  words.set_space(pb::Vocabulary::ROOT_KIND);
  std::uint64_t name = first_word_ + 2;
  for (const RootWord& word : kRootWords) {
    words.add_name(name++);
    words.add_known(word.known);
    words.add_source_code(static_cast<std::int64_t>(word.source_code));
  }
  for (const std::uint64_t kind : domain_->other_kinds) {
    words.add_name(first_other_kind++);
    words.add_known(pb::ROOT_OTHER);
    words.add_source_code(static_cast<std::int64_t>(kind));
  }
  return out_.Accept(other_chunk_);
}

Status Pass::SendTypes() {
  text_.Seek(domain_->begin);
  line_.ReportTo(nullptr);
  std::size_t next_duplicate = 0;
  // Most logs name most types early.
  for (std::uint64_t i = 0; i < domain_->types.added() && text_.HasLine();
       line_.End()) {
    std::uint64_t id = 0;
    if (line_.Begin() != netcf::kType || line_.number() == index_.cut_line ||
        !netcf::ReadTypeId(line_, nullptr, &id))
      continue;
    if (DuplicateAt(domain_->types, i++, &next_duplicate) != nullptr) continue;
    HEAPGLOT_RETURN_IF_ERROR(AddType(id, line_.Rest()));
  }
  return FlushTypes();
}

Status Pass::AddType(std::uint64_t id, std::string_view name) {
  pb::Types& types = *types_chunk_.mutable_types();
  types.add_id(id);
  types.add_name(name.empty() ? 0 : strings_.next());
  if (!name.empty()) HEAPGLOT_RETURN_IF_ERROR(AddName(name));
  return types.id_size() < kNodeRows ? Status() : FlushTypes();
}

Status Pass::AddName(std::string_view name) {
  while (name.size() > kChunkText) {
    const std::string_view piece =
        name.substr(0, CutAtCodePoint(name, kChunkText));
    strings_.text()->append(piece);
    HEAPGLOT_RETURN_IF_ERROR(strings_.Finish(ClassifyUtf8(piece), true));
    name.remove_prefix(piece.size());
  }
  return strings_.Add(name, ClassifyUtf8(name));
}

Status Pass::FlushTypes() {
  HEAPGLOT_RETURN_IF_ERROR(strings_.Flush());
  pb::Types& types = *types_chunk_.mutable_types();
  const auto rows = static_cast<std::uint32_t>(types.id_size());
  types.set_first(types_);
  types.set_count(rows);
  types_ += rows;
  Status status;
  if (rows > 0 && Wants(pb::Chunk::kTypes)) status = out_.Accept(types_chunk_);
  types.Clear();
  return status;
}

Status Pass::SendMarks() {
  if (!domain_->has_start) {
    HEAPGLOT_RETURN_IF_ERROR(
        SendExtra(netcf::kSectionDomain, 0, netcf::kDomainWithoutStart));
  }
  if (domain_->end_line != 0) return {};
  return SendExtra(netcf::kSectionDomain, 0, netcf::kDomainWithoutEnd);
}

// ----------------------------------------------------------------- records

Status Pass::SendRecords() {
  text_.Seek(domain_->begin);
  if (findings_ != nullptr) checks_.emplace(*domain_, line_, *findings_);
  strings_.BeginOthers(false);
  const std::uint64_t end_line =
      graph_ + 1 < index_.domains.size()
          ? index_.domains[graph_ + 1].begin.line
          : std::numeric_limits<std::uint64_t>::max();
  for (std::uint64_t i = 0; text_.HasLine() && text_.line() < end_line; ++i) {
    if (i % kProgressLines == 0 && context_.progress)
      context_.progress("converting", text_.place().offset, index_.form.end);
    HEAPGLOT_RETURN_IF_ERROR(SendLine());
    line_.End();
  }
  HEAPGLOT_RETURN_IF_ERROR(FlushNodes());
  HEAPGLOT_RETURN_IF_ERROR(FlushEdges());
  HEAPGLOT_RETURN_IF_ERROR(FlushRoots());
  if (Wants(pb::Chunk::kRecordOrder))
    HEAPGLOT_RETURN_IF_ERROR(order_.Send(out_));
  if (!checks_) return {};
  checks_->EndDomain();
  checks_.reset();
  domain_->edges = edges_;
  domain_->omitted = omitted_;
  domain_->dangling = dangling_;
  domain_->self_sizes = self_sizes_;
  return {};
}

Status Pass::SendLine() {
  line_.ReportTo(nullptr);
  const char letter = line_.Begin();
  if (line_.number() == index_.cut_line) return KeepLine();
  switch (letter) {
    case netcf::kObject:
      line_.ReportTo(findings_);
      return AddObjectLine();
    case netcf::kRoot:
      line_.ReportTo(findings_);
      return AddRootLine();
    case netcf::kType:
      return AddTypeLine();
    case netcf::kDomainStart:  // the first line
    case Line::kBlank:
      return {};
    case netcf::kDomainEnd:
      if (line_.number() != domain_->end_line) return KeepLine();
      ++position_;
      return {};
    default:
      return KeepLine();
  }
}

Status Pass::NoteOrder(pb::Chunk::BodyCase body) {
  ++position_;
  if (domain_->is_in_usual_order || !Wants(pb::Chunk::kRecordOrder)) return {};
  order_.Add(body);
  return order_.IsFull() ? order_.Send(out_) : Status();
}

Status Pass::AddTypeLine() {
  std::uint64_t id = 0;
  if (!netcf::ReadTypeId(line_, nullptr, &id)) return KeepLine();
  const IdMap::Duplicate* const duplicate =
      DuplicateAt(domain_->types, type_lines_++, &next_type_duplicate_);
  if (duplicate == nullptr) return NoteOrder(pb::Chunk::kTypes);
  if (checks_) checks_->AddDuplicateType(*duplicate, line_.Rest());
  return KeepLine();
}

Status Pass::AddObjectLine() {
  if (!netcf::ReadObject(line_, findings_, &object_)) return KeepLine();
  const IdMap::Duplicate* const duplicate =
      DuplicateAt(domain_->nodes, object_lines_++, &next_object_duplicate_);
  type_ = domain_->types.Find(object_.type);
  if (checks_) checks_->BeginObject(object_, type_);
  if (duplicate == nullptr) {
    HEAPGLOT_RETURN_IF_ERROR(AddReferences());
    if (checks_) checks_->EndObject(nodes_ - 1);
    return NoteOrder(pb::Chunk::kNodes);
  }
  if (checks_) {
    std::uint64_t id = 0;
    for (Line::Got got = line_.Number(&id); got != Line::Got::kEnd;
         got = line_.Number(&id)) {
      if (got == Line::Got::kNumber) {
        checks_->Reference(id,
                           Resolve(id, domain_->nodes).form != pb::TO_DANGLING);
      }
    }
    checks_->EndDuplicate(*duplicate);
  }
  return KeepLine();
}

// The references of an object, and the object.
Status Pass::AddReferences() {
  const bool send = Wants(pb::Chunk::kEdges);
  pb::Edges& edges = *edges_chunk_.mutable_edges();
  if (send && edges.edges_per_node().empty()) edges.set_first_node(nodes_);
  references_ = chunk_references_ = 0;
  has_node_ = false;
  std::uint64_t id = 0;
  for (Line::Got got = line_.Number(&id); got != Line::Got::kEnd;
       got = line_.Number(&id)) {
    if (got == Line::Got::kMalformed) continue;
    const Target target = Resolve(id, domain_->nodes);
    if (checks_) checks_->Reference(id, target.form != pb::TO_DANGLING);
    omitted_ += target.form == pb::TO_OMITTED ? 1 : 0;
    dangling_ += target.form == pb::TO_DANGLING ? 1 : 0;
    if (send) {
      const int row = edges.to_size();
      if (row >= kEdgeRows) {
        ++references_;
        HEAPGLOT_RETURN_IF_ERROR(SplitReferences());
        --references_;
      }
      edges.add_to(target.to);
      if (target.form != pb::TO_NODE) {
        SetSparse(edges.mutable_to_form(), edges.to_size() - 1,
                  static_cast<std::uint32_t>(target.form));
      }
      ++chunk_references_;
    }
    ++references_;
  }
  if (!has_node_) AddNode(references_);
  edges_ += references_;
  if (send) {
    edges.add_edges_per_node(static_cast<std::uint32_t>(chunk_references_));
  }
  const bool is_full = nodes_chunk_.nodes().id_size() >= kNodeRows ||
                       edges.edges_per_node_size() >= kNodeRows ||
                       edges.to_size() >= kEdgeRows;
  if (!is_full) return {};
  HEAPGLOT_RETURN_IF_ERROR(FlushNodes());
  return FlushEdges();
}

// Sends what there is of an object that fills more than a chunk. references_
// counts the one in hand, too.
Status Pass::SplitReferences() {
  if (!has_node_) {
    AddNode(references_ + line_.CountNumbers());
    has_node_ = true;
    HEAPGLOT_RETURN_IF_ERROR(FlushNodes());
  }
  pb::Edges& edges = *edges_chunk_.mutable_edges();
  edges.add_edges_per_node(static_cast<std::uint32_t>(chunk_references_));
  HEAPGLOT_RETURN_IF_ERROR(FlushEdges());
  edges.set_first_node(nodes_ - 1);
  chunk_references_ = 0;
  line_.Release();
  return {};
}

void Pass::AddNode(std::uint64_t edges) {
  self_sizes_ = AddSaturating(self_sizes_, object_.size);
  ++nodes_;
  if (!Wants(pb::Chunk::kNodes)) return;
  pb::Nodes& nodes = *nodes_chunk_.mutable_nodes();
  const int row = nodes.id_size();
  if (row == 0) {
    for (auto* const column :
         {nodes.mutable_id(), nodes.mutable_type_ref(),
          nodes.mutable_self_size(), nodes.mutable_edge_count()})
      column->Reserve(kNodeRows);
    nodes.set_first(nodes_ - 1);
  }
  const bool is_defined = type_ != IdMap::kNone;
  nodes.mutable_id()->AddAlreadyReserved(object_.id);
  nodes.mutable_type_ref()->AddAlreadyReserved(is_defined ? type_ + 1
                                                          : object_.type);
  nodes.mutable_self_size()->AddAlreadyReserved(object_.size);
  nodes.mutable_edge_count()->AddAlreadyReserved(edges);
  if (!is_defined) {
    SetSparse(nodes.mutable_flags(), row,
              static_cast<std::uint32_t>(pb::NODE_TYPE_DANGLING));
  }
}

Status Pass::FlushNodes() {
  pb::Nodes& nodes = *nodes_chunk_.mutable_nodes();
  const int rows = nodes.id_size();
  if (rows == 0) return {};
  nodes.set_count(static_cast<std::uint32_t>(rows));
  FillColumn(nodes.mutable_flags(), rows);
  const Status status = out_.Accept(nodes_chunk_);
  nodes.Clear();
  return status;
}

Status Pass::FlushEdges() {
  pb::Edges& edges = *edges_chunk_.mutable_edges();
  const int rows = edges.to_size();
  Status status;
  if (rows > 0) {
    edges.set_first(first_edge_);
    edges.set_count(static_cast<std::uint32_t>(rows));
    FillColumn(edges.mutable_to_form(), rows);
    first_edge_ += static_cast<std::uint64_t>(rows);
    status = out_.Accept(edges_chunk_);
  }
  edges.Clear();
  return status;
}

Status Pass::AddRootLine() {
  netcf::Root root;
  if (!netcf::ReadRoot(line_, findings_, &root)) return KeepLine();
  const Target target = Resolve(root.id, domain_->nodes);
  const std::uint64_t container =
      root.has_container ? domain_->types.Find(root.container) : IdMap::kNone;
  if (checks_)
    checks_->AddRoot(root, target.form != pb::TO_DANGLING, container);
  HEAPGLOT_RETURN_IF_ERROR(NoteOrder(pb::Chunk::kRoots));
  if (!Wants(pb::Chunk::kRoots)) return {};
  pb::Roots& roots = *roots_chunk_.mutable_roots();
  const int row = roots.to_size();
  SetSparse(roots.mutable_to_form(), row,
            static_cast<std::uint32_t>(target.form));
  roots.add_to(target.to);
  roots.add_kind(RowOf(root, *domain_));
  SetSparse(roots.mutable_flags(), row, root.flags);
  if (container != IdMap::kNone)
    SetSparse(roots.mutable_container_ref(), row, container + 1);
  else if (root.has_container)
    SetSparse(roots.mutable_container_id(), row, root.container);
  return row + 1 < kNodeRows ? Status() : FlushRoots();
}

Status Pass::FlushRoots() {
  pb::Roots& roots = *roots_chunk_.mutable_roots();
  const int rows = roots.to_size();
  if (rows == 0) return {};
  roots.set_first(roots_);
  roots.set_count(static_cast<std::uint32_t>(rows));
  roots_ += static_cast<std::uint64_t>(rows);
  FillColumn(roots.mutable_to_form(), rows);
  FillColumn(roots.mutable_flags(), rows);
  FillColumn(roots.mutable_container_ref(), rows);
  FillColumn(roots.mutable_container_id(), rows);
  const Status status = out_.Accept(roots_chunk_);
  roots.Clear();
  return status;
}

Status Pass::KeepLine() {
  return SendExtra(netcf::kSectionLine, position_, line_.Whole());
}

Status Pass::SendExtra(std::string_view section, std::uint64_t position,
                       std::string_view data) {
  if (!Wants(pb::Chunk::kExtra)) return {};
  pb::Extra& extra = *other_chunk_.mutable_extra();
  extra.set_format(netcf::kFormat.data(), netcf::kFormat.size());
  extra.set_section(section.data(), section.size());
  extra.set_position(position);
  do {
    const std::string_view piece = data.substr(0, kChunkText);
    data.remove_prefix(piece.size());
    extra.set_data(piece.data(), piece.size());
    extra.set_continued(!data.empty());
    HEAPGLOT_RETURN_IF_ERROR(out_.Accept(other_chunk_));
  } while (!data.empty());
  return {};
}

Status Pass::SendGraphEnd() {
  if (!Wants(pb::Chunk::kGraphEnd)) return {};
  pb::GraphEnd& end = *other_chunk_.mutable_graph_end();
  end.Clear();
  end.set_types(domain_->names.size());
  end.set_nodes(domain_->nodes.size());
  end.set_edges(domain_->edges);
  end.set_roots(domain_->roots);
  end.set_self_size_total(domain_->self_sizes);
  end.set_edges_omitted(domain_->omitted);
  end.set_edges_dangling(domain_->dangling);
  return out_.Accept(other_chunk_);
}

class NetcfReader : public Reader {
 public:
  NetcfReader(const ByteSource& source, Context& context)
      : source_(source), context_(context) {}

  Status Read(ChunkSet wanted, ChunkSink& out) override {
    if (is_checked_)
      return Pass(source_, index_, context_, nullptr, wanted, out).Run();
    // A first pass that its sink has ended is no first pass.
    index_ = Index();
    Findings findings(context_.strict);
    Status status = netcf::BuildIndex(source_, context_, &findings, &index_);
    if (status.ok())
      status = Pass(source_, index_, context_, &findings, wanted, out).Run();
    is_checked_ = status.ok();
    findings.Report(context_);
    return status;
  }

 private:
  const ByteSource& source_;
  Context& context_;
  Index index_;
  bool is_checked_ = false;
};

// "a 2 NAME": a letter, a version that is no address, and a name. README.md
// says what must not be taken for it.
Sniff SniffText(std::string_view head) {
  const std::size_t start = head.find_first_not_of(" \t\r\n");
  if (start == std::string_view::npos) return Sniff::kNo;
  head.remove_prefix(start);
  const bool is_upper = head.starts_with('A');
  if ((!is_upper && !head.starts_with(netcf::kDomainStart)) ||
      head.size() < 2 || (head[1] != ' ' && head[1] != '\t'))
    return Sniff::kNo;
  head.remove_prefix(std::min(head.find_first_not_of(" \t", 1), head.size()));
  constexpr std::size_t kMaxDigits = 8;
  const std::size_t digits =
      std::min(head.find_first_not_of("0123456789abcdef"), head.size());
  if (digits == 0 || digits > kMaxDigits) return Sniff::kNo;
  head.remove_prefix(digits);
  const std::size_t name = std::min(head.find_first_not_of(" \t"), head.size());
  head.remove_prefix(name);
  if (head.empty() || head[0] == '\r' || head[0] == '\n') return Sniff::kMaybe;
  if (name == 0 || head.starts_with("0x") || head.starts_with("0X"))
    return Sniff::kNo;
  return is_upper ? Sniff::kMaybe : Sniff::kYes;
}

Sniff SniffNetcf(std::string_view head) {
  const netcf::TextForm form = netcf::FormOf(head);
  if (form.encoding == netcf::Encoding::kUtf8)
    return SniffText(head.substr(form.begin));
  // Every other byte of ASCII.
  std::string text;
  const std::size_t low = form.encoding == netcf::Encoding::kUtf16Le ? 0 : 1;
  for (std::size_t i = form.begin; i + 1 < head.size(); i += 2)
    text.push_back(head[i + 1 - low] == 0 ? head[i + low] : '?');
  return SniffText(text);
}

}  // namespace

constinit const ReaderInfo kNetcfReader = {
    .name = "netcf",
    .title = ".NET Compact Framework GC log",
    .extensions = "gclog log",
    .sniff = SniffNetcf,
    .make = [](const ByteSource& source,
               Context& context) -> std::unique_ptr<Reader> {
      return std::make_unique<NetcfReader>(source, context);
    },
};

}  // namespace heapglot
