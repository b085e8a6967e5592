// Planes, columns and messages: round trips through a frame.
#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "core/ir/columns.h"
#include "core/ir/planes.h"
#include "heapglot/ir/v1/frame.pb.h"
#include "readers/heapir/heapir_content.h"
#include "readers/heapir/heapir_frames.h"
#include "readers/heapir/heapir_wire.h"
#include "writers/heapir/heapir_encoder.h"

namespace heapglot::heapir {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;
using ColumnPb = ir::v1::Column;

// ------------------------------------------------------------------- planes

template <typename T>
void ExpectRoundTrip(const std::vector<T>& values, ColumnPb::Encoding encoding,
                     std::uint32_t width) {
  const planes::Shape shape = planes::Choose(values.data(), values.size());
  EXPECT_EQ(shape.encoding, encoding);
  EXPECT_EQ(shape.width, width);
  std::string bytes(shape.width * values.size(), 'x');
  planes::Split(values.data(), values.size(), shape, bytes.data());
  std::vector<T> back(values.size(), T{1});
  planes::Join(bytes.data(), back.size(), shape, back.data());
  EXPECT_EQ(back, values);
}

TEST(HeapirPlanesTest, TakeAsFewAsThereCanBe) {
  using U = std::vector<std::uint64_t>;
  constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();
  ExpectRoundTrip<std::uint64_t>({}, ColumnPb::PLAIN, 0);
  ExpectRoundTrip(U{0, 0, 0}, ColumnPb::PLAIN, 0);
  ExpectRoundTrip(U{5}, ColumnPb::DELTA, 0);
  ExpectRoundTrip(U{0, 255}, ColumnPb::PLAIN, 1);
  ExpectRoundTrip(U{0, 256}, ColumnPb::PLAIN, 2);
  ExpectRoundTrip(U{0x7fff'0000'1000, 0x7fff'0000'1010}, ColumnPb::DELTA, 1);
  ExpectRoundTrip(U{kMost, 1, 0}, ColumnPb::ZIGZAG, 1);
  ExpectRoundTrip(U{kMost, 0, kMost}, ColumnPb::ZIGZAG, 1);
  ExpectRoundTrip(U{0, kMost / 2, kMost / 2 + 1}, ColumnPb::PLAIN, 8);
  ExpectRoundTrip(std::vector<std::uint32_t>{0xffff'ffff, 0, 0xffff'fffe},
                  ColumnPb::ZIGZAG, 1);
  ExpectRoundTrip(std::vector<std::uint32_t>{0x8000'0000, 0x7fff'ffff},
                  ColumnPb::DELTA, 1);
}

TEST(HeapirPlanesTest, EveryWidthComesBack) {
  std::mt19937_64 random(1);
  for (unsigned bits = 1; bits <= 64; ++bits) {
    std::vector<std::uint64_t> wide(1000);
    for (auto& value : wide) value = random() >> (64 - bits);
    wide[0] = std::uint64_t{1} << (bits - 1);
    wide[1] = 0;
    const planes::Shape shape = planes::Choose(wide.data(), wide.size());
    std::string bytes(shape.width * wide.size(), 0);
    planes::Split(wide.data(), wide.size(), shape, bytes.data());
    std::vector<std::uint64_t> back(wide.size());
    planes::Join(bytes.data(), back.size(), shape, back.data());
    EXPECT_EQ(back, wide) << bits;
    EXPECT_EQ(shape.width, (bits + 7) / 8);
  }
}

// ---------------------------------------------------------- random messages

class RandomMessages {
 public:
  explicit RandomMessages(std::uint64_t seed) : random_(seed) {}

  void Fill(Message* message, bool columns) {
    const Descriptor& type = *message->GetDescriptor();
    for (int i = 0; i < type.field_count(); ++i) {
      const FieldDescriptor& field = *type.field(i);
      if (IsColumn(field)) {
        if (columns) FillColumn(message, field);
      } else if (Below(3) != 0) {
        const std::uint64_t times = field.is_repeated() ? Below(4) : 1;
        for (std::uint64_t k = 0; k < times; ++k) Set(message, field, columns);
      }
    }
  }

  std::uint64_t Below(std::uint64_t limit) { return random_() % limit; }

 private:
  std::uint64_t Number() { return Below(4) == 0 ? 0 : random_() >> Below(64); }

  void FillColumn(Message* message, const FieldDescriptor& field) {
    const std::uint64_t shape = Below(4);
    std::uint64_t last = Number();
    std::visit(
        [&](auto entries) {
          for (auto& entry : entries) {
            last = shape == 0 ? Number() : last + (shape - 1) * Below(9);
            // One of the values of an enumeration.
            if (field.cpp_type() == FieldDescriptor::CPPTYPE_ENUM)
              last = Below(3);
            // Each field is a row of its own, so keep their number small.
            if (field.name() == "field_count") last = Below(1000);
            entry = static_cast<std::remove_reference_t<decltype(entry)>>(last);
          }
        },
        GrowColumn(message, field, Below(300)));
  }

