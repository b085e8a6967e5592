#!/usr/bin/env python3
"""Writes a big .dartheap file: a random heap as a Dart VM of 64 bits does.

    dartheap.py OUT [--nodes N] [--edges N] [--seed S]

The same arguments make the same bytes. The defaults make about 20 MB.
Layout: readers/dartheap/README.md."""

import struct

import random_heap

FIELDS = 4       # classes have 0 to 3 fields
CLASSES = 500    # for each number of fields
INT, DOUBLE, LATIN1, UTF16, NONE = 3, 4, 5, 6, 0


def uleb(number):
  out = bytearray()
  while number >= 0x80:
    out.append(number & 0x7F | 0x80)
    number >>= 7
  out.append(number)
  return bytes(out)


def text(value):
  data = value.encode()
  return uleb(len(data)) + data


def dart_class(name, uri, fields=0):
  library = uri.replace(":", ".")
  out = uleb(0) + text(name) + text(library) + text(uri) + text("")
  out += uleb(fields)
  for slot in range(fields):
    out += uleb(1) + uleb(slot) + text(f"field{slot}") + text("")
  return out


def classes():
  """Numbered from 1: the root, leaves, then FIELDS groups."""
  yield dart_class("Root", "")
  for name in ("_Mint", "_Double", "_OneByteString", "_TwoByteString"):
    yield dart_class(name, "dart:core")
  for fields in range(FIELDS):
    for number in range(CLASSES):
      yield dart_class(f"Class{fields}_{number}",
                       f"package:generated/library{number % 50}.dart", fields)


def leaf(draw, node):
  """Class and data of an object that refers to nothing."""
  kind = draw.randrange(5)
  if kind == 0:
    return 2, uleb(INT) + uleb(draw.randrange(64))
  if kind == 1:
    return 3, uleb(DOUBLE) + struct.pack("<d", draw.random())
  if kind == 2:
    data = f"text {node} ".encode() + b"x" * draw.randrange(30)
    return 4, uleb(LATIN1) + 2 * uleb(len(data)) + data
  if kind == 3:
    data = f"\u00fcber {node}".encode("utf-16-le")
    return 5, uleb(UTF16) + 2 * uleb(len(data) // 2) + data
  return 6 + draw.randrange(CLASSES), uleb(NONE)


def objects(draw, args):
  degrees = random_heap.degrees(draw, args.nodes, args.edges)
  for node, degree in enumerate(degrees):
    fields = min(degree, FIELDS - 1)
    class_id = 6 + fields * CLASSES + draw.randrange(CLASSES)
    data = uleb(NONE)
    if node == 0:
      class_id = 1
    elif degree == 0:
      class_id, data = leaf(draw, node)
    # Sizes are multiples of two words.
    out = uleb(class_id) + uleb(16 * (1 + degree)) + data + uleb(degree)
    for target in random_heap.targets(draw, node, args.nodes, degree):
      out += uleb(target + 1)
    yield out


def main():
  args = random_heap.arguments(__doc__)
  draw = random_heap.random_of(args.seed)
  size = 16 * (args.nodes + args.edges)
  with open(args.out, "wb") as out:
    out.write(b"dartheap" + uleb(0) + text("main") + uleb(size))
    out.write(uleb(2 * size) + uleb(0))
    out.write(uleb(5 + FIELDS * CLASSES))
    out.writelines(classes())
    out.write(uleb(args.edges) + uleb(args.nodes))
    out.writelines(objects(draw, args))
    out.write(uleb(0))
    for _ in range(args.nodes):
      out.write(uleb(draw.randrange(1 << 30) if draw.random() < 0.1 else 0))


if __name__ == "__main__":
  main()
