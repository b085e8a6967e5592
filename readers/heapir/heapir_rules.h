// What the findings of the heapir reader mean to who has such a file.
#ifndef HEAPGLOT_READERS_HEAPIR_HEAPIR_RULES_H_
#define HEAPGLOT_READERS_HEAPIR_HEAPIR_RULES_H_

#include "heapglot/validate.h"

namespace heapglot {

extern const Validator kHeapirValidator;

}  // namespace heapglot

#endif  // HEAPGLOT_READERS_HEAPIR_HEAPIR_RULES_H_
