#!/usr/bin/env python3
"""Writes a big .gclog file: a random heap of the .NET Compact Framework.

    netcf.py OUT [--nodes N] [--edges N] [--seed S] [--domains]

The same arguments make the same bytes. The defaults make about 45 MB. With
--domains the nodes are shared out among three application domains. Layout:
readers/netcf/README.md."""

import random_heap

NAMES = ("System.String", "System.Object[]", "System.Collections.Hashtable",
         "System.Collections.Generic.List`1[[App.Item, App, Version=1.0.0.0, "
         "Culture=neutral, PublicKeyToken=null]]")
TYPES = 400


def type_name(number):
  if number < len(NAMES):
    return NAMES[number]
  return f"App.Part{number % 20}.Class{number}"


def object_id(node):
  """Ascending in steps of 2 to 4, like addresses in units of 8 bytes."""
  return 0x7C79F + 3 * node + node * 7919 % 3 // 2


def domain(draw, name, timestamp, nodes, edges):
  yield f"a 2 {name} {timestamp:x}\n"
  types = min(TYPES, nodes)
  for number in range(types):
    yield f"t {number + 1:x} {type_name(number)}\n"
  for node, degree in enumerate(random_heap.degrees(draw, nodes, edges)):
    # The first nodes have one type each, so that no type is unused.
    type_id = 1 + (node if node < types else draw.randrange(types))
    line = f"o {object_id(node):x} {type_id:x} {12 + 4 * degree:x}"
    for target in random_heap.targets(draw, node, nodes, degree):
      line += f" {object_id(target):x}"
    yield line + "\n"
    if node % 50 == 0:
      yield root(draw, node, types)
  yield f"c {name} {timestamp:x}\n"


def root(draw, node, types):
  kind = draw.randrange(6)
  line = f"r {object_id(node):x} {kind:x} {draw.choice((0, 0, 0, 1)):x}"
  return line + (f" {1 + draw.randrange(types):x}\n" if kind == 4 else "\n")


def main():
  args = random_heap.arguments(__doc__, domains="three of them")
  draw = random_heap.random_of(args.seed)
  parts = 3 if args.domains else 1
  with open(args.out, "w", encoding="ascii", newline="\n") as out:
    for part in range(parts):
      share = [count * (part + 1) // parts - count * part // parts
               for count in (args.nodes, args.edges)]
      if share[0] > 0:
        out.writelines(domain(draw, f"part{part}.exe", 0x444D20DF + part,
                              *share))


if __name__ == "__main__":
  main()
