// The site of files alone: it runs without its server after one visit, from a folder, with a server that does not know WebAssembly;
// a trap, a browser that keeps nothing, two tabs, a large file and a newer site lose nothing, and are told in words.

import assert from 'node:assert/strict';
import { cpSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  config, drag, dropFiles, eventually, frequencies, open, press, scratch, settled, Site, slider, take, test, until, work,
} from './harness.mjs';
import { parts, validate } from './gltf.mjs';

/** A PNG of so many bytes, the pixels of which nobody looks at; and a GLB with it as a texture. */
function textured(bytes, size) {
  const { json, binary } = parts(bytes);
  const picture = Buffer.alloc(size);
  Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==', 'base64').copy(picture);
  // In front of all other data, so that everything moves.
  const shift = 8 * Math.ceil(size / 8);
  const bufferViews = json.bufferViews.map((view) => ({ ...view, byteOffset: (view.byteOffset ?? 0) + shift }));
  bufferViews.push({ buffer: 0, byteOffset: 0, byteLength: size });
  const text = Buffer.from(JSON.stringify({
    ...json, bufferViews, buffers: [{ byteLength: shift + binary.length }],
    images: [{ bufferView: bufferViews.length - 1, mimeType: 'image/png' }], textures: [{ source: 0 }],
    materials: json.materials?.map((material) => ({ ...material, pbrMetallicRoughness: { ...material.pbrMetallicRoughness, baseColorTexture: { index: 0 } } })),
  }));
  const padded = Buffer.concat([text, Buffer.alloc(-text.length & 3, 0x20)]);
  const head = (length, kind) => { const bytes = Buffer.alloc(8); bytes.writeUInt32LE(length); bytes.writeUInt32LE(kind, 4); return bytes; };
  const pieces = [head(padded.length, 0x4e4f534a), padded, head(shift + binary.length, 0x004e4942), picture, Buffer.alloc(shift - size), binary];
  const start = Buffer.alloc(12);
  start.write('glTF');
  start.writeUInt32LE(2, 4);
  start.writeUInt32LE(12 + pieces.reduce((sum, { length }) => sum + length, 0), 8);
  return Buffer.concat([start, ...pieces]);
}

const lost = (page) => page.locator('.note.lost');

