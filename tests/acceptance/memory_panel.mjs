// Opens SNAPSHOT in the Memory panel of the DevTools that ship with Chromium,
// as a person would, looks for classes in its grid and takes a screenshot.
//
// usage: node memory_panel.mjs SNAPSHOT OUT.png [--expect CLASS=COUNT]...
//            [--select CLASS] [--containment] [--timeout SECONDS]
//   --expect       the Summary view must show COUNT objects of the class
//   --select       expands the class and selects its first object, so that the
//                  Retainers pane shows what holds it
//   --containment  switches to that view and expands (GC roots)
import fs from 'node:fs';
import path from 'node:path';
import {parseArgs} from 'node:util';

import {Chromium} from './chromium.mjs';
import {Differences} from './differences.mjs';

const sleep = ms => new Promise(resolve => setTimeout(resolve, ms));

// Runs in the page: every element, including those in shadow trees.
const PAGE_HELPERS = `
  function* elements(root = document) {
    for (const element of root.querySelectorAll('*')) {
      yield element;
      if (element.shadowRoot) yield* elements(element.shadowRoot);
    }
  }
  const find = test => {
    for (const element of elements()) if (test(element)) return element;
    return null;
  };
  const isVisible = element => element.getClientRects().length > 0;
  // Rows of the grid that shows the objects (the other one shows retainers).
  const gridRows = () => {
    const grid = find(e => e.matches('.data-grid') && isVisible(e));
    return grid ? [...grid.querySelectorAll('tr.data-grid-data-grid-node')] : [];
  };
  const rowText = row => row.querySelector('td').textContent.trim();
`;

class MemoryPanel {
  constructor(browser, timeoutSeconds) {
    this.browser = browser;
    this.deadline = Date.now() + 1000 * timeoutSeconds;
  }

  send(method, params) {
    return this.browser.send(method, params, this.session);
  }

  async evaluate(expression) {
    const {result, exceptionDetails: error} = await this.send('Runtime.evaluate', {
      expression: `(async () => {${PAGE_HELPERS} return ${expression};})()`,
      awaitPromise: true,
      returnByValue: true,
    });
    if (error) throw new Error(error.exception?.description ?? error.text);
    return result.value;
  }

  // Calls `ask` until there is an answer.
  async wait(what, ask) {
    for (;;) {
      const answer = await ask();
      if (answer) return answer;
      if (Date.now() > this.deadline) throw new Error(`no ${what} in time`);
      await sleep(250);
    }
  }

  async open() {
    const {targetInfos} = await this.browser.send('Target.getTargets');
    const page = targetInfos.find(({type}) => type === 'page');
    const {host} = new URL(this.browser.address);
    const {targetId} = await this.browser.send('Target.createTarget', {
      url: 'devtools://devtools/bundled/devtools_app.html' +
          `?ws=${host}/devtools/page/${page.targetId}&panel=heap-profiler`,
    });
    const attached = await this.browser.send('Target.attachToTarget', {targetId, flatten: true});
    this.session = attached.sessionId;
    await this.wait('DevTools', () => this.evaluate(`!!find(e => e.matches('.tabbed-pane'))`));
    await this.wait('Memory panel', () => this.evaluate(`(async () => {
      const UI = await import('./ui/legacy/legacy.js');
      await UI.ViewManager.ViewManager.instance().showView('heap-profiler');
      return !!find(e => e.matches('input[type=file]'));
    })()`));
  }

  // Gives the file to the panel's own input for "Load profile".
  async load(file) {
    const input = await this.send('Runtime.evaluate', {
      expression: `(() => {${PAGE_HELPERS} return find(e => e.matches('input[type=file]'));})()`,
    });
    await this.send('DOM.setFileInputFiles',
                    {files: [path.resolve(file)], objectId: input.result.objectId});
    // Its entry shows progress, then a size such as (4.9 MB) or what went wrong.
    const entry = `find(e => e.matches('.heap-snapshot-sidebar-tree-item'))`;
    await this.wait('snapshot', async () => {
      const state = await this.evaluate(`${entry}?.querySelector('.subtitle')?.textContent ?? ''`);
      if (/failed|error/i.test(state)) throw new Error(state);
      return /\d\s*[kMG]?B\b/.test(state);
    });
    await this.wait('grid', async () => {
      await this.click(entry);
      return this.evaluate(`gridRows().length > 0`);
    });
    await this.settle();
  }

