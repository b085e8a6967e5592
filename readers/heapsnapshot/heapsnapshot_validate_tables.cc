#include "readers/heapsnapshot/heapsnapshot_validate_tables.h"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include "core/bytes/trail.h"
#include "core/id_bitmap.h"
#include "core/saturating.h"
#include "core/text/take_uint.h"
#include "readers/heapsnapshot/heapsnapshot_json.h"
#include "readers/heapsnapshot/heapsnapshot_rules.h"
#include "readers/heapsnapshot/heapsnapshot_walk.h"

namespace heapglot::heapsnapshot {
namespace {

// Strings that DevTools adds for its own names before it looks at a node's.
constexpr std::uint64_t kDevtoolsStrings = 4;
// DevTools allocates the numbers of a table before it reads them: 16 GiB for
// this many, which no browser has.
constexpr std::uint64_t kMostNumbers = std::uint64_t{1} << 32;
// Stands for the column of an absent field.
constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();

using Example = FindingLog::Example;

class TableChecker {
 public:
  TableChecker(const ByteSource& source, Context& context, Tables* tables,
               FindingLog& log)
      : source_(source),
        context_(context),
        tables_(*tables),
        meta_(tables->meta),
        log_(log) {}

  void Run();

 private:
  struct Columns {
    explicit Columns(const Meta& meta);
    std::size_t type, name, id, self_size, edge_count;
    std::size_t edge_type, edge_name, edge_to;
  };

  template <typename CheckRow>
  void ForEachRow(const Span& array, std::size_t width, std::string_view what,
                  CheckRow check);
  void NoteStrays(const DigitRuns& in, std::string_view what,
                  std::uint64_t first, std::size_t width);
  void NoteHuge(const DigitRuns& in, std::string_view what);
  void NoteLastComma(const Span& array, std::string_view what);
  void NotePartialRow(const DigitRuns& in, std::string_view what,
                      std::size_t width);

  void CheckNode(const DigitRuns& in, std::size_t at);
  void CheckName(const DigitRuns& in, std::size_t at);
  void CheckIdsAgain();
  void CheckEdge(const DigitRuns& in, std::size_t at);
  void CheckEdgeName(const DigitRuns& in, std::size_t at);
  void CheckTarget(const DigitRuns& in, std::size_t at);
  void CheckCounts();
  void CheckEdgeSum();

  // Adds a finding about the number at `at`, which is of node or edge `record`.
  template <typename MakeMessage>
  void Add(const Rule& rule, const DigitRuns& in, std::size_t at,
           std::uint64_t record, MakeMessage message) {
    const Rule* const real = Real(rule);
    if (real == nullptr) return;
    log_.Add(*real, [&] {
      return Example{message(), Where::Byte(in.OffsetOf(at)), record};
    });
  }
  // After a number that DevTools takes for two, these checks see what DevTools
  // does. What DevTools cannot handle has a rule of its own; the rest has none.
  const Rule* Real(const Rule& rule) const {
    if (!has_moved_) return &rule;
    const bool fails =
        &rule == &RuleFor("node.name") || &rule == &RuleFor("edge.target");
    return fails ? &RuleFor("number.moved") : nullptr;
  }
  std::string Node() const {
    return "node " + std::to_string(tables_.node_count);
  }
  std::string Edge() const {
    return "edge " + std::to_string(tables_.edge_count);
  }

