// What every test of the studio stands on: the program, the browser, pages, downloads, and the list of what failed.

import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { createServer } from 'node:http';
import { extname, join, normalize } from 'node:path';
import { createInterface } from 'node:readline';
import playwright from 'playwright-core';

/** Longest wait for anything on the page, ms: a machine may be busy with other work. */
const PATIENCE = 30_000;
/** Size of the window unless a test says otherwise: a small laptop, drawn in software. */
const WINDOW = { width: 1280, height: 720 };
/** Chromium without a graphics card, in a container: WebGL is drawn by SwiftShader. */
const FLAGS = ['--no-sandbox', '--use-gl=angle', '--use-angle=swiftshader', '--enable-unsafe-swiftshader', '--disable-gpu'];

/** What xtask says: { program, site, chromium, firefox, out, samples: { name: file }, only: [words] }. */
export const config = JSON.parse(readFileSync(process.argv[2], 'utf8'));

/** `gambol studio`, and where it is. */
export class Server {
  constructor(folder, { creature = 'dog', program = config.program } = {}) {
    Object.assign(this, { folder, creature, program, port: 0 });
  }

  /** Starts it; again at the same port if it ran before. */
  async start() {
    const ask = ['studio', this.creature, '--no-open', '--port', String(this.port), '--folder', this.folder];
    this.process = spawn(this.program, ask, { stdio: ['ignore', 'pipe', 'pipe'] });
    this.ended = new Promise((resume) => this.process.once('exit', resume));
    // Not longer than the tests, whatever stops them.
    process.once('exit', () => this.process.kill('SIGKILL'));
    let said = '';
    this.process.stderr.on('data', (data) => { said += data; });
    const address = new Promise((resume) => createInterface(this.process.stdout).once('line', resume));
    this.url = await Promise.race([address, this.ended.then(() => null)]);
    if (this.url === null) throw new Error(`gambol studio ended at once: ${said}`);
    this.port = Number(new URL(this.url).port);
    return this;
  }

  /** As a crash: no goodbye. */
  async kill() {
    this.process.kill('SIGKILL');
    await this.ended;
  }

  /** The engine of a page ends in the middle of what it does, and there is another. */
  async stumble(page) {
    page.excused.push(/WebSocket|ERR_CONNECTION/);
    await this.kill();
    await this.start();
  }

  async stop() {
    this.process.kill('SIGTERM');
    await this.ended;
  }
}

/** What a plain server of files knows; it takes WebAssembly for bytes, as old ones do. */
const KINDS = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css', '.svg': 'image/svg+xml', '.webmanifest': 'application/manifest+json', '.webp': 'image/webp', '.png': 'image/png' };

/** The site of files, in a folder of a plain server. */
export class Site {
  constructor(files = config.site, folder = '/sub/gambol/') {
    Object.assign(this, { files, folder, port: 0, asked: [] });
  }

  async start() {
    this.server = createServer((request, response) => {
      const path = decodeURIComponent(new URL(request.url, 'http://here').pathname);
      this.asked.push(path);
      const inside = path.startsWith(this.folder) ? normalize(path.slice(this.folder.length) || 'index.html') : '..';
      const file = join(this.files, inside);
      if (inside.startsWith('..') || !existsSync(file) || !statSync(file).isFile()) {
        response.writeHead(404).end();
        return;
      }
      response.writeHead(200, { 'content-type': KINDS[extname(file)] ?? 'application/octet-stream' }).end(readFileSync(file));
    });
    await new Promise((resume) => this.server.listen(this.port, '127.0.0.1', resume));
    this.port = this.server.address().port;
    // With a question mark, after which tests write more.
    this.url = `http://127.0.0.1:${this.port}${this.folder}?a=b`;
    return this;
  }

  async stop() {
    this.server.closeAllConnections();
    await new Promise((resume) => this.server.close(resume));
  }

  /** The engines of a page end in the middle of what they do. */
  async stumble(page) {
    await page.evaluate(() => window.studio.trap());
  }
}

export const scratch = mkdtempSync(join(tmpdir(), 'gambol-studio-'));
mkdirSync(config.out, { recursive: true });

export const browser = config.firefox
  ? await (await import('playwright-bidi')).default.firefox.launch({ channel: 'moz-firefox', executablePath: config.firefox, headless: false, env: { ...process.env, LIBGL_ALWAYS_SOFTWARE: '1' } })
  : await playwright.chromium.launch({ executablePath: config.chromium, args: FLAGS });

/** For tests of what moves. */
export const MOVING = { reducedMotion: 'no-preference' };

/** Everything that any page asked for, and everything that went wrong unseen: for the last tests. */
export const requests = [];
export const complaints = [];

