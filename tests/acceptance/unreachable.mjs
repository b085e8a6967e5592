// What `heapglot convert --unreachable root` makes of the expected graph.
//
// The root gets a second child, the first of a chain of nodes "(Unreachable)".
// The last of them holds the entry points into the garbage: every object that no
// other unreachable object holds, and the first object of every cycle that
// nothing outside of it holds.
import {NO_DISTANCE, distances} from './dartheap.mjs';

class Garbage {
  constructor(graph) {
    this.graph = graph;
    this.distance = distances(graph);  // from the root, then also from entry points
    this.entries = [];
  }

  isUnseen(ordinal) {
    return this.distance[ordinal] === NO_DISTANCE;
  }

  unseenObjects() {
    const ordinals = [];
    for (let ordinal = 1; ordinal <= this.graph.objectCount; ++ordinal) {
      if (this.isUnseen(ordinal)) ordinals.push(ordinal);
    }
    return ordinals;
  }

  // Unseen nodes, other than itself, that `from` keeps alive.
  * targets(from) {
    const {firstEdge, edgeType, edgeTo} = this.graph;
    for (let edge = firstEdge[from]; edge < firstEdge[from + 1]; ++edge) {
      const to = edgeTo[edge];
      if (edgeType[edge] !== 'weak' && to !== from && this.isUnseen(to)) yield to;
    }
  }

  enter(ordinal) {
    this.entries.push(ordinal);
    distances(this.graph, ordinal, this.distance);
  }

  findEntries() {
    const unseen = this.unseenObjects();
    const held = new Set(unseen.flatMap(from => [...this.targets(from)]));
    for (const ordinal of unseen) if (!held.has(ordinal)) this.enter(ordinal);
    this.enterCycles();
    return this.entries.sort((a, b) => a - b);
  }

  // The remaining nodes are held by cycles. The one that a depth-first search over
  // all of them leaves last is in a cycle that nothing outside holds.
  enterCycles() {
    const unseen = this.unseenObjects();
    const holders = new Map(unseen.map(ordinal => [ordinal, []]));
    for (const from of unseen) {
      for (const to of this.targets(from)) holders.get(to)?.push(from);
    }
    for (const ordinal of this.depthFirst(unseen).reverse()) {
      if (!this.isUnseen(ordinal)) continue;
      const cycle = new Set([ordinal]);
      for (const member of cycle) {
        for (const holder of holders.get(member)) cycle.add(holder);
      }
      this.enter([...cycle].reduce((a, b) => Math.min(a, b)));
    }
  }

  // The ordinals in the order in which a depth-first search leaves them.
  depthFirst(ordinals) {
    const order = [];
    const entered = new Set();
    for (const start of ordinals) {
      if (entered.has(start)) continue;
      entered.add(start);
      const path = [{ordinal: start, targets: this.targets(start)}];
      while (path.length > 0) {
        const {value: next, done} = path.at(-1).targets.next();
        if (done) {
          order.push(path.pop().ordinal);
        } else if (!entered.has(next)) {
          entered.add(next);
          path.push({ordinal: next, targets: this.targets(next)});
        }
      }
    }
    return order.filter(ordinal => ordinal <= this.graph.objectCount);
  }
}

// Adds to `graph` the nodes after those of the objects, so that it has `nodeCount`
// nodes.
export function finishGraph(graph, unreachable, nodeCount) {
  // A node without edges follows the chain.
  if (unreachable === 'root') hangUnreachable(graph, nodeCount - graph.nodeCount - 1);
  graph.endInLeaf();
}

// Adds a chain of `chainLength` nodes. Its effect shows whether it is long enough:
// live objects keep their distances.
function hangUnreachable(graph, chainLength) {
  const entries = new Garbage(graph).findEntries();
  if (entries.length === 0) return;
  const first = graph.nodeCount;
  graph.hangFromRoot(first);
  for (let i = 0; i < chainLength; ++i) {
    const isLast = i === chainLength - 1;
    const targets = isLast ? entries : [first + i + 1];
    targets.forEach((to, index) => graph.addEdge('element', index + 1, to));
    graph.addNode('synthetic', '(Unreachable)', 0);
  }
}
