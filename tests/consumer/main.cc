// dump2dot INPUT OUTPUT: converts any dump to any format, including Graphviz.
#include <heapglot/convert.h>

#include <iostream>

extern const heapglot::ReaderInfo kRefsReader;
extern const heapglot::WriterInfo kDotWriter;

namespace {

heapglot::Status Run(const char* input, const char* output) {
  using namespace heapglot;
  if (Status status = Register(kDotWriter); !status.ok()) return status;
  if (Status status = Register(kRefsReader); !status.ok()) return status;
  ConvertOptions options;
  options.to = FindWriterForPath(output);
  if (options.to == nullptr) return {Code::kUsage, "unknown extension"};
  auto source = ByteSource::Open(input, Limits());
  if (!source.ok()) return source.status();
  auto sink = ByteSink::Create(output, {});
  if (!sink.ok()) return sink.status();
  Context context;
  Status status = Convert(**source, **sink, options, context);
  for (const LossReport::Item& item : context.loss.items()) {
    std::cout << ToString(item.loss_class) << ' ' << item.code << ' '
              << item.count << '\n';
  }
  return status;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  const heapglot::Status status = Run(argv[1], argv[2]);
  if (!status.ok()) std::cerr << status.ToString(argv[1]) << '\n';
  return ExitCode(status.code());
}