/** A browser of its own: nothing kept from others. It wants little motion, which saves drawing, unless a test wants it. */
export async function context(options = {}) {
  const made = await browser.newContext({ viewport: WINDOW, reducedMotion: 'reduce', ...options });
  made.setDefaultTimeout(PATIENCE);
  made.on('page', listenTo);
  // WebDriver BiDi does not tell of downloads here: what the page gives to the browser to save is looked at instead.
  if (config.firefox) await made.addInitScript(() => {
    const click = HTMLAnchorElement.prototype.click;
    HTMLAnchorElement.prototype.click = function taken() {
      if (this.download) window.taken = { name: this.download, href: this.href };
      else click.call(this);
    };
  });
  return made;
}

function listenTo(page) {
  page.excused = [];
  const complain = (text) => {
    if (!page.excused.some((pattern) => pattern.test(text))) complaints.push(text);
  };
  page.on('request', (request) => requests.push(request.url()));
  page.on('websocket', (socket) => requests.push(socket.url()));
  page.on('pageerror', (error) => complain(error.stack ?? String(error)));
  page.on('console', (message) => message.type() === 'error' && complain(`${message.text()} (${message.location().url})`));
}

/** Opens the studio in a new tab of a context, and waits until all of it is there. */
export async function open(context, url, more = '') {
  const page = await context.newPage();
  await page.goto(`${url}&msaa=0${more}`);
  await settled(page);
  return page;
}

/** What is seen is what the work says, and the stage has drawn it. */
export async function settled(page) {
  await page.waitForFunction(() => window.studio?.settled && window.studio.stats().stage?.frames > 0);
}

/** Waits for a condition on the page, told as code. */
export async function until(page, what, condition, argument) {
  await page.waitForFunction(condition, argument).catch((error) => {
    throw new Error(error.message.includes('Timeout') ? `waited for ${what}` : `${what}: ${error.message}`);
  });
}

/** Waits until `value()` is as wanted, asked from here. */
export async function eventually(what, value, wanted) {
  const end = Date.now() + PATIENCE;
  for (;;) {
    const now = await value();
    if (wanted(now)) return now;
    if (Date.now() > end) throw new Error(`waited for ${what}; at the end it was ${JSON.stringify(now)}`);
    await new Promise((resume) => setTimeout(resume, 50));
  }
}

export const work = (page) => page.evaluate(() => window.studio.work());
export const pose = (page) => page.evaluate(() => window.studio.pose());
export const report = (page) => page.evaluate(() => window.studio.stats().report);
/** Largest difference of two lists of numbers. */
export const apart = (a, b) => (a.length === b.length ? Math.max(...a.map((value, k) => Math.abs(value - b[k]))) : Infinity);

export const gaitButton = (page, name) => page.locator('.gaits').getByRole('button', { name, exact: true });
export const slider = (page, label) => page.getByRole('slider', { name: label, exact: true });

/** There while a simulation is on the stage. */
export const simulates = (page) => page.getByRole('button', { name: 'Leave the simulation' });

/** Presses a gait and waits for its motion. */
export async function press(page, name) {
  await gaitButton(page, name).click();
  await until(page, `the gait ${name}`, (name) => window.studio.work().gait.name === name && window.studio.settled, name.toLowerCase().replaceAll(' ', '-'));
}

/** Where a slider's knob is for a share of its range. */
export async function knob(locator, share) {
  const box = await locator.boundingBox();
  const now = share ?? (await locator.inputValue()) / 1000;
  // The knob's middle does not reach the ends.
  const inset = 7;
  return { x: box.x + inset + now * (box.width - 2 * inset), y: box.y + box.height / 2 };
}

/** Drags a slider with the mouse to a share of its range, in some steps; `held` runs before it is let go. */
export async function drag(page, locator, share, held = async () => {}) {
  await locator.scrollIntoViewIfNeeded();
  const [from, to] = [await knob(locator), await knob(locator, share)];
  await page.mouse.move(from.x, from.y);
  await page.mouse.down();
  await page.mouse.move((from.x + to.x) / 2, to.y, { steps: 3 });
  await page.mouse.move(to.x, to.y, { steps: 3 });
  await held();
  await page.mouse.up();
}

/** Frequencies of the palette's vibrations as they are told, Hz. */
export async function frequencies(page) {
  return page.locator('.picture').evaluateAll((pictures) => pictures.flatMap((picture) => {
    const said = /, ([\d.]+) Hz/.exec(picture.getAttribute('aria-label'));
    return said && picture.textContent.includes(said[1]) ? Number(said[1]) : [];
  }));
}

