#include "readers/heapsnapshot/heapsnapshot_validate.h"

#include <charconv>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "core/bytes/trail.h"
#include "core/text/take_uint.h"
#include "readers/heapsnapshot/heapsnapshot_json.h"
#include "readers/heapsnapshot/heapsnapshot_rules.h"
#include "readers/heapsnapshot/heapsnapshot_validate_last.h"
#include "readers/heapsnapshot/heapsnapshot_validate_memlab.h"
#include "readers/heapsnapshot/heapsnapshot_validate_strings.h"
#include "readers/heapsnapshot/heapsnapshot_validate_tables.h"
#include "readers/heapsnapshot/heapsnapshot_validate_traces.h"
#include "readers/heapsnapshot/heapsnapshot_validate_vscode.h"
#include "readers/heapsnapshot/heapsnapshot_walk.h"
#include "readers/heapsnapshot/heapsnapshot_wire.h"

namespace heapglot::heapsnapshot {
namespace {

// Tables that memlab looks for as text, too.
bool IsGraph(const Section& section) {
  return section.kind == SectionKind::kNodes ||
         section.kind == SectionKind::kEdges;
}

// The last value of `key`, which is the one that counts; "" if there is none.
std::string_view FindMember(std::string_view object, std::string_view key) {
  std::string_view value;
  for (JsonItems items(object); items.Next();) {
    if (items.key() == key) value = items.value();
  }
  return value;
}

// What JavaScript makes of a JSON value where it needs a number.
double AsNumber(std::string_view json) {
  if (json == "true") return 1;
  if (json == "null" || json == "false" || json == "[]") return 0;
  if (json.size() > 1 && json.front() == '"')
    json = json.substr(1, json.size() - 2);
  double value = 0;
  const char* const end = json.data() + json.size();
  const auto [stop, error] = std::from_chars(json.data(), end, value);
  // JSON has no such numbers.
  if (error == std::errc::result_out_of_range) return HUGE_VAL;
  return error == std::errc() && stop == end ? value : NAN;
}

// The same where it needs a condition; an absent value is false.
bool IsTrue(std::string_view json) {
  if (json.empty() || json == "null" || json == "false" || json == R"("")")
    return false;
  const bool is_number = json.front() == '-' || IsDigit(json.front());
  return !is_number || AsNumber(json) != 0;
}

class FileChecker {
 public:
  FileChecker(const ByteSource& source, Context& context, FindingLog& log)
      : source_(source),
        bytes_(source.bytes()),
        context_(context),
        log_(log),
        walk_(source_) {}

  Status Run();

 private:
  // Errors: whatever keeps the file from being one JSON object with arrays.
  Status FindParts();
  void CheckKeys();
  void CheckKeysOfMemlab();
  // The tables, if they are there.
  std::optional<Tables> CheckParts();
  // Whether a finding so far means that `reader` does not open the file.
  bool Fails(std::string_view reader) const;
  void CheckSyntax(const Status& status);
  // The snapshot object. Reports what keeps DevTools from it.
  std::optional<Span> FindSnapshot();
  void CheckWalkToSnapshot(const Section& real,
                           const std::optional<Span>& found,
                           std::uint64_t colon);
  bool CheckSnapshot(const Span& snapshot);
  bool CheckMeta(const Span& snapshot);
  // Keys that must be there, once, for VS Code's parser.
  void CheckMembers();
  // What the snapshot has as `key`; nullopt: not a count.
  void CheckCount(std::string_view key, std::optional<std::uint64_t> count);
  // The same as JavaScript reads it, where 7.0 and "7" are 7; 0: not a count.
  std::uint64_t Stated(std::string_view key,
                       std::optional<std::uint64_t> count) const;
  bool HasFields(std::string_view key) const;
  void CheckTypes(std::string_view list, bool is_of_nodes);
  void CheckRoot(const Tables& tables);
  // What is between the brackets of `key`. Reports if DevTools finds it
  // elsewhere or not at all. `missing` is the rule for a key that is nowhere.
  std::optional<Span> Find(std::string_view key, const Rule& missing);
  std::size_t Feed(std::string_view text, JsonChecker* json) const;
  void FindTraces();
  void CheckWalkToTree(const Section* real);
  // The tables that DevTools looks for because meta names their fields.
  void FindOtherTables();
  void CheckLocations();
  void CheckSamples();
  // Checks that others can look for a name in what meta has as `fields`, which
  // may also be a text.
  void CheckSearchable(std::string_view fields, const Rule& rule);
  std::optional<StringFacts> FindStrings();
  const Section* SectionOf(std::string_view key) const;
  // DevTools does not find `key`, and looks for nothing after it.
  void StopWalk(const Section& key);
  static bool IsEscaped(const Section& section);

