// A real heap of Node.js: node bench/node_heap.mjs regular|varied OUT.
//
// Regular: many objects of one class. Varied: what programs have more of, such as
// maps, closures, buffers, strings of any length and cycles, with a fixed seed.
import { writeHeapSnapshot } from 'node:v8';

const [kind, out] = process.argv.slice(2);
let state = 1;
const below = (bound) => {
  state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
  return Math.floor((state / 2 ** 32) * bound);
};

function regular() {
  const people = [];
  for (let i = 0; i < 400_000; i++) {
    people.push({ id: i, name: `person ${i}`, friend: people[i >> 1],
                  tags: [i, i + 1] });
  }
  return people;
}

function varied() {
  const all = [];
  const any = () => all[below(all.length)];
  const makers = [
    () => ({ left: any(), right: any(), count: below(1000) }),
    () => new Map(Array.from({ length: below(8) },
                             (_, i) => [`key ${below(500)}`, any() ?? i])),
    () => new Set([any(), any(), below(9)]),
    () => Array.from({ length: below(20) }, any),
    () => { const held = any(); return () => held; },
    () => 'text '.repeat(below(30)) + below(1e6),
    () => new Uint8Array(below(64)),
    () => new Date(below(1e9)),
    () => Object.fromEntries(Array.from({ length: below(6) },
                                        () => [`field${below(200)}`, any()])),
    () => new (class Node { value = any(); next = null; })(),
    () => { const a = { any: any() }; a.self = a; return a; },
    () => below(1e9) / 7,
  ];
  while (all.length < 400_000) all.push(makers[below(makers.length)]());
  return all;
}

globalThis.kept = kind === 'regular' ? regular() : varied();
writeHeapSnapshot(out);
