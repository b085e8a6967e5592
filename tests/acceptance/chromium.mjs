// Headless Chromium, driven over the Chrome DevTools Protocol.
import {spawn} from 'node:child_process';
import {once} from 'node:events';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';

import WebSocket from 'ws';

const FLAGS = [
  '--headless=new', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run',
  '--disable-background-networking', '--disable-component-update', '--disable-sync',
  '--remote-debugging-port=0', '--remote-allow-origins=*', '--window-size=1600,1000',
];

// The address of the browser's debugging socket, which it prints at its start.
async function listeningAddress(browser) {
  let output = '';
  for await (const text of browser.stderr.setEncoding('utf8')) {
    output += text;
    const found = output.match(/DevTools listening on (ws:\S+)/);
    if (found) return found[1];
  }
  throw new Error(`Chromium has ended: ${output}`);
}

export class Chromium {
  static async start(executable = '/usr/bin/chromium') {
    const self = new Chromium();
    self.profile = fs.mkdtempSync(path.join(os.tmpdir(), 'heapglot-chromium-'));
    self.process = spawn(executable, [...FLAGS, `--user-data-dir=${self.profile}`, 'about:blank'],
                         {stdio: ['ignore', 'ignore', 'pipe']});
    self.address = await listeningAddress(self.process);
    self.process.stderr.resume();  // or the pipe fills up
    self.socket = new WebSocket(self.address, {perMessageDeflate: false});
    self.socket.on('message', data => self.receive(JSON.parse(data)));
    await once(self.socket, 'open');
    return self;
  }

  constructor() {
    this.pending = new Map();
    this.lastId = 0;
    this.onEvent = () => {};
  }

  receive(message) {
    if (!message.id) {
      this.onEvent(message);
      return;
    }
    const {resolve, reject} = this.pending.get(message.id);
    this.pending.delete(message.id);
    if (message.error) reject(new Error(JSON.stringify(message.error)));
    else resolve(message.result);
  }

  send(method, params = {}, sessionId = undefined) {
    return new Promise((resolve, reject) => {
      this.pending.set(++this.lastId, {resolve, reject});
      this.socket.send(JSON.stringify({id: this.lastId, method, params, sessionId}));
    });
  }

  async stop() {
    const ended = once(this.process, 'exit');
    await this.send('Browser.close');
    await ended;
    fs.rmSync(this.profile, {recursive: true, force: true, maxRetries: 5});
  }
}
