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

// The texts behind StringNumbers. Strings come along with the nodes that have them,
// and wait until nodes and edges are written: less work than a pass of their own.
// Memory: 2 MiB (WaitingText).
class StringTable {
 public:
  // `numbers` must outlive this.
  explicit StringTable(const StringNumbers& numbers) : numbers_(numbers) {}

  // The next ones of the stream.
  void Add(const pb::Strings& strings);
  // The next made one; answers its number. `text` is made of strings of the
  // stream, with which what is lost of it is counted.
  std::uint64_t AddMade(std::string_view text);
  // The same, of an integer; `form` is V_INT or V_UINT.
  std::uint64_t AddMade(std::uint32_t form, std::uint64_t value);

  // Whether all could be kept. Errors: those of the temporary files.
  Status status();

  // Writes all of them, from "[" to "]", when the last one is there. Errors: as
  // status().
  Status Write(BufferedOut& out);
  // Once they are written.
  void Report(LossReport* loss) const;

 private:
  const StringNumbers& numbers_;
  WaitingText strings_;
  WaitingText made_strings_;   // they come behind all others
  std::uint64_t made_ = 0;     // so far
  bool is_in_string_ = false;  // the last one of the stream goes on
  Replaced replaced_;
};

}  // namespace heapglot::heapsnapshot

#endif  // HEAPGLOT_WRITERS_HEAPSNAPSHOT_HEAPSNAPSHOT_STRING_TABLE_H_
