#include "writers/heapsnapshot/heapsnapshot_native_survey.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

#include "core/column.h"
#include "core/ir/word_count.h"
#include "readers/heapsnapshot/heapsnapshot_json.h"
#include "writers/heapsnapshot/heapsnapshot_native_snapshot.h"

namespace heapglot::heapsnapshot {
namespace {

using Schema = google::protobuf::RepeatedPtrField<pb::Graph::Field>;

bool HasFields(const Schema& schema,
               std::initializer_list<std::string_view> names) {
  return std::all_of(names.begin(), names.end(), [&](std::string_view name) {
    return std::any_of(
        schema.begin(), schema.end(),
        [name](const pb::Graph::Field& field) { return field.name() == name; });
  });
}

// The key of a known section that may turn out not to be what it should be.
std::string_view KeyOf(SectionKind kind) {
  switch (kind) {
    case SectionKind::kTraceFunctions:
      return "trace_function_infos";
    case SectionKind::kTraceTree:
      return "trace_tree";
    case SectionKind::kSamples:
      return "samples";
    case SectionKind::kLocations:
      return "locations";
    default:
      return "";
  }
}

// Where DevTools expects a table; after all others if it does not know it.
std::size_t PlaceOfTable(std::string_view name) {
  return static_cast<std::size_t>(
      std::find(std::begin(kV8Tables), std::end(kV8Tables), name) -
      std::begin(kV8Tables));
}

}  // namespace

std::string_view HeadOfSection(std::string_view data) {
  if (!data.starts_with('"')) return {};
  const char* p = data.data() + 1;
  const char* const end = data.data() + data.size();
  StringToken token;
  if (ScanString(&p, end, &token) != StringEnd::kOk || p == end || *p != ':')
    return {};
  return data.substr(0, static_cast<std::size_t>(p + 1 - data.data()));
}

ChunkSet NativeSurvey::Wanted() {
  return {pb::Chunk::kGraph,    pb::Chunk::kVocabulary, pb::Chunk::kExtra,
          pb::Chunk::kGraphEnd, pb::Chunk::kExtraTable, pb::Chunk::kFooter};
}

Status NativeSurvey::Accept(const pb::Chunk& chunk) {
  switch (chunk.body_case()) {
    case pb::Chunk::kGraph:
      if (++graphs_ > 1) {
        return {Code::kUnsupported,
                "heapsnapshot: the input has several heaps, a heapsnapshot "
                "holds one"};
      }
      graph_ = chunk.graph();
      break;
    case pb::Chunk::kVocabulary:
      AddVocabulary(chunk.vocabulary());
      break;
    case pb::Chunk::kStrings: {
      const pb::Strings& strings = chunk.strings();
      // Names that come later count as strings of the file.
      const bool goes_on = strings.first() + 1 == first_string_;
      if (strings.first() != first_string_ && !goes_on) break;
      first_string_ =
          strings.first() + static_cast<std::uint64_t>(strings.length_size());
      texts_.Add(strings);
      break;
    }
    case pb::Chunk::kExtra:
      return AddExtra(chunk.extra());
    case pb::Chunk::kExtraTable:
      if (tables_.empty() || tables_.back().name != chunk.extra_table().name())
        Keep(chunk.extra_table().name(), &tables_);
      break;
    case pb::Chunk::kGraphEnd:
      totals_ = chunk.graph_end();
      break;
    case pb::Chunk::kFooter:
      strings_ = chunk.footer().strings();
      break;
    default:
      break;
  }
  return {};
}

void NativeSurvey::AddVocabulary(const pb::Vocabulary& vocabulary) {
  const bool is_node = vocabulary.space() == pb::Vocabulary::NODE_KIND;
  if (!is_node && vocabulary.space() != pb::Vocabulary::EDGE_KIND) return;
  synthesized_.Add(vocabulary);
  auto& codes = is_node ? node_codes_ : edge_codes_;
  auto& names = is_node ? node_type_names_ : edge_type_names_;
  const int rows = WordCount(vocabulary);
  for (int row = 0; row < rows; ++row) {
    const std::uint64_t position = codes.size();
    codes.push_back(
        vocabulary.source_code().empty()
            ? position
            : static_cast<std::uint64_t>(vocabulary.source_code(row)));
    if (codes.back() == position) names.push_back(At(vocabulary.name(), row));
    if (!is_node) name_forms_.push_back(At(vocabulary.name_form(), row));
  }
}

Status NativeSurvey::AddExtra(const pb::Extra& extra) {
  const bool is_first = !extra_goes_on_;
  extra_goes_on_ = extra.continued();
  if (extra.format() != kFormat) return {};
  if (extra.section() == kSnapshotExtra) {
    has_snapshot_ = true;
    snapshot_ += extra.data();
    if (snapshot_.size() <= kMaxSnapshotObject) return {};
    return {Code::kLimit,
            "heapsnapshot: the snapshot object that was kept has "
            "more than " +
                std::to_string(kMaxSnapshotObject) + " bytes"};
  }
  if (extra.section() != kSectionExtra || !is_first) return {};
  const std::string_view head = HeadOfSection(extra.data());
  if (head.empty()) {
    return {Code::kMalformed,
            "heapsnapshot: a section that was kept has no key"};
  }
  Keep(head, &sections_);
  return {};
}

void NativeSurvey::Keep(std::string_view name, std::vector<Kept>* list) {
  if (!kept_status_.ok()) return;
  const std::size_t position = tables_.size() + sections_.size();
  const auto refuse = [this](const char* what, std::size_t most,
                             const char* unit) {
    kept_status_ = {Code::kLimit, std::string("heapsnapshot: ") + what +
                                      " more than " + std::to_string(most) +
                                      unit};
  };
  if (position >= kMaxSections)
    return refuse("of the tables and sections that were kept there are",
                  kMaxSections, "");
  if (name.size() > kMaxKey)
    return refuse("a table or section that was kept has a name of", kMaxKey,
                  " bytes");
  list->push_back({std::string(name), position});
}

bool NativeSurvey::IsNative() const {
  return graph_.edges_grouped() && !synthesized_.has_kinds() &&
         HasFields(graph_.node_schema(), {kType, kName, kId, kEdgeCount}) &&
         HasFields(graph_.edge_schema(), {kType, kNameOrIndex, kToNode});
}

Status NativeSurvey::Finish(const FileLayout& layout) {
  HEAPGLOT_RETURN_IF_ERROR(kept_status_);
  if (has_snapshot_) {
    const std::string kept = std::move(snapshot_);
    HEAPGLOT_RETURN_IF_ERROR(
        EditSnapshotObject(kept, graph_, totals_, &snapshot_));
  } else {
    const auto texts = [this](const std::vector<std::uint64_t>& names) {
      std::vector<std::string> found;
      found.reserve(names.size());
      for (const std::uint64_t name : names)
        found.emplace_back(texts_.Find(name));
      return found;
    };
    snapshot_ = MakeSnapshotObject(graph_, totals_, texts(node_type_names_),
                                   texts(edge_type_names_));
  }
  texts_.Clear();
  Plan(layout);
  return CheckPasses();
}

// ----------------------------------------------------------------------- plan

// What is in the stream but not in the layout goes before the strings; what is
// in the layout but not in the stream is left out.
void NativeSurvey::Plan(const FileLayout& given) {
  const bool is_usual = given.members.empty();
  if (is_usual) {
    std::stable_sort(tables_.begin(), tables_.end(),
                     [](const Kept& a, const Kept& b) {
                       return PlaceOfTable(a.name) < PlaceOfTable(b.name);
                     });
  }
  const FileLayout layout = is_usual ? UsualLayout(UsualOrder()) : given;
  for (const MemberLayout& place : layout.members) {
    Member member;
    member.kind = place.kind;
    member.layout = place;
    if (place.kind == SectionKind::kTable) {
      if (!TakeNext(&tables_, &member)) continue;
    } else if (place.kind == SectionKind::kJson) {
      if (!TakeNext(&sections_, &member)) continue;
    } else {
      TakeNamed(place.kind, &member);
    }
    members_.push_back(std::move(member));
  }
}

// Each pass goes over all that is kept, so that time would be a product.
Status NativeSurvey::CheckPasses() const {
  std::size_t passes = 0;
  for (std::size_t i = 0; i < members_.size(); ++i) {
    if (!members_[i].IsKept()) continue;
    if (i == 0 || !members_[i - 1].SharesPass(members_[i])) ++passes;
  }
  if (passes <= kMaxKeptPasses) return {};
  return {Code::kLimit,
          "heapsnapshot: tables and sections that were kept come in another "
          "order than their layout says, which would take " +
              std::to_string(passes) + " passes, more than " +
              std::to_string(kMaxKeptPasses)};
}

std::vector<SectionKind> NativeSurvey::UsualOrder() const {
  std::vector<SectionKind> order = {
      SectionKind::kSnapshot,  SectionKind::kNodes,
      SectionKind::kEdges,     SectionKind::kTraceFunctions,
      SectionKind::kTraceTree, SectionKind::kSamples};
  const bool has_locations =
      graph_.location_schema_size() > 0 ||
      std::find_if(tables_.begin(), tables_.end(), [](const Kept& table) {
        return table.name == KeyOf(SectionKind::kLocations);
      }) != tables_.end();
  if (has_locations) order.push_back(SectionKind::kLocations);
  order.insert(order.end(), tables_.size(), SectionKind::kTable);
  order.insert(order.end(), sections_.size(), SectionKind::kJson);
  order.push_back(SectionKind::kStrings);
  return order;
}

bool NativeSurvey::TakeNamed(SectionKind kind, Member* member) {
  const std::string key(KeyOf(kind));
  if (key.empty()) return false;
  const auto take = [member](std::vector<Kept>& left, const std::string& name) {
    const auto found =
        std::find_if(left.begin(), left.end(),
                     [&](const Kept& kept) { return kept.name == name; });
    if (found == left.end()) return false;
    member->name = name;
    member->position = found->position;
    left.erase(found);
    return true;
  };
  if (take(tables_, key)) {
    member->kind = SectionKind::kTable;
  } else if (take(sections_, '"' + key + "\":")) {
    member->kind = SectionKind::kJson;
  } else {
    return false;
  }
  return true;
}

bool NativeSurvey::TakeNext(std::vector<Kept>* left, Member* member) {
  const auto is_known = [](const Kept& kept) {
    std::string_view name = kept.name;
    if (name.starts_with('"')) name = name.substr(1, name.size() - 3);
    return name == KeyOf(SectionKind::kTraceFunctions) ||
           name == KeyOf(SectionKind::kTraceTree) ||
           name == KeyOf(SectionKind::kSamples) ||
           name == KeyOf(SectionKind::kLocations);
  };
  const auto next = std::find_if_not(left->begin(), left->end(), is_known);
  if (next == left->end()) return false;
  member->name = next->name;
  member->position = next->position;
  left->erase(next);
  return true;
}

}  // namespace heapglot::heapsnapshot
