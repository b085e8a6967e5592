#include "tools/info_page.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include "core/saturating.h"
#include "tools/text.h"

namespace heapglot::tool {
namespace {

// From this width on, counts and sizes are side by side.
constexpr int kTwoColumnPage = 80;

constexpr std::string_view kBarColor = kCyan;  // readable on black and white

// A row of the table: one class, or the sum of several.
struct Row {
  std::string name;
  std::string library;
  std::uint64_t count = 0;
  std::uint64_t self_size = 0;
};

// Widths of the table's columns.
struct Widths {
  int name = 0;
  int count = 0;
  int self_size = 11;
  int percent = 7;
  int bar = 0;
  int library = 0;  // 0: no such column
};

class InfoPageText : private PageText {
 public:
  InfoPageText(const DumpSummary& summary, const OpenInput& input,
               std::size_t top, const PageStyle& style)
      : PageText(style), summary_(summary), input_(input), top_(top) {}

  std::string Render() {
    AddTitle();
    AddOrigin();
    AddTotals();
    if (summary_.graphs.size() > 1) AddGraphs();
    if (top_ > 0 && !summary_.types.empty()) AddTypes();
    return Take();
  }

 private:
  void AddTitle() {
    const std::string name = EscapeForTerminal(input_.source->name(), 1000);
    Add(Styled(kBold, Fit(name, style().columns)));
    EndLine();
    EndLine();
  }

  void AddOrigin() {
    const pb::Header& header = summary_.header;
    AddLabelled("format", std::string(input_.format->title) + " (" +
                              std::string(input_.format->name) + ")");
    AddLabelled("dialect", header.dialect());
    AddLabelled("size", BytesInFull(input_.source->bytes().size()) +
                            CompressionNote(input_.source->compression()));
    if (header.format() != input_.format->name) AddSource();
    AddLeftovers();
    if (summary_.graphs.empty()) return;
    const pb::Graph& graph = summary_.graphs[0].stated;
    if (summary_.graphs.size() == 1) AddLabelled("graph", graph.name().data());
    AddLabelled("version", graph.source_version().data());
    AddLabelled("time", graph.timestamp().data());
    EndLine();
  }

  // Where an IR file comes from, and whether that can be restored.
  void AddSource() {
    const pb::Header& header = summary_.header;
    std::string source = header.format();
    // A dump in canonical form does not say how large its source was.
    if (header.source_size() > 0)
      source.append(", ").append(BytesInFull(header.source_size()));
    AddLabelled("source", source);
    AddLabelled("restores", IsByteIdentical(summary_.image)
                                ? "the source byte for byte (" +
                                      std::string(ImageWord(summary_.image)) +
                                      ")"
                                : "the content of the source, not its bytes");
  }

  // What the dump carries for the way back.
  void AddLeftovers() {
    const LeftoversVerdict& leftovers = summary_.leftovers;
    const std::string size = BytesInFull(summary_.leftovers_size);
    switch (leftovers.state) {
      case LeftoversVerdict::kNone:
        return;
      case LeftoversVerdict::kIntact:
        AddLabelled("carries", "the " + leftovers.origin +
                                   " that it was made from, in " + size);
        return;
      default:
        AddLabelled("carries",
                    "unusable leftovers (" + size + "): " + leftovers.problem);
    }
  }

  // Counts and sizes: side by side if there is room.
  void AddTotals() {
    const pb::GraphEnd& totals = summary_.totals;
    const std::vector<std::pair<std::string_view, std::uint64_t>> counts = {
        {"nodes", totals.nodes()},
        {"edges", totals.edges()},
        {"strings", summary_.strings},
        {"classes", totals.types()},
        {"roots", totals.roots()}};
    const std::vector<std::string> sizes = SizeCells();
    const bool narrow = style().columns < kTwoColumnPage;
    for (std::size_t i = 0; i < std::max(counts.size(), sizes.size()); ++i) {
      if (i < counts.size()) {
        Add(Label(counts[i].first) +
            PadLeft(Thousands(counts[i].second), kCountColumns));
        if (narrow) EndLine();
      } else if (!narrow) {
        Add(std::string(kIndent + kLabelColumns + kCountColumns, ' '));
      }
      if (narrow) continue;
      if (i < sizes.size()) Add("    " + sizes[i]);
      EndLine();
    }
    for (std::size_t i = 0; narrow && i < sizes.size(); ++i) {
      Add("  " + sizes[i]);
      EndLine();
    }
  }

