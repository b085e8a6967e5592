// From the content of a frame to a chunk.
#ifndef HEAPGLOT_READERS_HEAPIR_HEAPIR_CONTENT_H_
#define HEAPGLOT_READERS_HEAPIR_HEAPIR_CONTENT_H_

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "core/ir/columns.h"
#include "core/ir/edge_prediction.h"
#include "core/ir/extent.h"
#include "core/ir/wire.h"
#include "heapglot/ir/v1/frame.pb.h"
#include "heapglot/status.h"
#include "heapglot/stream.h"
#include "readers/heapir/heapir_frames.h"

namespace heapglot::heapir {

// Whether chunk.proto has a chunk of that kind.
bool IsChunkKind(std::uint32_t kind);

// Parses the content of the first frame into `*header`.
// Errors: kMalformed; kLimit; kUnsupported for a version or a feature that
// this program does not know.
Status ReadFileHeader(const Frame& frame, std::string_view content,
                      ir::v1::FileHeader* header);

// Turns contents into chunks. Memory: the last chunk of each kind, so that its
// columns are reused; one with more than kKeptBytes of columns is dropped at
// the next call.
class ContentReader {
 public:
  // Unknown fields are an error unless `lenient`, for files of a later version.
  void set_lenient(bool lenient) { lenient_ = lenient; }

  // Reads the chunk in `content`, of the kind that `frame` says, which must be
  // known. Checks only its form, not what chunk.proto requires of the numbers
  // in it. Errors: kMalformed; kLimit.
  Status Read(const Frame& frame, std::string_view content);

  // The last chunk. Something must have been read before.
  const pb::Chunk& chunk() const { return *chunks_[kind_]; }
  // The same, to be given away: it may be changed in any way.
  pb::Chunk& mutable_chunk() { return *chunks_[kind_]; }
  // Of the last chunk.
  const Extent& extent() const { return extent_; }
  // Whether it has anything that needs kFeaturePrediction.
  bool has_prediction() const { return has_prediction_; }
  // The trailer beside it.
  const std::optional<ir::v1::Trailer>& trailer() const { return trailer_; }

 private:
  static constexpr std::uint64_t kKeptBytes = std::uint64_t{16} << 20;

  // What is wrong with a content; kOk: nothing.
  struct Fault {
    Code code = Code::kOk;
    std::string message;
  };

  Fault ReadFields(std::string_view content);
  Fault ReadChunk(std::string_view bytes);
  // Checks that a message has only known fields, and no columns.
  Fault CheckPlain(const google::protobuf::Descriptor& type,
                   std::string_view bytes);
  Fault CheckPlainField(const google::protobuf::FieldDescriptor& known,
                        const wire::Field& field);
  Fault ReadColumn(std::string_view bytes);
  Fault FillIn(const ColumnPath& path, std::uint32_t like,
               const NewEntries& entries);
  Fault FindColumn(const ColumnPath& path, google::protobuf::Message** owner,
                   const google::protobuf::FieldDescriptor** column);
  Fault ReadTrailer(std::string_view bytes);
  Fault ReadPredicted(std::string_view bytes);
  Fault CheckRows();
  Fault Restore();

  // PredictedEdges, in place.
  struct Predicted {
    std::string_view labels;
    std::string_view targets;
  };

  bool lenient_ = false;
  EdgePrediction prediction_;
  std::array<std::unique_ptr<pb::Chunk>, kChunkKinds> chunks_;

  // Of the current content.
  std::uint32_t kind_ = 0;
  google::protobuf::Message* body_ = nullptr;
  ColumnPath last_path_;
  Extent extent_;
  std::optional<ir::v1::Trailer> trailer_;
  std::optional<Predicted> predicted_;
  bool has_prediction_ = false;
};

}  // namespace heapglot::heapir

#endif  // HEAPGLOT_READERS_HEAPIR_HEAPIR_CONTENT_H_
