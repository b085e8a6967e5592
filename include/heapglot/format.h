// What a format declares about itself. The registry is just a table of these.
#ifndef HEAPGLOT_FORMAT_H_
#define HEAPGLOT_FORMAT_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "heapglot/bytes.h"
#include "heapglot/context.h"
#include "heapglot/export.h"
#include "heapglot/feature.h"
#include "heapglot/stream.h"

namespace heapglot {

struct Validator;  // heapglot/validate.h

// How sure a format is that an input is its own.
enum class Sniff { kNo, kMaybe, kYes };

// How many bytes of the start of the input a sniffer gets to see.
inline constexpr std::size_t kSniffBytes = ByteSource::kHeadBytes;

// Where a file has its leftovers, which a converter has put there for the way
// back to the format that the file was made from: a heapir, packed as suits the
// format.
struct LeftoversBlock {
  std::uint64_t begin = 0;  // the bytes before are what it belongs to
  std::uint64_t end = 0;    // behind its last byte
  // Sends the heapir. Errors: kMalformed if it is not what a writer of ours
  // would have put there; those of `out`.
  std::function<Status(ByteSink& out)> unpack;
  // For a format that has something behind `end` that is about the whole file.
  // `pass` gets the bytes before `begin`, piece by piece, when they are read
  // anyway; then `problem_behind` says what is wrong behind `end` (a clause),
  // or returns "".
  std::function<void(std::string_view bytes)> pass = nullptr;
  std::function<std::string()> problem_behind = nullptr;
};

struct ReaderInfo {
  std::string_view name;        // "dartheap"
  std::string_view title;       // "Dart VM heap snapshot"
  std::string_view extensions;  // space-separated, the first is the usual one
  FeatureSet produces;          // what its streams may have, and nothing else
  // `head` is the start of the decompressed input; it may be shorter than
  // kSniffBytes only if the whole input is.
  Sniff (*sniff)(std::string_view head) = nullptr;
  // `source` and `context` must outlive the reader. A reader treats leftovers
  // like an extension of any other producer.
  std::unique_ptr<Reader> (*make)(const ByteSource& source,
                                  Context& context) = nullptr;
  // Finds the leftovers in a file of this format; their content is a claim like
  // any other. Reads little of an ordinary file: its end, perhaps its beginning.
  // `source` must outlive the block. nullptr: the format has no room for
  // leftovers.
  std::optional<LeftoversBlock> (*find_leftovers)(const ByteSource& source) =
      nullptr;
  // Its streams may have edges that the source does not have as such:
  // EDGE_SYNTHESIZED.
  bool adds_edges = false;
  // The section of Extra (pb::Extra.section) that has JSON as it is in the
  // file. Its numbers may refer to nodes or strings, and cannot follow when
  // these are renumbered. Empty: there is no such section.
  std::string_view unknown_json = {};
  // A compressed file of the format takes about as little room as its IR.
  bool is_compact = false;
  // What `validate` knows about the format. nullptr: it reports what the reader
  // says, under the reader's codes.
  const Validator* validator = nullptr;
  // The findings, by their codes, about what did not get into any chunk. A
  // conversion counts them as losses, unless it gives the source's bytes back.
  // The feature is the nearest one, and the class is kDropped.
  std::span<const FidelityRow> losses = {};
};

// What a converted file should carry for the way back.
class HEAPGLOT_API Leftovers {
 public:
  // A multiple of 3, so that each piece can be encoded in base64 by itself.
  static constexpr std::size_t kPiece = 48 << 10;

