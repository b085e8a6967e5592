// The compressed data of gzip, with the available library: ISA-L, or else zlib,
// at a third of the speed. Nothing else of the libraries is used, so that
// errors and limits are the same.
#ifndef HEAPGLOT_CORE_BYTES_DEFLATE_H_
#define HEAPGLOT_CORE_BYTES_DEFLATE_H_

#include <cstddef>
#include <memory>
#include <string_view>

namespace heapglot {

// Unpacks what follows the header of a gzip member, including its trailer.
// Input and output must be less than 4 GiB a call.
class Inflater {
 public:
  struct Step {
    std::size_t consumed = 0;
    std::size_t produced = 0;
    bool finished = false;        // at the end of the member
    const char* error = nullptr;  // what is wrong with the data
  };

  virtual ~Inflater() = default;
  // To be called before each member.
  virtual void Reset() = 0;
  // May produce nothing though neither the input nor the member has ended.
  virtual Step Inflate(std::string_view in, char* out, std::size_t size) = 0;
};

// Makes one gzip member, without a name or a time.
class Deflater {
 public:
  virtual ~Deflater() = default;
  // Takes bytes from `*in` and returns how many it put into `out`. If that is
  // `size`, there is more: call again. With `last`, the member is ended.
  virtual std::size_t Deflate(std::string_view* in, bool last, char* out,
                              std::size_t size) = 0;
};

std::unique_ptr<Inflater> MakeZlibInflater();
std::unique_ptr<Deflater> MakeZlibDeflater();

#ifdef HEAPGLOT_HAS_ISAL
std::unique_ptr<Inflater> MakeIsalInflater();
std::unique_ptr<Deflater> MakeIsalDeflater();
inline std::unique_ptr<Inflater> MakeInflater() { return MakeIsalInflater(); }
inline std::unique_ptr<Deflater> MakeDeflater() { return MakeIsalDeflater(); }
#else
inline std::unique_ptr<Inflater> MakeInflater() { return MakeZlibInflater(); }
inline std::unique_ptr<Deflater> MakeDeflater() { return MakeZlibDeflater(); }
#endif

}  // namespace heapglot

#endif  // HEAPGLOT_CORE_BYTES_DEFLATE_H_
