#include "readers/dartheap/dartheap_object_cursor.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "readers/dartheap/dartheap_index.h"

namespace heapglot::dartheap {
namespace {

std::string Uleb(std::uint64_t number) {
  std::string bytes;
  for (; number >= 0x80; number >>= 7)
    bytes += static_cast<char>(number | 0x80);
  return bytes + static_cast<char>(number);
}

class ObjectCursorTest : public testing::Test {
 protected:
  std::uint64_t Below(std::uint64_t bound) { return random_() % bound; }

  // An object with references of up to `max_bits` bits. Some of its numbers are
  // padded.
  std::string Object(unsigned max_bits) {
    const auto number = [&](std::uint64_t value) {
      std::string bytes = Uleb(value);
      if (Below(200) == 0) {
        bytes.back() = static_cast<char>(bytes.back() | '\x80');
        bytes += '\0';
      }
      return bytes;
    };
    std::string bytes = number(Below(300)) + number(Below(5000));
    bytes += Data();
    const std::uint64_t count = Below(40) == 0 ? Below(900) : Below(6);
    bytes += number(count);
    for (std::uint64_t i = 0; i < count; ++i)
      bytes += number(random_() >> (63 - Below(max_bits)));
    return bytes;
  }

  // Tag and data.
  std::string Data() {
    if (Below(3) != 0) return Uleb(Below(2));
    std::string text(Below(8) == 0 ? Below(700) : Below(20), ' ');
    const bool is_ascii = Below(2) == 0;
    for (char& byte : text)
      byte = static_cast<char>(is_ascii ? Below(128) : random_());
    switch (2 + Below(7)) {
      case kTagBool:
        return Uleb(kTagBool) + Uleb(Below(2));
      case kTagInt:
        return Uleb(kTagInt) + Uleb(random_() >> Below(64));
      case kTagDouble:
        text.resize(8);
        return Uleb(kTagDouble) + text;
      case kTagLatin1:
        return Uleb(kTagLatin1) + Uleb(text.size()) + Uleb(text.size()) + text;
      case kTagUtf16:
        return Uleb(kTagUtf16) + Uleb(text.size()) + Uleb(text.size() / 2) +
               text.substr(0, text.size() / 2 * 2);
      case kTagLength:
        return Uleb(kTagLength) + Uleb(Below(1000));
      default:
        return Uleb(kTagName) + Uleb(text.size()) + text;
    }
  }

  std::mt19937_64 random_{1};
};

// What a cursor reads of an object, and where it stops.
struct ReadObject {
  bool known_tag = true;
  ObjectHead head;
  std::vector<std::uint64_t> references;
  std::uint64_t offset = 0;
  std::uint64_t padded = 0;
  Cursor::Failure failure = Cursor::Failure::kNone;
  std::uint64_t failure_offset = 0;

