// Every rig of a folder in the page: opened, walked, simulated, taken home; what went wrong in words, and all of them on a sheet.
// Window and colours alternate: a laptop and a large screen, light and dark.

import { readdirSync, readFileSync } from 'node:fs';
import { basename, extname, join } from 'node:path';
import { browser, closeDialog, complaints, config, context, dropFiles, finish, keep, open, scratch, Server, settled, Site, take } from './harness.mjs';

const LOOKS = [
  { viewport: { width: 1280, height: 800 }, colorScheme: 'light' },
  { viewport: { width: 1920, height: 1080 }, colorScheme: 'dark' },
  { viewport: { width: 1280, height: 800 }, colorScheme: 'dark' },
  { viewport: { width: 1920, height: 1080 }, colorScheme: 'light' },
];
/** Longest wait for a rig to be read and to move, ms. */
const PATIENCE = 90_000;
/** s of simulation that are looked at. */
const SIMULATED = 1;

const files = (folder) => readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
  const path = join(folder, entry.name);
  return entry.isDirectory() ? files(path) : ['.glb', '.gltf', '.xml', '.urdf', '.bvh'].includes(extname(path).toLowerCase()) ? [path] : [];
}).sort();

const server = await (config.site ? new Site() : new Server(join(scratch, 'studio'))).start();
const shots = [];
for (const [k, path] of files(config.only[0]).entries()) {
  const name = basename(path);
  const row = { rig: name, opened: 'no', gait: '', 'm/s': '', 'slip mm': '', physics: '', glb: '', trouble: '' };
  const before = complaints.length;
  const tab = await context(LOOKS[k % LOOKS.length]);
  try {
    const page = await open(tab, server.url);
    const start = Date.now();
    await dropFiles(page, [{ name, bytes: readFileSync(path) }]);
    const end = await page.waitForFunction((name) => {
      if (window.studio.work().creature.source.name === name && window.studio.settled) return 'there';
      return document.querySelector('.note.trouble p')?.textContent ?? false;
    }, name, { timeout: PATIENCE });
    const said = await end.jsonValue();
    if (said !== 'there') throw new Error(said);
    row.opened = `${((Date.now() - start) / 1000).toFixed(1)} s`;
    await page.evaluate(() => new Promise((resume) => setTimeout(resume, 800)));
    const { gait, report } = await page.evaluate(() => ({ gait: window.studio.work().gait.name, report: window.studio.stats().report }));
    Object.assign(row, { gait: gait ?? 'none', 'm/s': report?.speed.toFixed(2) ?? '', 'slip mm': report?.slip_mm?.toFixed(2) ?? '' });
    shots.push({ name, png: (await page.screenshot({ timeout: PATIENCE })).toString('base64') });
    await page.getByRole('tab', { name: 'Physics' }).click();
    if (!gait) await page.getByRole('radio', { name: 'Nothing' }).click();
    await page.getByRole('button', { name: 'Start', exact: true }).click();
    await page.waitForFunction((least) => parseFloat(document.querySelector('output.clock').textContent) > least || document.querySelector('.panel .trouble'), SIMULATED, { timeout: PATIENCE });
    row.physics = (await page.locator('.panel .trouble').allInnerTexts())[0] ?? ((await page.getByText(/It fell after/).count()) ? 'fell' : 'runs');
    await page.getByRole('button', { name: 'Leave the simulation' }).click();
    await page.getByRole('tab', { name: 'Motion' }).click();
    await settled(page);
    if (gait) {
      const { bytes } = await take(page, 'GLB');
      row.glb = `${(bytes.length / 1e6).toFixed(2)} MB`;
      await closeDialog(page);
    }
  } catch (error) {
    row.trouble = String(error.message ?? error).split('\n')[0].slice(0, 160);
  }
  row.trouble ||= complaints.slice(before).join(' ').slice(0, 160);
  console.log(`| ${Object.values(row).join(' | ')} |`);
  await tab.close();
}

// The sheet.
const tab = await browser.newContext({ viewport: { width: 1600, height: 400 } });
const page = await tab.newPage();
await page.setContent(`<style>body { margin: 8px; background: #888; display: grid; grid-template-columns: repeat(4, 1fr); gap: 8px; font: 12px sans-serif }
  figure { margin: 0; background: #fff } img { width: 100%; display: block; height: 240px; object-fit: contain; background: #222 } figcaption { padding: 2px 6px }</style>
  ${shots.map(({ name, png }) => `<figure><img src="data:image/png;base64,${png}"><figcaption>${name}</figcaption></figure>`).join('')}`);
await page.evaluate(() => Promise.all([...document.images].map((image) => image.decode())));
keep('rigs.jpg', await page.screenshot({ fullPage: true, type: 'jpeg', quality: 80 }));
console.log(`the sheet is ${join(config.out, 'rigs.jpg')}`);
await finish(server);
