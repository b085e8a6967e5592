#include "tools/roundtrip_page.h"

#include <algorithm>
#include <utility>

#include "tools/text.h"

namespace heapglot::tool {
namespace {

class RoundTripPageText : private PageText {
 public:
  RoundTripPageText(const RoundTrips& trips, const OpenInput& input,
                    const PageStyle& style)
      : PageText(style), trips_(trips), input_(input) {}

  std::string Render() {
    AddTitle();
    AddTrips();
    for (const RoundTrip& trip : trips_.trips) {
      if (trip.sameness != Sameness::kIdentical) AddTrip(trip);
    }
    return Take();
  }

 private:
  void AddTitle() {
    AddLine(Styled(kBold, Fit(Clean(input_.source->name()), style().columns)));
    EndLine();
    AddLabelled("format", std::string(input_.format->title) + " (" +
                              std::string(input_.format->name) + ")");
    std::string size = BytesInFull(input_.source->bytes().size());
    if (input_.source->compression() != Compression::kNone) {
      size += ", " + std::string(ToString(input_.source->compression())) +
              " taken off";
    }
    AddLabelled("size", size);
    AddLabelled("nodes", Thousands(trips_.nodes));
    AddLabelled("edges", Thousands(trips_.edges));
    EndLine();
  }

  void AddTrips() {
    AddLine(Styled(kDim, "  " + FitLeft("via", kVia, true) +
                             FitLeft("result", kVerdict, true) +
                             PadLeft("there", kSize) + PadLeft("back", kSize) +
                             "  " + FitLeft("worst there", kWorst, true) +
                             "worst back"));
    for (const RoundTrip& trip : trips_.trips) AddTripRow(trip);
  }

  void AddTripRow(const RoundTrip& trip) {
    const bool is_failed = trip.sameness == Sameness::kFailed;
    const bool has_there = !is_failed || trip.failed_on_the_way_back;
    const auto size = [](const Leg& leg, bool is_there) {
      return PadLeft(is_there ? HumanBytes(leg.size) : "-", kSize);
    };
    const auto worst = [](const Leg& leg, bool is_there) -> std::string {
      return std::string(is_there ? ToString(leg.loss.worst()) : "-");
    };
    AddLine("  " + FitLeft(trip.via->name, kVia, true) +
            Styled(ColorOf(trip), FitLeft(Word(trip), kVerdict, true)) +
            size(trip.there, has_there) + size(trip.back, !is_failed) + "  " +
            FitLeft(worst(trip.there, has_there), kWorst, true) +
            worst(trip.back, !is_failed));
  }

  void AddTrip(const RoundTrip& trip) {
    EndLine();
    AddLine(Styled(kBold, trip.via->name) + ": " + std::string(Verdict(trip)));
    if (trip.sameness == Sameness::kFailed) {
      const std::string why = trip.failure.ToString(
          trip.failed_on_the_way_back ? trip.via->name : input_.source->name());
      AddWrapped(why);
    }
    if (trip.bytes) AddBytes(*trip.bytes);
    AddLosses(trip);
    AddTables(trip.content);
    AddColumns(trip.content);
  }

  static std::string_view Verdict(const RoundTrip& trip) {
    switch (trip.sameness) {
      case Sameness::kEqual:
        return "other bytes of the same content";
      case Sameness::kChanged:
        return "other content";
      default:
        return trip.failed_on_the_way_back ? "could not be converted back"
                                           : "could not be converted";
    }
  }

  void AddBytes(const ByteDifference& bytes) {
    EndLine();
    std::string place =
        "the first byte that differs: " + ToString(Where::Byte(bytes.offset));
    if (bytes.line != 0) {
      place += ", line " + Thousands(bytes.line) + " column " +
               Thousands(bytes.column);
    }
    AddLine("  " + Fit(place, style().columns - 2));
    AddLine("    before  " + Sample(bytes.before));
    AddLine("    after   " + Sample(bytes.after));
  }

  std::string Sample(const std::string& bytes) const {
    if (bytes.empty()) return Styled(kDim, "(the end)");
    return Fit(EscapeBytes(bytes), style().columns - 12);
  }

  void AddLosses(const RoundTrip& trip) {
    if (trip.there.loss.items().empty() && trip.back.loss.items().empty()) {
      return;
    }
    EndLine();
    const bool is_wide = style().is_wide();
    AddLine(Styled(kDim, "  " + FitLeft("lost", kLeg, true) +
                             FitLeft("class", kWorst, true) +
                             PadLeft("count", kCount) + "  " +
                             FitLeft("code", is_wide ? kCode : 4, true) +
                             (is_wide ? "what happens" : "")));
    AddLeg("there", trip.there.loss);
    AddLeg("back", trip.back.loss);
  }

