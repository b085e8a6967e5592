// Encodes protobuf messages by our own rules: fields by ascending number, the
// shortest varints, defaults left out. libprotobuf produces the same bytes
// today, but does not promise to.
#ifndef HEAPGLOT_CORE_IR_ENCODE_H_
#define HEAPGLOT_CORE_IR_ENCODE_H_

#include <google/protobuf/message.h>

#include "core/ir/byte_buffer.h"

namespace heapglot {

// Appends `message`, a message of chunk.proto or frame.proto, without its
// columns (columns.h).
void EncodeWithoutColumns(const google::protobuf::Message& message,
                          ByteBuffer* out);
// The same, as field `number` of another message.
void EncodeFieldWithoutColumns(int number,
                               const google::protobuf::Message& message,
                               ByteBuffer* out);

}  // namespace heapglot

#endif  // HEAPGLOT_CORE_IR_ENCODE_H_
