#include "core/canonical/stream_digest.h"

#include <variant>

#include "core/ir/columns.h"
#include "core/ir/encode.h"
#include "core/ir/put_varints.h"
#include "core/ir/wire.h"

namespace heapglot {
namespace {

constexpr char kStreamVersion[] = "heapglot canonical 1\n";

void AppendEntries(const auto& entries, ByteBuffer* out) {
  wire::AppendVarint(entries.size(), out);
  const std::size_t begin = out->size();
  char* const first = out->Grow(entries.size() * wire::kMaxVarint);
  const char* const end = wire::PutVarints(entries, first);
  out->Shrink(begin + static_cast<std::size_t>(end - first));
}

}  // namespace

StreamDigest::StreamDigest() { digest_.Add(kStreamVersion); }

Status StreamDigest::Accept(const pb::Chunk& chunk) {
  const google::protobuf::Message& table = BodyOf(chunk);
  bytes_.Clear();
  body_.Clear();
  EncodeWithoutColumns(table, &body_);
  wire::AppendVarint(static_cast<std::uint64_t>(chunk.body_case()), &bytes_);
  wire::AppendVarint(body_.size(), &bytes_);
  bytes_.Append(body_.view());
  ForEachColumn(table, [this](const ColumnPath& path,
                              const google::protobuf::Message& columns,
                              const google::protobuf::FieldDescriptor& field) {
    wire::AppendVarint(path.size, &bytes_);
    for (std::size_t i = 0; i < path.size; ++i)
      wire::AppendVarint(path.numbers[i], &bytes_);
    std::visit([this](const auto& entries) { AppendEntries(entries, &bytes_); },
               EntriesOf(columns, field));
  });
  wire::AppendVarint(0, &bytes_);
  digest_.Add(bytes_.view());
  return {};
}

}  // namespace heapglot
