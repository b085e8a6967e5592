// A real heap of Node.js: node bench/node_heap.mjs regular|varied|shop [SEED SIZE]
// OUT.
//
// Regular: many objects of one class. Varied: what else programs have, such as maps,
// closures, buffers, strings of any length and cycles. Shop: what a program keeps
// for its users and their orders, SIZE thousand of them.
import { writeHeapSnapshot } from 'node:v8';

const [kind, ...more] = process.argv.slice(2);
const out = more.pop();
const [seed = 1, size = 50] = more.map(Number);
let state = seed;
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

class User {
  constructor(id) {
    this.id = id;
    this.name = `user-${below(1e6)}`;
    this.email = `${this.name}@example${below(50)}.com`;
    this.tags = Array.from({ length: below(4) }, () => `tag${below(300)}`);
    this.settings = { [`key${below(40)}`]: below(100),
                      nested: { text: below(2) ? 'x'.repeat(below(30)) : null,
                                list: [below(9), below(9) / 3, {}] } };
  }
}

class Order {
  constructor(user, number) {
    this.user = user;
    this.number = number;
    this.total = below(1e6) / 100;
    this.at = new Date(1e12 + below(1e9));
    this.items = Array.from({ length: below(5) },
                            () => new Item(below(2000)));
  }
}

class Item {
  constructor(kind) {
    this.sku = `SKU${kind}`;
    this.count = below(9);
    this.price = below(1e5) / 7;
  }
}

function shop() {
  const all = { users: [], orders: [], byKey: new Map(), active: new Set(),
                handlers: [], texts: [], index: {}, sessions: new WeakMap(),
                buffers: [], patterns: [] };
  const oneOf = (count) => below(count) === 0;
  for (let i = 0; i < size * 1000; i++) {
    const user = new User(i);
    const order = new Order(user, i);
    all.users.push(user);
    all.orders.push(order);
    if (oneOf(3)) all.byKey.set(`key:${i}`, order);
    if (oneOf(4)) all.active.add(user);
    if (oneOf(3)) all.handlers.push(() => i + user.id);
    if (oneOf(5)) all.texts.push(`Text ${i}: ${Math.sin(i)} \u00e9\n"quoted" ` +
                                 'lorem ipsum dolor '.repeat(below(6)));
    if (oneOf(10)) all.index[`p${i}`] = { value: i / 3, text: String(i * 7) };
    if (oneOf(20)) all.sessions.set(user, { number: i });
    if (oneOf(30)) all.buffers.push(new Float64Array(below(30)));
    if (oneOf(80)) all.patterns.push(new RegExp(`a${i}`));
  }
  return all;
}

globalThis.kept = { regular, varied, shop }[kind]();
writeHeapSnapshot(out);
