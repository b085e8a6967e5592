#include "core/sqlite/vfs.h"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <new>
#include <string_view>

namespace heapglot::sqlite {

// SQLite allocates one and calls its methods; no exception may pass through
// SQLite.
struct Vfs::File {
  sqlite3_file base;
  Vfs* vfs;
  PageStore* store;  // nullptr: the source
  bool is_own;       // the store is of this file alone

  static File& Of(sqlite3_file* file) { return *reinterpret_cast<File*>(file); }

  static int Close(sqlite3_file* file) {
    File& self = Of(file);
    if (self.is_own) delete self.store;
    return SQLITE_OK;
  }

  int ReadSource(char* out, std::size_t size, std::uint64_t offset) const {
    const std::string_view bytes = vfs->source_->bytes();
    const std::size_t there =
        offset < bytes.size() ? std::min(size, bytes.size() - offset) : 0;
    if (there != 0) {
      std::memcpy(out, bytes.data() + offset, there);
      vfs->strays_->Note(offset);
    }
    std::memset(out + there, 0, size - there);
    return there == size ? SQLITE_OK : SQLITE_IOERR_SHORT_READ;
  }

  // The first error in a store is the one that is reported.
  int Answer(bool done, int error) const {
    if (done) return SQLITE_OK;
    if (vfs->status_.ok()) vfs->status_ = store->status();
    return store->status().ok() ? SQLITE_IOERR_SHORT_READ : error;
  }

  static int Read(sqlite3_file* file, void* out, int size,
                  sqlite3_int64 offset) try {
    const File& self = Of(file);
    auto* const bytes = static_cast<char*>(out);
    const auto count = static_cast<std::size_t>(size);
    const auto begin = static_cast<std::uint64_t>(offset);
    if (self.store == nullptr) return self.ReadSource(bytes, count, begin);
    return self.Answer(self.store->Read(begin, bytes, count),
                       SQLITE_IOERR_READ);
  } catch (const std::bad_alloc&) {
    return SQLITE_IOERR_NOMEM;
  }

  static int Write(sqlite3_file* file, const void* data, int size,
                   sqlite3_int64 offset) try {
    const File& self = Of(file);
    if (self.store == nullptr) return SQLITE_READONLY;
    const std::string_view bytes(static_cast<const char*>(data),
                                 static_cast<std::size_t>(size));
    const auto begin = static_cast<std::uint64_t>(offset);
    if (self.is_own && begin + bytes.size() > self.vfs->max_temporary_) {
      if (self.vfs->status_.ok()) self.vfs->status_ = self.vfs->beyond_;
      return SQLITE_FULL;
    }
    return self.Answer(self.store->Write(begin, bytes), SQLITE_IOERR_WRITE);
  } catch (const std::bad_alloc&) {
    return SQLITE_IOERR_NOMEM;
  }

  static int Truncate(sqlite3_file* file, sqlite3_int64 size) try {
    const File& self = Of(file);
    if (self.store == nullptr) return SQLITE_READONLY;
    return self.Answer(self.store->Truncate(static_cast<std::uint64_t>(size)),
                       SQLITE_IOERR_TRUNCATE);
  } catch (const std::bad_alloc&) {
    return SQLITE_IOERR_NOMEM;
  }

  static int Sync(sqlite3_file*, int) { return SQLITE_OK; }

  static int FileSize(sqlite3_file* file, sqlite3_int64* size) {
    const File& self = Of(file);
    *size = static_cast<sqlite3_int64>(self.store != nullptr
                                           ? self.store->size()
                                           : self.vfs->source_->bytes().size());
    return SQLITE_OK;
  }

