// The command `heapglot`.
#include "heapglot/command.h"

int main(int argc, char** argv) { return heapglot::RunCommand(argc, argv); }
