'use strict';
// Known objects under every runtime: node, deno and bun.
class Account { constructor(n) { this.name = 'acc-' + n; this.next = null; } }
globalThis.kept = { list: [], map: new Map(), re: /a+b/g, big: 1n << 70n, sym: Symbol('sym'), neg: -5, dbl: 0.1, text: 'caf\u00e9 \u5806 \ud83d\ude00 \ud83d lone \u0007 "q" \\ /' };
let last = null;
for (let i = 0; i < 5; i++) { const a = new Account(i); a.next = last; last = a; kept.list.push(a); kept.map.set(a, i); }
kept.fn = function outer() { const inner = () => last; return inner; };
kept.inner = kept.fn();
kept['odd "key"\n'] = 1;
