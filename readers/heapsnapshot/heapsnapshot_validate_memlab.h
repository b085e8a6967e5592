// The keys that memlab looks for as text, wherever they are.
#ifndef HEAPGLOT_READERS_HEAPSNAPSHOT_HEAPSNAPSHOT_VALIDATE_MEMLAB_H_
#define HEAPGLOT_READERS_HEAPSNAPSHOT_HEAPSNAPSHOT_VALIDATE_MEMLAB_H_

#include <cstdint>
#include <optional>
#include <string_view>

#include "heapglot/validate.h"
#include "readers/heapsnapshot/heapsnapshot_wire.h"

namespace heapglot::heapsnapshot {

// Where memlab, which starts at the beginning of the file, finds a key `name`
// before the one at the top. nullopt if it does not.
std::optional<std::uint64_t> FindShadowForMemlab(const ByteSource& source,
                                                 const Sections& sections,
                                                 std::string_view name);

// Checks what memlab cuts out of the text that it parses as JSON: everything
// between a key that is called like a table and the next "]".
void CheckCutsOfMemlab(const ByteSource& source, const Limits& limits,
                       const Sections& sections, FindingLog& log);

}  // namespace heapglot::heapsnapshot

#endif  // HEAPGLOT_READERS_HEAPSNAPSHOT_HEAPSNAPSHOT_VALIDATE_MEMLAB_H_