  const ByteSource& source_;
  std::string_view bytes_;
  Context& context_;
  FindingLog& log_;
  DevtoolsWalk walk_;
  bool walk_goes_on_ = true;  // DevTools has found all so far, or thinks so
  Sections sections_;
  bool has_sections_ = false;  // all of them
  Meta meta_;
  std::string_view snapshot_;  // the object
  std::string_view meta_text_;
};

Status FileChecker::Run() {
  const Status status = FindParts();
  CheckKeys();
  const std::optional<Tables> tables = CheckParts();
  CheckKeysOfMemlab();
  CheckOtherNumbers(source_, context_, sections_, log_);
  CheckSyntax(status);
  // Where the parser does not get that far, neither do we.
  if (!status.ok() || !tables || Fails(kVscode)) return {};
  return CheckLastNode(source_, context_, *tables, log_);
}

bool FileChecker::Fails(std::string_view reader) const {
  for (const FindingLog::Group& group : log_.groups()) {
    for (const Effect& effect : group.rule->effects) {
      if (effect.reader == reader && effect.outcome == Outcome::kFails)
        return true;
    }
  }
  return false;
}

std::optional<Tables> FileChecker::CheckParts() {
  const std::optional<Span> snapshot = FindSnapshot();
  if (!snapshot || !CheckSnapshot(*snapshot)) return std::nullopt;
  const Rule& missing = RuleFor("key.graph");
  const std::optional<Span> nodes = Find("nodes", missing);
  const std::optional<Span> edges =
      nodes ? Find("edges", missing) : std::nullopt;
  if (!nodes || !edges) return std::nullopt;
  FindTraces();
  FindOtherTables();
  const std::optional<StringFacts> strings = FindStrings();
  Tables tables = {
      .meta = meta_,
      .nodes = *nodes,
      .edges = *edges,
      .string_count = strings ? std::optional(strings->count) : std::nullopt,
      .stated_nodes = Stated("node_count", meta_.node_count),
      .stated_edges = Stated("edge_count", meta_.edge_count),
  };
  CheckTables(source_, context_, &tables, log_);
  CheckLocations();
  CheckSamples();
  CheckRoot(tables);
  return tables;
}

// -------------------------------------------------------------------- the file

Status FileChecker::FindParts() {
  Trail trail(source_);
  const auto proceed = [&](std::uint64_t offset) {
    trail.Advance(offset);
    return context_.Proceed("checking", offset, bytes_.size());
  };
  Status status = FindSections(bytes_, context_.limits, proceed, &sections_);
  has_sections_ = status.ok();
  if (sections_.has_bom)
    log_.Add(RuleFor("bom"), "the file begins with a BOM", Where::Byte(0));
  if (sections_.trailing_zeros > 0) {
    log_.Add(
        RuleFor("trailing_zeros"),
        std::to_string(sections_.trailing_zeros) + " NUL bytes after the end",
        Where::Byte(bytes_.size() - sections_.trailing_zeros));
  }
  return status;
}

// Reports what is wrong with the file as a whole, if no part reported the same.
void FileChecker::CheckSyntax(const Status& status) {
  if (status.ok() || log_.HasErrorAt(status.where())) return;
  if (status.code() == Code::kMalformed)
    log_.Add(RuleFor("file.syntax"), status.message(), status.where());
  if (status.code() == Code::kTruncated)
    log_.Add(RuleFor("file.truncated"), status.message(), status.where());
}

const Section* FileChecker::SectionOf(std::string_view key) const {
  for (const Section& section : sections_.list) {
    if (section.name == key) return &section;
  }
  return nullptr;
}

// Checks the keys that only a real parser sees.
void FileChecker::CheckKeys() {
  for (const Section& section : sections_.list) {
    if (!IsGraph(section)) continue;
    if (IsEscaped(section)) {
      log_.Add(RuleFor("key.escaped_table"),
               "DevTools and memlab find no \"" + section.name +
                   "\" in these letters",
               Where::Byte(section.key.begin));
    }
    if (section.key.end < bytes_.size() && bytes_[section.key.end] == ':')
      continue;
    log_.Add(RuleFor("key.space"),
             "there is no colon right after \"" + section.name + "\"",
             Where::Byte(section.key.end));
  }
  if (!has_sections_) return;
  for (const std::string_view key :
       {"trace_function_infos", "trace_tree", "samples", "locations"}) {
    if (SectionOf(key) != nullptr) continue;
    log_.Add(RuleFor("key.absent"),
             "there is no key \"" + std::string(key) + "\"",
             Where::Byte(sections_.open));
  }
  const Section* const tree = sections_.Find(SectionKind::kTraceTree);
  if (tree != nullptr && JsonItems(TextOf(bytes_, tree->value)).Next()) {
    log_.Add(RuleFor("trace.nested"), "trace_tree has nodes",
             Where::Byte(tree->value.begin));
  }
}

void FileChecker::CheckKeysOfMemlab() {
  CheckCutsOfMemlab(source_, context_.limits, sections_, log_);
  // DevTools may have the same problem.
  if (log_.Has(RuleFor("key.shadowed"))) return;
  for (const SectionKind kind : {SectionKind::kNodes, SectionKind::kEdges}) {
    const Section* const section = sections_.Find(kind);
    if (section == nullptr) continue;
    const auto shadow = FindShadowForMemlab(source_, sections_, section->name);
    if (!shadow) continue;
    log_.Add(RuleFor("key.shadowed_text"),
             "memlab finds \"" + section->name + "\" here first",
             Where::Byte(*shadow));
  }
}

// ---------------------------------------------------------------- the snapshot

std::optional<Span> FileChecker::FindSnapshot() {
  std::uint64_t colon = 0;
  std::optional<Span> found = walk_.Snapshot(&colon);
  // Skips the key's colon, or what DevTools takes for it.
  while (found && found->begin < found->end &&
         (IsSpace(bytes_[found->begin]) || bytes_[found->begin] == ':'))
    ++found->begin;
  const Section* const real = SectionOf("snapshot");
  if (real != nullptr) {
    CheckWalkToSnapshot(*real, found, colon);
    return real->value;
  }
  if (has_sections_ || !found) {
    log_.Add(RuleFor("key.required"),
             "there is no complete object under a key \"snapshot\"",
             Where::Byte(sections_.open));
    return std::nullopt;
  }
  return found;
}

void FileChecker::CheckWalkToSnapshot(const Section& real,
                                      const std::optional<Span>& found,
                                      std::uint64_t colon) {
  if (colon == real.key.end) {
    if (bytes_[colon] == ':') return;
    log_.Add(RuleFor("key.space_snapshot"),
             "found " + Found(bytes_, colon) + " after \"snapshot\"",
             Where::Byte(colon));
    return;
  }
  if (IsEscaped(real)) return StopWalk(real);
  constexpr std::string_view kKey = "\"snapshot\"";
  Meta other;
  JsonChecker json(context_.limits.max_depth);
  const bool is_snapshot =
      found && bytes_[found->begin] == '{' &&
      Feed(TextOf(bytes_, *found), &json) == found->end - found->begin &&
      json.IsWhole() &&
      ParseMeta(
          bytes_, *found, [](std::uint64_t) { return Status(); }, &other)
          .ok();
  walk_goes_on_ = is_snapshot;
  log_.Add(is_snapshot ? RuleFor("key.shadowed_other")
                       : RuleFor("key.shadowed_json"),
           "DevTools finds " + std::string(kKey) + " here first",
           Where::Byte(colon - kKey.size()));
}

bool FileChecker::CheckSnapshot(const Span& snapshot) {
  snapshot_ = TextOf(bytes_, snapshot);
  // The reader reports that this is too large.
  if (snapshot_.size() > kMaxSnapshotObject) return false;
  JsonChecker json(context_.limits.max_depth);
  const std::size_t good = json.Feed(snapshot_);
  if (!json.IsWhole() || good != snapshot_.size() ||
      !snapshot_.starts_with('{')) {
    const std::uint64_t at = snapshot.begin + good;
    log_.Add(RuleFor("snapshot.json"), "found " + Found(bytes_, at),
             Where::Byte(at));
    return false;
  }
  return CheckMeta(snapshot);
}

bool FileChecker::CheckMeta(const Span& snapshot) {
  const auto ignore = [](std::uint64_t) { return Status(); };
  if (const Status status = ParseMeta(bytes_, snapshot, ignore, &meta_);
      !status.ok()) {
    log_.Add(
        meta_.describes_graph ? RuleFor("meta.table") : RuleFor("meta.broken"),
        status.message(), status.where());
    if (!meta_.describes_graph) return false;
  }
  meta_text_ = FindMember(snapshot_, "meta");
  CheckTypes("node_types", true);
  CheckTypes("edge_types", false);
  if (!FindField(meta_.node_fields, kSelfSize)) {
    log_.Add(RuleFor("meta.self_size"), "node_fields has no 'self_size'",
             Where::Byte(snapshot.begin));
  }
  CheckMembers();
  CheckNames(bytes_, sections_, snapshot_, meta_text_, log_);
  CheckCount("node_count", meta_.node_count);
  CheckCount("edge_count", meta_.edge_count);
  CheckCount("trace_function_count", meta_.trace_function_count);
  return true;
}

void FileChecker::CheckMembers() {
  const auto check = [&](std::string_view object, std::string_view key) {
    int times = 0;
    for (JsonItems items(object); items.Next();) {
      if (items.key() != key || ++times != 2) continue;
      log_.Add(RuleFor("key.twice_known"),
               "the key \"" + std::string(key) + "\" comes again",
               Where::Byte(static_cast<std::uint64_t>(items.raw_key().data() -
                                                      bytes_.data())));
    }
  };
  for (const std::string_view key :
       {"meta", "node_count", "edge_count", "trace_function_count"})
    check(snapshot_, key);
  for (const std::string_view key :
       {"node_fields", "node_types", "edge_fields", "edge_types"})
    check(meta_text_, key);
  for (const std::string_view key :
       {"trace_function_info_fields", "trace_node_fields", "sample_fields"}) {
    check(meta_text_, key);
    if (HasFields(key)) continue;
    log_.Add(RuleFor("key.absent"), "meta has no " + std::string(key),
             Where::Byte(static_cast<std::uint64_t>(meta_text_.data() -
                                                    bytes_.data())));
  }
}

void FileChecker::CheckCount(std::string_view key,
                             std::optional<std::uint64_t> count) {
  if (count) return;
  const std::string_view value = FindMember(snapshot_, key);
  if (AsNumber(value) < 0) {
    log_.Add(
        RuleFor("count.negative"), std::string(key) + " is negative",
        Where::Byte(static_cast<std::uint64_t>(value.data() - bytes_.data())));
  }
  if (value.empty()) {
    log_.Add(RuleFor("key.absent"), "there is no " + std::string(key),
             Where::Byte(
                 static_cast<std::uint64_t>(snapshot_.data() - bytes_.data())));
    return;
  }
  constexpr std::size_t kMostShown = 40;
  log_.Add(
      RuleFor("key.absent"),
      std::string(key) + " is " + std::string(value.substr(0, kMostShown)) +
          ", not an unsigned integer",
      Where::Byte(static_cast<std::uint64_t>(value.data() - bytes_.data())));
}

std::uint64_t FileChecker::Stated(std::string_view key,
                                  std::optional<std::uint64_t> count) const {
  if (count) return *count;
  constexpr double kMost = 9007199254740991;  // exact up to here
  const double value = AsNumber(FindMember(snapshot_, key));
  if (value > kMost) return std::numeric_limits<std::uint64_t>::max();
  const bool is_count = value >= 0 && value == std::floor(value);
  return is_count ? static_cast<std::uint64_t>(value) : 0;
}

// DevTools takes the entry of node_types at the position that "type" has in
// node_fields.
void FileChecker::CheckTypes(std::string_view list, bool is_of_nodes) {
  const auto& fields = is_of_nodes ? meta_.node_fields : meta_.edge_fields;
  const std::size_t wanted = *FindField(fields, kType);
  const std::string_view value = FindMember(meta_text_, list);
  std::string_view entry;
  std::size_t position = 0;
  for (JsonItems items(value); items.Next(); ++position) {
    if (position == wanted) entry = items.value();
  }
  if (entry.starts_with('[')) return;
  const std::uint64_t at = static_cast<std::uint64_t>(
      (value.empty() ? meta_text_ : value).data() - bytes_.data());
  // For edges, DevTools extends the list.
  const bool is_text = entry.starts_with('"') && is_of_nodes;
  log_.Add(is_text ? RuleFor("meta.node_types") : RuleFor("meta.types_missing"),
           std::string(list) + " has no list at position " +
               std::to_string(wanted) + ", where the fields have \"type\"",
           Where::Byte(at));
}

void FileChecker::CheckRoot(const Tables& tables) {
  const std::uint64_t root = meta_.root_index.value_or(0);
  const std::uint64_t width = meta_.node_fields.size();
  if (root == 0 || tables.node_count == 0) return;
  const std::uint64_t last = (tables.node_count - 1) * width;
  // The reader reports that no node is there.
  if (root > last || root % width != 0) return;
  log_.Add(root == last ? RuleFor("root.last") : RuleFor("root.middle"),
           "root_index is " + std::to_string(root) +
               "; the first node is 0, the last " + std::to_string(last),
           Where::Byte(
               static_cast<std::uint64_t>(snapshot_.data() - bytes_.data())));
}

// ------------------------------------------------------------------ the arrays

// Whoever looks for the text of a key does not find one with escapes.
bool FileChecker::IsEscaped(const Section& section) {
  return section.key.end - section.key.begin != section.name.size() + 2;
}

void FileChecker::StopWalk(const Section& key) {
  walk_goes_on_ = false;
  const Where where = Where::Byte(key.key.begin);
  if (!IsEscaped(key)) {
    log_.Add(RuleFor("key.order"),
             "\"" + key.name + "\" comes before what DevTools reads first",
             where);
    return;
  }
  // CheckKeys() reports this.
  if (IsGraph(key)) return;
  log_.Add(RuleFor("key.escaped"),
           "DevTools finds no \"" + key.name + "\" in these letters", where);
}

std::optional<Span> FileChecker::Find(std::string_view key,
                                      const Rule& missing) {
  bool is_cut = false;
  const std::optional<Span> found =
      walk_goes_on_ ? walk_.Array(key, &is_cut) : std::nullopt;
  const Section* const section = SectionOf(key);
  if (section != nullptr) {
    const Span real = {section->value.begin + 1, section->value.end - 1};
    if (!walk_goes_on_ || (found && found->begin == real.begin)) return real;
    if (!found || IsEscaped(*section)) {
      StopWalk(*section);
      return real;
    }
    // memlab distinguishes a key from a word.
    const bool is_for_both =
        IsGraph(*section) &&
        FindShadowForMemlab(source_, sections_, key) == walk_.name();
    log_.Add(
        is_for_both ? RuleFor("key.shadowed") : RuleFor("key.shadowed_other"),
        "DevTools finds \"" + std::string(key) + "\" here first",
        Where::Byte(walk_.name()));
    return real;
  }
  if (!has_sections_ && (found || !walk_goes_on_)) return found;
  walk_goes_on_ = false;
  if (!has_sections_ && is_cut) {
    log_.Add(RuleFor("table.cut"),
             "the array of " + std::string(key) + " is not closed",
             Where::Byte(bytes_.size()));
    return std::nullopt;
  }
  log_.Add(missing, "there is no key \"" + std::string(key) + "\"",
           Where::Byte(has_sections_ ? sections_.open : bytes_.size()));
  return std::nullopt;
}

// Feeds `text`, a part of the file, to `json`. Returns how much of it was
// taken.
std::size_t FileChecker::Feed(std::string_view text, JsonChecker* json) const {
  constexpr std::size_t kPiece = std::size_t{1} << 20;
  if (text.empty()) return 0;
  const auto begin = static_cast<std::uint64_t>(text.data() - bytes_.data());
  Trail trail(source_, begin);
  std::size_t good = 0;
  while (good < text.size() && json->state() == JsonChecker::State::kMore) {
    trail.Advance(begin + good);
    good += json->Feed(text.substr(good, kPiece));
  }
  return good;
}

void FileChecker::FindTraces() {
  if (!IsTrue(FindMember(snapshot_, "trace_function_count"))) return;
  meta_.trace_function_count =
      Stated("trace_function_count", meta_.trace_function_count);
  Find("trace_function_infos", RuleFor("key.missing"));
  const Section* const real = SectionOf("trace_tree");
  if (real != nullptr) CheckTraces(source_, context_, meta_, real->value, log_);
  if (walk_goes_on_) CheckWalkToTree(real);
}

void FileChecker::CheckWalkToTree(const Section* real) {
  if (real == nullptr && has_sections_) {
    walk_goes_on_ = false;
    log_.Add(RuleFor("key.missing"), "there is no key \"trace_tree\"",
             Where::Byte(sections_.open));
    return;
  }
  const std::optional<Span> tree = walk_.TraceTree();
  const std::string_view text = tree ? TextOf(bytes_, *tree) : "";
  JsonChecker json(context_.limits.max_depth);
  const std::size_t good = Feed(text, &json);
  walk_goes_on_ = json.IsWhole() && good == text.size();
  if (tree && walk_goes_on_) {
    if (real == nullptr)
      return CheckTraces(source_, context_, meta_, *tree, log_);
    if (tree->begin == real->value.begin && tree->end == real->value.end)
      return;
    log_.Add(RuleFor("key.shadowed_other"),
             "DevTools takes this for \"trace_tree\"",
             Where::Byte(tree->begin));
    return;
  }
  const std::uint64_t at = tree   ? tree->begin + good
                           : real ? real->key.begin
                                  : bytes_.size();
  log_.Add(RuleFor("trace.json"),
           tree ? "found " + Found(bytes_, at)
                : "DevTools finds no tree between the array before it and the "
                  "key after it",
           Where::Byte(at));
}

// Whether meta has a list for the names of a table's fields.
bool FileChecker::HasFields(std::string_view key) const {
  return FindMember(meta_text_, key).starts_with('[');
}

// A reader that steps through locations by as many numbers as meta names fields
// never gets to the end if there are none.
void FileChecker::CheckLocations() {
  CheckSearchable("location_fields", RuleFor("location.no_list"));
  const Section* const locations = SectionOf("locations");
  if (locations == nullptr) return;
  CheckLocationRows(source_, meta_, *locations, log_);
  const bool is_empty = !JsonItems(TextOf(bytes_, locations->value)).Next();
  if (!meta_.location_fields.empty() || is_empty) return;
  log_.Add(HasFields("location_fields") ? RuleFor("location.no_fields")
                                        : RuleFor("location.undescribed"),
           "meta has no location_fields, but there are locations",
           Where::Byte(locations->value.begin));
}

void FileChecker::CheckSamples() {
  const Section* const samples = SectionOf("samples");
  if (samples == nullptr || !IsTrue(FindMember(meta_text_, "sample_fields")))
    return;
  CheckSampleRows(source_, *samples, log_);
  // DevTools looks at the fields if there are rows.
  if (JsonItems(TextOf(bytes_, samples->value)).Next())
    CheckSearchable("sample_fields", RuleFor("samples.no_list"));
}

void FileChecker::CheckSearchable(std::string_view fields, const Rule& rule) {
  const std::string_view value = FindMember(meta_text_, fields);
  if (!IsTrue(value) || value.front() == '[' || value.front() == '"') return;
  log_.Add(
      rule, std::string(fields) + " is not a list",
      Where::Byte(static_cast<std::uint64_t>(value.data() - bytes_.data())));
}

void FileChecker::FindOtherTables() {
  constexpr std::pair<std::string_view, std::string_view> kTables[] = {
      {"sample_fields", "samples"},
      {"location_fields", "locations"},
      {"scope_fields", "scopes"},
      {"scope_context_var_fields", "scope_context_vars"},
      {"scope_use_fields", "scope_uses"}};
  for (const auto& [fields, table] : kTables) {
    if (IsTrue(FindMember(meta_text_, fields)))
      Find(table, RuleFor("key.missing"));
  }
}

std::optional<StringFacts> FileChecker::FindStrings() {
  const std::optional<Span> found = walk_.Strings();
  const Section* const section = SectionOf("strings");
  if (section == nullptr) {
    if (found && !has_sections_)
      return CheckStrings(source_, context_, found->begin, walk_goes_on_, log_);
    log_.Add(RuleFor("key.required"), "there is no key \"strings\"",
             Where::Byte(has_sections_ ? sections_.open : bytes_.size()));
    return std::nullopt;
  }
  if (walk_goes_on_ && (!found || IsEscaped(*section))) {
    StopWalk(*section);
  } else if (walk_goes_on_ && found->begin != section->value.begin) {
    walk_goes_on_ = false;
    log_.Add(RuleFor("key.shadowed_json"),
             "DevTools finds \"strings\" here first",
             Where::Byte(found->begin));
  }
  return CheckStrings(source_, context_, section->value.begin, walk_goes_on_,
                      log_);
}

Status Check(const ByteSource& source, Context& context, FindingLog& log) {
  return FileChecker(source, context, log).Run();
}

constexpr std::string_view kReaders[] = {kDevtools, kMemlab, kVscode};
constexpr std::string_view kRefined[] = {"heapsnapshot.count",
                                         "heapsnapshot.edge.dangling",
                                         "heapsnapshot.type.unknown"};

}  // namespace
}  // namespace heapglot::heapsnapshot

namespace heapglot {

constinit const Validator kHeapsnapshotValidator = {
    .rules = heapsnapshot::kRules,
    .readers = heapsnapshot::kReaders,
    .refined = heapsnapshot::kRefined,
    .check = heapsnapshot::Check,
};

}  // namespace heapglot
