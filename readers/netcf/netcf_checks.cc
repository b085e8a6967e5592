#include "readers/netcf/netcf_checks.h"

#include <algorithm>
#include <optional>

#include "readers/netcf/netcf_wire.h"

namespace heapglot::netcf {

Checks::Checks(const Domain& domain, const Line& line, Findings& findings)
    : domain_(domain),
      line_(line),
      findings_(findings),
      used_types_(domain.types.size()) {
  type_lines_.reserve(domain.types.size());
  for (const IdMap::Duplicate& it : domain.nodes.duplicates())
    contents_.push_back({it.first_index, 0});
  const auto by_index = [](const Content& a, const Content& b) {
    return a.index < b.index;
  };
  std::sort(contents_.begin(), contents_.end(), by_index);
  contents_.erase(std::unique(contents_.begin(), contents_.end(),
                              [](const Content& a, const Content& b) {
                                return a.index == b.index;
                              }),
                  contents_.end());
}

void Checks::BeginObject(const Object& object, std::uint64_t type) {
  if (object.id == kNullId) AddAtLine(Oddity::kIdZero);
  if (object.size == 0) AddAtLine(Oddity::kSizeZero);
  if (type == IdMap::kNone) AddAtLine(Oddity::kTypeUndefined);
  Use(type);
  content_ = Mix(Mix(0, object.type), object.size);
  has_null_ = false;
  references_.clear();
}

void Checks::EndObject(std::uint64_t index) {
  EndReferences();
  if (next_content_ < contents_.size() &&
      contents_[next_content_].index == index)
    contents_[next_content_++].hash = content_;
}

void Checks::EndDuplicate(const IdMap::Duplicate& duplicate) {
  EndReferences();
  const auto first = std::lower_bound(
      contents_.begin(), contents_.end(), duplicate.first_index,
      [](const Content& it, std::uint64_t index) { return it.index < index; });
  AddAtLine(first->hash == content_ ? Oddity::kObjectTwice
                                    : Oddity::kObjectRedefined);
}

void Checks::EndReferences() {
  if (has_null_) AddAtLine(Oddity::kNullReference);
  if (HasDoubles()) AddAtLine(Oddity::kReferenceTwice);
}

bool Checks::HasDoubles() {
  // Most objects have a handful.
  constexpr std::size_t kFew = 8;
  if (references_.size() <= kFew) {
    for (std::size_t i = 1; i < references_.size(); ++i)
      for (std::size_t k = 0; k < i; ++k)
        if (references_[i] == references_[k]) return true;
    return false;
  }
  std::sort(references_.begin(), references_.end());
  return std::adjacent_find(references_.begin(), references_.end()) !=
         references_.end();
}

void Checks::AddRoot(const Root& root, bool is_defined,
                     std::uint64_t container) {
  if (root.id == kNullId) AddAtLine(Oddity::kNullRoot);
  if (!is_defined) AddAtLine(Oddity::kDanglingRoot);
  if (root.kind >= kRootKinds) AddAtLine(Oddity::kRootKind);
  if ((root.flags & kFlagRefCounted) != 0) AddAtLine(Oddity::kRootRefCounted);
  if ((root.flags & ~kFlags) != 0) AddAtLine(Oddity::kRootFlags);
  const bool is_static = root.kind == kRootStatic;
  if (is_static && !root.has_container)
    AddAtLine(Oddity::kStaticWithoutContainer);
  if (!is_static && root.has_container) AddAtLine(Oddity::kContainerNotStatic);
  if (root.has_container && container == IdMap::kNone)
    AddAtLine(Oddity::kContainerUndefined);
  Use(container);
  std::uint64_t hash = Mix(Mix(Mix(0, root.id), root.kind), root.flags);
  hash = Mix(Mix(hash, root.has_container ? 1 : 0), root.container);
  roots_.Add({hash, line_.number()});
}

void Checks::AddDuplicateType(const IdMap::Duplicate& duplicate,
                              std::string_view name) {
  AddAtLine(domain_.names[duplicate.first_index] == HashName(name)
                ? Oddity::kTypeTwice
                : Oddity::kTypeRedefined);
}

Status Checks::EndDomain() {
  for (std::size_t type = 0; type < used_types_.size(); ++type)
    if (!used_types_[type])
      findings_.Add(Oddity::kTypeUnused, Where::Line(type_lines_[type], 1));
  std::optional<std::uint64_t> last;
  roots_.TakeAll([&](const RootHash& root) {
    if (root.hash == last)
      findings_.Add(Oddity::kRootTwice, Where::Line(root.line, 1));
    last = root.hash;
  });
  return roots_.status();
}

}  // namespace heapglot::netcf