  static int Lock(sqlite3_file*, int) { return SQLITE_OK; }
  static int CheckReservedLock(sqlite3_file*, int* result) {
    *result = 0;
    return SQLITE_OK;
  }
  static int FileControl(sqlite3_file*, int, void*) { return SQLITE_NOTFOUND; }
  static int SectorSize(sqlite3_file*) { return 4096; }
  static int DeviceCharacteristics(sqlite3_file*) {
    return SQLITE_IOCAP_POWERSAFE_OVERWRITE;
  }
};

namespace {

int NoDelete(sqlite3_vfs*, const char*, int) { return SQLITE_OK; }

// There are no journals.
int NoAccess(sqlite3_vfs*, const char*, int, int* result) {
  *result = 0;
  return SQLITE_OK;
}

int SameName(sqlite3_vfs*, const char* name, int size, char* out) {
  std::snprintf(out, static_cast<std::size_t>(size), "%s", name);
  return SQLITE_OK;
}

int NoRandomness(sqlite3_vfs*, int size, char* out) {
  std::memset(out, 0, static_cast<std::size_t>(size));
  return size;
}

int NoSleep(sqlite3_vfs*, int) { return 0; }

int NoTime(sqlite3_vfs*, double*) { return SQLITE_ERROR; }

int NoError(sqlite3_vfs*, int, char*) { return 0; }

}  // namespace

int Vfs::Open(sqlite3_vfs* vfs, const char*, sqlite3_file* file, int flags,
              int* out_flags) {
  static constexpr sqlite3_io_methods kMethods = {
      .iVersion = 1,
      .xClose = File::Close,
      .xRead = File::Read,
      .xWrite = File::Write,
      .xTruncate = File::Truncate,
      .xSync = File::Sync,
      .xFileSize = File::FileSize,
      .xLock = File::Lock,
      .xUnlock = File::Lock,
      .xCheckReservedLock = File::CheckReservedLock,
      .xFileControl = File::FileControl,
      .xSectorSize = File::SectorSize,
      .xDeviceCharacteristics = File::DeviceCharacteristics,
      .xShmMap = nullptr,
      .xShmLock = nullptr,
      .xShmBarrier = nullptr,
      .xShmUnmap = nullptr,
      .xFetch = nullptr,
      .xUnfetch = nullptr};
  auto& self = *static_cast<Vfs*>(vfs->pAppData);
  File& opened = File::Of(file);
  opened = {.base = {.pMethods = nullptr},
            .vfs = &self,
            .store = nullptr,
            .is_own = false};
  if ((flags & SQLITE_OPEN_MAIN_DB) == 0) {
    opened.is_own = true;
    opened.store = new (std::nothrow) PageStore;
    if (opened.store == nullptr) return SQLITE_NOMEM;
  } else if (self.source_ == nullptr) {
    opened.store = &self.store_;
  }
  opened.base.pMethods = &kMethods;
  if (out_flags != nullptr) *out_flags = flags;
  return SQLITE_OK;
}

Vfs::Vfs(const ByteSource& source)
    : source_(&source), strays_(std::make_unique<Strays>(source)) {
  Register();
}

Vfs::Vfs() { Register(); }

Vfs::~Vfs() { sqlite3_vfs_unregister(&vfs_); }

void Vfs::Register() {
  char name[40];
  std::snprintf(name, sizeof name, "heapglot-%p", static_cast<void*>(this));
  name_ = name;
  vfs_.iVersion = 1;
  vfs_.szOsFile = sizeof(File);
  vfs_.mxPathname = 64;
  vfs_.zName = name_.c_str();
  vfs_.pAppData = this;
  vfs_.xOpen = Open;
  vfs_.xDelete = NoDelete;
  vfs_.xAccess = NoAccess;
  vfs_.xFullPathname = SameName;
  vfs_.xRandomness = NoRandomness;
  vfs_.xSleep = NoSleep;
  vfs_.xCurrentTime = NoTime;
  vfs_.xGetLastError = NoError;
  if (sqlite3_vfs_register(&vfs_, 0) != SQLITE_OK) throw std::bad_alloc();
}

}  // namespace heapglot::sqlite
