#include "tools/diff_page.h"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/saturating.h"
#include "tools/text.h"

namespace heapglot::tool {
namespace {

using Cell = PageTable::Cell;

// "+1,234", "-5", "0".
std::string SignedCount(std::uint64_t a, std::uint64_t b) {
  if (a == b) return "0";
  return b > a ? "+" + Thousands(b - a) : "-" + Thousands(a - b);
}

std::string SignedBytes(std::uint64_t a, std::uint64_t b) {
  if (a == b) return "0";
  return b > a ? "+" + HumanBytes(b - a) : "-" + HumanBytes(a - b);
}

// Growth is red: it is memory.
std::string_view Color(std::uint64_t a, std::uint64_t b) {
  return a == b ? "" : b > a ? kRed : kGreen;
}

std::string Plural(std::uint64_t count, std::string_view noun) {
  return Thousands(count) + " " + std::string(noun) + (count == 1 ? "" : "s");
}

class DiffPageText : private PageText {
 public:
  DiffPageText(const GraphComparison& comparison, const OpenInput& a,
               const OpenInput& b, std::size_t top, const PageStyle& style)
      : PageText(style), comparison_(comparison), a_(a), b_(b), top_(top) {}

  std::string Render() {
    AddInput("A", a_, comparison_.header_a);
    AddInput("B", b_, comparison_.header_b);
    EndLine();
    AddHeadline();
    EndLine();
    AddWrapped(Explanation());
    if (comparison_.ignores_libraries) {
      AddWrapped(
          "Only one of them has libraries: classes are matched by name.");
    }
    const std::string differs = Differs();
    if (!differs.empty()) AddWrapped(differs);
    EndLine();
    AddTotals();
    if (comparison_.same) return Take();
    AddClasses();
    AddNodes();
    return Take();
  }

 private:
  bool by_id() const { return comparison_.matched_by == MatchedBy::kIds; }

  void AddInput(std::string_view label, const OpenInput& input,
                const pb::Header& header) {
    std::string line(input.format->name);
    if (header.format() != input.format->name) line += " of " + header.format();
    if (input.source->compression() != Compression::kNone) {
      line +=
          ", " + std::string(heapglot::ToString(input.source->compression()));
    }
    line += ", " + HumanBytes(input.source->bytes().size());
    // If there is no room for both, the path is cut.
    const std::string name = EscapeForTerminal(input.source->name(), 1000);
    const int room =
        style().columns - kIndent - kLabelColumns - 2 - DisplayColumns(line);
    Add(Label(label) +
        Fit(name, std::clamp(DisplayColumns(name), 0, std::max(room, 16))) +
        "  " + Styled(kDim, line));
    EndLine();
  }

  void AddHeadline() {
    const std::string line = Headline();
    PageText wrapped({.columns = style().columns,
                      .color = false,
                      .unicode = style().unicode});
    wrapped.AddWrapped(line);
    std::string text = wrapped.Take();
    text.pop_back();
    Add(Styled(kBold, text));
    EndLine();
  }

  std::string Headline() const {
    if (comparison_.same) return SameHeadline();
    const std::uint64_t a = comparison_.a.nodes;
    const std::uint64_t b = comparison_.b.nodes;
    const std::string bytes = comparison_.a.self_size == comparison_.b.self_size
                                  ? ""
                                  : " (" +
                                        SignedBytes(comparison_.a.self_size,
                                                    comparison_.b.self_size) +
                                        ")";
    std::string line = "B has as many nodes as A, but is another graph" + bytes;
    if (b > a) {
      line = "B has " + Plural(b - a, "node") + " more than A" + bytes;
    } else if (a > b) {
      line = "B has " + Plural(a - b, "node") + " fewer than A" + bytes;
    }
    return line + (by_id() ? ": " + Changes() + "." : ".");
  }

  std::string SameHeadline() const {
    switch (comparison_.matched_by) {
      case MatchedBy::kBytes:
        return "A and B are the same, byte for byte.";
      case MatchedBy::kPosition:
        return "A and B are the same graph, in the same order.";
      case MatchedBy::kIds:
        return "A and B are the same graph, in another order.";
      case MatchedBy::kStructure:
        break;
    }
    return "A and B are the same graph in another order, as far as can be "
           "seen.";
  }

