// What there is to know about formats beyond their tables.
#ifndef HEAPGLOT_CORE_REGISTRY_H_
#define HEAPGLOT_CORE_REGISTRY_H_

#include <string>
#include <vector>

#include "heapglot/format.h"

namespace heapglot {

// A writer with a rule for every feature: features that `info` does not mention
// are dropped. What `info` refers to must outlive this.
class CompleteWriter {
 public:
  explicit CompleteWriter(const WriterInfo& info);
  CompleteWriter(const CompleteWriter&) = delete;
  CompleteWriter& operator=(const CompleteWriter&) = delete;

  // Refers to this.
  const WriterInfo& info() const { return info_; }

 private:
  WriterInfo info_;
  std::vector<FidelityRow> rows_;
  std::vector<std::string> codes_;  // of the rules that were added
};

}  // namespace heapglot

#endif  // HEAPGLOT_CORE_REGISTRY_H_
