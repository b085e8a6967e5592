// own_heapglot: the command, with Graphviz and refs among its formats.
#include <heapglot/command.h>
#include <heapglot/format.h>

#include <iostream>

extern const heapglot::ReaderInfo kRefsReader;
extern const heapglot::WriterInfo kDotWriter;

int main(int argc, char** argv) {
  heapglot::Status status = heapglot::Register(kDotWriter);
  if (status.ok()) status = heapglot::Register(kRefsReader);
  if (status.ok()) return heapglot::RunCommand(argc, argv);
  std::cerr << status.ToString("own_heapglot") << '\n';
  return ExitCode(status.code());
}
