#include "core/loss/feature_tally.h"

#include <algorithm>
#include <iterator>

#include "core/column.h"
#include "core/ir/node_id.h"
#include "core/ir/string_id.h"
#include "core/ir/word_count.h"

namespace heapglot {
namespace {

using Body = pb::Chunk::BodyCase;

// Whether a column has a row that is not 0.
template <typename T>
bool HasAny(const google::protobuf::RepeatedField<T>& column) {
  return std::any_of(column.begin(), column.end(),
                     [](T cell) { return cell != 0; });
}

constexpr std::string_view kNotOfItsOwn =
    "not part of this format, so not restored";

constexpr SynthesizedRow kMadeEdge = {
    "edge.synthesized",
    "edges added when reading: items of a container, fields of a record"};

std::uint64_t IsThere(const pb::Text& text) {
  return text.data().empty() ? 0 : 1;
}

// The feature of a value in this form, which must not be V_NONE.
Feature FeatureOf(std::uint32_t form) {
  switch (form) {
    case pb::V_NULL:
    case pb::V_BOOL:
      return Feature::kValueConstant;
    case pb::V_INT:
    case pb::V_UINT:
      return Feature::kValueInteger;
    case pb::V_DOUBLE:
      return Feature::kValueDouble;
    case pb::V_LATIN1:
    case pb::V_UTF16:
    case pb::V_UTF8:
    case pb::V_STRING_ID:
      return Feature::kValueText;
    case pb::V_NAME:
      return Feature::kValueName;
    case pb::V_LENGTH:
      return Feature::kValueLength;
    default:
      return Feature::kValueOther;
  }
}

}  // namespace

void FeatureTally::BeginPass(ChunkSet counted) {
  counted_ = counted;
  graph_ = 0;
  continues_extra_ = false;
  continues_string_ = false;
}

void FeatureTally::Add(const pb::Chunk& chunk) {
  if (chunk.has_graph()) ++graph_;
  if (!counted_.Has(chunk.body_case())) return;
  switch (chunk.body_case()) {
    case Body::kGraph:
      AddGraph(chunk.graph());
      break;
    case Body::kVocabulary:
      AddVocabulary(chunk.vocabulary());
      break;
    case Body::kTypes:
      AddTypes(chunk.types());
      break;
    case Body::kNodes:
      AddNodes(chunk.nodes());
      AddNodeValues(chunk.nodes());
      break;
    case Body::kEdges:
      AddEdges(chunk.edges());
      break;
    case Body::kStrings:
      AddStrings(chunk.strings());
      break;
    case Body::kRoots:
      AddRoots(chunk.roots());
      break;
    case Body::kMetadata:
      Add(Feature::kMetadata,
          static_cast<std::uint64_t>(chunk.metadata().entry_size()));
      break;
    case Body::kExtra:
      // The pieces of a section count as one.
      AddIf(!continues_extra_, Feature::kExtra);
      continues_extra_ = chunk.extra().continued();
      break;
    case Body::kExtraTable:
      AddIf(chunk.extra_table().first() == 0, Feature::kExtra);
      break;
    case Body::kGraphEnd:
      AddEnd(chunk.graph_end());
      break;
    default:
      break;
  }
}

void FeatureTally::AddCounts(const FeatureCounts& counts) {
  for (std::size_t i = 0; i < kFeatures; ++i) {
    const auto feature = static_cast<Feature>(i);
    Add(feature, counts[feature]);
  }
}

// ------------------------------------------------------------------- tables

void FeatureTally::AddGraph(const pb::Graph& graph) {
  words_.resize(std::max(words_.size(), graph_));
  words_.back().is_grouped = graph.edges_grouped();
  words_.back().id_space = graph.id_space();
  if (graph_ > 1) Set(Feature::kGraphSeveral, graph_);
  Add(Feature::kGraphName, IsThere(graph.name()));
  AddIf(graph.root_ref() != 0, Feature::kGraphRoot);
  // Stated numbers of nodes and edges add nothing to the true ones.
  for (const bool is_stated :
       {graph.has_self_size_total(), graph.has_capacity(),
        graph.has_external_size_total(), graph.has_extra_native_bytes()}) {
    AddIf(is_stated, Feature::kGraphTotals);
  }
  AddIf(graph.flags() != 0, Feature::kGraphDetail);
  Add(Feature::kGraphDetail,
      IsThere(graph.source_version()) + IsThere(graph.timestamp()) +
          IsThere(graph.end_name()) + IsThere(graph.end_timestamp()));
}

void FeatureTally::AddVocabulary(const pb::Vocabulary& vocabulary) {
  Words& words = words_[graph_ - 1];
  const int rows = WordCount(vocabulary);
  switch (vocabulary.space()) {
    case pb::Vocabulary::NODE_KIND:
      words.node_kinds += rows;
      break;
    case pb::Vocabulary::EDGE_KIND:
      AddEdgeWords(vocabulary, &words.edges);
      words.synthesized.Add(vocabulary);
      break;
    case pb::Vocabulary::ROOT_KIND:
      for (int i = 0; i < rows; ++i) {
        words.roots.push_back(At(vocabulary.known(), i));
      }
      break;
    default:
      break;
  }
}

void FeatureTally::AddEdgeWords(const pb::Vocabulary& vocabulary,
                                std::vector<EdgeWord>* words) {
  const int rows = WordCount(vocabulary);
  // Not the kind that a reader makes for edges without a kind.
  const auto is_declared = [&](int row) {
    return At(vocabulary.known(), row) != pb::EDGE_OTHER ||
           (At(vocabulary.name(), row) != 0 &&
            At(vocabulary.source_code(), row) >= 0);
  };
  int kinds = 0;
  for (int i = 0; i < rows; ++i) {
    const bool is_weak = At(vocabulary.known(), i) == pb::EDGE_WEAK;
    kinds += is_declared(i) && !is_weak ? 1 : 0;
  }
  for (int i = 0; i < rows; ++i) {
    const std::uint32_t known = At(vocabulary.known(), i);
    // A kind of the source's own says no more than that this is an edge, if
    // there is no other.
    const bool tells = known == pb::EDGE_OTHER ? is_declared(i) && kinds > 1
                                               : known != pb::EDGE_WEAK;
    words->push_back({known, At(vocabulary.name_form(), i), tells});
  }
}

void FeatureTally::AddTypes(const pb::Types& types) {
  if (!types.id().empty()) Add(Feature::kTypeId, types.count());
  const bool has_details =
      HasAny(types.field_reserved()) || HasAny(types.field_type()) ||
      !types.extra().empty() || !types.field_extra().empty();
  for (int i = 0; i < static_cast<int>(types.count()); ++i) {
    AddIf(At(types.library_name(), i) != 0 || At(types.library_uri(), i) != 0,
          Feature::kTypeLibrary);
    AddIf(At(types.field_count(), i) != 0, Feature::kTypeFields);
    AddIf(At(types.super_ref(), i) != 0 || At(types.instance_size(), i) != 0 ||
              At(types.loader_ref(), i) != 0 || At(types.module(), i) != 0 ||
              At(types.class_node_ref(), i) != 0,
          Feature::kTypeRelation);
    AddIf(has_details || At(types.flags(), i) != 0 ||
              At(types.reserved(), i) != 0,
          Feature::kTypeDetail);
  }
}

void FeatureTally::AddStrings(const pb::Strings& strings) {
  const int rows = strings.length_size();
  for (int i = 0; i < rows; ++i) {
    // The pieces of a string count as one, which is odd if the first piece is.
    const bool is_first = i > 0 || !continues_string_;
    AddIf(is_first && At(strings.encoding(), i) != pb::UTF8,
          Feature::kStringEncoding);
    AddIf(is_first && !strings.source_id().empty() &&
              strings.source_id(i) != kNoStringId,
          Feature::kStringId);
  }
  if (rows > 0) continues_string_ = strings.continued();
}

void FeatureTally::AddRoots(const pb::Roots& roots) {
  const std::vector<std::uint32_t>& kinds = words().roots;
  for (int i = 0; i < static_cast<int>(roots.count()); ++i) {
    const std::uint32_t kind = At(roots.kind(), i);
    // This is not a root.
    if (kind < kinds.size() && kinds[kind] == pb::ROOT_UNREACHABLE) continue;
    Add(Feature::kRoot, 1);
    AddIf(!kinds.empty(), Feature::kRootKind);
    AddIf(At(roots.to_form(), i) != pb::TO_NODE, Feature::kRootDangling);
    AddIf(At(roots.flags(), i) != 0 || At(roots.container_ref(), i) != 0 ||
              At(roots.container_id(), i) != 0 || At(roots.label(), i) != 0 ||
              At(roots.thread_ref(), i) != 0 ||
              At(roots.frame_number(), i) != 0 || !roots.extra().empty(),
          Feature::kRootDetail);
  }
}

void FeatureTally::AddEnd(const pb::GraphEnd& end) {
  Add(Feature::kValueNamed, end.values());
  Add(Feature::kExternal, end.externals());
  Add(Feature::kLocation, end.locations());
  Add(Feature::kTrace,
      end.trace_functions() + end.trace_nodes() + end.samples());
  Add(Feature::kStack, end.stack_frames() + end.threads());
  Add(Feature::kNode, end.nodes());
  const std::uint64_t edges = end.edges() - end.edges_synthesized();
  // AddEdges() knows which of these are synthesized, too.
  Add(Feature::kEdge, edges - end.edges_omitted() - end.edges_dangling() -
                          end.edges_immediate());
  Add(Feature::kEdgeOrder, edges);
  if (!words().is_grouped) Add(Feature::kEdgeScattered, edges);
  made_edges_ += end.edges_synthesized();
}

// -------------------------------------------------------------------- nodes

template <typename Has>
void FeatureTally::AddNodesThat(const pb::Nodes& nodes, Feature feature,
                                Has has) {
  const int rows = static_cast<int>(nodes.count());
  std::uint64_t count = 0;
  for (int row = 0; row < rows; ++row) count += has(row) ? 1 : 0;
  Count& total = of(feature);
  total.count += count;
  // Only the first chunks that have it get this second look.
  const std::size_t wanted = std::min<std::size_t>(
      LossReport::kExamples, total.examples.size() + count);
  for (int row = 0; total.examples.size() < wanted; ++row) {
    if (has(row))
      total.examples.push_back(nodes.first() + static_cast<std::uint64_t>(row));
  }
}

void FeatureTally::AddNodes(const pb::Nodes& nodes) {
  const auto every = [](int) { return true; };
  // Counts the entries of a column that are not 0.
  const auto add = [&](const auto& column, Feature feature) {
    if (column.empty()) return;
    const auto* const cells = column.data();
    AddNodesThat(nodes, feature, [cells](int row) { return cells[row] != 0; });
  };
  if (HasNodeIds(words().id_space, nodes))
    AddNodesThat(nodes, Feature::kNodeId, every);
  if (words().node_kinds > 1) AddNodesThat(nodes, Feature::kNodeKind, every);
  if (!nodes.extra().empty()) AddNodesThat(nodes, Feature::kNodeExtra, every);
  add(nodes.name(), Feature::kNodeName);
  add(nodes.self_size(), Feature::kNodeSelfSize);
  add(nodes.identity_hash(), Feature::kNodeIdentityHash);
  add(nodes.detachedness(), Feature::kNodeDetachedness);
  add(nodes.heap_space_ref(), Feature::kNodeHeapSpace);
  add(nodes.value_length(), Feature::kValueCut);
  if (!nodes.trace_node().empty() || !nodes.stack_frame_ref().empty()) {
    AddNodesThat(nodes, Feature::kNodeTrace, [&](int row) {
      return At(nodes.trace_node(), row) != 0 ||
             At(nodes.stack_frame_ref(), row) != 0;
    });
  }
  const bool has_flags = HasAny(nodes.flags());
  const auto has_flag = [&](int row, pb::NodeFlag flag) {
    return has_flags && (nodes.flags(row) & flag) != 0;
  };
  if (has_flags) {
    AddNodesThat(nodes, Feature::kNodePhantom,
                 [&](int row) { return has_flag(row, pb::NODE_PHANTOM); });
    AddNodesThat(nodes, Feature::kTypeDangling, [&](int row) {
      return has_flag(row, pb::NODE_TYPE_DANGLING);
    });
  }
  if (nodes.type_ref().empty()) return;
  AddNodesThat(nodes, Feature::kType, [&](int row) {
    return nodes.type_ref(row) != 0 && !has_flag(row, pb::NODE_TYPE_DANGLING);
  });
}

void FeatureTally::AddNodeValues(const pb::Nodes& nodes) {
  for (int row = 0; row < nodes.value_form_size(); ++row) {
    const std::uint32_t form = nodes.value_form(row);
    if (form == pb::V_NONE) continue;
    Count& count = of(FeatureOf(form));
    ++count.count;
    if (count.examples.size() < LossReport::kExamples)
      count.examples.push_back(nodes.first() + static_cast<std::uint64_t>(row));
  }
}

// -------------------------------------------------------------------- edges

template <typename Has>
void FeatureTally::AddEdgesThat(const pb::Edges& edges, Feature feature,
                                std::uint64_t count, Has has) {
  Count& total = of(feature);
  total.count += count;
  if (count == 0 || total.examples.size() >= LossReport::kExamples) return;
  const auto& groups = edges.edges_per_node();
  int group = 0;
  std::uint64_t end = groups.empty() ? 0 : groups[0];
  for (int row = 0; row < static_cast<int>(edges.count()); ++row) {
    while (static_cast<std::uint64_t>(row) >= end && group + 1 < groups.size())
      end += groups[++group];
    if (!has(row)) continue;
    const std::uint64_t node =
        groups.empty() ? std::uint64_t{At(edges.from(), row)}
                       : edges.first_node() + static_cast<std::uint64_t>(group);
    if (!total.examples.empty() && total.examples.back() == node) continue;
    total.examples.push_back(node);
    if (total.examples.size() == LossReport::kExamples) return;
  }
}

// Counts what the kinds of the edges say about them.
void FeatureTally::AddEdgeKinds(const pb::Edges& edges) {
  // Four counters in one number, so that an edge costs one addition.
  constexpr int kBits = 16;
  constexpr int kRows = (1 << kBits) - 1;
  const std::vector<EdgeWord>& words = this->words().edges;
  const SynthesizedEdges& synthesized = this->words().synthesized;
  per_kind_.assign(words.size() + 1, 0);
  const bool has_forms = !edges.name_form().empty();
  for (std::size_t i = 0; i < words.size(); ++i) {
    const auto bit = [](bool is_set, int counter) {
      return std::uint64_t{is_set} << (counter * kBits);
    };
    if (synthesized.HasKind(static_cast<std::uint32_t>(i))) continue;
    per_kind_[i] = bit(words[i].known == pb::EDGE_WEAK, 0) |
                   bit(words[i].is_kind, 1) |
                   bit(!has_forms && words[i].name_form == pb::NAME_STRING, 2) |
                   bit(!has_forms && words[i].name_form == pb::NAME_NUMBER, 3);
  }
  const bool has_flags = !edges.flags().empty();
  const auto of_row = [&](int row) {
    if (has_flags && (edges.flags(row) & pb::EDGE_SYNTHESIZED) != 0)
      return std::uint64_t{0};
    const std::uint64_t kind = At(edges.kind(), row);
    return per_kind_[std::min<std::uint64_t>(kind, words.size())];
  };
  std::array<std::uint64_t, 4> counts{};
  const int rows = static_cast<int>(edges.count());
  const std::span kinds = SpanOf(edges.kind());
  const std::uint64_t* const per_kind = per_kind_.data();
  const auto other = static_cast<std::uint32_t>(words.size());
  for (int row = 0; row < rows;) {
    const int end = std::min(rows, row + kRows);
    std::uint64_t sums = 0;
    if (has_flags || kinds.empty()) {
      for (; row < end; ++row) sums += of_row(row);
    } else {
      for (; row < end; ++row)
        sums += per_kind[std::min(kinds[static_cast<unsigned>(row)], other)];
    }
    for (int i = 0; i < 4; ++i) counts[i] += sums >> (i * kBits) & kRows;
  }
  constexpr std::array<Feature, 4> kCounted = {
      Feature::kEdgeWeak, Feature::kEdgeKind, Feature::kEdgeName,
      Feature::kEdgeIndex};
  for (int i = 0; i < 4; ++i) {
    AddEdgesThat(edges, kCounted[i], counts[i], [&, i](int row) {
      return (of_row(row) >> (i * kBits) & 1) != 0;
    });
  }
}

void FeatureTally::AddEdges(const pb::Edges& edges) {
  AddEdgeKinds(edges);
  const SynthesizedEdges& made = words().synthesized;
  const bool may_be_made = made.has_kinds() || !edges.flags().empty();
  const auto add = [&](const auto& column, std::uint32_t value,
                       Feature feature) {
    if (column.empty()) return;
    const auto has = [&](int row) {
      return column[row] == value && !(may_be_made && made.Has(edges, row));
    };
    std::uint64_t count = 0;
    for (int row = 0; row < column.size(); ++row) count += has(row) ? 1 : 0;
    AddEdgesThat(edges, feature, count, has);
  };
  add(edges.name_form(), pb::NAME_STRING, Feature::kEdgeName);
  add(edges.name_form(), pb::NAME_NUMBER, Feature::kEdgeIndex);
  add(edges.to_form(), pb::TO_OMITTED, Feature::kEdgeOmitted);
  add(edges.to_form(), pb::TO_DANGLING, Feature::kEdgeDangling);
  add(edges.to_form(), pb::TO_IMMEDIATE, Feature::kEdgeImmediate);
  if (may_be_made) {
    for (int row = 0; row < edges.to_form_size(); ++row) {
      if (edges.to_form(row) != pb::TO_NODE && made.Has(edges, row))
        Add(Feature::kEdge, 1);  // AddEnd() subtracts it twice
    }
  }
  // What our readers keep there for the way back is not a column of the source.
  const bool has_own =
      std::any_of(edges.extra().begin(), edges.extra().end(),
                  [](const pb::ExtraColumn& column) {
                    return !column.name().starts_with("heapglot:");
                  });
  if (has_own)
    AddEdgesThat(edges, Feature::kEdgeExtra, edges.count(),
                 [](int) { return true; });
}

// ------------------------------------------------------------------- reader

namespace {

// Counts what comes, and passes on what is wanted.
class TallySink : public ChunkSink {
 public:
  // `out` may be nullptr if nothing is wanted.
  TallySink(FeatureTally& tally, ChunkSet wanted, ChunkSink* out)
      : tally_(tally), wanted_(wanted), out_(out) {}

