#include "core/text/vector_cpu.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <string_view>

#include "core/text/scan_uints.h"

namespace heapglot {
namespace {

std::string_view Wanted() {
  const char* const value = std::getenv("HEAPGLOT_VECTORS");
  return value == nullptr ? "" : value;
}

// Otherwise, the test runs with HEAPGLOT_VECTORS would not differ from those
// without.
TEST(VectorCpu, AreNoMoreThanIsWanted) {
  const std::string_view fastest = ScanUintsVariants().back().name;
  if (Wanted() == "plain")
    EXPECT_EQ(fastest, "plain");
  else if (Wanted() == "avx2")
    EXPECT_NE(fastest, "avx512");
  else
    GTEST_SKIP() << "all are wanted";
}

}  // namespace
}  // namespace heapglot
