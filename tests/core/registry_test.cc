// What a program that uses the library may do wrong.
#include <gtest/gtest.h>

#include <string>

#include "heapglot/convert.h"
#include "heapglot/format.h"

namespace heapglot {
namespace {

TEST(RegistryTest, RefusesWhatCannotReadOrWrite) {
  static constexpr ReaderInfo kNoReader = {.name = "none",
                                           .title = "",
                                           .extensions = "",
                                           .produces = {},
                                           .sniff = nullptr,
                                           .make = nullptr};
  static constexpr WriterInfo kNoWriter = {.name = "none",
                                           .title = "",
                                           .extensions = "",
                                           .fidelity = {},
                                           .make = nullptr};
  EXPECT_EQ(Register(kNoReader).code(), Code::kUsage);
  EXPECT_EQ(Register(kNoWriter).code(), Code::kUsage);
  EXPECT_EQ(FindReader("none"), nullptr);
  EXPECT_EQ(FindWriter("none"), nullptr);
}

TEST(ConvertTest, NeedsAFormat) {
  const auto source = ByteSource::FromMemory("a 2 x\n");
  std::string bytes;
  const auto sink = ByteSink::ToString(&bytes);
  Context context;
  const Status status =
      Convert(*source, *sink, {.to = FindWriter("heapsnapshto")}, context);
  EXPECT_EQ(status.code(), Code::kUsage);
}

}  // namespace
}  // namespace heapglot
