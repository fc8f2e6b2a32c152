// The palette of Nunes et al. 2012, section 4.3: hovering plays a mode; one click prefers it, one more avoids it, one
// more does neither; and the next gait does as it was told.

import assert from 'node:assert/strict';
import { apart, eventually, open, pose, press, settled, test, until, work } from './harness.mjs';

export default async (server) => {
  await test('The palette: hovering plays a mode, clicks prefer and avoid it, and the next walk obeys', async (fresh) => {
    const page = await open(await fresh(), server.url);
    const picture = (mode) => page.locator(`.picture[data-mode="${mode}"]`);

    // Hovering: the stage swings though the clip is paused, about the rest pose, and stops when the mouse leaves.
    await page.mouse.move(640, 200);
    const paused = await eventually('a still stage', async () => {
      const a = await pose(page);
      await page.evaluate(() => new Promise((resume) => requestAnimationFrame(() => requestAnimationFrame(resume))));
      return apart(a, await pose(page)) === 0 ? a : null;
    }, (still) => still !== null);
    await picture(8).hover();
    await eventually('the mode to swing', async () => apart(await pose(page), paused), (off) => off > 0.05);
    const [a, b] = [await pose(page), await eventually('the swing to go on', () => pose(page), () => true)];
    await eventually('the swing to go on', async () => apart(a, await pose(page)) + apart(a, b), (off) => off > 0.02);
    await page.mouse.move(640, 200);
    await eventually('the stage to be still again', async () => apart(await pose(page), paused), (off) => off === 0);

    // Prefer, avoid, none: by colour, sign and name.
    const cell = page.locator('.cell').nth(4);
    const button = cell.locator('.picture');
    const mode = Number(await button.getAttribute('data-mode'));
    const colour = () => button.evaluate((element) => {
      const [r, g, b] = getComputedStyle(element).borderTopColor.match(/[\d.]+/g).map(Number);
      return g > r && g > b ? 'green' : r > g && r > b ? 'red' : 'neither';
    });
    await button.click();
    assert.deepEqual((await work(page)).gait.prefer, [mode]);
    assert.match(await button.getAttribute('aria-label'), /preferred/);
    assert.equal(await cell.locator('.sign').innerText(), '+');
    await eventually('a green frame', colour, (name) => name === 'green');
    await button.click();
    assert.deepEqual((await work(page)).gait, { ...(await work(page)).gait, prefer: [], avoid: [mode] });
    assert.match(await button.getAttribute('aria-label'), /avoided/);
    assert.equal(await cell.locator('.sign').innerText(), '−');
    await eventually('a red frame', colour, (name) => name === 'red');
    await button.click();
    const { prefer, avoid } = (await work(page)).gait;
    assert.deepEqual([prefer, avoid], [[], []]);
    await settled(page);

    // What is avoided is not in the next walk.
    await press(page, 'Walk');
    const lit = () => page.locator('.cell.lit .picture').evaluateAll((cells) => cells.map((cell) => Number(cell.dataset.mode)));
    const used = await lit();
    const vibration = used.find((mode) => mode >= 6);
    assert.ok(vibration !== undefined, `the walk is made of vibrations: ${used}`);
    await picture(vibration).click();
    await picture(vibration).click();
    await settled(page);
    assert.deepEqual((await work(page)).gait.avoid, [vibration]);
    assert.ok(!(await lit()).includes(vibration), `mode ${vibration} is avoided: ${await lit()}`);
    await until(page, 'a walk all the same', () => window.studio.stats().report?.speed > 0.05);
  });
};