/** Drops files on the page as a file manager does. */
export async function dropFiles(page, files) {
  const list = files.map(({ name, bytes }) => ({ name, base64: Buffer.from(bytes).toString('base64') }));
  const transfer = await page.evaluateHandle((list) => {
    const transfer = new DataTransfer();
    for (const { name, base64 } of list) {
      const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
      transfer.items.add(new File([bytes], name));
    }
    return transfer;
  }, list);
  for (const kind of ['dragenter', 'dragover', 'drop']) await page.dispatchEvent('body', kind, { dataTransfer: transfer });
}

/** Takes one kind of file home by its button; the bytes and the name that the browser saves. */
export async function take(page, name) {
  if (!(await page.getByRole('dialog', { name: 'Take it home' }).isVisible())) await page.getByRole('button', { name: 'Take it home' }).click();
  const button = page.locator('.take').filter({ has: page.getByText(name, { exact: true }) });
  if (config.firefox) {
    await button.click();
    await until(page, 'a download', () => window.taken);
    return page.evaluate(async () => {
      const { name, href } = window.taken;
      window.taken = null;
      const bytes = new Uint8Array(await (await fetch(href)).arrayBuffer());
      return { name, letters: [...bytes].map((byte) => String.fromCharCode(byte)).join('') };
    }).then(({ name, letters }) => ({ name, bytes: Buffer.from(letters, 'latin1') }));
  }
  const coming = page.waitForEvent('download');
  await button.click();
  const download = await coming;
  return { name: download.suggestedFilename(), bytes: readFileSync(await download.path()) };
}

export async function closeDialog(page) {
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
}

/** Looks at pictures: what share of pixels differs, how many colours there are. */
export const eye = {
  page: null,
  async look(...pictures) {
    this.page ??= await (await browser.newContext()).newPage();
    return this.page.evaluate(async (pictures) => {
      const pixels = await Promise.all(pictures.map(async (base64) => {
        const bitmap = await createImageBitmap(await (await fetch(`data:image/png;base64,${base64}`)).blob());
        const canvas = new OffscreenCanvas(bitmap.width, bitmap.height);
        const brush = canvas.getContext('2d');
        brush.drawImage(bitmap, 0, 0);
        return brush.getImageData(0, 0, bitmap.width, bitmap.height).data;
      }));
      const colours = new Set();
      const [first, second] = pixels;
      let different = 0;
      for (let k = 0; k < first.length; k += 4) {
        colours.add((first[k] << 16) | (first[k + 1] << 8) | first[k + 2]);
        if (second && Math.max(...[0, 1, 2].map((c) => Math.abs(first[k + c] - second[k + c]))) > 16) different++;
      }
      return { colours: colours.size, different: different / (first.length / 4) };
    }, pictures.map((picture) => picture.toString('base64')));
  },
};

export const stageShot = (page) => page.locator('.stage canvas').first().screenshot();

// --- tests ---

const failed = [];
let passed = 0;

/** One property in a sentence. `body` gets a function that makes contexts, closed at its end. */
export async function test(sentence, body) {
  if (config.only.length && !config.only.some((word) => sentence.toLowerCase().includes(word.toLowerCase()))) return;
  const contexts = [];
  const before = complaints.length;
  const fresh = async (options) => {
    contexts.push(await context(options));
    return contexts.at(-1);
  };
  const start = Date.now();
  try {
    await body(fresh);
    passed++;
    console.log(`ok    ${sentence} (${((Date.now() - start) / 1000).toFixed(1)} s)`);
  } catch (error) {
    const reason = error.stack?.split('\n').filter((line) => !line.includes('node:')).slice(0, 24).join('\n      ') ?? error;
    console.log(`FAIL  ${sentence} (${((Date.now() - start) / 1000).toFixed(1)} s)\n      ${reason}`);
    for (const complaint of complaints.slice(before)) console.log(`      the page: ${complaint}`);
    const slug = sentence.toLowerCase().replace(/[^a-z0-9]+/g, '-').slice(0, 60);
    failed.push(sentence);
    for (const [k, page] of contexts.flatMap((context) => context.pages()).entries()) {
      await page.screenshot({ path: join(config.out, `${slug}-${k + 1}.png`), timeout: 5000 }).catch(() => null);
    }
  }
  await Promise.all(contexts.map((context) => context.close()));
}

/** Tells the end, and tidies up. */
export async function finish(...servers) {
  await Promise.all(servers.map((server) => server.stop()));
  await browser.close();
  rmSync(scratch, { recursive: true, force: true });
  console.log(`${passed} passed, ${failed.length} failed`);
  if (failed.length) console.log(`screenshots are in ${config.out}`);
  for (const sentence of failed) console.log(`  ${sentence}`);
  process.exitCode = failed.length ? 1 : 0;
}

/** For a look at what a test made. */
export function keep(name, bytes) {
  const file = join(config.out, name);
  writeFileSync(file, bytes);
  return file;
}
