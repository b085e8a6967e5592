#include "heapglot/validate.h"
#include "readers/heapir/heapir_reader.h"

namespace heapglot {
namespace {

constexpr Rule kHeapirRules[] = {
    {"heapir.source_only", Severity::kWarning,
     "by its header, it contains a dump as a file, but no graph",
     "These are leftovers: read the file that they come from, or convert them "
     "to the format of the dump."},
};

}  // namespace

constinit const Validator kHeapirValidator = {.rules = kHeapirRules};

}  // namespace heapglot
