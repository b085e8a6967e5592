#include "heapglot/validate.h"
#include "readers/heapir/heapir_reader.h"

namespace heapglot {
namespace {

constexpr Rule kHeapirRules[] = {
    {"heapir.source_only", Severity::kWarning,
     "by its header the dump is in it as a file, and no graph of it",
     "These are leftovers: read the file that they were in, or convert them to "
     "the format of the dump."},
};

}  // namespace

constinit const Validator kHeapirValidator = {.rules = kHeapirRules};

}  // namespace heapglot
