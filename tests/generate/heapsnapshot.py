#!/usr/bin/env python3
"""Writes a big .heapsnapshot file: a random heap in the form of Node 22.

    heapsnapshot.py OUT [--nodes N] [--edges N] [--seed S] [--compact]

The same arguments make the same bytes. 1,000,000 nodes make about 75 MB. The
default is about 3 edges a node.
"""

import argparse
import random

import random_heap

NODE_TYPES = ["hidden", "array", "string", "object", "code", "closure",
              "regexp", "number", "native", "synthetic",
              "concatenated string", "sliced string", "symbol", "bigint",
              "object shape"]
EDGE_TYPES = ["context", "element", "property", "internal", "hidden",
              "shortcut", "weak"]
# Weights as in a real heap.
WEIGHTS = [1, 8, 20, 25, 14, 10, 0.1, 6, 1, 0.1, 2, 1, 0.3, 0.1, 12]
CLASSES = 2000
BLOCK = 10_000


def quoted(words):
  return "[" + ",".join(f'"{word}"' for word in words) + "]"


def meta(nodes, edges):
  return (
      '{"snapshot":{"meta":{"node_fields":["type","name","id","self_size",'
      '"edge_count","trace_node_id","detachedness"],"node_types":['
      + quoted(NODE_TYPES) + ',"string","number","number","number","number",'
      '"number"],"edge_fields":["type","name_or_index","to_node"],'
      '"edge_types":[' + quoted(EDGE_TYPES) + ',"string_or_number","node"],'
      '"trace_function_info_fields":["function_id","name","script_name",'
      '"script_id","line","column"],"trace_node_fields":["id",'
      '"function_info_index","count","size","children"],"sample_fields":['
      '"timestamp_us","last_assigned_id"],"location_fields":["object_index",'
      f'"script_id","line","column"]}},"node_count":{nodes},"edge_count":'
      f'{edges},"trace_function_count":0}},\n')


def write_rows(out, rows, count, end):
  """Writes `count` rows made by `rows(i)`, one per line."""
  for first in range(0, count, BLOCK):
    last = min(first + BLOCK, count)
    text = end.join(rows(i) for i in range(first, last))
    out.write((end if first else "") + text)


def main():
  parser = argparse.ArgumentParser(description=__doc__)
  parser.add_argument("out")
  parser.add_argument("--nodes", type=int, default=1_000_000)
  parser.add_argument("--edges", type=int)
  parser.add_argument("--seed", type=int, default=1)
  parser.add_argument("--compact", action="store_true")
  args = parser.parse_args()
  draw = random.Random(args.seed)
  nodes = args.nodes
  strings = max(nodes // 4, CLASSES + 1)
  # The root has edges in addition to the usual 0 to 6.
  if args.edges is None:
    usual = ((0, 1, 2, 3, 4, 6, 12), (20, 15, 15, 25, 12, 10, 3))
    degree = [draw.choices(*usual)[0] for _ in range(nodes)]
  else:
    degree = list(random_heap.degrees(draw, nodes, args.edges))
  owners = iter(degree)
  separator = "," if args.compact else "\n,"
  end = "" if args.compact else "\n"

  def node(i):
    kind = 9 if i == 0 else draw.choices(range(15), WEIGHTS)[0]
    name = draw.randrange(CLASSES if kind in (3, 8) else strings)
    return (f"{kind},{name},{2 * i + 1},{8 * draw.randrange(2, 30)},"
            f"{next(owners)},0,0")

  def edge(i):
    kind = draw.choices(range(7), (4, 22, 25, 38, 4, 1, 6))[0]
    name = draw.randrange(200 if kind in (1, 4) else strings)
    return f"{kind},{name},{7 * min(int(draw.expovariate(9 / nodes)), nodes - 1)}"

  def string(i):
    if i == 0:
      return '"<dummy>"'
    if i < CLASSES:
      return f'"Class{i}"'
    return '"' + f"text {i} " + "x" * draw.randrange(40) + '\\u00E9"'

  with open(args.out, "w", encoding="ascii", newline="\n") as out:
    out.write(meta(nodes, sum(degree)))
    out.write('"nodes":[')
    write_rows(out, node, nodes, separator)
    out.write(end + '],\n"edges":[')
    write_rows(out, edge, sum(degree), separator)
    out.write(end + '],\n"trace_function_infos":[],\n"trace_tree":[],\n'
              '"samples":[],\n"locations":[],\n"strings":[')
    write_rows(out, string, strings, "," if args.compact else ",\n")
    out.write("]}")


if __name__ == "__main__":
  main()