  void AddLeg(std::string_view leg, const LossReport& loss) {
    for (const LossReport::Item& item : loss.items()) {
      std::string line = "  " + FitLeft(leg, kLeg, true) +
                         FitLeft(ToString(item.loss_class), kWorst, true) +
                         PadLeft(Thousands(item.count), kCount) + "  ";
      const int rest = style().columns - kIndent - kLeg - kWorst - kCount - 2;
      if (style().is_wide()) {
        line += FitLeft(item.code, kCode, style().unicode) +
                Fit(Clean(item.detail), rest - kCode);
      } else {
        line += Fit(item.code, rest);
      }
      AddLine(line);
    }
  }

  void AddTables(const StreamDifference& content) {
    if (content.tables.empty()) return;
    EndLine();
    AddLine(Styled(
        kDim, "  " + FitLeft("table", kTable, true) +
                  PadLeft("rows before", kRows) + PadLeft("rows after", kRows) +
                  PadLeft("added", kRows) + PadLeft("removed", kRows)));
    for (const StreamDifference::Table& table : content.tables) {
      AddLine("  " + FitLeft(table.name, kTable, style().unicode) +
              PadLeft(Thousands(table.rows_before), kRows) +
              PadLeft(Thousands(table.rows_after), kRows) +
              PadLeft(Thousands(table.added), kRows) +
              PadLeft(Thousands(table.removed), kRows));
    }
    AddWrapped(
        "Rows are compared by position: one that is added or removed makes "
        "those after it differ.");
  }

  void AddColumns(const StreamDifference& content) {
    if (content.columns.empty()) return;
    int name = 20;
    for (const StreamDifference::Column& column : content.columns) {
      name = std::max(name, DisplayColumns(Clean(column.name)) + 1);
    }
    name = std::min(name, style().columns * 2 / 5);
    EndLine();
    AddLine(Styled(kDim, "  " + FitLeft("column", name, true) +
                             PadLeft("rows", kCount) +
                             "  example: row, before, after"));
    for (const StreamDifference::Column& column : content.columns) {
      const int rest = style().columns - kIndent - name - kCount - 2;
      AddLine("  " + Fit(Clean(column.name), name) +
              PadLeft(Thousands(column.rows), kCount) + "  " +
              (column.examples.empty() ? std::string()
                                       : Example(column.examples[0], rest)));
    }
  }

  // Each side gets half of the room, or what the other leaves.
  std::string Example(const StreamDifference::Example& example,
                      int room) const {
    const std::string place = Thousands(example.row) + ": ";
    const std::string_view arrow = style().unicode ? " → " : " -> ";
    room -= DisplayColumns(place) + DisplayColumns(arrow);
    const std::string before = Clean(example.before);
    const std::string after = Clean(example.after);
    const int after_columns = DisplayColumns(after);
    const int left = std::clamp(room - after_columns, room / 2, room);
    const int before_columns = std::min(DisplayColumns(before), left);
    return place + Fit(before, before_columns) + std::string(arrow) +
           Fit(after, std::max(room - before_columns, 1));
  }

  std::string_view Word(const RoundTrip& trip) const {
    return trip.sameness == Sameness::kIdentical ? "byte-identical"
                                                 : ToString(trip.sameness);
  }
  std::string_view ColorOf(const RoundTrip& trip) const {
    if (trips_.Differs(trip)) return kRed;
    return trip.sameness == Sameness::kIdentical ? kGreen : kYellow;
  }

  static std::string Clean(std::string_view text) {
    return EscapeForTerminal(text, 1000);
  }
  static constexpr int kVia = 14;
  static constexpr int kVerdict = 15;
  static constexpr int kSize = 10;
  static constexpr int kWorst = 13;
  static constexpr int kLeg = 7;
  static constexpr int kCount = 12;
  static constexpr int kCode = 36;
  static constexpr int kTable = 18;
  static constexpr int kRows = 13;

  const RoundTrips& trips_;
  const OpenInput& input_;
};

}  // namespace

std::string EscapeBytes(std::string_view bytes) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x20 && byte < 0x7f && c != '\\') {
      text += c;
    } else {
      text += "\\x";
      text += kDigits[byte >> 4];
      text += kDigits[byte & 15];
    }
  }
  return text;
}

std::string RoundTripPage(const RoundTrips& trips, const OpenInput& input,
                          const PageStyle& style) {
  return RoundTripPageText(trips, input, style).Render();
}

}  // namespace heapglot::tool
