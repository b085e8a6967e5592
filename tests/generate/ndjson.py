#!/usr/bin/env python3
"""Writes a big .ndjson file: a random heap as a program other than heapglot
would write it, in the words of the draft, with an extension of its own.

    ndjson.py OUT [--nodes N] [--edges N] [--seed S] [--objects] [--scattered]

The same arguments make the same bytes. The defaults make about 110 MB. With
--objects records have the object shape; with --scattered edges stand in no
order, in front of the nodes. Format: docs/ndjson.md."""

import json
import zlib

import random_heap

OBJECT, TEXT, NUMBER, CLOSURE = 1, 2, 3, 4
PROPERTY, ELEMENT = 1, 2
CLASSES = 300
NODE = ["identifier", "subtype", "gen.size"]
NODE_FIELDS = {OBJECT: ["constructor"], TEXT: ["data"], NUMBER: ["value"],
               CLOSURE: []}
NODE_NAMES = {OBJECT: "object", TEXT: "flat string", NUMBER: "heap number",
              CLOSURE: "closure"}
EDGE_NAMES = {PROPERTY: "object property", ELEMENT: "array element"}
DECLARATIONS = [
    {"type": "metadata", "key": "version_major", "value": "1"},
    {"type": "metadata", "key": "generator", "value": "ndjson.py"},
    {"type": "type", "code": 2, "name": "node",
     "fields": [["identifier", "id"], ["subtype", "u32"],
                ["gen.size", "u64"]]},
    {"type": "subtype", "of": "node", "code": OBJECT, "name": "object",
     "fields": [["constructor", "value"]]},
    {"type": "subtype", "of": "node", "code": TEXT, "name": "flat string",
     "fields": [["data", "stringid"]]},
    {"type": "subtype", "of": "node", "code": NUMBER, "name": "heap number",
     "fields": [["value", "f64"]]},
    {"type": "subtype", "of": "node", "code": CLOSURE, "name": "closure",
     "fields": []},
    {"type": "type", "code": 3, "name": "edge",
     "fields": [["subtype", "u32"], ["source", "value"], ["dest", "value"],
                ["label", "stringid"]]},
    {"type": "subtype", "of": "edge", "code": PROPERTY,
     "name": "object property", "fields": []},
    {"type": "subtype", "of": "edge", "code": ELEMENT,
     "name": "array element", "fields": []},
    {"type": "type", "code": 4, "name": "string",
     "fields": [["id", "stringid"], ["data", "utf8"]]},
]


def identifier(node):
  return 2 * node + 3


class Lines:
  """Writes records in the requested shape, and counts them."""

  def __init__(self, out, objects):
    self.out = out
    self.objects = objects
    self.records = self.bytes = self.crc32 = 0
    self.counts = {"node": 0, "edge": 0, "string": 0}

  def write(self, value):
    line = json.dumps(value, separators=(",", ":"), ensure_ascii=False)
    data = line.encode() + b"\n"
    self.out.write(data)
    self.records += 1
    self.bytes += len(data)
    self.crc32 = zlib.crc32(data, self.crc32)

  def add(self, code, name, fields, values):
    self.counts[name] += 1
    if self.objects:
      pairs = zip(fields, values)
      self.write({"type": name, **{k: v for k, v in pairs if v is not None}})
    else:
      self.write([code, *values])

  def node(self, node, kind, size, value):
    values = [identifier(node), kind, size]
    if value is not None:
      values.append(value)
    if self.objects:
      values[1] = NODE_NAMES[kind]
    self.add(2, "node", NODE + NODE_FIELDS[kind], values)

  def edge(self, source, target, kind, label):
    values = [EDGE_NAMES[kind] if self.objects else kind, identifier(source),
              target, label]
    self.add(3, "edge", ["subtype", "source", "dest", "label"], values)

  def string(self, number, text):
    self.add(4, "string", ["id", "data"], [number, text])

  def trailer(self):
    counts = {name: count for name, count in self.counts.items() if count}
    self.write({"type": "hg.trailer", "records": self.records,
                "counts": counts, "bytes": self.bytes,
                "crc32": f"{self.crc32:08x}"})


def write_edge(draw, lines, source, target):
  kind = draw.choice((PROPERTY, PROPERTY, PROPERTY, ELEMENT))
  # Strings 0 to 99 are numbers, those after them names.
  label = draw.randrange(100) + (0 if kind == ELEMENT else 100)
  dest = 2 * draw.randrange(-9, 9) if draw.random() < 0.05 else None
  lines.edge(source, identifier(target) if dest is None else dest, kind, label)


def write_node(draw, lines, node, functions):
  kind = CLOSURE if node < functions else draw.choice(
      (OBJECT, OBJECT, TEXT, NUMBER))
  value = None
  if kind == OBJECT:
    value = identifier(draw.randrange(functions))
  elif kind == TEXT:
    value = 200 + draw.randrange(CLASSES)
  elif kind == NUMBER:
    value = draw.random() + 1.5
  lines.node(node, kind, 8 * draw.randrange(2, 30), value)


def main():
  args = random_heap.arguments(
      __doc__, objects="records in object shape",
      scattered="edges in no order, before the nodes")
  draw = random_heap.random_of(args.seed)
  functions = min(CLASSES, args.nodes)
  with open(args.out, "wb") as out:
    lines = Lines(out, args.objects)
    for record in DECLARATIONS:
      lines.write(record)
    for number in range(200 + CLASSES):
      lines.string(number, str(number) if number < 100 else
                   f"name{number} \u00e9\U0001F600")
    if args.scattered:
      for _ in range(args.edges):
        write_edge(draw, lines, draw.randrange(args.nodes),
                   draw.randrange(args.nodes))
    edges = 0 if args.scattered else args.edges
    degrees = random_heap.degrees(draw, args.nodes, edges)
    for node, degree in enumerate(degrees):
      write_node(draw, lines, node, functions)
      for target in random_heap.targets(draw, node, args.nodes, degree):
        write_edge(draw, lines, node, target)
    lines.trailer()


if __name__ == "__main__":
  main()
