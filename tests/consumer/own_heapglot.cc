// own_heapglot: the command, with Graphviz among its formats.
#include <heapglot/command.h>
#include <heapglot/format.h>

#include <iostream>

extern const heapglot::WriterInfo kDotWriter;

int main(int argc, char** argv) {
  const heapglot::Status status = heapglot::Register(kDotWriter);
  if (status.ok()) return heapglot::RunCommand(argc, argv);
  std::cerr << status.ToString("own_heapglot") << '\n';
  return ExitCode(status.code());
}
