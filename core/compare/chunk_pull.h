// A reader that is asked for its chunks instead of sending them, so that two
// streams can be read side by side.
#ifndef HEAPGLOT_CORE_COMPARE_CHUNK_PULL_H_
#define HEAPGLOT_CORE_COMPARE_CHUNK_PULL_H_

#include <condition_variable>
#include <mutex>
#include <thread>

#include "heapglot/stream.h"

namespace heapglot {

// One pass over a reader. The reader runs in a thread of its own, but never
// while the caller does: between two calls of Next() it waits. Nothing is
// copied.
class ChunkPull {
 public:
  // `reader` must outlive this and not be used by others meanwhile.
  ChunkPull(Reader& reader, ChunkSet wanted);
  // May be called before the end of the pass.
  ~ChunkPull();
  ChunkPull(const ChunkPull&) = delete;
  ChunkPull& operator=(const ChunkPull&) = delete;

  // The next chunk, valid until the next call; nullptr at the end.
  // Errors: those of the reader; kLimit when memory runs out.
  Result<const pb::Chunk*> Next();

 private:
  enum class Turn { kReader, kCaller };

  class Handover : public ChunkSink {
   public:
    explicit Handover(ChunkPull& pull) : pull_(pull) {}
    Status Accept(const pb::Chunk& chunk) override {
      return pull_.HandOver(chunk);
    }

   private:
    ChunkPull& pull_;
  };

  void Run();
  Status HandOver(const pb::Chunk& chunk);
  // Gives the turn to the other side. The mutex must be held.
  void PassTurn(Turn turn);
  void WaitFor(Turn turn, std::unique_lock<std::mutex>& lock);

  Reader& reader_;
  const ChunkSet wanted_;
  std::mutex mutex_;
  std::condition_variable changed_;
  Turn turn_ = Turn::kCaller;
  const pb::Chunk* chunk_ = nullptr;  // nullptr: the pass is over
  Status status_;                     // of the pass
  bool is_over_ = false;
  bool is_abandoned_ = false;
  // Started by the first Next(). It has a stack of the usual size, because a
  // reader may be anybody's.
  std::thread thread_;
};

}  // namespace heapglot

#endif  // HEAPGLOT_CORE_COMPARE_CHUNK_PULL_H_
