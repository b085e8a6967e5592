#include "core/compare/chunk_pull.h"

#include <string>
#include <system_error>

#include "core/no_exceptions.h"

namespace heapglot {

ChunkPull::ChunkPull(Reader& reader, ChunkSet wanted)
    : reader_(reader), wanted_(wanted) {}

ChunkPull::~ChunkPull() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    is_abandoned_ = true;
    PassTurn(Turn::kReader);
  }
  thread_.join();
}

void ChunkPull::PassTurn(Turn turn) {
  turn_ = turn;
  changed_.notify_all();
}

void ChunkPull::WaitFor(Turn turn, std::unique_lock<std::mutex>& lock) {
  changed_.wait(lock, [this, turn] { return turn_ == turn; });
}

Result<const pb::Chunk*> ChunkPull::Next() {
  std::unique_lock<std::mutex> lock(mutex_);
  if (!is_over_) {
    PassTurn(Turn::kReader);
    if (!thread_.joinable()) {
      try {
        thread_ = std::thread(&ChunkPull::Run, this);
      } catch (const std::system_error& error) {
        return Status(Code::kLimit,
                      std::string("no thread can be started: ") + error.what());
      }
    }
    WaitFor(Turn::kCaller, lock);
  }
  if (!status_.ok()) return status_;
  return chunk_;
}

void ChunkPull::Run() {
  Handover handover(*this);
  Status status =
      WithoutExceptions([&] { return reader_.Read(wanted_, handover); });
  const std::lock_guard<std::mutex> lock(mutex_);
  status_ = std::move(status);
  chunk_ = nullptr;
  is_over_ = true;
  PassTurn(Turn::kCaller);
}

Status ChunkPull::HandOver(const pb::Chunk& chunk) {
  std::unique_lock<std::mutex> lock(mutex_);
  if (!is_abandoned_) {
    chunk_ = &chunk;
    PassTurn(Turn::kCaller);
    WaitFor(Turn::kReader, lock);
  }
  if (is_abandoned_) return {Code::kCancelled, "nobody wants the rest"};
  return {};
}

}  // namespace heapglot
