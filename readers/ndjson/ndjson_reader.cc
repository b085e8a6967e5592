#include "readers/ndjson/ndjson_reader.h"

#include <memory>
#include <optional>
#include <string>

#include "core/text/utf.h"
#include "readers/draft/draft_index.h"
#include "readers/draft/draft_pass.h"
#include "readers/ndjson/ndjson_form.h"
#include "readers/ndjson/ndjson_leftovers.h"

namespace heapglot {
namespace {

class NdjsonReader : public Reader {
 public:
  NdjsonReader(const ByteSource& source, Context& context)
      : source_(source),
        context_(context),
        index_(ndjson::kForm, context.limits.max_depth) {}

  Status Read(ChunkSet wanted, ChunkSink& out) override {
    if (!status_) status_ = BuildIndex();
    if (!status_->ok()) return *status_;
    return draft::Pass(source_, context_, wanted, &out, false, &index_).Run();
  }

 private:
  Status BuildIndex() {
    if (BeginsAsUtf16(source_.bytes())) {
      return {Code::kMalformed, "ndjson: " + std::string(kIsUtf16),
              Where::Byte(0)};
    }
    return draft::BuildIndex(source_, context_, &index_);
  }

  const ByteSource& source_;
  Context& context_;
  draft::Index index_;
  std::optional<Status> status_;  // of the index; nullopt before the first pass
};

// Checks the first line that is not blank: an object with "type" "metadata".
Sniff SniffNdjson(std::string_view head) {
  if (head.starts_with("\xEF\xBB\xBF")) head.remove_prefix(3);
  const std::size_t begin = head.find_first_not_of(" \t\r\n");
  if (begin == std::string_view::npos || head[begin] != '{') return Sniff::kNo;
  head.remove_prefix(begin);
  const std::string_view line = head.substr(0, head.find('\n'));
  draft::JsonCursor in(line, 16);
  draft::Token key, value;
  in.Take('{');
  while (in.Value(&key) && in.Take(':') && in.Value(&value)) {
    if (draft::Decode(key) == "type") {
      const std::string type = draft::Decode(value);
      // Metadata says what the file is, but may be anywhere.
      if (type == "metadata") return Sniff::kYes;
      const bool declares = type == "type" || type == "subtype";
      return declares ? Sniff::kMaybe : Sniff::kNo;
    }
    if (!in.Take(',')) break;
  }
  // Lets the reader say that the file ends in its first record.
  constexpr std::string_view kUsualStart = R"({"type":"metadata")";
  const bool is_start = head.size() > 3 && kUsualStart.starts_with(head);
  return is_start ? Sniff::kMaybe : Sniff::kNo;
}

// What is reported and left out.
constexpr FidelityRow kNdjsonLosses[] = {
    {Feature::kExtra, "ndjson.string.field", LossClass::kDropped,
     "fields of a string other than its id and text"},
    {Feature::kExtra, "ndjson.row.reference", LossClass::kDropped,
     "a dangling reference in one of heapglot's own records"},
    {Feature::kValueOther, "ndjson.value.form", LossClass::kDropped,
     "parts of a value that do not match its form"},
    {Feature::kValueName, "ndjson.name.order", LossClass::kDropped,
     "what makes a text a name: its string right before its node"},
    {Feature::kValueNamed, "ndjson.value.order", LossClass::kDropped,
     "a value that comes after those of later owners"},
    {Feature::kValueNamed, "ndjson.value.owner", LossClass::kDropped,
     "a value whose owner is missing"},
    {Feature::kExtra, "ndjson.column.order", LossClass::kDropped,
     "cells that do not come right before their rows"},
};

}  // namespace

constinit const ReaderInfo kNdjsonReader = {
    .name = "ndjson",
    .title = "extensible heap dump (NDJSON)",
    .extensions = "ndjson",
    // Our own records, those of the namespace hg., can hold everything.
    .produces = FeatureSet::All(),
    .sniff = SniffNdjson,
    .make = [](const ByteSource& source,
               Context& context) -> std::unique_ptr<Reader> {
      return std::make_unique<NdjsonReader>(source, context);
    },
    .find_leftovers = ndjson::FindLeftovers,
    .adds_edges = true,
    .unknown_json = ndjson::kForm.data_section(),
    .validator = &kNdjsonValidator,
    .losses = kNdjsonLosses,
};

}  // namespace heapglot
