// The table of writers. A new writer adds a line here.
#include "core/builtin_formats.h"
#include "writers/dartheap/dartheap_writer.h"
#include "writers/heapir/heapir_writer.h"
#include "writers/heapsnapshot/heapsnapshot_writer.h"
#include "writers/ndjson/ndjson_writer.h"
#include "writers/netcf/netcf_writer.h"
#include "writers/sqlite/sqlite_writer.h"

namespace heapglot {

std::span<const WriterInfo* const> BuiltinWriters() {
  static constexpr const WriterInfo* kWriters[] = {
      &kDartheapWriter,      //
      &kHeapsnapshotWriter,  //
      &kNetcfWriter,         //
      &kNdjsonWriter,        //
      &kSqliteWriter,        //
      &kHeapirWriter,        //
  };
  return kWriters;
}

}  // namespace heapglot
