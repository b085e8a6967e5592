// What the findings of the netcf reader mean to who writes such files.
#ifndef HEAPGLOT_READERS_NETCF_NETCF_RULES_H_
#define HEAPGLOT_READERS_NETCF_NETCF_RULES_H_

#include "heapglot/validate.h"

namespace heapglot {

extern const Validator kNetcfValidator;

}  // namespace heapglot

#endif  // HEAPGLOT_READERS_NETCF_NETCF_RULES_H_
