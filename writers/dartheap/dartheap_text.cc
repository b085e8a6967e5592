#include "writers/dartheap/dartheap_text.h"

#include <string_view>

#include "core/text/utf.h"

namespace heapglot::dartheap {
namespace {

constexpr std::uint64_t kPiece = std::uint64_t{64} << 10;
constexpr std::int32_t kReplacement = 0xfffd;

// Calls take(piece) for pieces of a text that are cut between code points.
template <typename Take>
void ForEachPiece(const StringStore::Text& text, StringStore& store,
                  Take&& take) {
  for (std::uint64_t done = 0; done < text.size;) {
    // A few bytes more, so that a cut need not be one through the last point.
    std::string_view piece = store.Piece(text, done, kPiece + 4);
    if (piece.empty()) return;  // the store has failed, and says so
    piece = piece.substr(0, CutAtCodePoint(piece, kPiece));
    take(piece);
    done += piece.size();
  }
}

// Calls take(ascii) and take_code(code point or kBadByte) in turn.
template <typename TakeAscii, typename TakeCode>
void ForEachCode(std::string_view piece, TakeAscii&& take_ascii,
                 TakeCode&& take_code) {
  while (!piece.empty()) {
    const std::size_t ascii = AsciiPrefix(piece);
    take_ascii(piece.substr(0, ascii));
    const char* p = piece.data() + ascii;
    const char* const end = piece.data() + piece.size();
    while (p != end && static_cast<unsigned char>(*p) >= 0x80)
      take_code(DecodeWtf8(p, end));
    piece.remove_prefix(static_cast<std::size_t>(p - piece.data()));
  }
}

void WriteUnit(std::int32_t unit, SpillBuffer& out) {
  char* const at = out.Reserve(2);
  at[0] = static_cast<char>(unit);
  at[1] = static_cast<char>(unit >> 8);
  out.Commit(at + 2);
}

}  // namespace

Units MeasureText(const StringStore::Text& text, StringStore& store) {
  Units units;
  ForEachPiece(text, store, [&](std::string_view piece) {
    ForEachCode(
        piece, [&](std::string_view ascii) { units.count += ascii.size(); },
        [&](std::int32_t code) {
          if (code == kBadByte) {
            ++units.bad_bytes;
            ++units.count;
          } else {
            units.all |= static_cast<std::uint32_t>(code);
            units.count += code < 0x10000 ? 1 : 2;
          }
        });
  });
  return units;
}

Units TextMeasure::Of(const StringStore::Text& text, StringStore& store) {
  if (text.size <= kPiece) return MeasureText(text, store);
  const auto [at, is_new] = long_ones_.try_emplace(text.begin);
  if (is_new) at->second = MeasureText(text, store);
  return at->second;
}

void WriteLatin1(const StringStore::Text& text, StringStore& store,
                 SpillBuffer& out) {
  ForEachPiece(text, store, [&](std::string_view piece) {
    ForEachCode(
        piece, [&](std::string_view ascii) { out.Write(ascii); },
        [&](std::int32_t code) {
          char* const at = out.Reserve(1);
          *at = static_cast<char>(code);
          out.Commit(at + 1);
        });
  });
}

void WriteUtf16(const StringStore::Text& text, StringStore& store,
                SpillBuffer& out) {
  ForEachPiece(text, store, [&](std::string_view piece) {
    ForEachCode(
        piece,
        [&](std::string_view ascii) {
          for (const char unit : ascii)
            WriteUnit(static_cast<unsigned char>(unit), out);
        },
        [&](std::int32_t code) {
          ForEachUtf16Unit(code == kBadByte ? kReplacement : code,
                           [&](std::int32_t unit) { WriteUnit(unit, out); });
        });
  });
}

void WriteBytes(const StringStore::Text& text, StringStore& store,
                SpillBuffer& out) {
  for (std::uint64_t done = 0; done < text.size;) {
    const std::string_view piece = store.Piece(text, done, kPiece);
    if (piece.empty()) return;
    out.Write(piece);
    done += piece.size();
  }
}

}  // namespace heapglot::dartheap