  void Set(Message* message, const FieldDescriptor& field, bool columns) {
    const Reflection& reflection = *message->GetReflection();
    switch (field.cpp_type()) {
      case FieldDescriptor::CPPTYPE_MESSAGE:
        Fill(field.is_repeated() ? reflection.AddMessage(message, &field)
                                 : reflection.MutableMessage(message, &field),
             columns);
        break;
      case FieldDescriptor::CPPTYPE_STRING: {
        const std::string text(Below(200), static_cast<char>('a' + Below(26)));
        if (field.is_repeated())
          reflection.AddString(message, &field, text);
        else
          reflection.SetString(message, &field, text);
        break;
      }
      case FieldDescriptor::CPPTYPE_UINT64:
        reflection.SetUInt64(message, &field, Number());
        break;
      case FieldDescriptor::CPPTYPE_UINT32:
        reflection.SetUInt32(message, &field,
                             static_cast<std::uint32_t>(Below(kMaxRows)));
        break;
      case FieldDescriptor::CPPTYPE_BOOL:
        reflection.SetBool(message, &field, Below(2) != 0);
        break;
      case FieldDescriptor::CPPTYPE_ENUM:
        reflection.SetEnumValue(message, &field, static_cast<int>(Below(3)));
        break;
      default:
        FAIL() << "a type that chunk.proto did not have: " << field.name();
    }
  }

