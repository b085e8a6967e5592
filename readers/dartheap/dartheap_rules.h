// What the findings of the dartheap reader mean to who writes such files.
#ifndef HEAPGLOT_READERS_DARTHEAP_DARTHEAP_RULES_H_
#define HEAPGLOT_READERS_DARTHEAP_DARTHEAP_RULES_H_

#include "heapglot/validate.h"

namespace heapglot {

extern const Validator kDartheapValidator;

}  // namespace heapglot

#endif  // HEAPGLOT_READERS_DARTHEAP_DARTHEAP_RULES_H_
