#include "tools/delta_plan.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>

#include "tools/archive_dump.h"

namespace heapglot::tool {
namespace {

struct Place {
  std::size_t chain = 0;
  std::uint64_t nodes = 0;
};

bool IsAlike(std::uint64_t a, std::uint64_t b) {
  return a / 2 <= b && b / 2 <= a;
}

// Dumps can only follow each other if this is the same.
std::string GroupOf(const ManifestRow& row) {
  const std::size_t slash = row.source.rfind('/');
  std::string group =
      slash == std::string::npos ? "" : row.source.substr(0, slash + 1);
  for (const std::string* part : {&row.format, &row.dialect})
    group.append(1, '\0').append(*part);
  return group;
}

}  // namespace

std::vector<DeltaChain> PlanDeltas(const ManifestRows& rows) {
  std::vector<DeltaChain> chains;
  std::map<std::string, Place> places;      // by digest
  std::map<std::string, std::string> last;  // digest by group
  for (const auto& [source, row] : rows) {
    if (!row.ok()) continue;
    std::string& before = last[GroupOf(row)];
    const bool is_new = !places.contains(row.digest);
    if (is_new && !before.empty()) {
      const Place& base = places[before];
      DeltaChain& chain = chains[base.chain];
      // It may have been continued with a file of another directory.
      if (chain.back() == before && chain.size() <= kMaxDeltas &&
          IsAlike(base.nodes, row.nodes)) {
        chain.push_back(row.digest);
        places[row.digest] = {.chain = base.chain, .nodes = row.nodes};
      }
    }
    if (!places.contains(row.digest)) {
      places[row.digest] = {.chain = chains.size(), .nodes = row.nodes};
      chains.push_back({row.digest});
    }
    before = row.digest;
  }
  std::erase_if(chains, [](const auto& chain) { return chain.size() < 2; });
  return chains;
}

}  // namespace heapglot::tool
