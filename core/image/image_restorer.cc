#include "core/image/image_restorer.h"

#include <algorithm>
#include <string>

namespace heapglot {
namespace {

Status Unfit(const std::string& why) {
  return {Code::kMalformed,
          "what the input says about the bytes of its source does not fit: " +
              why + " (--layout usual does without)"};
}

}  // namespace

Status ImageRestorer::Write(std::string_view bytes) {
  if (status_.ok()) status_ = Apply(bytes, false);
  return status_;
}

Status ImageRestorer::Close() {
  if (status_.ok()) status_ = Apply({}, true);
  if (!status_.ok()) return status_;
  if (patch_ != image_.copy_size()) {
    status_ = Unfit("patch " + std::to_string(patch_) + " is past the end");
  } else if (!IsAsPromised()) {
    status_ = Unfit("the result is another file");
  } else {
    status_ = out_.Close();
  }
  return status_;
}

Status ImageRestorer::Apply(std::string_view bytes, bool at_end) {
  while (patch_ < image_.copy_size()) {
    const std::uint64_t copy = image_.copy(patch_);
    const std::uint64_t remove = image_.remove(patch_);
    if (done_ < copy) {
      const auto size = static_cast<std::size_t>(
          std::min<std::uint64_t>(bytes.size(), copy - done_));
      HEAPGLOT_RETURN_IF_ERROR(Pass(bytes.substr(0, size)));
      bytes.remove_prefix(size);
      done_ += size;
    }
    if (done_ >= copy) {
      const auto size = static_cast<std::size_t>(
          std::min<std::uint64_t>(bytes.size(), remove - (done_ - copy)));
      bytes.remove_prefix(size);
      done_ += size;
    }
    if (done_ < copy || done_ - copy < remove) return {};
    // Not before something follows: the output of the writer may end here.
    if (bytes.empty() && !at_end) return {};
    HEAPGLOT_RETURN_IF_ERROR(Insert(image_.insert(patch_)));
    ++patch_;
    done_ = 0;
  }
  return Pass(bytes);
}

Status ImageRestorer::Insert(std::uint64_t size) {
  const std::string_view rest =
      std::string_view(image_.data()).substr(inserted_);
  if (size > rest.size()) {
    return Unfit("patch " + std::to_string(patch_) + " inserts " +
                 std::to_string(size) + " bytes, there are " +
                 std::to_string(rest.size()));
  }
  inserted_ += size;
  return Pass(rest.substr(0, size));
}

Status ImageRestorer::Pass(std::string_view bytes) {
  if (bytes.empty()) return {};
  if (bytes.size() > image_.size() ||
      out_.position() > image_.size() - bytes.size()) {
    return Unfit("the result is longer than the source");
  }
  if (!image_.xxh3_128().empty()) digest_.Add(bytes);
  if (!image_.sha256().empty()) sha256_.Add(bytes);
  return out_.Write(bytes);
}

bool ImageRestorer::IsAsPromised() {
  const std::string& xxh3 = image_.xxh3_128();
  const std::string& sha256 = image_.sha256();
  if (xxh3.empty() && sha256.empty()) return false;
  return out_.position() == image_.size() &&
         (xxh3.empty() || xxh3 == digest_.value()) &&
         (sha256.empty() || sha256 == sha256_.Finish());
}

}  // namespace heapglot
