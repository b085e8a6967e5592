// Numbers and words as people like to read them.
#ifndef HEAPGLOT_TOOLS_TEXT_H_
#define HEAPGLOT_TOOLS_TEXT_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace heapglot::tool {

// "1,234,567".
std::string Thousands(std::uint64_t number);

// "512 B", "1.2 MiB": three digits or so.
std::string HumanBytes(std::uint64_t bytes);

// "1,660,131 bytes (1.6 MiB)"; without the part in brackets below 1 KiB.
std::string BytesInFull(std::uint64_t bytes);

// "36.7 %"; "-" when `whole` is 0.
std::string Percent(std::uint64_t part, std::uint64_t whole);

// The number of bytes that "64M", "1.5 GiB" or "4096" mean: units are powers of
// 1024. nullopt if it is not such a text, or 2^64 or more.
std::optional<std::uint64_t> ParseSize(std::string_view text);

// What the misspelt `word` probably means; empty if nothing is close.
std::string_view Closest(std::string_view word,
                         std::span<const std::string_view> candidates);

// "a, b or c" (`conjunction` before the last word).
std::string Enumerate(std::span<const std::string_view> words,
                      std::string_view conjunction);

// "a b c" (`between` is a blank).
std::string Join(std::span<const std::string> words, char between);

// Loads what DisplayColumns() has to know about letters, while files can be
// opened.
void LoadDisplayWidths();

// Columns that `text` (valid UTF-8) takes on a terminal.
int DisplayColumns(std::string_view text);

// `text` (valid UTF-8) in exactly `columns` columns: padded with blanks, or cut
// with "…" ("..." when `unicode` is false).
std::string FitLeft(std::string_view text, int columns, bool unicode);

// ASCII `text` with blanks before it.
std::string PadLeft(std::string_view text, int columns);

}  // namespace heapglot::tool

#endif  // HEAPGLOT_TOOLS_TEXT_H_