  // "self size    3,366,616 B     3.2 MiB", aligned.
  std::vector<std::string> SizeCells() const {
    const auto sizes = Sizes();
    std::size_t digits = 0;
    for (const auto& [label, bytes] : sizes) {
      digits = std::max(digits, Thousands(bytes).size());
    }
    const int used = kIndent + kLabelColumns + kCountColumns + 4 + kSizeLabel +
                     static_cast<int>(digits) + 2;
    const bool human_fits = used + kHumanColumns <= style().columns;
    std::vector<std::string> cells;
    for (const auto& [label, bytes] : sizes) {
      std::string& cell = cells.emplace_back();
      cell = Styled(kDim, FitLeft(label, kSizeLabel, true)) +
             PadLeft(Thousands(bytes), static_cast<int>(digits)) + " B";
      if (bytes >= 1024 && human_fits) {
        cell += PadLeft(HumanBytes(bytes), kHumanColumns);
      }
    }
    return cells;
  }

  // What was counted, and what the source states, if it does.
  std::vector<std::pair<std::string_view, std::uint64_t>> Sizes() const {
    const pb::GraphEnd& totals = summary_.totals;
    std::vector<std::pair<std::string_view, std::uint64_t>> sizes = {
        {"self size", totals.self_size_total()},
        {"external", totals.external_size_total()}};
    if (summary_.graphs.size() != 1) return sizes;
    const pb::Graph& stated = summary_.graphs[0].stated;
    if (stated.has_self_size_total()) {
      sizes.emplace_back("self size stated", stated.self_size_total());
    }
    if (stated.has_external_size_total() &&
        stated.external_size_total() != totals.external_size_total()) {
      sizes.emplace_back("external stated", stated.external_size_total());
    }
    if (stated.has_capacity()) {
      sizes.emplace_back("capacity stated", stated.capacity());
    }
    if (stated.has_extra_native_bytes()) {
      sizes.emplace_back("native stated", stated.extra_native_bytes());
    }
    return sizes;
  }

  void AddGraphs() {
    EndLine();
    const int name = std::max(style().columns - 2 - 12 - 12 - 9 - 12, 8);
    Add(Styled(kDim, "  " + FitLeft("graph", name, true) +
                         PadLeft("nodes", 12) + PadLeft("edges", 12) +
                         PadLeft("roots", 9) + PadLeft("self size", 12)));
    EndLine();
    for (const DumpSummary::OneGraph& graph : summary_.graphs) {
      const pb::GraphEnd& totals = graph.totals;
      Add("  ");
      Add(Fit(EscapeForTerminal(graph.stated.name().data(), 1000), name));
      Add(PadLeft(Thousands(totals.nodes()), 12));
      Add(PadLeft(Thousands(totals.edges()), 12));
      Add(PadLeft(Thousands(totals.roots()), 9));
      Add(PadLeft(HumanBytes(totals.self_size_total()), 12));
      EndLine();
    }
  }

  void AddTypes() {
    EndLine();
    const std::vector<Row> rows = Rows();
    const Widths widths = Measure(rows);
    std::string header = "  " + FitLeft("class", widths.name, true) +
                         PadLeft("count", widths.count) +
                         PadLeft("self size", widths.self_size) +
                         PadLeft("%", widths.percent);
    if (widths.library > 0) {
      header += std::string(2 + widths.bar + 2, ' ') + "library";
    }
    Add(Styled(kDim, header));
    EndLine();
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const bool is_rest = i >= Shown();
      AddRow(rows[i], widths, is_rest);
    }
  }

  std::size_t Shown() const { return std::min(top_, summary_.types.size()); }

  // The listed classes, and one row for all others.
  std::vector<Row> Rows() const {
    std::vector<Row> rows;
    for (std::size_t i = 0; i < Shown(); ++i) {
      const TypeSummary& type = summary_.types[i];
      rows.push_back({EscapeForTerminal(type.name),
                      EscapeForTerminal(type.library), type.count,
                      type.self_size});
    }
    if (Shown() == summary_.types.size()) return rows;
    const std::size_t others = summary_.types.size() - Shown();
    Row rest;
    rest.name =
        Thousands(others) + (others == 1 ? " other class" : " other classes");
    for (std::size_t i = Shown(); i < summary_.types.size(); ++i) {
      rest.count += summary_.types[i].count;
      rest.self_size =
          AddSaturating(rest.self_size, summary_.types[i].self_size);
    }
    rows.push_back(std::move(rest));
    return rows;
  }

