// Which dumps of an archive are stored as deltas, and of which others.
#ifndef HEAPGLOT_TOOLS_DELTA_PLAN_H_
#define HEAPGLOT_TOOLS_DELTA_PLAN_H_

#include <string>
#include <vector>

#include "tools/manifest.h"

namespace heapglot::tool {

// Digests of dumps: one that is whole, then those that are deltas, each of the
// one before; no more than kMaxDeltas.
using DeltaChain = std::vector<std::string>;

// Depends on the rows only. Successive are files that follow each other in the
// manifest within one directory, have the same format and dialect, and of which
// none has more than twice the objects of the other. A dump that there is twice
// counts where it comes first. Chains of one dump are left out.
std::vector<DeltaChain> PlanDeltas(const ManifestRows& rows);

}  // namespace heapglot::tool

#endif  // HEAPGLOT_TOOLS_DELTA_PLAN_H_