  // Waits until the grid, which is filled piece by piece, is complete.
  async settle() {
    let before;
    await this.wait('rest', async () => {
      const now = JSON.stringify(await this.evaluate(`gridRows().map(rowText)`));
      const isStill = now === before;
      before = now;
      await sleep(500);
      return isStill;
    });
  }

  // Types into the box "Filter by class", as the grid holds only visible rows.
  async filter(text) {
    await this.evaluate(`(() => {
      const box = find(e => e.matches('[aria-label="Filter by class"]') && isVisible(e));
      if (!box) throw new Error('no box "Filter by class"');
      box.textContent = ${JSON.stringify(text)};
      box.dispatchEvent(new Event('input', {bubbles: true}));
    })()`);
    await sleep(500);
    await this.settle();
  }

  // The number of objects that the grid shows for the class; null without a row.
  async count(className) {
    await this.filter(className);
    const rows = await this.evaluate(`gridRows().map(rowText)`);
    for (const row of rows) {
      const [name, count] = row.split(/\s*×\s*/);
      if (name === className) return Number((count ?? '1').replace(/[^0-9]/g, ''));
    }
    return null;
  }

  async press(key, code) {
    for (const type of ['keyDown', 'keyUp']) {
      await this.send('Input.dispatchKeyEvent',
                      {type, key, code: key, windowsVirtualKeyCode: code});
    }
    await sleep(300);
  }

  async click(expression) {
    const place = await this.evaluate(`(() => {
      const box = (${expression})?.getBoundingClientRect();
      return box && {x: box.x + Math.min(40, box.width / 2), y: box.y + box.height / 2};
    })()`);
    if (!place) throw new Error(`nothing to click: ${expression}`);
    for (const type of ['mousePressed', 'mouseReleased']) {
      await this.send('Input.dispatchMouseEvent', {type, ...place, button: 'left', clickCount: 1});
    }
    await sleep(300);
  }

  // Expands the class, and selects and expands its first object.
  async select(className) {
    if (await this.count(className) === null) throw new Error(`no row of the class ${className}`);
    const name = JSON.stringify(className);
    await this.click(`gridRows().find(row => rowText(row).split(/\\s*×/)[0] === ${name})` +
                     `.querySelector('td')`);
    await this.press('ArrowRight', 39);
    await this.settle();
    await this.press('ArrowDown', 40);
    await this.press('ArrowRight', 39);
    await this.settle();
  }

  // Switches to the Containment view and expands the children of the root.
  async containment() {
    await this.evaluate(`(() => {
      const indexIn = select => [...select.options].findIndex(o => o.text === 'Containment');
      const select = find(e => e.tagName === 'SELECT' && isVisible(e) && indexIn(e) >= 0);
      if (!select) throw new Error('no Containment view');
      select.selectedIndex = indexIn(select);
      select.dispatchEvent(new Event('change', {bubbles: true}));
    })()`);
    await this.settle();
    await this.click(`gridRows().find(row => rowText(row).includes('(GC roots)'))` +
                     `?.querySelector('td')`);
    await this.press('ArrowRight', 39);
    await this.settle();
  }

  async screenshot(file) {
    const {data} = await this.send('Page.captureScreenshot', {format: 'png'});
    fs.writeFileSync(file, Buffer.from(data, 'base64'));
  }
}

async function inspect(panel, [snapshot, picture], options, differences) {
  await panel.open();
  await panel.load(snapshot);
  for (const expectation of options.expect) {
    const [, name, count] = expectation.match(/^(.*)=(\d+)$/);
    differences.equal(await panel.count(name), Number(count), `objects of class ${name}`);
  }
  await panel.filter('');
  if (options.select) await panel.select(options.select);
  if (options.containment) await panel.containment();
  await panel.screenshot(picture);
}

const {values: options, positionals} = parseArgs({
  allowPositionals: true,
  options: {
    expect: {type: 'string', multiple: true, default: []},
    select: {type: 'string'},
    containment: {type: 'boolean'},
    timeout: {type: 'string', default: '120'},
  },
});
const differences = new Differences();
const browser = await Chromium.start();
try {
  await inspect(new MemoryPanel(browser, Number(options.timeout)), positionals, options,
                differences);
} catch (error) {
  differences.add(error.message);
} finally {
  await browser.stop();
}
differences.finish(`${options.expect.length} classes counted as expected; picture in ${positionals[1]}`);
