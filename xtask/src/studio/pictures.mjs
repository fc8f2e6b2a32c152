// Screenshots for docs/studio.md: every panel, light and dark, at moments of the motion that show it.

import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { apart, config, context, dropFiles, eventually, eye, finish, MOVING, pose, press, scratch, Server, settled, simulates, slider, until } from './harness.mjs';

/** The window that people see the studio in, and how sharp the pictures are. */
const WINDOW = { width: 1440, height: 900 };
const PIXELS = 1.5;
/** Windows high enough for two rows of the palette, and for all of the motion panel. */
const ROWS = { ...WINDOW, height: 1210 };
const PANEL = { ...WINDOW, height: 1590 };
/** Of WebP: the first of these with which a picture is not larger than MOST bytes. Text stays sharp with all. */
const QUALITIES = [0.88, 0.82, 0.76, 0.7];
const MOST = 150_000;
/** A search that takes longer is stopped, ms. */
const LONGEST_SEARCH = 240_000;

/** Saves a part of the page down to the end of `end`, or all of it; the mouse goes out of the way unless it holds something. */
async function save(page, theme, name, { part = null, end = null, held = false } = {}) {
  if (!held) await page.mouse.move(WINDOW.width / 2, 4);
  // The hover's last picture, and a film strip that is drawn after a pause.
  await page.evaluate(() => new Promise((resume) => setTimeout(resume, 900)));
  const clip = part ? await page.locator(part).boundingBox() : { x: 0, y: 0, ...WINDOW };
  if (end) {
    const last = await end.boundingBox();
    clip.height = last.y + last.height + 8 - clip.y;
  }
  const shot = await page.screenshot({ clip });
  const file = join(config.out, `${name}-${theme}.webp`);
  let bytes = null;
  for (const quality of QUALITIES) {
    bytes = Buffer.from(await webp(shot, quality), 'base64');
    if (bytes.length <= MOST) break;
  }
  writeFileSync(file, bytes);
  console.log(`${file} ${Math.round(statSync(file).size / 1000)} kB`);
  if (bytes.length > MOST) throw new Error(`${file} is too large`);
}

async function webp(png, quality) {
  await eye.look(png);
  return eye.page.evaluate(async ([base64, quality]) => {
    const bitmap = await createImageBitmap(await (await fetch(`data:image/png;base64,${base64}`)).blob());
    const canvas = new OffscreenCanvas(bitmap.width, bitmap.height);
    canvas.getContext('2d').drawImage(bitmap, 0, 0);
    const bytes = new Uint8Array(await (await canvas.convertToBlob({ type: 'image/webp', quality })).arrayBuffer());
    return btoa(bytes.reduce((text, byte) => text + String.fromCharCode(byte), ''));
  }, [png.toString('base64'), quality]);
}

/** A new tab at a moment of the motion, standing still: pictures come out the same every time. */
async function openAt(context, url, time) {
  const page = await context.newPage();
  await page.goto(`${url}&t=${time}&paused=1`);
  await settled(page);
  return page;
}

/** A message came, and went by itself. */
const noted = async (page) => {
  await page.locator('.note.good').waitFor();
  await page.locator('.note.good').waitFor({ state: 'detached' });
  await settled(page);
};

const still = async (page, time) => {
  if ((await page.locator('.play').getAttribute('aria-label')) === 'Pause') await page.locator('.play').click();
  await page.evaluate((time) => { window.studio.time = time; }, time);
};

