// Text right before a page without access, so that reading beyond its end ends
// the program; and so does reading before it, if it is as long as there is
// room.
#ifndef HEAPGLOT_TESTS_CORE_GUARDED_TEXT_H_
#define HEAPGLOT_TESTS_CORE_GUARDED_TEXT_H_

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <string_view>

namespace heapglot {

class GuardedText {
 public:
  // Room for texts of up to `capacity` bytes.
  explicit GuardedText(std::size_t capacity)
      : page_(static_cast<std::size_t>(sysconf(_SC_PAGESIZE))),
        room_((capacity + page_ - 1) / page_ * page_) {
    void* const at =
        mmap(nullptr, page_ + room_ + page_, PROT_READ | PROT_WRITE,
             MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (at == MAP_FAILED) std::abort();
    pages_ = static_cast<char*>(at) + page_;
    for (char* const guard : {pages_ - page_, pages_ + room_})
      if (mprotect(guard, page_, PROT_NONE) != 0) std::abort();
  }
  ~GuardedText() { munmap(pages_ - page_, page_ + room_ + page_); }
  GuardedText(const GuardedText&) = delete;
  GuardedText& operator=(const GuardedText&) = delete;

  // How long a text may be.
  std::size_t room() const { return room_; }
  // The text, until the next call.
  std::string_view Set(std::string_view text) {
    if (text.size() > room_) std::abort();
    char* const at = pages_ + room_ - text.size();
    if (!text.empty()) std::memcpy(at, text.data(), text.size());
    return {at, text.size()};
  }

 private:
  std::size_t page_;
  std::size_t room_;
  char* pages_ = nullptr;
};

}  // namespace heapglot

#endif  // HEAPGLOT_TESTS_CORE_GUARDED_TEXT_H_