  std::string Changes() const {
    const NodeChanges& changes = comparison_.changes;
    std::vector<std::string> parts;
    const std::pair<std::uint64_t, std::string_view> counts[] = {
        {changes.added, "added"},
        {changes.removed, "removed"},
        {changes.grown, "grown"},
        {changes.shrunk, "shrunk"},
        {changes.changed, "otherwise changed"}};
    for (const auto& [count, word] : counts) {
      if (count > 0)
        parts.push_back(Thousands(count) + " " + std::string(word));
    }
    if (parts.empty()) return "all nodes are the same";
    const std::vector<std::string_view> views(parts.begin(), parts.end());
    return Enumerate(views, "and");
  }

  // How the result was found.
  std::string Explanation() const {
    std::string ids;
    if (comparison_.ids == GraphComparison::Ids::kDifferent && !by_id()) {
      ids = " Their ids are not the same.";
    }
    switch (comparison_.matched_by) {
      case MatchedBy::kBytes:
        return "Compared as bytes, decompressed.";
      case MatchedBy::kPosition:
        return "Compared node by node, in order." + ids;
      case MatchedBy::kIds:
        return comparison_.ids_may_move
                   ? "Nodes were matched by id. The ids of this format are "
                     "places in memory: what was moved counts as removed and "
                     "added."
                   : "Nodes were matched by id, as in snapshots of one "
                     "process.";
      case MatchedBy::kStructure:
        break;
    }
    if (comparison_.same) {
      return "Compared by structure: all nodes look alike, and so does what "
             "they refer to over " +
             Plural(static_cast<std::uint64_t>(comparison_.depth), "edge") +
             ". This is not a proof; --depth looks further." + ids;
    }
    const std::string where =
        comparison_.depth == 0
            ? "differences show in the nodes themselves."
            : "nodes look alike, differences show in what they refer to over " +
                  Plural(static_cast<std::uint64_t>(comparison_.depth),
                         "edge") +
                  ".";
    return "Compared by structure: " + where + ids;
  }

  std::string Differs() const {
    std::vector<std::string_view> words;
    for (std::size_t i = 0; i < kAspects; ++i) {
      if (comparison_.differs[i]) words.push_back(kAspectNames[i]);
    }
    if (words.empty()) return {};
    return "What differs: " + Enumerate(words, "and") + ".";
  }

  void AddTotals() {
    PageTable table({{.title = "", .importance = 0, .is_text = true},
                     {.title = "A", .importance = 1, .is_text = false},
                     {.title = "B", .importance = 0, .is_text = false},
                     {.title = "change", .importance = 0, .is_text = false}});
    const GraphTotals& a = comparison_.a;
    const GraphTotals& b = comparison_.b;
    const auto add_count = [&](std::string_view label, std::uint64_t in_a,
                               std::uint64_t in_b) {
      table.AddRow({{std::string(label), ""},
                    {Thousands(in_a), ""},
                    {Thousands(in_b), ""},
                    {SignedCount(in_a, in_b), Color(in_a, in_b)}});
    };
    const auto add_size = [&](std::string_view label, std::uint64_t in_a,
                              std::uint64_t in_b) {
      table.AddRow({{std::string(label), ""},
                    {HumanBytes(in_a), ""},
                    {HumanBytes(in_b), ""},
                    {SignedBytes(in_a, in_b), Color(in_a, in_b)}});
    };
    add_count("nodes", a.nodes, b.nodes);
    add_count("edges", a.edges, b.edges);
    add_count("roots", a.roots, b.roots);
    add_count("strings", a.strings, b.strings);
    add_count("classes", a.classes, b.classes);
    add_size("self size", a.self_size, b.self_size);
    if (a.external_size != 0 || b.external_size != 0) {
      add_size("external", a.external_size, b.external_size);
    }
    table.AppendTo(*this);
  }

  std::vector<PageTable::Column> ClassColumns() const {
    // Counts are the first columns to go, once ids tell more.
    const int counts = by_id() ? 3 : 1;
    std::vector<PageTable::Column> columns = {
        {.title = "", .importance = 0, .is_text = false},
        {.title = "class", .importance = 0, .is_text = true},
        {.title = "count A", .importance = counts, .is_text = false},
        {.title = "count B", .importance = counts, .is_text = false}};
    if (by_id()) {
      columns.push_back({"added", 1, false});
      columns.push_back({"removed", 1, false});
      columns.push_back({"grown", 2, false});
      columns.push_back({"shrunk", 4, false});
      columns.push_back({"changed", 4, false});
    }
    columns.push_back({"change", 0, false});
    columns.push_back({"size A", 5, false});
    columns.push_back({"size B", 5, false});
    columns.push_back({"size change", 0, false});
    columns.push_back({"library", 6, true});
    return columns;
  }

