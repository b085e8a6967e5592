// The files of one database connection, none of which has a name.
#ifndef HEAPGLOT_CORE_SQLITE_VFS_H_
#define HEAPGLOT_CORE_SQLITE_VFS_H_

#include <sqlite3.h>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "core/bytes/trail.h"
#include "core/sqlite/page_store.h"
#include "heapglot/bytes.h"
#include "heapglot/status.h"

namespace heapglot::sqlite {

// What SQLite takes for the system. The database is a source or a PageStore of
// ours, temporary files are PageStores; nothing is opened by name, so
// sandboxes, pipes and compressed inputs do not matter. There is no clock and
// no lock.
class Vfs {
 public:
  // The database is `source`, and cannot be written.
  explicit Vfs(const ByteSource& source);
  // The database is empty, and will be in store().
  Vfs();
  ~Vfs();
  Vfs(const Vfs&) = delete;
  Vfs& operator=(const Vfs&) = delete;

  // For sqlite3_open_v2().
  const char* name() const { return name_.c_str(); }
  PageStore& store() { return store_; }
  // A temporary file that is larger than `max_size` is an error: `beyond`.
  void LimitTemporaries(std::uint64_t max_size, Status beyond) {
    max_temporary_ = max_size;
    beyond_ = std::move(beyond);
  }
  // The first error in a temporary file, if any.
  const Status& status() const { return status_; }

 private:
  struct File;
  friend struct File;

  void Register();
  static int Open(sqlite3_vfs* vfs, const char* name, sqlite3_file* file,
                  int flags, int* out_flags);

  sqlite3_vfs vfs_ = {};
  std::string name_;
  const ByteSource* source_ = nullptr;
  std::unique_ptr<Strays> strays_;  // of the source
  PageStore store_;
  std::uint64_t max_temporary_ = ~std::uint64_t{0};
  Status beyond_;
  Status status_;
};

}  // namespace heapglot::sqlite

#endif  // HEAPGLOT_CORE_SQLITE_VFS_H_
