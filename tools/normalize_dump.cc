#include "tools/normalize_dump.h"

#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "core/bytes/fd.h"
#include "core/bytes/sha256.h"
#include "core/bytes/source_digest.h"
#include "core/canonical/canonical_reader.h"
#include "core/canonical/graph_digest.h"
#include "core/canonical/stream_digest.h"
#include "core/checked_reader.h"
#include "core/leftovers/leftovers.h"
#include "core/loss/reader_losses.h"
#include "core/read_ahead.h"
#include "heapglot/convert.h"
#include "tools/archive_dump.h"
#include "tools/archive_store.h"
#include "tools/dump_summary.h"
#include "tools/json.h"
#include "tools/manifest.h"
#include "tools/status_json.h"

namespace heapglot::tool {
namespace {

Status CannotRead() {
  return {Code::kInput, "cannot read: " + ErrnoText(errno)};
}

// Whether the status says something about the bytes that were read.
bool IsAboutContent(const Status& status) {
  return status.ok() || status.code() == Code::kMalformed ||
         status.code() == Code::kTruncated ||
         status.code() == Code::kUnsupported;
}

// Passes chunks to some sinks, one after the other. The last one may own them.
class Tee : public ChunkSink {
 public:
  explicit Tee(std::vector<ChunkSink*> sinks) : sinks_(std::move(sinks)) {}

  Status Accept(const pb::Chunk& chunk) override {
    HEAPGLOT_RETURN_IF_ERROR(Show(chunk));
    return sinks_.back()->Accept(chunk);
  }
  Status AcceptOwned(pb::Chunk& chunk) override {
    HEAPGLOT_RETURN_IF_ERROR(Show(chunk));
    return sinks_.back()->AcceptOwned(chunk);
  }

 private:
  // To all but the last one.
  Status Show(const pb::Chunk& chunk) {
    for (std::size_t i = 0; i + 1 < sinks_.size(); ++i)
      HEAPGLOT_RETURN_IF_ERROR(sinks_[i]->Accept(chunk));
    return {};
  }

  const std::vector<ChunkSink*> sinks_;
};

// Passes what is read to some other sinks first.
class TeeReader : public Reader {
 public:
  TeeReader(Reader& upstream, std::vector<ChunkSink*> sinks)
      : upstream_(upstream), sinks_(std::move(sinks)) {}

  Status Read(ChunkSet wanted, ChunkSink& out) override {
    std::vector<ChunkSink*> sinks = sinks_;
    sinks.push_back(&out);
    Tee tee(std::move(sinks));
    return upstream_.Read(wanted, tee);
  }

 private:
  Reader& upstream_;
  const std::vector<ChunkSink*> sinks_;
};

class HeaderSink : public ChunkSink {
 public:
  Status Accept(const pb::Chunk& chunk) override {
    header = chunk.header();
    return {};
  }
  pb::Header header;
};

// Computes the SHA-256 of what is written to it.
class Sha256Sink : public ByteSink {
 public:
  Status Write(std::string_view bytes) override {
    position_ += bytes.size();
    digest_.Add(bytes);
    return {};
  }
  Status Close() override { return {}; }
  std::uint64_t position() const override { return position_; }
  std::string Finish() { return Hex(digest_.Finish()); }

 private:
  Sha256 digest_;
  std::uint64_t position_ = 0;
};

// The SHA-256 of the file of `format` that a heapir restores.
Result<std::string> DigestOfBytes(const ByteSource& heapir,
                                  std::string_view format,
                                  const Limits& limits) {
  Sha256Sink sink;
  Context context;
  context.limits = limits;
  ConvertOptions convert;
  convert.from = &IrReader();
  convert.to = FindWriter(format);
  if (convert.to == nullptr)
    return Status(Code::kMalformed, "there is no format of that name");
  HEAPGLOT_RETURN_IF_ERROR(Convert(heapir, sink, convert, context));
  return sink.Finish();
}

void AddError(const Status& status, Json* json) {
  json->Key("error");
  json->BeginObject();
  AddFailure(status, *json);
  json->EndObject();
}

class Normalization {
 public:
  Normalization(const NormalizeOptions& options, const NormalizeFiles& files,
                const Console& console)
      : options_(options),
        files_(files),
        console_(console),
        sandbox_(!options.in.no_sandbox) {}

