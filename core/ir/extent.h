// How much a chunk takes in memory, whatever it takes in a file.
#ifndef HEAPGLOT_CORE_IR_EXTENT_H_
#define HEAPGLOT_CORE_IR_EXTENT_H_

#include <google/protobuf/descriptor.h>

#include <cstdint>
#include <string_view>

#include "heapglot/stream.h"

namespace heapglot {

// Computed before anything is allocated, or for an existing chunk.
struct Extent {
  std::uint64_t rows = 0;    // rows without columns take no bytes
  std::uint64_t fields = 0;  // of types; they are rows of their own
  std::uint64_t column_bytes = 0;
  std::uint64_t parts = 0;  // messages, texts and columns

  // A column of the body, or of one of its ExtraColumns.
  void AddColumn(const google::protobuf::FieldDescriptor& column,
                 std::uint64_t entries);
  // Adds what the body has besides its columns. `bytes` is the message without
  // them; stops where it is not valid.
  void AddPlain(const google::protobuf::Descriptor& body,
                std::string_view bytes);
  // Adds the rows that the body claims to have.
  void AddRows(const pb::Chunk& chunk);
};

}  // namespace heapglot

#endif  // HEAPGLOT_CORE_IR_EXTENT_H_