  void Note(const Cursor& in) {
    offset = in.offset();
    padded = in.padded();
    failure = in.failure();
    failure_offset = in.failure_offset();
  }
};

void ExpectSame(const ReadObject& a, const ReadObject& b) {
  ASSERT_EQ(a.known_tag, b.known_tag);
  ASSERT_EQ(a.head.class_id, b.head.class_id);
  ASSERT_EQ(a.head.self_size, b.head.self_size);
  ASSERT_EQ(a.head.tag, b.head.tag);
  ASSERT_EQ(a.head.value, b.head.value);
  ASSERT_EQ(a.head.length, b.head.length);
  ASSERT_EQ(a.head.text, b.head.text);
  ASSERT_EQ(a.head.text_units, b.head.text_units);
  ASSERT_EQ(a.head.is_signed, b.head.is_signed);
  ASSERT_EQ(a.head.reference_count, b.head.reference_count);
  ASSERT_EQ(a.references, b.references);
  ASSERT_EQ(a.offset, b.offset);
  ASSERT_EQ(a.padded, b.padded);
  ASSERT_EQ(a.failure, b.failure);
  ASSERT_EQ(a.failure_offset, b.failure_offset);
}

// The next `count` references, up to the first that does not fit 64 bits.
std::vector<std::uint64_t> ReferencesOf(Cursor in, std::size_t count) {
  std::vector<std::uint64_t> references;
  while (references.size() < count) {
    const std::uint64_t reference = in.Uleb();
    if (!in.ok()) break;
    references.push_back(reference);
  }
  return references;
}

// Reads the next object in both ways. `goes_on` says whether another may
// follow.
void ExpectSameObject(Cursor& plain, ObjectCursor& objects, bool skips,
                      bool* goes_on) {
  const Index index;
  ReadObject expected, read;
  expected.known_tag = ReadObjectHead(plain, index, &expected.head);
  const std::uint64_t count =
      expected.known_tag ? std::min(expected.head.reference_count, plain.left())
                         : 0;
  ObjectCursor::Plain taken;
  if (objects.TakePlain(&taken) && skips) {
    // `taken` has everything about the object.
    ASSERT_EQ(taken.class_id, expected.head.class_id);
    ASSERT_EQ(taken.self_size, expected.head.self_size);
    ASSERT_EQ(taken.tag, expected.head.tag);
    ASSERT_EQ(taken.reference_count, count);
    ASSERT_EQ(taken.has_number, taken.tag > kTagNull);
    if (taken.tag == kTagInt) {
      read.head.value = objects.AtNumber().Integer(false, &read.head.is_signed);
      ASSERT_EQ(read.head.value, expected.head.value);
      ASSERT_EQ(read.head.is_signed, expected.head.is_signed);
    } else if (taken.has_number && taken.number != UlebRun::kOdd) {
      ASSERT_EQ(taken.number, expected.head.value + expected.head.length);
    }
    read = expected;
    const std::vector<std::uint64_t> references = ReferencesOf(plain, count);
    ASSERT_TRUE(std::equal(references.begin(), references.end(),
                           taken.references,
                           [](std::uint64_t a, std::uint32_t b) {
                             return a == b || b == UlebRun::kOdd;
                           }));
    plain.SkipUlebs(count);
    objects.Pass(taken);
  } else {
    read.known_tag = objects.ReadHead(index, &read.head);
    if (skips) {
      plain.SkipUlebs(count);
      objects.SkipReferences(count);
    } else {
      expected.references.resize(count);
      read.references.resize(count + ObjectCursor::kBeyond);
      plain.Ulebs(expected.references.data(), count);
      objects.ReadReferences(read.references.data(), count);
      read.references.resize(count);
    }
  }
  expected.Note(plain);
  read.Note(objects.in());
  ExpectSame(expected, read);
  *goes_on = plain.ok() && expected.known_tag && plain.left() > 0;
}

void ExpectSameObjects(std::string_view bytes, bool skips,
                       bool takes_ahead = true) {
  Cursor plain(bytes), in(bytes);
  ObjectCursor objects(bytes, in, takes_ahead);
  for (bool goes_on = !bytes.empty(); goes_on;) {
    ExpectSameObject(plain, objects, skips, &goes_on);
    if (testing::Test::HasFatalFailure()) return;
  }
}

TEST_F(ObjectCursorTest, ReadsWhatCursorsRead) {
  for (const unsigned max_bits : {7u, 14u, 25u, 30u, 40u, 64u}) {
    for (int round = 0; round < 20; ++round) {
      std::string bytes;
      for (int i = 0; i < 300; ++i) bytes += Object(max_bits);
      ExpectSameObjects(bytes, false);
      // Neither counts skipped numbers as padded.
      ExpectSameObjects(bytes, true);
      ExpectSameObjects(bytes, round % 2 == 0, false);
      if (HasFatalFailure()) return;
    }
  }
}

TEST_F(ObjectCursorTest, EndsAsCursorsEnd) {
  std::string bytes;
  while (bytes.size() < 1500) bytes += Object(20);
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    ExpectSameObjects(std::string_view(bytes).substr(0, size), false);
    if (HasFatalFailure()) return;
  }
}

TEST_F(ObjectCursorTest, TakesAnyBytes) {
  for (int round = 0; round < 3000; ++round) {
    std::string bytes(Below(2000), '\0');
    const std::uint64_t kinds = 4 + Below(253);
    for (char& byte : bytes) byte = static_cast<char>(Below(kinds));
    ExpectSameObjects(bytes, round % 2 == 0);
    if (HasFatalFailure()) return;
  }
}

}  // namespace
}  // namespace heapglot::dartheap