  Status Accept(const pb::Chunk& chunk) override {
    tally_.Add(chunk);
    return wanted_.Includes(chunk) ? out_->Accept(chunk) : Status();
  }
  Status AcceptOwned(pb::Chunk& chunk) override {
    tally_.Add(chunk);
    return wanted_.Includes(chunk) ? out_->AcceptOwned(chunk) : Status();
  }

 private:
  FeatureTally& tally_;
  ChunkSet wanted_;
  ChunkSink* out_;
};

class TallyReader : public Reader {
 public:
  TallyReader(Reader& upstream, FeatureTally& tally)
      : upstream_(upstream), tally_(tally) {}

  Status Read(ChunkSet wanted, ChunkSink& out) override {
    ChunkSet counted = (wanted & FeatureTally::kLarge).Without(counted_);
    if (!has_small_) counted = counted | FeatureTally::kSmall;
    if (counted.empty()) return upstream_.Read(wanted, out);
    tally_.BeginPass(counted);
    TallySink sink(tally_, wanted, &out);
    // Vocabularies belong to graphs.
    HEAPGLOT_RETURN_IF_ERROR(
        upstream_.Read(wanted | counted | ChunkSet{Body::kGraph}, sink));
    has_small_ = true;
    counted_ = counted_ | counted;
    return {};
  }

