// The order of the stream, domains and names. Records: netcf_records.cc.
#include "readers/netcf/netcf_pass.h"

#include <iterator>
#include <string>

#include "core/text/utf.h"
#include "readers/netcf/netcf_wire.h"

namespace heapglot::netcf {
namespace {

// CF devices had 32-bit processors only.
constexpr std::uint32_t kPointerSize = 4;

// The vocabulary. A root's row is its kind, or kWeakHandle, or for kind number
// i of Domain::other_kinds kWeakHandle + 1 + i (netcf_pass.h).
constexpr std::string_view kNodeWord = "object";
constexpr std::string_view kEdgeWord = "reference";
struct RootWord {
  std::string_view name;
  pb::RootKind known;
  std::uint64_t source_code;
};
constexpr RootWord kRootWords[] = {
    {"internal", pb::ROOT_VM, kRootInternal},
    {"local", pb::ROOT_LOCAL, kRootLocal},
    {"finalizer queue", pb::ROOT_FINALIZER, kRootFinalizer},
    {"handle", pb::ROOT_HANDLE, kRootHandle},
    {"static", pb::ROOT_STATIC, kRootStatic},
    {"interned", pb::ROOT_INTERNED, kRootInterned},
    // A row of its own, since it keeps nothing alive.
    {"weak handle", pb::ROOT_WEAK, kRootHandle},
};
constexpr std::uint64_t kWords = 2 + std::size(kRootWords);

static_assert(std::size(kRootWords) == kWeakHandle + 1);

std::string Hex(std::uint64_t number) {
  std::string text;
  for (; number > 15; number >>= 4)
    text.insert(text.begin(), "0123456789abcdef"[number & 15]);
  text.insert(text.begin(), "0123456789abcdef"[number]);
  return text;
}

}  // namespace

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
  header.set_format(kFormat.data(), kFormat.size());
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
    if (line_.Begin() != kType || line_.number() == index_.cut_line ||
        !ReadTypeId(line_, nullptr, &id))
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
  if (!name.empty())
    HEAPGLOT_RETURN_IF_ERROR(strings_.Add(name, ClassifyUtf8(name)));
  return types.id_size() < kNodeRows ? Status() : FlushTypes();
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
    HEAPGLOT_RETURN_IF_ERROR(SendExtra(kSectionDomain, 0, kDomainWithoutStart));
  }
  if (domain_->end_line != 0) return {};
  HEAPGLOT_RETURN_IF_ERROR(SendExtra(kSectionDomain, 0, kDomainWithoutEnd));
  const bool is_last = graph_ + 1 == index_.domains.size();
  if (!is_last || index_.cut_line == 0) return {};
  return SendExtra(kSectionDomain, 0, kDomainCut);
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

}  // namespace heapglot::netcf
