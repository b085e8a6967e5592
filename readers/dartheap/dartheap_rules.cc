#include "heapglot/validate.h"
#include "readers/dartheap/dartheap_reader.h"

namespace heapglot {
namespace {

// Statements about the official reader are from package:vm_service,
// snapshot_graph.dart. It was not run, so there are no verdicts.
constexpr Rule kDartheapRules[] = {
    {"dartheap.objects.none", Severity::kWarning, "there are no objects",
     "Write at least object 1, the root: every reader begins there."},
    {"dartheap.references.count", Severity::kWarning,
     "referenceCount in the header is smaller than the sum of the objects' "
     "counts",
     "Write the sum: package:vm_service allocates that many entries and throws "
     "a RangeError when there are more."},
    {"dartheap.string.length", Severity::kWarning,
     "the truncatedLength of a text exceeds its length",
     "Write the number of code units in the whole string as length, and the "
     "number that follows as truncatedLength."},
    {"dartheap.class.dangling", Severity::kWarning,
     "the class id of an object is beyond the last class",
     "Class ids are 1-based, 0 is none: write the class, or 0."},
    {"dartheap.reference.dangling", Severity::kWarning,
     "a reference is beyond the last object",
     "References are 1-based object ids, 0 is omitted: write the object, or "
     "0."},
    {"dartheap.external.dangling", Severity::kWarning,
     "an external property belongs to no object",
     "Write the 1-based id of the object that owns the memory."},
    {"dartheap.external.overflow", Severity::kWarning,
     "external sizes add up to more than 2^64",
     "Write sizes in bytes, unsigned."},
    {"dartheap.trailing", Severity::kWarning,
     "bytes follow the end of the snapshot",
     "End the file after the identity hash codes; padding must be zero. Write "
     "one snapshot per file."},
    {"dartheap.leb.padded", Severity::kWarning,
     "a number has more bytes than it needs",
     "Write the shortest LEB128, as the VM does: then files can be compared "
     "byte by byte."},
};

}  // namespace

constinit const Validator kDartheapValidator = {.rules = kDartheapRules};

}  // namespace heapglot