  std::mt19937_64 random_;
};

// A file with one chunk as its second frame.
std::string WriteChunk(const pb::Chunk& chunk, bool compress) {
  std::string file;
  const auto sink = ByteSink::ToString(&file);
  FrameWriter writer(*sink, compress);
  EXPECT_TRUE(writer.Accept(chunk).ok());
  EXPECT_TRUE(writer.Finish().ok());
  return file;
}

// Otherwise the file could not be read again.
TEST(HeapirFrameWriter, RefusesWhatNoReaderTakes) {
  std::string file;
  const auto sink = ByteSink::ToString(&file);
  FrameWriter writer(*sink, true);
  pb::Chunk chunk;
  auto& known = *chunk.mutable_vocabulary()->mutable_known();
  known.Resize(static_cast<int>(kMaxRows), pb::NODE_OBJECT);
  EXPECT_TRUE(writer.Accept(chunk).ok());
  known.Add(pb::NODE_OBJECT);
  EXPECT_EQ(writer.Accept(chunk).code(), Code::kLimit);

  pb::Metadata& metadata = *chunk.mutable_metadata();
  for (std::uint64_t i = 0; i < kMaxParts; ++i) metadata.add_entry();
  EXPECT_TRUE(writer.Accept(chunk).ok());
  metadata.add_entry();
  EXPECT_EQ(writer.Accept(chunk).code(), Code::kLimit);

  pb::Types& types = *chunk.mutable_types();
  types.set_count(1);
  types.add_field_count(static_cast<std::uint32_t>(kMaxFieldRows));
  EXPECT_TRUE(writer.Accept(chunk).ok());
  types.set_field_count(0, static_cast<std::uint32_t>(kMaxFieldRows) + 1);
  EXPECT_EQ(writer.Accept(chunk).code(), Code::kLimit);
}

class HeapirChunkTest : public ::testing::TestWithParam<int> {};

TEST_P(HeapirChunkTest, ComesBackAndIsWhatProtobufWrites) {
  RandomMessages random(static_cast<std::uint64_t>(GetParam()));
  Unpacker unpacker;
  ContentReader contents;  // reused: must keep nothing of the last run
  for (int run = 0; run < 100; ++run) {
    pb::Chunk chunk;
    random.Fill(MutableBody(&chunk, GetParam()), true);
    const std::string file = WriteChunk(chunk, run % 2 == 0);
    FrameCursor cursor(file);
    Frame frame;
    ASSERT_TRUE(cursor.Next(&frame).ok());
    ASSERT_TRUE(cursor.Next(&frame).ok());
    EXPECT_TRUE(cursor.at_end());
    ASSERT_TRUE(CheckChecksum(frame).ok());
    EXPECT_EQ(frame.kind, static_cast<std::uint32_t>(GetParam()));
    const Result<std::string_view> content = unpacker.Unpack(frame);
    ASSERT_TRUE(content.ok()) << content.status().ToString();

    const Status status = contents.Read(frame, *content);
    ASSERT_TRUE(status.ok()) << status.ToString();
    EXPECT_EQ(contents.chunk().SerializeAsString(), chunk.SerializeAsString());

    ir::v1::Content parsed;
    ASSERT_TRUE(parsed.ParseFromString(std::string(*content)));
    EXPECT_EQ(parsed.SerializeAsString(), *content);
    ir::v1::Frame whole;
    const std::string bytes(frame.checked.data(), frame.checked.size() + 9);
    ASSERT_TRUE(whole.ParseFromString(bytes));
    EXPECT_EQ(whole.SerializeAsString(), bytes);
  }
}

INSTANTIATE_TEST_SUITE_P(Kinds, HeapirChunkTest, ::testing::Range(1, 24),
                         [](const ::testing::TestParamInfo<int>& kind) {
                           return BodyField(kind.param)->message_type()->name();
                         });

TEST(HeapirChunkTest, EveryKindIsTested) {
  EXPECT_EQ(pb::Chunk::descriptor()->field_count(), 23);
}

// The content of the frame of one chunk.
ir::v1::Content ContentOf(const pb::Chunk& chunk, bool compress) {
  const std::string file = WriteChunk(chunk, compress);
  FrameCursor cursor(file);
  Frame frame;
  Unpacker unpacker;
  ir::v1::Content content;
  EXPECT_TRUE(cursor.Next(&frame).ok() && cursor.Next(&frame).ok());
  EXPECT_TRUE(content.ParseFromString(std::string(*unpacker.Unpack(frame))));
  return content;
}

TEST(HeapirChunkTest, EdgesArePredictedWhereThatMakesThemSmaller) {
  std::mt19937_64 random(3);
  pb::Chunk regular;
  pb::Chunk irregular;
  constexpr std::uint32_t kNodes = 2000;
  for (pb::Chunk* const chunk : {&regular, &irregular}) {
    pb::Edges& edges = *chunk->mutable_edges();
    edges.set_count(2 * kNodes);
    for (std::uint32_t node = 0; node < kNodes; ++node) {
      edges.add_edges_per_node(2);
      for (std::uint64_t name : {7, 8}) {
        edges.add_kind(2);
        edges.add_name(chunk == &regular ? name : random() % 50'000);
        edges.add_to(chunk == &regular && name == 7 ? 99 : random() % 100'000);
      }
    }
  }
  EXPECT_TRUE(ContentOf(regular, true).has_predicted());
  EXPECT_FALSE(ContentOf(irregular, true).has_predicted());
  EXPECT_FALSE(ContentOf(regular, false).has_predicted());
}

TEST(HeapirChunkTest, ValuesThatAreNamesAreNotWrittenAgain) {
  pb::Chunk chunk;
  pb::Nodes& nodes = *chunk.mutable_nodes();
  nodes.set_count(3);
  for (const std::uint64_t name : {7, 1'000'000, 9}) nodes.add_name(name);
  for (const std::uint64_t value : {0, 1'000'000, 9}) nodes.add_value(value);
  const auto like = [&chunk] {
    const ir::v1::Content content = ContentOf(chunk, true);
    return content.column(1).like();
  };
  EXPECT_EQ(like(), static_cast<unsigned>(pb::Nodes::kNameFieldNumber));
  // The largest number, which has no successor.
  nodes.set_value(0, ~std::uint64_t{0});
  EXPECT_EQ(like(), 0u);
  // Values that differ from the names.
  nodes.set_value(0, 5);
  nodes.set_value(1, 6);
  EXPECT_EQ(like(), 0u);
}

TEST(HeapirChunkTest, AClassMayHaveAnyNumberOfFields) {
  pb::Chunk chunk;
  pb::Types& types = *chunk.mutable_types();
  types.set_count(1);
  types.add_field_count(static_cast<std::uint32_t>(kMaxRows + 1));
  types.mutable_field_slot()->Resize(static_cast<int>(kMaxRows + 1), 7);
  const std::string file = WriteChunk(chunk, true);
  FrameCursor cursor(file);
  Frame frame;
  Unpacker unpacker;
  ContentReader contents;
  ASSERT_TRUE(cursor.Next(&frame).ok() && cursor.Next(&frame).ok());
  const Status status = contents.Read(frame, *unpacker.Unpack(frame));
  EXPECT_TRUE(status.ok()) << status.ToString();
  EXPECT_EQ(contents.chunk().types().field_slot_size(),
            types.field_slot_size());
}

// The writer does not write what the reader would refuse.
TEST(HeapirChunkTest, IsRefusedIfTooLarge) {
  pb::Chunk chunk;
  chunk.mutable_extra()->set_data(std::string(kMaxContent, 'x'));
  std::string file;
  const auto sink = ByteSink::ToString(&file);
  FrameWriter writer(*sink, /*compress=*/true);
  EXPECT_EQ(writer.Accept(chunk).code(), Code::kLimit);
}

}  // namespace
}  // namespace heapglot::heapir
