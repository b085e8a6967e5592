#!/usr/bin/env python3
"""Measures what a conversion costs as its input grows, and draws it.

    bench/cost_model.py [--build DIR] [--work DIR] [--max-megabytes N] [--write]

Needs bench/run.py's build (run that first). Inputs are made by bench/generate,
from 1 MB on, four times as large each; each is deleted after its conversions, so
that room for the largest and its result is enough. Every conversion runs three
times, up to 1 GB, and counts with the one that took the least CPU time.
Prints a table; --write puts it into docs/performance.md and the drawing into
docs/cost-model.svg."""

import math

from run import MIB, ROOT, argument_parser, machine, replace, run

# A million nodes and three million edges, as generate.cc makes them.
MEGABYTES_A_MILLION = {'heapsnapshot': 75, 'dartheap': 16}
CONVERSIONS = (
    ('heapsnapshot', 'heapsnapshot', 'heapsnapshot to heapsnapshot'),
    ('heapsnapshot', 'heapir', 'heapsnapshot to heapir'),
    ('dartheap', 'heapsnapshot', 'dartheap to heapsnapshot'),
)
COLOURS = ('#1a73e8', '#188038', '#d93025')


class Point:
    """A conversion of one input."""

    def __init__(self, size, nodes, cost, written):
        self.size, self.nodes = size, nodes
        self.seconds = cost.cpu / nodes * 1e6
        self.own = cost.user / nodes * 1e6  # outside the kernel
        self.peak = cost.peak / MIB
        self.written = written / nodes


def sizes(limit):
    megabytes = 1
    while megabytes < limit:
        yield megabytes
        megabytes *= 4
    yield limit


def measure(args):
    """The points of each conversion."""
    points = {title: [] for _, _, title in CONVERSIONS}
    args.work.mkdir(parents=True, exist_ok=True)
    for form, a_million in MEGABYTES_A_MILLION.items():
        for megabytes in sizes(args.max_megabytes):
            nodes = int(megabytes / a_million * 1e6)
            dump = args.work / f'cost.{form}'
            run(args.build / 'bench/generate', form, nodes, 3 * nodes, 1, dump)
            for source, target, title in CONVERSIONS:
                if source == form:
                    points[title].append(convert(args, dump, target, nodes))
            dump.unlink()
    return points


def convert(args, dump, target, nodes):
    out = args.work / f'cost-out.{target}'
    size = dump.stat().st_size
    best = None
    for _ in range(3 if size < 1e9 else 1):
        out.unlink(missing_ok=True)
        cost = run(args.build / 'heapglot', 'convert', '-q', dump, '-o', out)
        if best is None or cost.cpu < best.cpu:
            best = cost
    point = Point(size, nodes, best, out.stat().st_size)
    out.unlink()
    return point


def table(points):
    yield ('| input | nodes | | s CPU a million nodes | without the kernel | '
           'peak | written a node |')
    yield '|---|---|---|---|---|---|---|'
    for title, line in points.items():
        for point in line:
            yield (f'| {point.size / 1e6:,.1f} MB | {point.nodes:,} | {title} | '
                   f'{point.seconds:.3f} | {point.own:.3f} | '
                   f'{point.peak:.1f} MiB | '
                   f'{point.written:.1f} bytes |')


WIDTH, HEIGHT, LEFT, TOP = 300, 200, 50, 40


def panel(at, title, points, value, part_of_it=None):
    """One of the three drawings, with logarithms of sizes from left to right, and
    a part of the value as a dashed line."""
    largest = 1.25 * max(value(p) for line in points.values() for p in line)
    decades = range(6, 11)

    def x(size):
        return at + (math.log10(size) - decades[0]) / 4 * WIDTH

    def y(amount):
        return TOP + HEIGHT * (1 - amount / largest)

    yield f'<text x="{at}" y="{TOP - 14}" class="title">{title}</text>'
    for decade in decades[:-1]:
        label = ('1 MB', '10 MB', '100 MB', '1 GB')[decade - decades[0]]
        yield (f'<line x1="{x(10**decade):.1f}" x2="{x(10**decade):.1f}" '
               f'y1="{TOP}" y2="{TOP + HEIGHT}" class="grid"/>')
        yield (f'<text x="{x(10**decade):.1f}" y="{TOP + HEIGHT + 16}" '
               f'text-anchor="middle">{label}</text>')
    for part in range(5):
        amount = largest * part / 4
        yield (f'<line x1="{at}" x2="{at + WIDTH}" y1="{y(amount):.1f}" '
               f'y2="{y(amount):.1f}" class="grid"/>')
        yield (f'<text x="{at - 6}" y="{y(amount) + 4:.1f}" '
               f'text-anchor="end">{amount:.3g}</text>')
    for colour, line in zip(COLOURS, points.values()):
        for of, stroke in ((value, 'stroke-width="2"'),
                           (part_of_it, 'stroke-dasharray="4 3"')):
            if of:
                path = ' '.join(f'{x(p.size):.1f},{y(of(p)):.1f}' for p in line)
                yield (f'<polyline points="{path}" fill="none" '
                       f'stroke="{colour}" {stroke}/>')
        for p in line:
            yield (f'<circle cx="{x(p.size):.1f}" cy="{y(value(p)):.1f}" r="3" '
                   f'fill="{colour}"/>')


def drawing(points):
    panels = (('s CPU a million nodes, - - - without the kernel',
               lambda p: p.seconds, lambda p: p.own),
              ('MiB of memory at most', lambda p: p.peak),
              ('bytes written a node', lambda p: p.written))
    step = WIDTH + LEFT + 20
    width, height = 3 * step + 10, TOP + HEIGHT + 60
    yield (f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" '
           f'height="{height}" viewBox="0 0 {width} {height}">')
    yield ('<style>text{font:12px sans-serif;fill:#444}'
           '.title{font-weight:bold}.grid{stroke:#ddd}</style>')
    yield f'<rect width="{width}" height="{height}" fill="#fff"/>'
    for i, (title, *values) in enumerate(panels):
        yield from panel(LEFT + i * step, title, points, *values)
    at = LEFT
    for colour, title in zip(COLOURS, points):
        yield (f'<circle cx="{at + 5}" cy="{height - 19}" r="5" '
               f'fill="{colour}"/>')
        yield f'<text x="{at + 16}" y="{height - 15}">{title}</text>'
        at += 240
    yield '</svg>'


def main():
    parser = argument_parser(__doc__)
    parser.add_argument('--max-megabytes', type=int, default=5120)
    args = parser.parse_args()
    points = measure(args)
    lines = list(table(points))
    print('\n'.join(lines))
    if args.write:
        replace(ROOT / 'docs/performance.md', 'bench/cost_model.py',
                lines + ['', machine() + '.'])
        (ROOT / 'docs/cost-model.svg').write_text(
            '\n'.join(drawing(points)) + '\n', encoding='utf-8')


if __name__ == '__main__':
    main()