  const ByteSource& source_;
  Context& context_;
  Tables& tables_;
  const Meta& meta_;
  FindingLog& log_;
  Columns columns_{tables_.meta};
  IdBitmap ids_{source_.bytes().size()};
  bool has_twice_ = false;
  bool has_sizes_ = false;  // a node has one
  bool has_moved_ = false;
  std::uint64_t edge_sum_ = 0;
};

std::size_t ColumnOf(const std::vector<MetaField>& fields,
                     std::string_view name) {
  return FindField(fields, name).value_or(kNone);
}

TableChecker::Columns::Columns(const Meta& meta)
    : type(ColumnOf(meta.node_fields, kType)),
      name(ColumnOf(meta.node_fields, kName)),
      id(ColumnOf(meta.node_fields, kId)),
      self_size(ColumnOf(meta.node_fields, kSelfSize)),
      edge_count(ColumnOf(meta.node_fields, kEdgeCount)),
      edge_type(ColumnOf(meta.edge_fields, kType)),
      edge_name(ColumnOf(meta.edge_fields, kNameOrIndex)),
      edge_to(ColumnOf(meta.edge_fields, kToNode)) {}

void TableChecker::Run() {
  ForEachRow(tables_.nodes, meta_.node_fields.size(), "nodes",
             [this](const DigitRuns& in, std::size_t at) {
               CheckNode(in, at);
               ++tables_.node_count;
             });
  if (!ids_.is_exact()) CheckIdsAgain();
  ForEachRow(tables_.edges, meta_.edge_fields.size(), "edges",
             [this](const DigitRuns& in, std::size_t at) {
               CheckEdge(in, at);
               ++tables_.edge_count;
             });
  CheckCounts();
  CheckEdgeSum();
}

template <typename CheckRow>
void TableChecker::ForEachRow(const Span& array, std::size_t width,
                              std::string_view what, CheckRow check) {
  DigitRuns in(source_.bytes(), array);
  Trail trail(source_, array.begin);
  const std::size_t rows = std::max<std::size_t>(kBlockNumbers / width, 1);
  NoteLastComma(array, what);
  for (std::uint64_t first = 0;; first += rows) {
    in.Read(rows * width);
    NoteStrays(in, what, first, width);
    NoteHuge(in, what);
    const std::size_t size = in.block().size();
    for (std::size_t at = 0; at + width <= size; at += width) check(in, at);
    if (size % width != 0 && !has_moved_) NotePartialRow(in, what, width);
    if (size < rows * width) return;
    trail.Advance(in.offset());
    if (!context_.Proceed("checking", in.offset(), source_.bytes().size()).ok())
      return;
  }
}

void TableChecker::NoteStrays(const DigitRuns& in, std::string_view what,
                              std::uint64_t first, std::size_t width) {
  for (const DigitRuns::Stray& stray : in.strays()) {
    const std::uint64_t row = first + stray.position / width;
    const auto add = [&](const Rule& rule, const char* found) {
      log_.Add(rule, [&] {
        return Example{
            std::string(what) + ": " + found + " in row " + std::to_string(row),
            Where::Byte(stray.offset), row};
      });
    };
    switch (stray.gap) {
      case DigitRuns::Gap::kMinus:
        add(RuleFor("number.negative"), "a negative number");
        break;
      case DigitRuns::Gap::kFraction:
        add(RuleFor("number.form"), "a fraction or an exponent");
        has_moved_ = true;
        break;
      case DigitRuns::Gap::kZeros:
        add(RuleFor("number.zeros"), "a number with leading zeros");
        break;
      case DigitRuns::Gap::kOther:
        if (source_.bytes()[stray.offset] == '[')
          add(RuleFor("number.nested"), "an array");
        else
          add(RuleFor("number.stray"), "something that is not a number");
        break;
    }
  }
}

// Numbers of more than 64 bits are read as the largest one.
void TableChecker::NoteHuge(const DigitRuns& in, std::string_view what) {
  constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();
  const auto block = in.block();
  for (auto it = std::find(block.begin(), block.end(), kMost);
       it != block.end(); it = std::find(it + 1, block.end(), kMost)) {
    const std::uint64_t at =
        in.OffsetOf(static_cast<std::size_t>(it - block.begin()));
    const std::string most = std::to_string(kMost);
    const std::string_view text = source_.bytes().substr(at, most.size() + 1);
    if (text.starts_with(most) && !IsDigit(text.back())) continue;
    log_.Add(RuleFor("number.huge"),
             std::string(what) + ": a number of more than 64 bits",
             Where::Byte(at));
  }
}

// DigitRuns does not report it.
void TableChecker::NoteLastComma(const Span& array, std::string_view what) {
  std::string_view text = TextOf(source_.bytes(), array);
  while (!text.empty() && IsSpace(text.back())) text.remove_suffix(1);
  if (!text.ends_with(',')) return;
  log_.Add(RuleFor("number.stray"),
           std::string(what) + ": a comma after the last number",
           Where::Byte(array.end));
}

void TableChecker::NotePartialRow(const DigitRuns& in, std::string_view what,
                                  std::size_t width) {
  const std::size_t left = in.block().size() % width;
  const std::uint64_t offset = in.OffsetOf(in.block().size() - left);
  log_.Add(RuleFor("table.row"),
           "the last row of " + std::string(what) + " has " +
               std::to_string(left) + " numbers instead of " +
               std::to_string(width),
           Where::Byte(offset));
}

// ----------------------------------------------------------------------- nodes

void TableChecker::CheckNode(const DigitRuns& in, std::size_t at) {
  const std::uint64_t node = tables_.node_count;
  const std::uint64_t* const row = &in.block()[at];
  const std::uint64_t type = row[columns_.type];
  if (type >= meta_.node_types.size()) {
    Add(RuleFor("node.type"), in, at + columns_.type, node, [&] {
      return Node() + ": type " + std::to_string(type) + ", but meta has " +
             std::to_string(meta_.node_types.size()) + " names";
    });
  }
  CheckName(in, at);
  const std::uint64_t id = row[columns_.id];
  if (id > kMax32) {
    Add(RuleFor("node.id_range"), in, at + columns_.id, node, [&] {
      return Node() + ": id " + std::to_string(id) + " becomes " +
             std::to_string(id & kMax32) + " in DevTools";
    });
  }
  if (!ids_.Add(id)) {
    has_twice_ = true;
    Add(RuleFor("node.id_twice"), in, at + columns_.id, node, [&] {
      return Node() + ": the id " + std::to_string(id) + " comes again";
    });
  }
  if (columns_.self_size != kNone && row[columns_.self_size] > kMax32) {
    const std::uint64_t size = row[columns_.self_size];
    Add(RuleFor("node.size_range"), in, at + columns_.self_size, node, [&] {
      return Node() + ": self_size " + std::to_string(size) + " becomes " +
             std::to_string(size & kMax32);
    });
  }
  has_sizes_ |= columns_.self_size != kNone && row[columns_.self_size] != 0;
  const std::uint64_t edges = row[columns_.edge_count];
  edge_sum_ = AddSaturating(edge_sum_, edges);
  tables_.last_edges = edges;
}

void TableChecker::CheckName(const DigitRuns& in, std::size_t at) {
  const std::uint64_t name = in.block()[at + columns_.name];
  if (!tables_.string_count || name < *tables_.string_count) return;
  const bool is_near = name - *tables_.string_count < kDevtoolsStrings;
  Add(is_near ? RuleFor("node.name_next") : RuleFor("node.name"), in,
      at + columns_.name, tables_.node_count, [&] {
        return Node() + ": its name is string " + std::to_string(name) +
               ", but there are " + std::to_string(*tables_.string_count);
      });
}

// For ids that are too high for the bitmap: finds a duplicate by sorting, then
// looks for its places.
void TableChecker::CheckIdsAgain() {
  if (has_twice_) return;
  const std::size_t width = meta_.node_fields.size();
  const auto for_each = [&](auto use) {
    DigitRuns in(source_.bytes(), tables_.nodes);
    Trail trail(source_, tables_.nodes.begin);
    std::uint64_t node = 0;
    do {
      trail.Advance(in.offset());
      in.Read(std::max<std::size_t>(kBlockNumbers / width, 1) * width);
      for (std::size_t at = 0; at + width <= in.block().size();
           at += width, ++node)
        use(in, at + columns_.id, node);
    } while (!in.block().empty());
  };
  SortedIds ids(tables_.node_count);
  for_each([&](const DigitRuns& in, std::size_t at, std::uint64_t) {
    ids.Add(in.block()[at]);
  });
  const std::optional<std::uint64_t> twice = ids.FindDuplicate();
  if (!twice) return;
  bool is_first = true;
  for_each([&](const DigitRuns& in, std::size_t at, std::uint64_t node) {
    if (in.block()[at] != *twice) return;
    if (!std::exchange(is_first, false)) {
      Add(RuleFor("node.id_twice"), in, at, node, [&] {
        return "node " + std::to_string(node) + ": the id " +
               std::to_string(*twice) + " comes again";
      });
    }
  });
}

// ----------------------------------------------------------------------- edges

void TableChecker::CheckEdge(const DigitRuns& in, std::size_t at) {
  const std::uint64_t type = in.block()[at + columns_.edge_type];
  if (type >= meta_.edge_types.size()) {
    Add(RuleFor("edge.type"), in, at + columns_.edge_type, tables_.edge_count,
        [&] {
          return Edge() + ": type " + std::to_string(type) + ", but meta has " +
                 std::to_string(meta_.edge_types.size()) + " names";
        });
  }
  CheckEdgeName(in, at);
  CheckTarget(in, at);
}

void TableChecker::CheckEdgeName(const DigitRuns& in, std::size_t at) {
  const std::uint64_t type = in.block()[at + columns_.edge_type];
  const std::uint64_t name = in.block()[at + columns_.edge_name];
  if (type < meta_.edge_types.size() &&
      IsNamedByNumber(meta_.edge_types[type])) {
    if (name <= kMax32) return;
    Add(RuleFor("edge.index_range"), in, at + columns_.edge_name,
        tables_.edge_count,
        [&] { return Edge() + ": its index is " + std::to_string(name); });
    return;
  }
  if (!tables_.string_count || name < *tables_.string_count) return;
  Add(RuleFor("edge.name"), in, at + columns_.edge_name, tables_.edge_count,
      [&] {
        return Edge() + ": its name is string " + std::to_string(name) +
               ", but there are " + std::to_string(*tables_.string_count);
      });
}

void TableChecker::CheckTarget(const DigitRuns& in, std::size_t at) {
  const std::uint64_t to = in.block()[at + columns_.edge_to];
  const std::uint64_t width = meta_.node_fields.size();
  tables_.last_is_referred |= to / width + 1 == tables_.node_count;
  // DevTools divides numbers of 32 bits.
  if ((to & kMax32) % width != 0) {
    Add(RuleFor("edge.target"), in, at + columns_.edge_to, tables_.edge_count,
        [&] {
          return Edge() + ": to_node " + std::to_string(to) +
                 " is not a multiple of " + std::to_string(width) +
                 " node fields";
        });
  } else if (to / width >= tables_.node_count) {
    Add(RuleFor("edge.dangling"), in, at + columns_.edge_to, tables_.edge_count,
        [&] {
          return Edge() + ": to_node " + std::to_string(to) +
                 " would be node " + std::to_string(to / width) +
                 ", but there are " + std::to_string(tables_.node_count);
        });
  }
}

// ---------------------------------------------------------------------- counts

void TableChecker::CheckCounts() {
  if (has_moved_) return;
  const Where nodes = Where::Byte(tables_.nodes.begin - 1);
  const Where edges = Where::Byte(tables_.edges.begin - 1);
  const std::uint64_t node_count = tables_.stated_nodes;
  const std::uint64_t edge_count = tables_.stated_edges;
  if (tables_.node_count == 0)
    log_.Add(RuleFor("nodes.none"), "there are no nodes", nodes);
  if (tables_.node_count == 1)
    log_.Add(RuleFor("nodes.single"), "there is one node", nodes);
  if (tables_.node_count > 1 && columns_.self_size != kNone && !has_sizes_)
    log_.Add(RuleFor("nodes.sizes"), "the self_size of all nodes is 0", nodes);
  if (node_count == 0) {
    log_.Add(RuleFor("count.none"),
             "node_count is 0; there are " + std::to_string(tables_.node_count),
             nodes);
  }
  if (node_count != 0 && node_count != tables_.node_count) {
    log_.Add(RuleFor("count.nodes"),
             "node_count is " + std::to_string(node_count) +
                 ", but there are " + std::to_string(tables_.node_count),
             nodes);
  }
  if (edge_count != tables_.edge_count) {
    log_.Add(RuleFor("count.edges"),
             "edge_count is " + std::to_string(edge_count) +
                 ", but there are " + std::to_string(tables_.edge_count),
             edges);
  }
  if (node_count > kMostNumbers / meta_.node_fields.size() ||
      edge_count > kMostNumbers / meta_.edge_fields.size()) {
    log_.Add(RuleFor("count.huge"),
             "node_count is " + std::to_string(node_count) + ", edge_count " +
                 std::to_string(edge_count),
             nodes);
  }
}

void TableChecker::CheckEdgeSum() {
  if (edge_sum_ == tables_.edge_count || has_moved_) return;
  if (edge_sum_ < tables_.edge_count) {
    log_.Add(RuleFor("edges.unowned"),
             std::to_string(tables_.edge_count - edge_sum_) + " of the " +
                 std::to_string(tables_.edge_count) +
                 " edges belong to no node",
             Where::Byte(tables_.edges.begin - 1));
    return;
  }
  const std::size_t width = meta_.node_fields.size();
  DigitRuns in(source_.bytes(), tables_.nodes);
  std::uint64_t node = 0;
  std::uint64_t left = tables_.edge_count;
  do {
    in.Read(std::max<std::size_t>(kBlockNumbers / width, 1) * width);
    for (std::size_t at = 0; at + width <= in.block().size();
         at += width, ++node) {
      const std::uint64_t edges = in.block()[at + columns_.edge_count];
      if (edges <= left) {
        left -= edges;
        continue;
      }
      return Add(RuleFor("node.edges_missing"), in, at + columns_.edge_count,
                 node, [&] {
                   return "node " + std::to_string(node) + " has " +
                          std::to_string(edges) + " edges, but only " +
                          std::to_string(left) + " of " +
                          std::to_string(tables_.edge_count) + " are left";
                 });
    }
  } while (!in.block().empty());
}

}  // namespace

void CheckTables(const ByteSource& source, Context& context, Tables* tables,
                 FindingLog& log) {
  TableChecker(source, context, tables, log).Run();
}

void CheckSampleRows(const ByteSource& source, const Section& samples,
                     FindingLog& log) {
  DigitRuns in(source.bytes(),
               {samples.value.begin + 1, samples.value.end - 1});
  Trail trail(source, samples.value.begin);
  std::uint64_t count = 0;
  do {
    trail.Advance(in.offset());
    in.Read(kBlockNumbers);
    count += in.block().size();
  } while (!in.block().empty());
  if (count % 2 == 0) return;
  log.Add(RuleFor("samples.row"),
          "DevTools takes samples for " + std::to_string(count) +
              " numbers, and two of them for a row",
          Where::Byte(samples.value.begin));
}

void CheckLocationRows(const ByteSource& source, const Meta& meta,
                       const Section& locations, FindingLog& log) {
  const std::size_t width = meta.location_fields.size();
  if (width == 0) return;
  DigitRuns in(source.bytes(),
               {locations.value.begin + 1, locations.value.end - 1});
  Trail trail(source, locations.value.begin);
  do {
    trail.Advance(in.offset());
    in.Read(std::max<std::size_t>(kBlockNumbers / width, 1) * width);
    // A fraction is two runs of digits, but the reader counts numbers.
    for (const DigitRuns::Stray& stray : in.strays())
      if (stray.gap == DigitRuns::Gap::kFraction) return;
  } while (in.block().size() % width == 0 && !in.block().empty());
  const std::size_t left = in.block().size() % width;
  if (left == 0) return;
  log.Add(RuleFor("location.row"),
          "the last row of locations has " + std::to_string(left) +
              " numbers instead of " + std::to_string(width),
          Where::Byte(in.OffsetOf(in.block().size() - left)));
}

}  // namespace heapglot::heapsnapshot
