#include "tests/fuzz/stream_mutation.h"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>

#include <algorithm>
#include <iterator>
#include <variant>

#include "core/ir/columns.h"

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size,
                                        std::size_t max_size);

namespace heapglot::fuzz {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;

constexpr std::size_t kMaxRows = 1024;   // of a column that is filled
constexpr std::size_t kMaxText = 4096;   // bytes of a text that grows
constexpr std::size_t kMaxChunks = 256;  // of a stream that grows

// A number that is small, as indices and kinds are, or near a power of 2.
std::uint64_t AnyNumber(Random* random) {
  const std::uint64_t power = std::uint64_t{1} << Below(64, random);
  switch (Below(8, random)) {
    case 0:
      return power;
    case 1:
      return power - 1;
    case 2:
      return ~std::uint64_t{0} - Below(3, random);
    default:
      return Below(12, random);
  }
}

// ------------------------------------------------------------------- columns

std::vector<std::uint64_t> Load(const Message& message,
                                const FieldDescriptor& column) {
  std::vector<std::uint64_t> entries;
  std::visit([&](auto span) { entries.assign(span.begin(), span.end()); },
             EntriesOf(message, column));
  return entries;
}

void Store(const std::vector<std::uint64_t>& entries,
           const FieldDescriptor& column, Message* message) {
  message->GetReflection()->ClearField(message, &column);
  if (entries.empty()) return;
  std::visit(
      [&](auto span) {
        using Entry = typename decltype(span)::value_type;
        std::transform(entries.begin(), entries.end(), span.begin(),
                       [](auto entry) { return static_cast<Entry>(entry); });
      },
      GrowColumn(message, column, entries.size()));
}

void MutateColumn(const FieldDescriptor& column, std::size_t rows,
                  Random* random, Message* message) {
  std::vector<std::uint64_t> entries = Load(*message, column);
  if (entries.empty()) {
    entries.resize(std::min(std::max<std::size_t>(rows, 1), kMaxRows));
    for (std::uint64_t& entry : entries) entry = Below(4, random);
  }
  std::uint64_t& entry = entries[Below(entries.size(), random)];
  switch (Below(8, random)) {
    case 0:
      entries.clear();
      break;
    case 1:
      ++entry;
      break;
    case 2:
      --entry;
      break;
    case 3:
      std::swap(entry, entries[Below(entries.size(), random)]);
      break;
    default:
      entry = AnyNumber(random);
  }
  Store(entries, column, message);
}

// ------------------------------------------------------------------- messages

void SetNumber(const FieldDescriptor& field, std::uint64_t value,
               Message* message) {
  const Reflection& access = *message->GetReflection();
  switch (field.cpp_type()) {
    case FieldDescriptor::CPPTYPE_UINT64:
      return access.SetUInt64(message, &field, value);
    case FieldDescriptor::CPPTYPE_UINT32:
      return access.SetUInt32(message, &field,
                              static_cast<std::uint32_t>(value));
    case FieldDescriptor::CPPTYPE_ENUM:
      return access.SetEnumValue(message, &field, static_cast<int>(value));
    case FieldDescriptor::CPPTYPE_BOOL:
      return access.SetBool(message, &field, value % 2 != 0);
    default:
      return;
  }
}

void MutateText(const FieldDescriptor& field, Message* message) {
  if (field.is_repeated()) return;
  const Reflection& access = *message->GetReflection();
  std::string text = access.GetString(*message, &field);
  MutateBytes(kMaxText, &text);
  access.SetString(message, &field, text);
}

// The message in `field`, or one of them if it is repeated. May add one.
Message* MutableMessage(const FieldDescriptor& field, Random* random,
                        Message* message) {
  const Reflection& access = *message->GetReflection();
  if (!field.is_repeated()) return access.MutableMessage(message, &field);
  const int size = access.FieldSize(*message, &field);
  const auto at = static_cast<int>(Below(size + 1, random));
  return at == size ? access.AddMessage(message, &field)
                    : access.MutableRepeatedMessage(message, &field, at);
}

// A field of `message`, most of the time one that is set.
const FieldDescriptor& AnyField(const Message& message, Random* random) {
  std::vector<const FieldDescriptor*> set;
  message.GetReflection()->ListFields(message, &set);
  if (!set.empty() && Below(4, random) != 0)
    return *set[Below(set.size(), random)];
  const auto& type = *message.GetDescriptor();
  return *type.field(static_cast<int>(Below(type.field_count(), random)));
}

// Changes one field of `message`, or of a message in it.
void MutateMessage(std::size_t rows, Random* random, Message* message) {
  while (message->GetDescriptor()->field_count() > 0) {
    const FieldDescriptor& field = AnyField(*message, random);
    if (Below(16, random) == 0)
      return message->GetReflection()->ClearField(message, &field);
    if (IsColumn(field)) return MutateColumn(field, rows, random, message);
    switch (field.cpp_type()) {
      case FieldDescriptor::CPPTYPE_MESSAGE:
        message = MutableMessage(field, random, message);
        break;
      case FieldDescriptor::CPPTYPE_STRING:
        return MutateText(field, message);
      default:
        return SetNumber(field, AnyNumber(random), message);
    }
  }
}

// ----------------------------------------------------------------------- rows

const FieldDescriptor* CountField(const Message& table) {
  return table.GetDescriptor()->FindFieldByName("count");
}

// Removes a row from a table, or inserts a copy of it.
void MutateRows(Random* random, Message* table) {
  const FieldDescriptor* const count = CountField(*table);
  if (count == nullptr) return;
  const std::uint64_t rows = NumberField(*table, "count");
  if (rows == 0 || rows > kMaxRows) return;
  const auto row = static_cast<std::ptrdiff_t>(Below(rows, random));
  const bool adds = Below(2, random) == 0;
  const auto& type = *table->GetDescriptor();
  for (int i = 0; i < type.field_count(); ++i) {
    const FieldDescriptor& field = *type.field(i);
    if (!IsColumn(field)) continue;
    std::vector<std::uint64_t> entries = Load(*table, field);
    if (entries.size() != rows) continue;
    if (adds) {
      entries.insert(entries.begin() + row, entries[row]);
    } else {
      entries.erase(entries.begin() + row);
    }
    Store(entries, field, table);
  }
  SetNumber(*count, adds ? rows + 1 : rows - 1, table);
}

void MutateOrder(Random* random, Stream* stream) {
  const std::size_t at = Below(stream->size(), random);
  const std::size_t other = Below(stream->size(), random);
  switch (Below(3, random)) {
    case 0:
      std::swap((*stream)[at], (*stream)[other]);
      break;
    case 1:
      if (stream->size() > 1)
        stream->erase(stream->begin() + static_cast<std::ptrdiff_t>(at));
      break;
    default:
      if (stream->size() < kMaxChunks) {
        const pb::Chunk copy = (*stream)[at];
        stream->insert(stream->begin() + static_cast<std::ptrdiff_t>(other),
                       copy);
      }
  }
}

// --------------------------------------------------------------------- repair

// Takes two passes over a stream, since the edge counts of nodes come before
// the edges.
class Repairer {
 public:
  void CountEdges(pb::Chunk* chunk);
  void Repair(pb::Chunk* chunk);

