// Which dumps of an archive are stored as deltas, and from which others.
#ifndef HEAPGLOT_TOOLS_DELTA_PLAN_H_
#define HEAPGLOT_TOOLS_DELTA_PLAN_H_

#include <string>
#include <vector>

#include "tools/manifest.h"

namespace heapglot::tool {

// Digests of dumps: the first one is whole; the others are deltas, each from
// the previous one. There are at most kMaxDeltas deltas.
using DeltaChain = std::vector<std::string>;

// Depends only on the rows. A dump follows another one if their files follow
// each other in the manifest within one directory, have the same format and
// dialect, and neither has more than twice the objects of the other. A dump
// that occurs twice counts where it comes first. Chains of one dump are left
// out.
std::vector<DeltaChain> PlanDeltas(const ManifestRows& rows);

}  // namespace heapglot::tool

#endif  // HEAPGLOT_TOOLS_DELTA_PLAN_H_