  virtual ~Leftovers() = default;
  // Sends them in pieces of kPiece bytes, except for the last one. To be called
  // once, when everything before them in the file has been written to the sink,
  // because they contain its digest.
  virtual Status Send(
      const std::function<Status(std::string_view piece)>& take) = 0;
};

// What a writer is told about its stream before the first chunk.
struct WriterOptions {
  // The stream comes from a file of the writer's own format: the writer should
  // put back what its reader kept for the way back.
  bool native = false;
  // The layout: that of the file, as WriterInfo::profile() described it, or
  // that of a NamedLayout. Empty: the usual one. It may come from an input, so
  // it is a claim like any other.
  std::string profile;
  // The writer puts these where ReaderInfo::find_leftovers() finds them;
  // nullptr: none. Only for a writer with max_leftovers. Outlives the writer.
  Leftovers* leftovers = nullptr;
};

// A layout that a user may ask for by name.
struct NamedLayout {
  std::string_view name;     // "object"
  std::string_view title;    // a few words
  std::string_view profile;  // for WriterOptions
};

// No bound: for readers that stop before the leftovers.
inline constexpr std::uint64_t kAnySize = ~std::uint64_t{0};

struct WriterInfo {
  std::string_view name;
  std::string_view title;
  std::string_view extensions;
  bool binary = false;  // refuse a terminal
  // What the writer accepts beyond one graph whose edges are grouped by their
  // source. If it does not, the pipeline merges graphs and groups edges.
  bool several_graphs = false;
  bool ungrouped_edges = false;
  // Programs that read its files show how far nodes are from the roots, so
  // unreachable nodes get roots of their own (Unreachable::kRoot) unless the
  // user says otherwise.
  bool shows_distance = false;
  // What comes from a file of the writer's own format is put back only if the
  // stream says how that file was laid out (RecordOrder). A stream that no
  // longer does, because it is canonical or has been changed, is written like
  // one from elsewhere.
  bool native_needs_layout = false;
  // Roots of what no root reaches (ROOT_UNREACHABLE) get into its files, except
  // for dumps that return to this format and are put back as they were.
  bool unreachable_roots = false;
  // Its bytes depend on the version of a library: another version makes other
  // bytes, with the same meaning, from the same stream.
  bool library_decides_bytes = false;
  // It can hold what restores the source's bytes (SourceImage).
  bool keeps_source_image = false;
  // How many bytes of leftovers its readers tolerate. 0: there is no room for
  // any.
  std::uint64_t max_leftovers = 0;
  // What becomes of each feature: the rule, and special cases. Whatever these
  // say, what comes from a file of the writer's own format is exact, as far as
  // it is put back (Writer::HasPutBack).
  std::span<const FidelityRow> fidelity;
  // What the writer makes up.
  std::span<const SynthesizedRow> synthesized = {};
  // Describes how `source`, a whole file of this format, is laid out: all that
  // make() must know to write the same bytes from the same content. What it
  // leaves out is patched. nullptr: there is only one layout.
  std::string (*profile)(const ByteSource& source) = nullptr;
  std::span<const NamedLayout> layouts = {};
  // For keeps_source_image: writes what the writer would make of the stream of
  // `file`, a file of this format that has been read without an error, with
  // Header.leftovers_of set to `host`. Returns false, and writes nothing, if
  // this is no quicker than writing the stream. nullptr: it never is quicker.
  // Errors: kInput if `file` has changed; those of the sink.
  Result<bool> (*relabel)(const ByteSource& file, const pb::Host& host,
                          ByteSink& sink) = nullptr;
  // For keeps_source_image: the same, but replaces the whole Header by
  // `header`, whether that is quicker or not. nullptr: the writer cannot do
  // that.
  Status (*replace_header)(const ByteSource& file, const pb::Header& header,
                           ByteSink& sink) = nullptr;
  // `sink` and `context` must outlive the writer. The writer does not close
  // the sink.
  std::unique_ptr<Writer> (*make)(ByteSink& sink, const WriterOptions& options,
                                  Context& context) = nullptr;
};

// All formats: those of readers/builtin.cc and writers/builtin.cc, in the order
// of these tables, then those that were registered. Valid until the next
// registration.
HEAPGLOT_API std::span<const ReaderInfo* const> Readers();
HEAPGLOT_API std::span<const WriterInfo* const> Writers();

// Adds a format of the program's own after the others. What `info` refers to
// must live as long as the program. Call this before other threads use the
// library. Features that WriterInfo::fidelity does not mention are dropped,
// which a run reports like any other loss.
// Errors: kUsage if the name is taken or does not match [a-z][a-z0-9_]*, if
// `sniff` or `make` is missing, if a code is not the name, a dot and more, or
// if a feature has rows but not exactly one rule.
HEAPGLOT_API Status Register(const ReaderInfo& info);
HEAPGLOT_API Status Register(const WriterInfo& info);

// By name; nullptr if there is none.
HEAPGLOT_API const ReaderInfo* FindReader(std::string_view name);
HEAPGLOT_API const WriterInfo* FindWriter(std::string_view name);

// The format that holds the IR itself: the writer that keeps_source_image, and
// its reader.
HEAPGLOT_API const WriterInfo& IrWriter();
HEAPGLOT_API const ReaderInfo& IrReader();

// The writer for a path according to its extension, after ".gz" or ".zst" is
// taken off; nullptr if there is none.
HEAPGLOT_API const WriterInfo* FindWriterForPath(std::string_view path);

// The reader whose sniffer is the surest.
// Errors: kTruncated if `head` is empty; kMalformed if no sniffer claims the
// input, or two are equally sure (the message names them).
HEAPGLOT_API Result<const ReaderInfo*> Identify(std::string_view head);

// For the tests of a format: reads `source`, a good file of that format, once
// for each kind of chunk by itself, and twice for all kinds.
// Errors: those of the reader; kInternal if a pass breaks a rule of
// chunk.proto, has other totals than the first one, or has features that
// ReaderInfo::produces lacks.
HEAPGLOT_API Status CheckReader(const ReaderInfo& format,
                                const ByteSource& source, Context& context);

}  // namespace heapglot

#endif  // HEAPGLOT_FORMAT_H_
