// Collects differences from what was expected, and shows the first ones.

const MAX_SHOWN = 10;

export class Differences {
  constructor() {
    this.count = 0;
    this.shown = [];
  }

  add(text) {
    if (++this.count <= MAX_SHOWN) this.shown.push(text);
  }

  // Compares two numbers or strings. `what` may be a function, which is called
  // only if needed.
  equal(actual, expected, what) {
    if (actual === expected) return;
    const name = typeof what === 'function' ? what() : what;
    this.add(`${name}: expected ${JSON.stringify(expected)}, found ${JSON.stringify(actual)}`);
  }

  // Ends the program: prints the differences, or `summary` if there is none.
  finish(summary) {
    for (const text of this.shown) console.log(text);
    if (this.count > this.shown.length) console.log(`... ${this.count} differences in all`);
    if (this.count === 0) console.log(summary);
    process.exit(this.count === 0 ? 0 : 1);
  }
}
