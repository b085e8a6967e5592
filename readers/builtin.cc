// The table of readers. A new one is a line here.
#include "core/builtin_formats.h"
#include "readers/dartheap/dartheap_reader.h"
#include "readers/heapir/heapir_reader.h"
#include "readers/heapsnapshot/heapsnapshot_reader.h"
#include "readers/ndjson/ndjson_reader.h"
#include "readers/netcf/netcf_reader.h"
#include "readers/sqlite/sqlite_reader.h"

namespace heapglot {

std::span<const ReaderInfo* const> BuiltinReaders() {
  static constexpr const ReaderInfo* kReaders[] = {
      &kDartheapReader,      //
      &kHeapsnapshotReader,  //
      &kNetcfReader,         //
      &kNdjsonReader,        //
      &kSqliteReader,        //
      &kHeapirReader,        //
  };
  return kReaders;
}

}  // namespace heapglot
