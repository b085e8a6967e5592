#include "tests/faults/failing_allocator.h"

#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <new>

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define HEAPGLOT_SANITIZED_ALLOCATOR
#endif
#endif
#ifdef __SANITIZE_ADDRESS__
#define HEAPGLOT_SANITIZED_ALLOCATOR
#endif

namespace heapglot {
namespace {

// Not atomic: the code under test has one thread.
bool armed = false;
std::uint64_t seen = 0;
std::uint64_t fails_at = 0;

// Counts an allocation, and returns whether it must fail.
bool Fails() { return armed && ++seen == fails_at; }

}  // namespace

void FailAllocation(std::uint64_t n) {
  seen = 0;
  fails_at = n;
  armed = true;
}

bool StopFailing() {
  armed = false;
  return seen >= fails_at;
}

}  // namespace heapglot

#ifdef HEAPGLOT_SANITIZED_ALLOCATOR

// All variants except those with an alignment, which nothing here uses.
void* operator new(std::size_t size) {
  while (true) {
    if (!heapglot::Fails()) {
      if (void* const memory = std::malloc(size == 0 ? 1 : size)) return memory;
    }
    const std::new_handler handler = std::get_new_handler();
    if (handler == nullptr) throw std::bad_alloc();
    handler();
  }
}
void* operator new[](std::size_t size) { return operator new(size); }
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  return heapglot::Fails() ? nullptr : std::malloc(size == 0 ? 1 : size);
}
void* operator new[](std::size_t size, const std::nothrow_t& tag) noexcept {
  return operator new(size, tag);
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, const std::nothrow_t&) noexcept {
  std::free(memory);
}
void operator delete[](void* memory, const std::nothrow_t&) noexcept {
  std::free(memory);
}
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept {
  std::free(memory);
}

#else

// The C library's own functions, under the names it has for replacements.
extern "C" {
void* __libc_malloc(std::size_t size);
void* __libc_calloc(std::size_t count, std::size_t size);
void* __libc_realloc(void* memory, std::size_t size);

void* malloc(std::size_t size) {
  if (!heapglot::Fails()) return __libc_malloc(size);
  errno = ENOMEM;
  return nullptr;
}

void* calloc(std::size_t count, std::size_t size) {
  if (!heapglot::Fails()) return __libc_calloc(count, size);
  errno = ENOMEM;
  return nullptr;
}

void* realloc(void* memory, std::size_t size) {
  if (!heapglot::Fails()) return __libc_realloc(memory, size);
  errno = ENOMEM;
  return nullptr;
}
}

#endif
