// What a format declares about itself. A table of these is all the registry.
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

// Bytes of the input's start that a sniffer gets to see.
inline constexpr std::size_t kSniffBytes = ByteSource::kHeadBytes;

// Where in a file stands what a converter has put there for the way back to the
// format that the file was made from: a heapir, packed as suits the format.
struct LeftoversBlock {
  std::uint64_t begin = 0;  // the bytes before are what it belongs to
  std::uint64_t end = 0;    // behind its last byte
  // Sends the heapir. Errors: kMalformed when it is not what a writer of ours
  // would have put there; those of `out`.
  std::function<Status(ByteSink& out)> unpack;
  // For a format that has something behind `end` which is about all of the file:
  // is told the bytes before `begin`, piece by piece, when they are read anyway;
  // and then what is wrong behind, a clause, or "".
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
  // `source` and `context` must outlive the reader. Leftovers are to a reader
  // what any other producer's extension is.
  std::unique_ptr<Reader> (*make)(const ByteSource& source,
                                  Context& context) = nullptr;
  // The leftovers in a file of this format, whose content is a claim like any
  // other. Looks at the end of the file only. `source` must outlive the block.
  // nullptr: the format has no room for any.
  std::optional<LeftoversBlock> (*find_leftovers)(const ByteSource& source) =
      nullptr;
  // Its streams may have edges that the source has not as such: EDGE_SYNTHESIZED.
  bool adds_edges = false;
  // The section of Extra (pb::Extra.section) that has JSON as it stands in the
  // file. Its numbers may be those of nodes or strings, which nobody can follow when
  // these are numbered anew. Empty: there is none.
  std::string_view unknown_json = {};
  // A file of the format takes, compressed, about as little room as its IR.
  bool is_compact = false;
  // What `validate` knows of the format. nullptr: what the reader says, under its
  // own codes.
  const Validator* validator = nullptr;
  // The findings, by their codes, of what has got into no chunk: a conversion
  // counts them as losses, unless it gives the source's bytes back. The feature is
  // the nearest one, the class kDropped.
  std::span<const FidelityRow> losses = {};
};

// What a converted file is to carry for the way back.
class HEAPGLOT_API Leftovers {
 public:
  // A multiple of 3, so that pieces become base64 one by one.
  static constexpr std::size_t kPiece = 48 << 10;

  virtual ~Leftovers() = default;
  // Sends them in pieces of kPiece bytes, but for the last one. To be called
  // once, when all that stands before them in the file has been written to the
  // sink, for its digest is in them.
  virtual Status Send(
      const std::function<Status(std::string_view piece)>& take) = 0;
};