  NormalizedDump Run();

 private:
  Status Read();
  Status OpenFileItself();
  Status CheckUnchanged() const;
  Status TakeLeftovers();
  Status WriteDump();
  Status WriteExact();
  Status VerifyDump();
  Status VerifyExact();
  std::string Row(const Status& status);
  void AddSummary(Json* json) const;
  void AddLosses(Json* json) const;

  const NormalizeOptions& options_;
  const NormalizeFiles& files_;
  const Console& console_;
  Sandbox sandbox_;
  Context context_;
  struct stat info_ = {};             // of the file, before it was read
  std::unique_ptr<ByteSource> file_;  // as it is, even if it is compressed
  std::optional<SourceDigest> file_digest_;
  std::string file_sha256_;
  OpenInput input_;
  EmbeddedLeftovers leftovers_;
  DumpSummary summary_;
  GraphIdentity graph_;
  std::uint64_t stored_ = 0;
  pb::Header header_;
  std::string digest_;
  std::string exact_;
  bool archive_failed_ = false;  // writing to it failed
};

NormalizedDump Normalization::Run() {
  Status status = Read();
  // Room for temporary files does not concern the archive: there may be enough
  // for other dumps.
  if (status.code() == Code::kOutput && !archive_failed_)
    status = {Code::kInput, status.message(), status.where()};
  if (file_digest_) {
    const Result<std::string> sha256 = file_digest_->Finish();
    if (sha256.ok())
      file_sha256_ = Hex(*sha256);
    else if (status.ok())
      status = sha256.status();
  }
  if (file_ != nullptr && IsAboutContent(status)) {
    if (const Status changed = CheckUnchanged(); !changed.ok()) {
      status = changed;
      file_sha256_.clear();
    }
  }
  NormalizedDump dump;
  dump.row = Row(status);
  dump.status = status;
  if (status.ok()) {
    dump.digest = digest_;
    dump.exact = exact_;
  }
  return dump;
}

Status Normalization::Read() {
  HEAPGLOT_RETURN_IF_ERROR(OpenFileItself());
  file_digest_.emplace(*file_);
  context_.limits = options_.in.limits;
  context_.strict = options_.in.strict;
  Result<OpenInput> input =
      OpenFd(files_.source, options_.in, sandbox_, console_);
  if (context_.limits.max_threads > 1) file_digest_->Start();
  if (!input.ok()) return input.status();
  input_ = *std::move(input);
  HEAPGLOT_RETURN_IF_ERROR(TakeLeftovers());
  HEAPGLOT_RETURN_IF_ERROR(WriteDump());
  if (options_.verify) HEAPGLOT_RETURN_IF_ERROR(VerifyDump());
  if (files_.exact < 0) return {};
  HEAPGLOT_RETURN_IF_ERROR(WriteExact());
  return options_.verify ? VerifyExact() : Status();
}

Status Normalization::OpenFileItself() {
  if (fstat(files_.source, &info_) != 0) return CannotRead();
  if (!S_ISREG(info_.st_mode)) return {Code::kInput, "is not a regular file"};
  file_ = MapFile(files_.source, info_, options_.in.input);
  return file_ == nullptr ? CannotRead() : Status();
}

// A row is about one file: its digests must not be of different states of it.
Status Normalization::CheckUnchanged() const {
  struct stat now;
  if (fstat(files_.source, &now) != 0) return CannotRead();
  if (now.st_size == info_.st_size &&
      now.st_mtim.tv_sec == info_.st_mtim.tv_sec &&
      now.st_mtim.tv_nsec == info_.st_mtim.tv_nsec)
    return {};
  return {Code::kInput, "the input changed while it was read"};
}

// A dump counts as what it was converted from.
Status Normalization::TakeLeftovers() {
  Result<EmbeddedLeftovers> found = FindLeftovers(
      *input_.source, *input_.format, IrReader(), FindReader, context_.limits);
  if (!found.ok()) return found.status();
  leftovers_ = *std::move(found);
  return {};
}

Status Normalization::WriteDump() {
  const bool is_restored = leftovers_.source != nullptr;
  const ByteSource& source = is_restored ? *leftovers_.source : *input_.source;
  const ReaderInfo& format = is_restored ? *leftovers_.format : *input_.format;
  // Oddities in leftovers have no place in the file that contains them.
  Context leftovers_context;
  leftovers_context.limits = context_.limits;
  const std::unique_ptr<Reader> reader =
      MakeReader(format, source, is_restored ? leftovers_context : context_);
  const std::unique_ptr<Reader> canonical =
      MakeCanonicalReader(*reader, context_, &FindReader);
  const unsigned threads = context_.limits.max_threads;
  StreamDigest digest;
  GraphDigest graph;
  Summarizer summary;
  StoredFileSink sink(files_.dump);
  const std::unique_ptr<Writer> writer =
      files_.dump < 0 ? nullptr : IrWriter().make(sink, {}, context_);
  std::vector<ChunkSink*> sinks = {&graph};
  if (writer != nullptr) sinks.push_back(writer.get());
  Tee tee(std::move(sinks));
  // Each of two threads does half of the work, but they do not always take the
  // same time for a chunk.
  constexpr std::size_t kChunksAhead = 32;
  TeeReader shown(*canonical, {&digest, &summary});
  // A heapir is written in one pass.
  Status written =
      ReadAhead(shown, ChunkSet::All(), tee, threads, {.chunks = kChunksAhead});
  if (written.ok() && writer != nullptr) written = writer->Finish();
  archive_failed_ = !sink.status().ok();
  HEAPGLOT_RETURN_IF_ERROR(written);
  AddReaderLosses(
      format, is_restored ? leftovers_context.findings() : context_.findings(),
      false, &context_.loss);
  HeaderSink header;
  HEAPGLOT_RETURN_IF_ERROR(reader->Read({pb::Chunk::kHeader}, header));
  header_ = header.header;
  stored_ = sink.position();
  digest_ = Hex(digest.Finish());
  graph_ = graph.Finish(threads);
  summary_ = summary.Finish();
  return sink.Close();
}

Status Normalization::WriteExact() {
  StoredFileSink sink(files_.exact);
  Context context;  // nothing is lost when converting to the IR
  context.limits = context_.limits;
  ConvertOptions convert;
  convert.from = input_.format;
  convert.to = &IrWriter();
  convert.ignore_leftovers = true;
  const Status written = Convert(*input_.source, sink, convert, context);
  archive_failed_ = !sink.status().ok();
  HEAPGLOT_RETURN_IF_ERROR(written);
  const Result<std::string> sha256 = SourceDigest(*input_.source).Finish();
  if (!sha256.ok()) return sha256.status();
  exact_ = Hex(*sha256);
  return {};
}

Status Normalization::VerifyDump() {
  const Result<std::unique_ptr<ByteSource>> source = ReadAgain(files_.dump);
  archive_failed_ = !source.ok();
  if (!source.ok()) return source.status();
  const Result<std::string> digest = CanonicalDigest(**source, context_.limits);
  if (!digest.ok()) return digest.status();
  if (*digest == digest_) return {};
  return {Code::kInternal,
          "what was written has the digest " + *digest + ", not " + digest_};
}

Status Normalization::VerifyExact() {
  const Result<std::unique_ptr<ByteSource>> source = ReadAgain(files_.exact);
  archive_failed_ = !source.ok();
  if (!source.ok()) return source.status();
  const Result<std::string> given =
      DigestOfBytes(**source, input_.format->name, context_.limits);
  if (!given.ok()) return given.status();
  if (*given == exact_) return {};
  return {Code::kInternal, "what was written does not restore the bytes"};
}

std::string Normalization::Row(const Status& status) {
  Json json(Json::Layout::kOneLine);
  json.BeginObject();
  AddSource(options_.in.input, &json);
  if (!file_sha256_.empty()) {
    json.Add("size", file_->bytes().size());
    json.Add("sha256", file_sha256_);
  }
  if (input_.source != nullptr) {
    json.Add("compression", ToString(input_.source->compression()));
    json.Add("format", input_.format->name);
  }
  if (status.ok()) {
    AddSummary(&json);
    AddLosses(&json);
  } else {
    AddError(status, &json);
  }
  json.EndObject();
  std::string row = json.Take();
  row.pop_back();  // the newline
  return row;
}

void Normalization::AddSummary(Json* json) const {
  json->Add("origin", header_.format());
  json->Add("dialect", header_.dialect());
  json->Add("digest", digest_);
  if (!graph_.digest.empty()) json->Add("graph_digest", Hex(graph_.digest));
  json->Add("graph_ties", graph_.ties);
  if (!exact_.empty()) json->Add("exact", exact_);
  json->Add("stored_size", stored_);
  json->Add("graphs", summary_.graphs.size());
  json->Add("nodes", summary_.totals.nodes());
  json->Add("edges", summary_.totals.edges());
  json->Add("roots", summary_.totals.roots());
  json->Add("types", summary_.types.size());
  json->Add("strings", summary_.strings);
  json->Add("self_size_total", summary_.totals.self_size_total());
  json->Add("external_size_total", summary_.totals.external_size_total());
  json->Key("top_types");
  json->BeginArray();
  for (std::size_t i = 0; i < std::min(options_.top, summary_.types.size());
       ++i) {
    const TypeSummary& type = summary_.types[i];
    json->BeginObject();
    json->Add("name", type.name);
    json->Add("count", type.count);
    json->Add("self_size", type.self_size);
    json->EndObject();
  }
  json->EndArray();
}

void Normalization::AddLosses(Json* json) const {
  json->Key("loss");
  json->BeginArray();
  for (const LossReport::Item& item : context_.loss.items()) {
    json->BeginObject();
    json->Add("code", item.code);
    json->Add("class", ToString(item.loss_class));
    json->Add("count", item.count);
    json->EndObject();
  }
  json->EndArray();
  json->Key("findings");
  json->BeginArray();
  for (const Finding& finding : context_.findings()) {
    json->BeginObject();
    json->Add("code", finding.code);
    json->Add("count", finding.count);
    json->EndObject();
  }
  json->EndArray();
}

}  // namespace

NormalizedDump NormalizeDump(const NormalizeOptions& options,
                             const NormalizeFiles& files,
                             const Console& console) {
  return Normalization(options, files, console).Run();
}

Result<std::string> NameOfStored(const NormalizeOptions& options,
                                 const std::string& path, bool is_exact,
                                 const Console& console) {
  InputFlags in = options.in;
  in.input = path;
  in.from = IrReader().name;  // whatever format the sources have
  Sandbox sandbox(!in.no_sandbox);
  const Result<OpenInput> input = Open(in, sandbox, console, nullptr);
  if (!input.ok()) return input.status();
  if (!is_exact) return CanonicalDigest(*input->source, in.limits);
  Context context;
  context.limits = in.limits;
  HeaderSink header;
  HEAPGLOT_RETURN_IF_ERROR(IrReader()
                               .make(*input->source, context)
                               ->Read({pb::Chunk::kHeader}, header));
  return DigestOfBytes(*input->source, header.header.format(), in.limits);
}

std::string ErrorRow(const std::string& source, const Status& status) {
  Json json(Json::Layout::kOneLine);
  json.BeginObject();
  AddSource(source, &json);
  AddError(status, &json);
  json.EndObject();
  std::string row = json.Take();
  row.pop_back();  // the newline
  return row;
}

}  // namespace heapglot::tool
