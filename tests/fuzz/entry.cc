// The entry point that libFuzzer calls in every target.
#include <cstddef>
#include <cstdint>

#include "tests/fuzz/require.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  heapglot::fuzz::Fuzz({reinterpret_cast<const char*>(data), size});
  return 0;
}