const server = await new Server(join(scratch, 'studio')).start();
for (const theme of ['light', 'dark']) {
  const tab = await context({ viewport: WINDOW, deviceScaleFactor: PIXELS, colorScheme: theme, ...MOVING });
  await tab.addInitScript(() => {
    localStorage.setItem('gambol.hinted', '1');
    // As most people see it: with a graphics card the pictures of the palette are drawn finer.
    const { getParameter } = WebGL2RenderingContext.prototype;
    WebGL2RenderingContext.prototype.getParameter = function (name) {
      return name === 0x9246 ? 'a graphics card' : getParameter.call(this, name);
    };
  });

  // The dog: everything at once, then its palette, timeline and motion.
  let page = await openAt(tab, server.url, 0.31);
  await save(page, theme, 'studio');
  await page.getByRole('button', { name: /^Mode 8:/ }).click();
  await page.getByRole('button', { name: /^Mode 12:/ }).dblclick();
  await settled(page);
  await page.locator('.scroller').evaluate((scroller) => scroller.scrollTo(0, 0));
  await page.setViewportSize(ROWS);
  await save(page, theme, 'palette', { part: '.palette', end: page.locator('.cell').nth(11) });
  await press(page, 'Walk');
  await still(page, 0.4);
  await page.setViewportSize(PANEL);
  await save(page, theme, 'motion', { part: '.side.right' });
  await page.setViewportSize(WINDOW);
  await save(page, theme, 'timeline', { part: '.timeline' });
  await page.getByRole('button', { name: 'Keys and help' }).click();
  await save(page, theme, 'keys', { part: 'dialog' });
  await page.keyboard.press('Escape');
  await page.locator('.creature-button').click();
  await save(page, theme, 'gallery', { part: 'dialog' });
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Take it home' }).click();
  await page.getByRole('button', { name: 'Make a link' }).waitFor();
  await save(page, theme, 'take-it-home', { part: 'dialog' });
  await page.close();

  // A body of one's own: standing, softer in front, one leg hurt, its head steady.
  page = await openAt(tab, server.url, 0.2);
  await page.getByRole('tab', { name: 'Body' }).click();
  await page.getByRole('button', { name: 'Stand it up' }).click();
  await noted(page);
  await page.getByRole('button', { name: 'Steady head' }).click();
  await slider(page, 'Front left leg').fill('700');
  await page.getByText('Colour by stiffness').click();
  await page.getByRole('radio', { name: /^Pose/ }).click();
  await settled(page);
  await page.locator('.side.left .panel').evaluate((panel) => panel.scrollTo(0, 0));
  await save(page, theme, 'body');
  await page.close();

  // A file of one's own, and what was found on it.
  page = await openAt(tab, server.url, 0.2);
  await dropFiles(page, [{ name: 'beast.glb', bytes: readFileSync(config.samples.quadruped) }]);
  await until(page, 'the dropped creature', () => window.studio.work().creature.source.from === 'file' && window.studio.settled && window.studio.stats().stage.skin);
  await save(page, theme, 'creature');
  await page.close();

  // A sketch becomes a controller.
  page = await openAt(tab, server.url, 0.2);
  await page.getByRole('tab', { name: 'Controller' }).click();
  await page.locator('.chips').getByRole('button', { name: 'Kangaroo', exact: true }).click();
  await until(page, 'the sketch', () => window.studio.work().sketch?.name === 'kangaroo' && window.studio.settled);
  await page.getByRole('radio', { name: 'On the ground' }).click();
  await page.getByRole('button', { name: 'Optimise', exact: true }).click();
  await page.waitForFunction(() => !window.studio.search().running, null, { timeout: LONGEST_SEARCH }).catch(() => page.getByRole('button', { name: 'Stop', exact: true }).click());
  await page.getByRole('button', { name: 'Run it by physics' }).waitFor();
  await still(page, 0.36);
  await save(page, theme, 'controller');
  await page.close();

  // A push.
  page = await openAt(tab, server.url, 0);
  await page.getByRole('tab', { name: 'Body' }).click();
  await page.getByRole('button', { name: 'Stand it up' }).click();
  await noted(page);
  await page.getByRole('tab', { name: 'Physics' }).click();
  await page.getByRole('radio', { name: 'Nothing' }).click();
  await page.getByRole('button', { name: 'Start', exact: true }).click();
  await simulates(page).waitFor();
  const chest = await page.evaluate(() => {
    const { bodies } = window.studio.creature();
    const body = bodies.findIndex(({ name }) => name === 'chest');
    return window.studio.onPage(body, bodies[body].com);
  });
  await page.mouse.move(chest.x, chest.y);
  await page.mouse.down();
  await page.mouse.move(chest.x + 70, chest.y - 35, { steps: 3 });
  // Long enough to give way, not so long that it falls.
  const before = await pose(page);
  await eventually('the body to give way', async () => apart(before, await pose(page)), (way) => way > 0.1);
  await page.keyboard.press('Space');
  await save(page, theme, 'physics', { held: true });
  await tab.close();
}
await finish(server);
