// What VS Code's parser requires of a file beyond the graph: each value that it
// knows must have a certain type, or it rejects the file.
#ifndef HEAPGLOT_READERS_HEAPSNAPSHOT_HEAPSNAPSHOT_VALIDATE_VSCODE_H_
#define HEAPGLOT_READERS_HEAPSNAPSHOT_HEAPSNAPSHOT_VALIDATE_VSCODE_H_

#include <string_view>

#include "heapglot/validate.h"
#include "readers/heapsnapshot/heapsnapshot_wire.h"

namespace heapglot::heapsnapshot {

// Checks the numbers of trace functions, samples and locations. Memory: a
// block.
void CheckOtherNumbers(const ByteSource& source, Context& context,
                       const Sections& sections, FindingLog& log);

// Checks the keys of the file, of the snapshot object and of meta, and the
// names that meta lists. `snapshot` and `meta` are parts of `bytes`, and JSON.
void CheckNames(std::string_view bytes, const Sections& sections,
                std::string_view snapshot, std::string_view meta,
                FindingLog& log);

}  // namespace heapglot::heapsnapshot

#endif  // HEAPGLOT_READERS_HEAPSNAPSHOT_HEAPSNAPSHOT_VALIDATE_VSCODE_H_
