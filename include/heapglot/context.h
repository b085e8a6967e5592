// What a run may use, and what it reports: limits, findings, losses.
#ifndef HEAPGLOT_CONTEXT_H_
#define HEAPGLOT_CONTEXT_H_

#include <array>
#include <atomic>
#include <concepts>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "heapglot/export.h"
#include "heapglot/status.h"

namespace heapglot {

// Bounds on what an input may make us do. Sizes are in bytes. Only the reader
// can enforce the limits of strings, depth and records.
struct Limits {
  std::uint64_t max_string = std::uint64_t{1} << 30;
  std::uint64_t max_depth = 10'000;
  // Nodes and edges of a binary format and of arrays, lines of a text, rows of
  // tables.
  std::uint64_t max_records = std::uint64_t{1} << 40;
  std::uint64_t max_ratio = 1'000;  // decompressed : compressed
  std::uint64_t max_decompressed = std::uint64_t{64} << 30;
  unsigned max_threads = 1;  // at work at the same time
};

// How well a piece of information got through, best to worst.
enum class LossClass {
  kExact,
  kEquivalent,
  kEmbedded,
  kApproximated,
  kDropped
};
inline constexpr std::size_t kLossClasses = 5;

// "exact", "equivalent", "embedded", "approximated", "dropped".
HEAPGLOT_API std::string_view ToString(LossClass loss_class);

// What a conversion did to the information in a dump, counted per code.
class HEAPGLOT_API LossReport {
 public:
  struct Item {
    std::string code;  // stable: "heapsnapshot.value.double"
    LossClass loss_class = LossClass::kExact;
    // If leftovers restore it (kEmbedded): the class without them, which is
    // what other programs get.
    std::optional<LossClass> native_class = std::nullopt;
    std::uint64_t count = 0;
    std::string detail;
    std::vector<std::uint64_t> examples;  // up to kExamples node indices
  };
  static constexpr std::size_t kExamples = 5;

  // Counts `count` cases of `code`; 0 does nothing. `detail` says in one
  // sentence what happens to such a thing; the first one given is kept. The
  // worst class given for a code counts.
  void Add(std::string_view code, LossClass loss_class, std::uint64_t count,
           std::string_view detail,
           const std::vector<std::uint64_t>& examples = {});
  // Counts something that the target needs and the source does not have.
  void AddSynthesized(std::string_view code, std::uint64_t count,
                      std::string_view detail);

  // The output carries leftovers: items worse than kEmbedded become that, if
  // their code begins with `prefix` and is not `except`.
  void MakeGood(std::string_view prefix, std::string_view except = {});

  const std::vector<Item>& items() const { return items_; }
  const std::vector<Item>& synthesized() const { return synthesized_; }
  // The worst class among the items; what was synthesized is not a loss.
  LossClass worst() const;

 private:
  std::vector<Item> items_;        // in order of first use
  std::vector<Item> synthesized_;  // loss_class is meaningless here
};

// One kind of oddity in the input that a reader could live with.
struct Finding {
  std::string code;     // stable: "dartheap.ref.dangling"
  std::string message;  // of the first one
  Where where;          // of the first one
  std::uint64_t count = 0;
  // The cases after the first one; with it, up to Context::examples.
  struct Place {
    std::string message;
    Where where;
  };
  std::vector<Place> others;
};

// The environment of one run. Not thread-safe, though a reader and a writer
// that work side by side (RunPasses()) share it: while a pass runs, it belongs
// to the reader. A writer adds what it counts in Accept() to `loss` later, in
// Wanted() or Finish().
class HEAPGLOT_API Context {
 public:
  Limits limits;
  bool strict = false;  // findings are errors
  // For how many cases of each code the message and place are kept.
  std::uint64_t examples = 1;
  LossReport loss;
  // What is made of a broken dump is thrown away. So a reader need not find all
  // errors in the first pass: it may find each in any pass, before it sends
  // what is wrong.
  bool errors_may_come_late = false;
  // The reader calls this now and then, from the thread that reads, with the
  // amount that is done and the total. May be empty.
  std::function<void(std::string_view phase, std::uint64_t done,
                     std::uint64_t total)>
      progress;
  // Once this is true, the run soon ends with kCancelled, and no output is
  // closed. Any thread may set it, and so may `progress`. Outlives the run. May
  // be nullptr.
  const std::atomic<bool>* cancel = nullptr;

  // For readers, to be called every few thousand records: calls `progress`.
  // Errors: kCancelled.
  Status Proceed(std::string_view phase, std::uint64_t done,
                 std::uint64_t total) const;
  // Errors: kCancelled.
  Status CheckCancel() const;

  // Notes an oddity. `code` must be a literal of the reader's. Message and
  // place are kept for the first `examples` cases of each code. If strict, the
  // oddity is noted, too, but Warn() returns an error, kMalformed.
  Status Warn(std::string_view code, std::string message, Where where);
  // The same, but builds the message (and looks for the place) only if they are
  // kept or, if strict, returned.
  template <std::invocable MakeWhere, typename MakeMessage>
  Status Warn(std::string_view code, MakeWhere&& make_where,
              MakeMessage&& make_message) {
    Finding* const known = FindFinding(code);
    if (known != nullptr && !strict && known->count >= examples) [[likely]] {
      ++known->count;
      return {};
    }
    return Warn(code, make_message(), make_where());
  }
  template <std::invocable MakeMessage>
  Status Warn(std::string_view code, Where where, MakeMessage&& make_message) {
    return Warn(
        code, [&] { return where; }, std::forward<MakeMessage>(make_message));
  }
  // Notes `count` cases of an oddity, never as an error, even if strict: for
  // what a format allows, and for a reader that itself refuses what it does not
  // allow.
  void Note(std::string_view code, std::string message, Where where,
            std::uint64_t count);
  const std::vector<Finding>& findings() const { return findings_; }

 private:
  Finding* FindFinding(std::string_view code);

  std::vector<Finding> findings_;  // in order of first use
};

}  // namespace heapglot

#endif  // HEAPGLOT_CONTEXT_H_