  Widths Measure(const std::vector<Row>& rows) const {
    Widths widths;
    int longest_name = 16;
    std::size_t longest_count = 5;
    bool libraries = false;
    for (const Row& row : rows) {
      longest_name = std::max(longest_name, DisplayColumns(row.name));
      longest_count = std::max(longest_count, Thousands(row.count).size());
      libraries = libraries || !row.library.empty();
    }
    const bool wide = style().is_wide();
    widths.name =
        std::min(longest_name, style().columns * (wide ? 30 : 38) / 100);
    widths.count = static_cast<int>(longest_count) + 2;
    const int rest = style().columns - kIndent - widths.name - widths.count -
                     widths.self_size - widths.percent - 2;
    if (wide && libraries) {
      widths.bar = std::min(rest * 45 / 100, 40);
      widths.library = rest - widths.bar - 2;
    } else {
      widths.bar = std::clamp(rest, 0, 50);
    }
    return widths;
  }

  void AddRow(const Row& row, const Widths& widths, bool is_rest) {
    const std::uint64_t total = summary_.totals.self_size_total();
    std::string cells =
        "  " + Fit(row.name, widths.name) +
        PadLeft(Thousands(row.count), widths.count) +
        PadLeft(HumanBytes(row.self_size), widths.self_size) +
        PadLeft(PercentNumber(row.self_size, total), widths.percent);
    // No bar: the rest is not a class that could be compared with the others.
    if (is_rest) {
      Add(Styled(kDim, cells));
      EndLine();
      return;
    }
    Add(cells + "  " + Styled(kBarColor, Bar(row.self_size, widths.bar)));
    if (widths.library > 0 && !row.library.empty()) {
      Add(std::string(BarPadding(row.self_size, widths.bar) + 2, ' '));
      Add(Styled(kDim, Fit(row.library, widths.library)));
    }
    EndLine();
  }

  // "36.7": the sign is in the header.
  static std::string PercentNumber(std::uint64_t part, std::uint64_t whole) {
    std::string text = Percent(part, whole);
    return text.substr(0, text.find(' '));
  }

  // Length of a bar of at most `columns`, in eighths of a column. The largest
  // class fills it.
  int BarEighths(std::uint64_t size, int columns) const {
    const std::uint64_t largest = summary_.types[0].self_size;
    if (largest == 0) return 0;
    const double part =
        static_cast<double>(size) / static_cast<double>(largest);
    const int eighths = static_cast<int>(std::lround(part * columns * 8));
    return style().unicode ? eighths : (eighths + 4) / 8 * 8;
  }

  std::string Bar(std::uint64_t size, int columns) const {
    static constexpr std::array<std::string_view, 8> kEighths = {
        "", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
    const int eighths = BarEighths(size, columns);
    std::string bar;
    for (int i = 0; i < eighths / 8; ++i) bar += style().unicode ? "█" : "#";
    bar += kEighths[static_cast<std::size_t>(eighths % 8)];
    return bar;
  }

  int BarPadding(std::uint64_t size, int columns) const {
    return columns - (BarEighths(size, columns) + 7) / 8;
  }

  static std::string CompressionNote(Compression compression) {
    if (compression == Compression::kNone) return {};
    return ", " + std::string(ToString(compression)) + " taken off";
  }

  static constexpr int kCountColumns = 15;
  static constexpr int kSizeLabel = 18;
  static constexpr int kHumanColumns = 12;

  const DumpSummary& summary_;
  const OpenInput& input_;
  const std::size_t top_;
};

}  // namespace

bool IsByteIdentical(const pb::SourceImage& image) {
  return image.method() != pb::SourceImage::NONE;
}

std::string_view LeftoversWord(const LeftoversVerdict& leftovers) {
  switch (leftovers.state) {
    case LeftoversVerdict::kNone:
      return "none";
    case LeftoversVerdict::kIntact:
      return "intact";
    case LeftoversVerdict::kStale:
      return "stale";
    case LeftoversVerdict::kDamaged:
      break;
  }
  return "damaged";
}

std::string_view ImageWord(const pb::SourceImage& image) {
  switch (image.method()) {
    case pb::SourceImage::VERIFIED:
      return "verified";
    case pb::SourceImage::PATCHED:
      return "patched";
    case pb::SourceImage::EMBEDDED:
      return "embedded";
    default:
      return "none";
  }
}

std::string InfoPage(const DumpSummary& summary, const OpenInput& input,
                     std::size_t top, const PageStyle& style) {
  return InfoPageText(summary, input, top, style).Render();
}

}  // namespace heapglot::tool
