// Checks that DevTools' own code sees in SNAPSHOT what DARTHEAP requires.
//
// usage: node expect_devtools.mjs DARTHEAP SNAPSHOT [keep|root|drop]
// The third argument is that of heapglot's --unreachable; default: root. With drop,
// compares problems, sizes and classes, but not node by node.
// Prints the first differences and exits with 1 if there are any.
import {
  NO_DISTANCE, className, countBy, distances, expectedGraph, size32,
} from './dartheap.mjs';
import {nearestRetainer, openSnapshot} from './devtools.mjs';
import {Differences} from './differences.mjs';
import {finishGraph} from './unreachable.mjs';

const SAMPLES = 200;

// A description of a node for messages.
const place = (graph, ordinal) =>
    `node ${ordinal} (${graph.type[ordinal]} ${JSON.stringify(graph.name[ordinal].slice(0, 60))})`;

// What DevTools writes to the console about garbage. It searches from node 0, then
// from every node that only weak edges or the node itself refer to.
function expectedProblems(graph, distance) {
  const problems = [];
  const isHeld = new Uint8Array(graph.nodeCount);
  for (let from = 0; from < graph.nodeCount; ++from) {
    for (let edge = graph.firstEdge[from]; edge < graph.firstEdge[from + 1]; ++edge) {
      const to = graph.edgeTo[edge];
      if (graph.edgeType[edge] !== 'weak' && to !== from) isHeld[to] = 1;
    }
  }
  const seen = distance.slice();
  const unseen = () => seen.reduce((sum, steps) => sum + (steps === NO_DISTANCE ? 1 : 0), 0);
  if (unseen() > 0) {
    problems.push(`Heap snapshot: ${unseen()} nodes are unreachable from the root.`);
    isHeld.forEach((held, ordinal) => {
      if (!held && seen[ordinal] === NO_DISTANCE) distances(graph, ordinal, seen);
    });
  }
  if (unseen() > 0) problems.push(`Heap snapshot: Still found ${unseen()} unreachable nodes:`);
  return problems;
}

class Comparison {
  // `liveDistance`: distances of reachable nodes, wherever the others are attached.
  constructor(graph, liveDistance, isDropped, {snapshot, problems}) {
    this.graph = graph;
    graph.size = graph.size.map(size32);
    this.liveDistance = liveDistance;
    this.isDropped = isDropped;
    this.snapshot = snapshot;
    this.problems = problems;
    this.distance = distances(graph);
    this.differences = new Differences();
  }

  run() {
    if (this.isDropped) {
      this.compareProblems([]);
      this.compareClasses(ordinal => this.distance[ordinal] !== NO_DISTANCE);
      this.differences.finish(`${this.classCount} classes`);
    }
    this.compareProblems(expectedProblems(this.graph, this.distance));
    this.compareClasses(() => true);
    this.compareCounts();
    if (this.snapshot.nodeCount === this.graph.nodeCount) {
      this.compareNodes();
      this.compareLiveDistances();
      this.compareRetainingPaths();
    }
    const {nodeCount, edgeCount} = this.graph;
    this.differences.finish(`${nodeCount} nodes, ${edgeCount} edges, ${this.classCount} classes, ` +
                            `${this.pathCount} retaining paths`);
  }

  compareProblems(expected) {
    const firstLines = this.problems.map(text => text.split('\n')[0]);
    this.differences.equal(firstLines.join('; '), expected.join('; '), 'problems');
  }

  compareCounts() {
    const {graph, snapshot, differences} = this;
    const edgeCount = snapshot.containmentEdges.length / snapshot.edgeFieldsCount;
    differences.equal(snapshot.nodeCount, graph.nodeCount, 'nodes');
    differences.equal(edgeCount, graph.edgeCount, 'edges');
  }

  // Compares the rows of the Summary view, which omits nodes without a size, and its
  // total.
  compareClasses(isThere) {
    const {graph, snapshot, differences} = this;
    const expected = countBy(graph, ordinal =>
      graph.size[ordinal] > 0 && isThere(ordinal) ? className(graph, ordinal) : null);
    const total = [...expected.values()].reduce((sum, {size}) => sum + size, 0);
    differences.equal(snapshot.updateStaticData().totalSize, total, 'total self size');
    const actual = new Map(
        Object.values(snapshot.aggregatesWithFilter({})).map(row => [row.name, row]));
    this.classCount = expected.size;
    for (const [name, {count, size}] of expected) {
      differences.equal(actual.get(name)?.count, count, `objects of class ${name}`);
      differences.equal(actual.get(name)?.self, size, `self size of class ${name}`);
    }
    for (const name of actual.keys()) {
      if (!expected.has(name)) differences.add(`unexpected class ${name}`);
    }
  }

