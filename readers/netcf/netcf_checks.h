// Looks for oddities of the objects and roots of a domain, in the first pass
// over it, when all ids are known.
#ifndef HEAPGLOT_READERS_NETCF_NETCF_CHECKS_H_
#define HEAPGLOT_READERS_NETCF_NETCF_CHECKS_H_

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "core/bytes/spilled_sort.h"
#include "heapglot/status.h"
#include "readers/netcf/netcf_findings.h"
#include "readers/netcf/netcf_index.h"
#include "readers/netcf/netcf_line.h"

namespace heapglot::netcf {

// Checks one domain. Memory: 16 bytes per object that occurs twice, 8 bytes per
// type, 512 KiB, and for roots that of a SpilledSort, up to 1 MiB for less than
// 8 million.
class Checks {
 public:
  // All must outlive this.
  Checks(const Domain& domain, const Line& line, Findings& findings);

  // An object, its references, and its end. `type` is its index, or kNone.
  void BeginObject(const Object& object, std::uint64_t type);
  void Reference(std::uint64_t id, bool is_defined) {
    content_ = Mix(content_, id);
    has_null_ |= id == 0;
    if (references_.size() < kMaxReferences) references_.push_back(id);
    if (!is_defined) [[unlikely]]
      AddAtToken(Oddity::kDanglingReference);
  }
  // With its node index, or as a duplicate.
  void EndObject(std::uint64_t index);
  void EndDuplicate(const IdMap::Duplicate& duplicate);

  void AddRoot(const Root& root, bool is_defined, std::uint64_t container);
  // The next type, or a duplicate.
  void AddType() { type_lines_.push_back(line_.number()); }
  void AddDuplicateType(const IdMap::Duplicate& duplicate,
                        std::string_view name);
  // Errors: those of SpilledSort.
  Status EndDomain();

 private:
  // How many references of an object are checked for duplicates, at most.
  static constexpr std::size_t kMaxReferences = 1 << 16;

  static std::uint64_t Mix(std::uint64_t hash, std::uint64_t value) {
    hash = (hash ^ value) * 0x9e37'79b9'7f4a'7c15;
    return hash ^ hash >> 29;
  }
  void AddAtLine(Oddity oddity) {
    findings_.Add(oddity, [this] { return line_.place(); });
  }
  void AddAtToken(Oddity oddity) {
    findings_.Add(
        oddity, [this] { return line_.token_place(); }, line_.token());
  }
  void EndReferences();
  bool HasDoubles();
  void Use(std::uint64_t type) {
    if (type != IdMap::kNone) used_types_[type] = true;
  }

  const Domain& domain_;
  const Line& line_;
  Findings& findings_;

  std::vector<bool> used_types_;
  std::vector<std::uint64_t> type_lines_;
  // Of the current object.
  std::vector<std::uint64_t> references_;
  std::uint64_t content_ = 0;
  bool has_null_ = false;
  // Hashes of the contents of objects that occur again, by node index.
  struct Content {
    std::uint64_t index;
    std::uint64_t hash;
  };
  std::vector<Content> contents_;
  std::size_t next_content_ = 0;
  struct RootHash {
    std::uint64_t hash;
    std::uint64_t line;

    bool operator<(const RootHash& other) const {
      return std::pair(hash, line) < std::pair(other.hash, other.line);
    }
  };
  static constexpr std::size_t kRootsAtOnce = std::size_t{64} << 10;
  SpilledSort<RootHash> roots_{kRootsAtOnce};
};

}  // namespace heapglot::netcf

#endif  // HEAPGLOT_READERS_NETCF_NETCF_CHECKS_H_