export default async (server) => {
  if (!config.site) return;

  await test('Site: without its server it opens again after one visit, with the work and another creature', async (fresh) => {
    const own = await new Site().start();
    const context = await fresh();
    const page = await open(context, own.url);
    await press(page, 'Pace');
    await page.evaluate(() => navigator.serviceWorker.ready);
    await page.evaluate(() => new Promise((resume) => setTimeout(resume, 600)));
    await own.stop();
    await page.reload();
    await settled(page);
    assert.equal((await work(page)).gait.name, 'pace', 'the work is there');
    await page.locator('.creature-button').click();
    await page.getByRole('dialog').getByRole('button', { name: /^Spider/ }).click();
    await until(page, 'the spider', () => window.studio.work().creature.source.name === 'spider' && window.studio.settled);
    assert.match((await take(page, 'GLB')).name, /spider/);
    const help = await context.newPage();
    await help.goto(new URL('docs/studio.html', own.url).href);
    await help.getByRole('heading', { name: 'The studio', exact: true }).waitFor();
    // Pictures that nobody has looked at say so instead of being broken.
    await help.locator('img').first().evaluate((picture) => picture.decode());
  });

  await test('Site: the engine ends in the middle of a drag; it goes on by itself, and nothing is lost', async (fresh) => {
    const page = await open(await fresh(), server.url);
    await dropFiles(page, [{ name: 'beast.glb', bytes: readFileSync(config.samples.quadruped) }]);
    await until(page, 'the beast', () => window.studio.work().creature.source.from === 'file' && window.studio.settled);
    await press(page, 'Walk');
    await page.getByRole('tab', { name: 'Body' }).click();
    const soft = await frequencies(page);
    await drag(page, slider(page, 'All joints'), 0.75, () => server.stumble(page));
    await settled(page);
    await lost(page).waitFor({ state: 'detached' });
    const { style, gait } = await work(page);
    const factor = style.scale[0][1];
    assert.ok(factor > 2 && gait.name === 'walk');
    const stiff = await frequencies(page);
    assert.ok(Math.abs(stiff[0] / soft[0] / Math.sqrt(factor) - 1) < 0.02, `the palette caught up: ${soft[0]} to ${stiff[0]} Hz by ${factor}`);
    await validate((await take(page, 'GLB')).bytes, readFileSync(config.samples.quadruped));
  });

  await test('Site: a real panic ends as words, and the page goes on', async (fresh) => {
    const page = await open(await fresh(), server.url);
    // Whatever it is asked ends it: three times it is tried.
    const said = await page.evaluate(async () => {
      const { creature, style, gait } = window.studio.work();
      const post = Worker.prototype.postMessage;
      Worker.prototype.postMessage = function trapped(message, ...more) {
        post.call(this, message, ...more);
        const head = message instanceof ArrayBuffer ? new TextDecoder().decode(message) : '';
        if (head.includes('"ask":"motion"')) queueMicrotask(() => window.studio.trap());
      };
      const words = await window.studio.ask('motion', { creature, style, gait: { ...gait, name: 'pace' } }).then(() => 'answered', (error) => error.message);
      Worker.prototype.postMessage = post;
      return words;
    });
    assert.match(said, /stopped 3 times/);
    await lost(page).waitFor({ state: 'detached' });
    await press(page, 'Walk');
  });

  await test('Site: sliders stay alive while a search runs', async (fresh) => {
    const page = await open(await fresh(), server.url);
    await page.getByRole('tab', { name: 'Controller' }).click();
    await page.locator('.chips').getByRole('button', { name: 'Runner', exact: true }).click();
    await page.getByRole('button', { name: 'Open the biped' }).click();
    await until(page, 'the runner', () => window.studio.work().sketch?.name === 'runner' && window.studio.settled);
    await page.getByRole('button', { name: 'Optimise', exact: true }).click();
    await eventually('a search', () => page.evaluate(() => window.studio.search().points.length), (count) => count > 1);
    const waits = await page.evaluate(async () => {
      const { creature, style } = window.studio.work();
      const waits = [];
      for (let k = 1; k <= 5; k++) {
        const start = performance.now();
        await window.studio.ask('body', { creature, style: { ...style, weight: 1 + k / 100 } });
        waits.push(performance.now() - start);
      }
      return waits;
    });
    assert.ok(await page.evaluate(() => window.studio.search().running));
    console.log(`      a slider waits ${waits.map((wait) => wait.toFixed(0)).join(', ')} ms beside a search`);
    await page.getByRole('button', { name: 'Stop', exact: true }).click();
  });

  await test('Site: pictures of a file do not go to the engine, and come home again', async (fresh) => {
    const page = await open(await fresh(), server.url);
    const before = textured(readFileSync(config.samples.quadruped), 3_000_001);
    await dropFiles(page, [{ name: 'painted.glb', bytes: before }]);
    await until(page, 'the painted one', () => window.studio.work().creature.source.name === 'painted.glb' && window.studio.settled && window.studio.stats().stage.skin);
    await press(page, 'Walk');
    const { bytes } = await take(page, 'GLB');
    const [was, now] = [parts(before), parts(bytes)];
    for (const key of ['images', 'textures', 'materials', 'nodes', 'meshes', 'skins']) assert.deepEqual(now.json[key], was.json[key], key);
    assert.deepEqual(now.json.bufferViews.slice(0, was.json.bufferViews.length), was.json.bufferViews);
    assert.ok(now.binary.subarray(0, was.binary.length).equals(was.binary), 'its data is unchanged');
    assert.equal(now.json.animations.length, was.json.animations.length + 1);
    await validate(bytes, before);
    await page.reload();
    await settled(page);
    await until(page, 'its skin', () => window.studio.stats().stage.skin);
  });

  await test('Site: a browser that keeps nothing says so, and all goes on', async (fresh) => {
    const context = await fresh();
    await context.addInitScript(() => {
      IDBFactory.prototype.open = () => { throw new DOMException('not here', 'SecurityError'); };
    });
    const page = await open(context, server.url);
    await press(page, 'Walk');
    await page.getByText(/only as long as this tab is open.*Take it home/).waitFor();
    await dropFiles(page, [{ name: 'beast.glb', bytes: readFileSync(config.samples.quadruped) }]);
    await until(page, 'the beast', () => window.studio.work().creature.source.from === 'file' && window.studio.settled && window.studio.stats().stage.skin);
    await server.stumble(page);
    await settled(page);
    await press(page, 'Walk');
    assert.match((await take(page, 'GLB')).name, /glb$/);
  });

  await test('Site: where the browser has no room the user is told, and all goes on', async (fresh) => {
    const context = await fresh();
    await context.addInitScript(() => {
      const put = IDBObjectStore.prototype.put;
      IDBObjectStore.prototype.put = function full(value, key) {
        if (window.full !== true) return put.call(this, value, key);
        throw new DOMException('no room', 'QuotaExceededError');
      };
    });
    const page = await open(context, server.url);
    await page.evaluate(() => { window.full = true; });
    await dropFiles(page, [{ name: 'beast.glb', bytes: readFileSync(config.samples.quadruped) }]);
    await page.getByText(/no room left/).waitFor();
    await until(page, 'the beast', () => window.studio.work().creature.source.from === 'file' && window.studio.settled && window.studio.stats().stage.skin);
    await server.stumble(page);
    await settled(page);
    await press(page, 'Walk');
  });

  await test('Site: a newer one waits while a page is open, is offered, and takes the work along', async (fresh) => {
    const files = join(scratch, 'site');
    cpSync(config.site, files, { recursive: true });
    const own = await new Site(files).start();
    const context = await fresh();
    const page = await open(context, own.url);
    await page.evaluate(() => navigator.serviceWorker.ready);
    // From now on pages are served by it.
    await page.reload();
    await settled(page);
    await press(page, 'Pace');

    // Page and worker under new names, as a new version has them.
    const sw = readFileSync(join(files, 'sw.js'), 'utf8');
    const [worker] = readdirSync(join(files, 'assets')).filter((name) => name.startsWith('worker'));
    writeFileSync(join(files, 'index.html'), readFileSync(join(files, 'index.html'), 'utf8').replace('<title>', '<meta name="newer" content="yes"><title>'));
    writeFileSync(join(files, 'sw.js'), sw.replace(/VERSION = "[^"]*"/, 'VERSION = "newer"').replace(`"assets/${worker}",`, ''));
    await page.evaluate(async () => (await navigator.serviceWorker.getRegistration()).update());
    await page.getByText('A newer studio is here').waitFor();
    // Whoever does not reload is not disturbed: the old worker starts again after a trap.
    await server.stumble(page);
    await press(page, 'Walk');
    await page.evaluate(() => new Promise((resume) => setTimeout(resume, 600)));
    await page.getByRole('button', { name: 'Reload', exact: true }).click();
    await until(page, 'the newer page', () => document.querySelector('meta[name=newer]') && window.studio?.settled);
    assert.equal((await work(page)).gait.name, 'walk');
    await own.stop();
  });

  await test('Site: an engine that cannot be had is told in words', async (fresh) => {
    const context = await fresh();
    await context.route(/wasm\.bin/, (route) => route.fulfill({ status: 404 }));
    const page = await context.newPage();
    page.excused.push(/404|Failed to load/);
    await page.goto(server.url);
    await page.getByText(/The engine could not be loaded.*404/).waitFor();
  });
};
