// The array of strings.
#ifndef HEAPGLOT_WRITERS_HEAPSNAPSHOT_HEAPSNAPSHOT_STRING_TABLE_H_
#define HEAPGLOT_WRITERS_HEAPSNAPSHOT_HEAPSNAPSHOT_STRING_TABLE_H_

#include <cstdint>
#include <string_view>

#include "core/bytes/buffered_out.h"
#include "heapglot/context.h"
#include "heapglot/status.h"
#include "heapglot/stream.h"
#include "writers/heapsnapshot/heapsnapshot_names.h"
#include "writers/heapsnapshot/heapsnapshot_text.h"
#include "writers/heapsnapshot/heapsnapshot_waiting.h"

namespace heapglot::heapsnapshot {

// The texts behind StringNumbers. Strings come along with the nodes that have
// them, and wait until nodes and edges are written, which is less work than a
// pass of their own.
// Memory: 2 MiB (WaitingText).
class StringTable {
 public:
  // `numbers` must outlive this.
  explicit StringTable(const StringNumbers& numbers) : numbers_(numbers) {}

  // Adds the next strings of the stream.
  void Add(const pb::Strings& strings);
  // Adds the next made string; returns its number. `text` is made of strings of
  // the stream; what it loses is counted with those.
  std::uint64_t AddMade(std::string_view text);
  // The same for an integer; `form` is V_INT or V_UINT.
  std::uint64_t AddMade(std::uint32_t form, std::uint64_t value);

  // Whether all could be kept. Errors: those of the temporary files.
  Status status();

  // Writes all strings, from "[" to "]", after the last one has been added.
  // Errors: as status().
  Status Write(BufferedOut& out);
  // To be called once they are written.
  void Report(LossReport* loss) const;

 private:
  const StringNumbers& numbers_;
  WaitingText strings_;
  WaitingText made_strings_;   // come after all others
  std::uint64_t made_ = 0;     // so far
  bool is_in_string_ = false;  // the last one of the stream continues
  Replaced replaced_;
};

}  // namespace heapglot::heapsnapshot

#endif  // HEAPGLOT_WRITERS_HEAPSNAPSHOT_HEAPSNAPSHOT_STRING_TABLE_H_