  void AddClasses() {
    PageTable table(ClassColumns());
    std::size_t differ = 0;
    ClassDifference rest;
    bool has_marks = false;
    for (const ClassDifference& type : comparison_.classes) {
      if (!type.differs()) continue;
      if (++differ > top_) {
        AddTo(rest, type);
        continue;
      }
      has_marks |= type.a.count == 0 || type.b.count == 0;
      table.AddRow(ClassRow(type, false));
    }
    if (differ == 0 || top_ == 0) return;
    if (differ > top_) {
      rest.name = Thousands(differ - top_) + " other class" +
                  (differ - top_ == 1 ? "" : "es");
      table.AddRow(ClassRow(rest, true));
    }
    EndLine();
    table.AppendTo(*this);
    if (has_marks) {
      EndLine();
      AddWrapped("+ a class that is not in A, - one that is not in B");
    }
  }

  static void AddTo(ClassDifference& sum, const ClassDifference& type) {
    sum.a.count += type.a.count;
    sum.b.count += type.b.count;
    sum.a.self_size = AddSaturating(sum.a.self_size, type.a.self_size);
    sum.b.self_size = AddSaturating(sum.b.self_size, type.b.self_size);
    sum.changes.added += type.changes.added;
    sum.changes.removed += type.changes.removed;
    sum.changes.grown += type.changes.grown;
    sum.changes.shrunk += type.changes.shrunk;
    sum.changes.changed += type.changes.changed;
  }

  std::vector<Cell> ClassRow(const ClassDifference& type, bool is_rest) const {
    const ClassSum& a = type.a;
    const ClassSum& b = type.b;
    const std::string_view usual = is_rest ? kDim : "";
    const std::string_view color = is_rest ? kDim : Color(a.count, b.count);
    const std::string_view size_color =
        is_rest ? kDim : Color(a.self_size, b.self_size);
    const std::string mark = is_rest        ? ""
                             : a.count == 0 ? "+"
                             : b.count == 0 ? "-"
                                            : "";
    std::vector<Cell> row = {{mark, color},
                             {EscapeForTerminal(type.name), usual},
                             {Thousands(a.count), usual},
                             {Thousands(b.count), usual}};
    if (by_id()) {
      const NodeChanges& changes = type.changes;
      for (const std::uint64_t count :
           {changes.added, changes.removed, changes.grown, changes.shrunk,
            changes.changed}) {
        row.push_back({Thousands(count), count == 0 ? kDim : usual});
      }
    }
    row.push_back({SignedCount(a.count, b.count), color});
    row.push_back({HumanBytes(a.self_size), usual});
    row.push_back({HumanBytes(b.self_size), usual});
    row.push_back({SignedBytes(a.self_size, b.self_size), size_color});
    row.push_back({EscapeForTerminal(type.library), kDim});
    return row;
  }

  void AddNodes() {
    if (comparison_.nodes.empty()) return;
    PageTable table(
        {{.title = "node", .importance = 0, .is_text = false},
         {.title = "id", .importance = 0, .is_text = false},
         {.title = "class", .importance = 0, .is_text = true},
         {.title = "size A", .importance = 2, .is_text = false},
         {.title = "size B", .importance = 1, .is_text = false},
         {.title = "size change", .importance = 0, .is_text = false}});
    for (const NodeDifference& node : comparison_.nodes) {
      const ClassDifference& type = comparison_.classes[node.class_index];
      table.AddRow({{std::string(tool::ToString(node.what)), ""},
                    {std::to_string(node.id), ""},
                    {EscapeForTerminal(type.name), ""},
                    {HumanBytes(node.size_a), ""},
                    {HumanBytes(node.size_b), ""},
                    {SignedBytes(node.size_a, node.size_b),
                     Color(node.size_a, node.size_b)}});
    }
    EndLine();
    table.AppendTo(*this);
  }

  const GraphComparison& comparison_;
  const OpenInput& a_;
  const OpenInput& b_;
  const std::size_t top_;
};

}  // namespace

std::string_view ToString(NodeDifference::What what) {
  switch (what) {
    case NodeDifference::What::kAdded:
      return "added";
    case NodeDifference::What::kRemoved:
      return "removed";
    case NodeDifference::What::kGrown:
      return "grown";
    case NodeDifference::What::kShrunk:
      return "shrunk";
    case NodeDifference::What::kChanged:
      break;
  }
  return "changed";
}

std::string DiffPage(const GraphComparison& comparison, const OpenInput& a,
                     const OpenInput& b, std::size_t top,
                     const PageStyle& style) {
  return DiffPageText(comparison, a, b, top, style).Render();
}

}  // namespace heapglot::tool