// What a writer is told about its stream before the first chunk.
struct WriterOptions {
  // The stream comes from a file of the writer's own format: what its reader
  // kept for the way back is to be put back.
  bool native = false;
  // The layout: of that file, as WriterInfo::profile() described it, or that of
  // a NamedLayout. Empty: the usual one. May come from an input, so it is a
  // claim like any other.
  std::string profile;
  // To be put where ReaderInfo::find_leftovers() finds them; nullptr: none.
  // Only for a writer with max_leftovers; outlives the writer.
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
  // What it takes beyond one graph whose edges are grouped by their source; the
  // pipeline merges and groups for a writer that does not.
  bool several_graphs = false;
  bool ungrouped_edges = false;
  // Its readers show how far nodes are from the roots, so unreachable ones want
  // roots of their own (Unreachable::kRoot) unless the user says otherwise.
  bool shows_distance = false;
  // What comes from a file of its own is put back only as long as the stream says
  // how that was laid out (RecordOrder). One that does not any more, since it is
  // canonical or has been changed, is written like one from elsewhere.
  bool native_needs_layout = false;
  // Roots of what no root reaches (ROOT_UNREACHABLE) get into its files, but for
  // those of dumps that return to it and are put back as they were.
  bool unreachable_roots = false;
  // Its bytes are those of one version of a library: another one makes others
  // from the same stream. What they mean is the same.
  bool library_decides_bytes = false;
  // It can hold what makes the source's bytes again (SourceImage).
  bool keeps_source_image = false;
  // Bytes of leftovers that its readers do not mind. 0: there is no room.
  std::uint64_t max_leftovers = 0;
  // What becomes of each feature: the rule, and special cases. What comes from
  // a file of its own is exact whatever stands here, as far as it is put back
  // (Writer::HasPutBack).
  std::span<const FidelityRow> fidelity;
  // What it makes up.
  std::span<const SynthesizedRow> synthesized = {};
  // How `source`, a whole file of this format, is laid out: all that make()
  // must be told to write the same bytes from the same content. What it does
  // not tell is patched. nullptr: there is one layout only.
  std::string (*profile)(const ByteSource& source) = nullptr;
  std::span<const NamedLayout> layouts = {};
  // For keeps_source_image: writes what it makes of the stream of `file`, a file of
  // this format that has been read without an error, with Header.leftovers_of set
  // to `host`. False, and nothing is written: that is no quicker than to do so.
  // nullptr: it never is. Errors: kInput, `file` has changed; the sink's.
  Result<bool> (*relabel)(const ByteSource& file, const pb::Host& host,
                          ByteSink& sink) = nullptr;
  // For keeps_source_image: the same with `header` in place of all of its Header,
  // whether that is quicker or not. nullptr: it cannot do that.
  Status (*replace_header)(const ByteSource& file, const pb::Header& header,
                           ByteSink& sink) = nullptr;
  // `sink` and `context` must outlive the writer. The writer does not close
  // the sink.
  std::unique_ptr<Writer> (*make)(ByteSink& sink, const WriterOptions& options,
                                  Context& context) = nullptr;
};

// All formats: those of readers/builtin.cc and writers/builtin.cc, in the order
// of these tables, and those that are registered. Valid until the next one is.
HEAPGLOT_API std::span<const ReaderInfo* const> Readers();
HEAPGLOT_API std::span<const WriterInfo* const> Writers();

// Adds a format of the program's own behind the others. What `info` refers to
// must live as long as the program. To be called before other threads use the
// library. Features that WriterInfo::fidelity says nothing of are dropped, which
// a run reports like any other loss.
// Errors: kUsage when the name is taken or not of [a-z][a-z0-9_]*, when `sniff` or
// `make` is missing, when a code is not that name, a dot and more, and when a feature
// has rows but not one rule.
HEAPGLOT_API Status Register(const ReaderInfo& info);
HEAPGLOT_API Status Register(const WriterInfo& info);

// By name; nullptr if there is none.
HEAPGLOT_API const ReaderInfo* FindReader(std::string_view name);
HEAPGLOT_API const WriterInfo* FindWriter(std::string_view name);

// The format that holds the IR itself: the writer that keeps_source_image and
// its reader.
HEAPGLOT_API const WriterInfo& IrWriter();
HEAPGLOT_API const ReaderInfo& IrReader();

// The writer for a path by its extension, with ".gz" or ".zst" taken off
// first; nullptr if there is none.
HEAPGLOT_API const WriterInfo* FindWriterForPath(std::string_view path);

// The reader whose sniffer is the surest.
// Errors: kTruncated when there is nothing; kMalformed when none answers, or two
// answer equally well (the message names them).
HEAPGLOT_API Result<const ReaderInfo*> Identify(std::string_view head);

// For the tests of a format: reads `source`, a good file of it, as often as there
// are kinds of chunks, each kind by itself and all of them twice.
// Errors: those of the reader; kInternal when a pass breaks a rule of chunk.proto,
// has other totals than the first one, or features that ReaderInfo::produces lacks.
HEAPGLOT_API Status CheckReader(const ReaderInfo& format,
                                const ByteSource& source, Context& context);

}  // namespace heapglot

#endif  // HEAPGLOT_FORMAT_H_
