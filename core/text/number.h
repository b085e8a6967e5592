// Numbers as text, the same in every locale.
#ifndef HEAPGLOT_CORE_TEXT_NUMBER_H_
#define HEAPGLOT_CORE_TEXT_NUMBER_H_

#include <cstdint>
#include <string>

namespace heapglot {

void AppendSigned(std::int64_t value, std::string* out);
void AppendUnsigned(std::uint64_t value, std::string* out);

// The shortest text that reads back as the same double, told apart from an
// integer by ".0" ("1.0", "-0.0", "1e+21"); "NaN", "Infinity", "-Infinity".
void AppendDouble(double value, std::string* out);

}  // namespace heapglot

#endif  // HEAPGLOT_CORE_TEXT_NUMBER_H_