 private:
  using Body = pb::Chunk::BodyCase;
  static constexpr std::uint64_t kMaxNodes = 1 << 16;

  void RepairStrings(pb::Strings* strings);
  void RepairNodes(pb::Nodes* nodes);
  void RepairEnd(pb::GraphEnd* end);
  void AddTargets(const pb::Edges& edges);
  std::uint64_t Rows(Body body) const { return rows_[body]; }

  // Indexed by graph.
  std::vector<std::vector<std::uint64_t>> edge_counts_;
  std::vector<bool> grouped_;

  std::uint64_t graphs_ = 0;
  std::uint64_t strings_ = 1;
  bool continued_ = false;
  // Totals of the current graph.
  std::uint64_t rows_[32] = {};
  std::uint64_t self_size_ = 0;
  std::uint64_t external_size_ = 0;
  std::uint64_t forms_[4] = {};  // edges by TargetForm
};

void Repairer::CountEdges(pb::Chunk* chunk) {
  if (chunk->has_graph()) {
    grouped_.push_back(chunk->graph().edges_grouped());
    edge_counts_.emplace_back();
  }
  if (!chunk->has_edges() || grouped_.empty() || !grouped_.back()) return;
  pb::Edges& edges = *chunk->mutable_edges();
  std::uint64_t left = edges.count();
  for (int i = 0; i < edges.edges_per_node_size(); ++i) {
    const bool is_last = i == edges.edges_per_node_size() - 1;
    const std::uint64_t count =
        is_last ? left : std::min<std::uint64_t>(edges.edges_per_node(i), left);
    edges.set_edges_per_node(i, static_cast<std::uint32_t>(count));
    left -= count;
    const std::uint64_t node = edges.first_node() + i;
    if (node >= kMaxNodes) continue;
    if (edge_counts_.back().size() <= node)
      edge_counts_.back().resize(node + 1);
    edge_counts_.back()[node] += count;
  }
}

void Repairer::RepairStrings(pb::Strings* strings) {
  strings->set_first(continued_ ? strings_ - 1 : strings_);
  std::uint64_t left = strings->data().size();
  for (int i = 0; i < strings->length_size(); ++i) {
    const bool is_last = i == strings->length_size() - 1;
    const std::uint64_t length =
        is_last ? left : std::min<std::uint64_t>(strings->length(i), left);
    strings->set_length(i, static_cast<std::uint32_t>(length));
    left -= length;
  }
  strings_ = strings->first() + strings->length_size();
  continued_ = strings->continued();
}

void Repairer::RepairNodes(pb::Nodes* nodes) {
  for (const std::uint64_t size : nodes->self_size()) {
    if (__builtin_add_overflow(self_size_, size, &self_size_))
      self_size_ = ~std::uint64_t{0};
  }
  if (!grouped_[graphs_ - 1] || nodes->count() > kMaxRows) return;
  nodes->clear_edge_count();
  const std::vector<std::uint64_t>& counts = edge_counts_[graphs_ - 1];
  for (std::uint64_t i = 0; i < nodes->count(); ++i) {
    const std::uint64_t node = nodes->first() + i;
    nodes->add_edge_count(node < counts.size() ? counts[node] : 0);
  }
}

void Repairer::AddTargets(const pb::Edges& edges) {
  for (const std::uint32_t form : edges.to_form()) {
    if (form < std::size(forms_)) ++forms_[form];
  }
}

void Repairer::RepairEnd(pb::GraphEnd* end) {
  end->set_types(Rows(Body::kTypes));
  end->set_nodes(Rows(Body::kNodes));
  end->set_edges(Rows(Body::kEdges));
  end->set_roots(Rows(Body::kRoots));
  end->set_values(Rows(Body::kValues));
  end->set_externals(Rows(Body::kExternals));
  end->set_locations(Rows(Body::kLocations));
  end->set_trace_functions(Rows(Body::kTraceFunctions));
  end->set_trace_nodes(Rows(Body::kTraceNodes));
  end->set_samples(Rows(Body::kSamples));
  end->set_stack_frames(Rows(Body::kStackFrames));
  end->set_threads(Rows(Body::kThreads));
  end->set_self_size_total(self_size_);
  end->set_external_size_total(external_size_);
  end->set_edges_omitted(forms_[pb::TO_OMITTED]);
  end->set_edges_dangling(forms_[pb::TO_DANGLING]);
  end->set_edges_immediate(forms_[pb::TO_IMMEDIATE]);
  end->clear_edges_synthesized();
  end->clear_id_limit();
}

void Repairer::Repair(pb::Chunk* chunk) {
  if (chunk->has_graph()) {
    ++graphs_;
    std::fill(std::begin(rows_), std::end(rows_), 0);
    std::fill(std::begin(forms_), std::end(forms_), 0);
    self_size_ = external_size_ = 0;
  }
  if (chunk->has_strings()) RepairStrings(chunk->mutable_strings());
  if (chunk->has_footer()) {
    chunk->mutable_footer()->set_graphs(graphs_);
    chunk->mutable_footer()->set_strings(strings_);
  }
  if (graphs_ == 0) return;
  Message* const body = MutableBody(chunk, chunk->body_case());
  if (CountField(*body) != nullptr && !chunk->has_extra_table()) {
    SetNumber(*body->GetDescriptor()->FindFieldByName("first"),
              rows_[chunk->body_case()], body);
    rows_[chunk->body_case()] += NumberField(*body, "count");
  }
  if (chunk->has_nodes()) RepairNodes(chunk->mutable_nodes());
  if (chunk->has_edges()) AddTargets(chunk->edges());
  for (const std::uint64_t size : chunk->externals().size()) {
    if (__builtin_add_overflow(external_size_, size, &external_size_))
      external_size_ = ~std::uint64_t{0};
  }
  if (chunk->has_graph_end()) RepairEnd(chunk->mutable_graph_end());
}

}  // namespace

void MutateBytes(std::size_t max_size, std::string* bytes) {
  const std::size_t size = bytes->size();
  bytes->resize(std::max(max_size, size));
  bytes->resize(LLVMFuzzerMutate(reinterpret_cast<std::uint8_t*>(bytes->data()),
                                 size, bytes->size()));
}

void MutateStream(Random* random, Stream* stream) {
  pb::Chunk& chunk = (*stream)[Below(stream->size(), random)];
  if (chunk.body_case() == pb::Chunk::BODY_NOT_SET) return;
  Message* const body = MutableBody(&chunk, chunk.body_case());
  const std::size_t rows =
      CountField(*body) == nullptr ? 1 : NumberField(*body, "count");
  switch (Below(8, random)) {
    case 0:
      return MutateOrder(random, stream);
    case 1:
      return MutateRows(random, body);
    default:
      return MutateMessage(rows, random, body);
  }
}

void RepairStream(Stream* stream) {
  Repairer repairer;
  for (pb::Chunk& chunk : *stream) repairer.CountEdges(&chunk);
  for (pb::Chunk& chunk : *stream) repairer.Repair(&chunk);
}

}  // namespace heapglot::fuzz
