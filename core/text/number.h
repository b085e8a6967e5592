// Numbers as text, the same in every locale.
#ifndef HEAPGLOT_CORE_TEXT_NUMBER_H_
#define HEAPGLOT_CORE_TEXT_NUMBER_H_

#include <cstdint>
#include <string>

namespace heapglot {

void AppendSigned(std::int64_t value, std::string* out);
void AppendUnsigned(std::uint64_t value, std::string* out);

// The shortest digits that read back as the same double, written as Dart does:
// "1.0", "-0.0", "100000.0", "1e+21", "1.5e-7", "NaN", "Infinity".
void AppendDouble(double value, std::string* out);

}  // namespace heapglot

#endif  // HEAPGLOT_CORE_TEXT_NUMBER_H_