 private:
  Reader& upstream_;
  FeatureTally& tally_;
  bool has_small_ = false;
  ChunkSet counted_;  // in passes before
};

// The sums of the rows for one feature that a run has used.
struct Special {
  std::uint64_t count = 0;
  std::vector<std::uint64_t> examples;
};

Special CountedOf(Feature feature, const WriterInfo& to,
                  const LossReport& report) {
  Special special;
  for (const FidelityRow& row : to.fidelity) {
    if (row.feature != feature) continue;
    for (const LossReport::Item& item : report.items()) {
      if (item.code != row.code) continue;
      special.count += item.count;
      special.examples.insert(special.examples.end(), item.examples.begin(),
                              item.examples.end());
    }
  }
  return special;
}

// The examples that do not show a special case. None if nothing is lost.
std::vector<std::uint64_t> ExamplesFor(
    LossClass loss_class, const std::vector<std::uint64_t>& examples,
    const std::vector<std::uint64_t>& special) {
  std::vector<std::uint64_t> others;
  if (loss_class < LossClass::kApproximated) return others;
  std::copy_if(examples.begin(), examples.end(), std::back_inserter(others),
               [&](std::uint64_t node) {
                 return std::find(special.begin(), special.end(), node) ==
                        special.end();
               });
  return others;
}

}  // namespace

std::unique_ptr<Reader> MakeTallyReader(Reader& upstream, FeatureTally& tally) {
  return std::make_unique<TallyReader>(upstream, tally);
}

Status CountFeatures(Reader& reader, FeatureTally* tally) {
  constexpr ChunkSet kAll = FeatureTally::kSmall | FeatureTally::kLarge;
  ChunkSet wanted = kAll;
  if (const std::optional<FeatureCounts> rows = reader.CountedRows()) {
    tally->AddCounts(*rows);
    // Names come in any case.
    wanted = FeatureTally::kSmall;
  }
  tally->BeginPass(wanted | ChunkSet{Body::kStrings});
  TallySink sink(*tally, {}, nullptr);
  return reader.Read(wanted, sink);
}

constinit const std::span<const SynthesizedRow> kReaderSynthesized{&kMadeEdge,
                                                                   1};

void AddTheRest(const FeatureTally& tally, const WriterInfo& to,
                const ReaderInfo* home, LossReport* report) {
  if (home == nullptr && !to.keeps_source_image)
    report->AddSynthesized(kMadeEdge.code, tally.made_edges(), kMadeEdge.note);
  for (const FidelityRow& row : to.fidelity) {
    const std::uint64_t count = tally.count(row.feature);
    if (count == 0 || !IsRule(row, to.name)) continue;
    const Special special = CountedOf(row.feature, to, *report);
    if (count <= special.count) continue;
    LossClass loss_class = row.loss_class;
    std::string_view note = row.note;
    if (home != nullptr && home->produces.Has(row.feature)) {
      loss_class = LossClass::kExact;
      note = kAsItIs;
    } else if (home != nullptr && loss_class != LossClass::kDropped) {
      loss_class = LossClass::kDropped;
      note = kNotOfItsOwn;
    }
    report->Add(
        row.code, loss_class, count - special.count, note,
        ExamplesFor(loss_class, tally.examples(row.feature), special.examples));
  }
}

}  // namespace heapglot