  compareNodes() {
    const {graph, snapshot, differences} = this;
    const node = snapshot.createNode(0);
    for (let ordinal = 0; ordinal < graph.nodeCount; ++ordinal) {
      node.nodeIndex = ordinal * snapshot.nodeFieldCount;
      const what = property => () => `${property} of ${place(graph, ordinal)}`;
      differences.equal(node.type(), graph.type[ordinal], what('type'));
      differences.equal(node.name(), graph.name[ordinal], what('name'));
      differences.equal(node.id(), 2 * ordinal + 1, what('id'));
      differences.equal(node.selfSize(), graph.size[ordinal], what('self size'));
      differences.equal(node.distance(), this.distance[ordinal], what('distance'));
      this.compareEdges(ordinal, node, what);
    }
  }

  compareEdges(ordinal, node, what) {
    const {graph, differences} = this;
    const first = graph.firstEdge[ordinal];
    const count = graph.firstEdge[ordinal + 1] - first;
    differences.equal(node.edgesCount(), count, what('number of edges'));
    let i = 0;
    for (const edges = node.edges(); edges.hasNext() && i < count; edges.next(), ++i) {
      const {edge} = edges;
      const whatEdge = property => what(`${property} of edge ${i}`);
      differences.equal(edge.type(), graph.edgeType[first + i], whatEdge('type'));
      differences.equal(edge.name(), String(graph.edgeName[first + i]), whatEdge('name'));
      differences.equal(edge.nodeIndex() / this.snapshot.nodeFieldCount, graph.edgeTo[first + i],
                        whatEdge('target'));
    }
  }

  // No live node comes nearer to the root because of garbage.
  compareLiveDistances() {
    this.liveDistance.forEach((expected, ordinal) => {
      if (expected === NO_DISTANCE) return;
      this.differences.equal(this.distance[ordinal], expected,
                             () => `distance of the live ${place(this.graph, ordinal)}`);
    });
  }

  // Samples from the whole file, and from what users look at first.
  samples() {
    const {graph} = this;
    const kinds = {any: [], string: [], element: [], property: []};
    for (let ordinal = 2; ordinal < graph.nodeCount; ++ordinal) {
      if (this.distance[ordinal] === NO_DISTANCE) continue;
      kinds.any.push(ordinal);
      if (graph.type[ordinal] === 'string') kinds.string.push(ordinal);
    }
    // Targets of list items and map values: edges beyond an object's slots.
    graph.edgeTo.forEach((to, edge) => {
      const kind = kinds[graph.edgeType[edge]];
      if (kind && to > 1 && this.distance[to] !== NO_DISTANCE) kind.push(to);
    });
    const wanted = SAMPLES / Object.keys(kinds).length;
    return Object.values(kinds).flatMap(ordinals => {
      const step = Math.max(1, Math.floor(ordinals.length / wanted));
      return ordinals.filter((_, i) => i % step === 0).slice(0, wanted);
    });
  }

  compareRetainingPaths() {
    const samples = new Set(this.samples());
    for (const ordinal of samples) this.compareRetainingPath(ordinal);
    this.pathCount = samples.size;
  }

  // Follows the first row of the Retainers pane up to (GC roots), or to the chain
  // that holds garbage.
  compareRetainingPath(start) {
    const {graph, snapshot, differences} = this;
    let ordinal = start;
    for (let steps = this.distance[start]; steps > 1; --steps) {
      const retainer = nearestRetainer(snapshot, ordinal * snapshot.nodeFieldCount);
      if (retainer === null) {
        differences.add(`retaining path of ${place(graph, start)} ends at ` +
                        place(graph, ordinal));
        return;
      }
      const from = retainer.node.nodeIndex / snapshot.nodeFieldCount;
      if (!this.hasEdge(from, retainer.type, retainer.name, ordinal)) {
        differences.add(`${place(graph, from)} does not hold ${place(graph, ordinal)} as ` +
                        `${retainer.type} ${retainer.name}`);
      }
      differences.equal(retainer.node.distance, steps - 1,
                        `distance of ${place(graph, from)} as a retainer`);
      ordinal = from;
    }
    // Stand-ins for missing objects are attached to the root itself.
    const isObject = start <= graph.objectCount;
    if (isObject && this.liveDistance[start] > 0) {
      differences.equal(place(graph, ordinal), place(graph, 1),
                        `end of the retaining path of ${place(graph, start)}`);
    }
  }

  hasEdge(from, type, name, to) {
    const {graph} = this;
    for (let edge = graph.firstEdge[from]; edge < graph.firstEdge[from + 1]; ++edge) {
      if (graph.edgeTo[edge] === to && graph.edgeType[edge] === type &&
          String(graph.edgeName[edge]) === name) {
        return true;
      }
    }
    return false;
  }
}

const [dartheap, snapshotFile, unreachable = 'root'] = process.argv.slice(2);
const graph = expectedGraph(dartheap);
const opened = await openSnapshot(snapshotFile);
const liveDistance = distances(graph);
finishGraph(graph, unreachable, opened.snapshot.nodeCount);
new Comparison(graph, liveDistance, unreachable === 'drop', opened).run();
