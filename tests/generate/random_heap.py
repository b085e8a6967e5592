"""Shared by the generators of all formats."""

import argparse
import random


def arguments(doc, **more):
  """OUT, --nodes, --edges and --seed; `more` are flags that take no value."""
  parser = argparse.ArgumentParser(
      description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
  parser.add_argument("out")
  parser.add_argument("--nodes", type=int, default=1_000_000)
  parser.add_argument("--edges", type=int, default=3_000_000)
  parser.add_argument("--seed", type=int, default=1)
  for name, text in more.items():
    parser.add_argument("--" + name, action="store_true", help=text)
  args = parser.parse_args()
  if args.nodes < 1 or args.edges < 0:
    parser.error("a heap has a node, and no less than 0 edges")
  return args


def degrees(draw, nodes, edges):
  """The number of edges of each node: `edges` in total, many for a few."""
  for node in range(nodes):
    left = nodes - node
    mean = edges / left
    degree = edges if left == 1 else min(
        edges, int(draw.expovariate(1 / mean) + 0.5) if mean > 0 else 0)
    edges -= degree
    yield degree


def targets(draw, node, nodes, degree):
  """The targets of a node: most are near, as in a real heap."""
  for _ in range(degree):
    near = node + int(draw.gauss(0, 100))
    far = draw.randrange(nodes)
    yield near if 0 <= near < nodes and far % 5 else far


def random_of(seed):
  return random.Random(seed)
