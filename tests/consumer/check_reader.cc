// check_reader FILE: checks whether the reader of refs follows the rules.
#include <heapglot/format.h>

#include <iostream>

extern const heapglot::ReaderInfo kRefsReader;

int main(int argc, char** argv) {
  using namespace heapglot;
  if (argc != 2) return 2;
  const auto source = ByteSource::Open(argv[1], Limits());
  Context context;
  const Status status = source.ok()
                            ? CheckReader(kRefsReader, **source, context)
                            : source.status();
  if (!status.ok()) std::cerr << status.ToString(argv[1]) << '\n';
  return ExitCode(status.code());
}
