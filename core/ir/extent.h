// What a chunk takes in memory, whatever it takes in a file.
#ifndef HEAPGLOT_CORE_IR_EXTENT_H_
#define HEAPGLOT_CORE_IR_EXTENT_H_

#include <google/protobuf/descriptor.h>

#include <cstdint>
#include <string_view>

#include "heapglot/stream.h"

namespace heapglot {

// Counted before anything is allocated, or of what is there already.
struct Extent {
  std::uint64_t rows = 0;    // those that have no column take no bytes
  std::uint64_t fields = 0;  // of types: rows of their own
  std::uint64_t column_bytes = 0;
  std::uint64_t parts = 0;  // messages, texts and columns

  // A column of the body, or of one of its ExtraColumns.
  void AddColumn(const google::protobuf::FieldDescriptor& column,
                 std::uint64_t entries);
  // What the body has besides its columns: `bytes` are the message without them.
  // Stops where they are none.
  void AddPlain(const google::protobuf::Descriptor& body,
                std::string_view bytes);
  // The rows that the body says it has.
  void AddRows(const pb::Chunk& chunk);
};

}  // namespace heapglot

#endif  // HEAPGLOT_CORE_IR_EXTENT_H_
