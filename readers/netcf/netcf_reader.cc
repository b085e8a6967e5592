#include "readers/netcf/netcf_reader.h"

#include <algorithm>
#include <memory>
#include <string>

#include "readers/netcf/netcf_findings.h"
#include "readers/netcf/netcf_index.h"
#include "readers/netcf/netcf_pass.h"
#include "readers/netcf/netcf_wire.h"

namespace heapglot {
namespace {

using netcf::Findings;
using netcf::Index;
using netcf::Pass;

class NetcfReader : public Reader {
 public:
  NetcfReader(const ByteSource& source, Context& context)
      : source_(source), context_(context) {}

  Status Read(ChunkSet wanted, ChunkSink& out) override {
    if (is_checked_)
      return Pass(source_, index_, context_, nullptr, wanted, out).Run();
    // A first pass that its sink has ended is no first pass.
    index_ = Index();
    Findings findings(context_.strict);
    Status status = netcf::BuildIndex(source_, context_, &findings, &index_);
    if (status.ok())
      status = Pass(source_, index_, context_, &findings, wanted, out).Run();
    is_checked_ = status.ok();
    findings.Report(context_);
    return status;
  }

 private:
  const ByteSource& source_;
  Context& context_;
  Index index_;
  bool is_checked_ = false;
};

// "a 2 NAME": a letter, a version that is no address, and a name. README.md
// says what must not be taken for it.
Sniff SniffText(std::string_view head) {
  const std::size_t start = head.find_first_not_of(" \t\r\n");
  if (start == std::string_view::npos) return Sniff::kNo;
  head.remove_prefix(start);
  const bool is_upper = head.starts_with('A');
  if ((!is_upper && !head.starts_with(netcf::kDomainStart)) ||
      head.size() < 2 || (head[1] != ' ' && head[1] != '\t'))
    return Sniff::kNo;
  head.remove_prefix(std::min(head.find_first_not_of(" \t", 1), head.size()));
  constexpr std::size_t kMaxDigits = 8;
  const std::size_t digits =
      std::min(head.find_first_not_of("0123456789abcdef"), head.size());
  if (digits == 0 || digits > kMaxDigits) return Sniff::kNo;
  head.remove_prefix(digits);
  const std::size_t name = std::min(head.find_first_not_of(" \t"), head.size());
  head.remove_prefix(name);
  if (head.empty() || head[0] == '\r' || head[0] == '\n') return Sniff::kMaybe;
  if (name == 0 || head.starts_with("0x") || head.starts_with("0X"))
    return Sniff::kNo;
  return is_upper ? Sniff::kMaybe : Sniff::kYes;
}

Sniff SniffNetcf(std::string_view head) {
  const netcf::TextForm form = netcf::FormOf(head);
  if (form.encoding == netcf::Encoding::kUtf8)
    return SniffText(head.substr(form.begin));
  // Every other byte of ASCII.
  std::string text;
  const std::size_t low = form.encoding == netcf::Encoding::kUtf16Le ? 0 : 1;
  for (std::size_t i = form.begin; i + 1 < head.size(); i += 2)
    text.push_back(head[i + 1 - low] == 0 ? head[i + low] : '?');
  return SniffText(text);
}

}  // namespace

constinit const ReaderInfo kNetcfReader = {
    .name = "netcf",
    .title = ".NET Compact Framework GC log",
    .extensions = "gclog log",
    .sniff = SniffNetcf,
    .make = [](const ByteSource& source,
               Context& context) -> std::unique_ptr<Reader> {
      return std::make_unique<NetcfReader>(source, context);
    },
};

}  // namespace heapglot
