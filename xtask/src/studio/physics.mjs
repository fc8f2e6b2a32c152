// Physics on the stage: it falls and settles, it is pushed, it begins anew; and the ring of the paper rolls.

import assert from 'node:assert/strict';
import { apart, eventually, open, pose, simulates, test, until } from './harness.mjs';

const clock = (page) => page.locator('output.clock').innerText().then((text) => parseFloat(text));

export default async (server) => {
  await test('Physics: the dog left to itself falls and settles, is pushed by the mouse, and begins anew', async (fresh) => {
    const page = await open(await fresh(), server.url);
    await page.getByRole('tab', { name: 'Physics' }).click();
    await page.getByRole('radio', { name: 'Nothing' }).click();
    await page.getByText('Helped to stay up').click();
    await page.getByRole('button', { name: 'Start', exact: true }).click();
    await simulates(page).waitFor();
    const first = await pose(page);
    await eventually('the body to sink', async () => first[2] - (await pose(page))[2], (fall) => fall > 0.05);
    await eventually('two seconds of simulation', () => clock(page), (time) => time > 2);
    const still = await pose(page);
    assert.ok(still[2] > -0.05 && still.every(Number.isFinite), `it lies on the ground: ${still[2]} m`);

    // A push at the trunk, sideways on the screen.
    const from = await page.evaluate(() => {
      const { bodies } = window.studio.creature();
      return window.studio.onPage(1, bodies[1].com);
    });
    await page.mouse.move(from.x, from.y);
    await page.keyboard.down('Control');
    await page.mouse.down();
    await page.mouse.move(from.x + 120, from.y - 60, { steps: 5 });
    await eventually('the pushed body to move', async () => apart((await pose(page)).slice(0, 3), still.slice(0, 3)), (way) => way > 0.05);
    await page.mouse.up();
    await page.keyboard.up('Control');

    await page.getByRole('button', { name: 'Reset', exact: true }).click();
    await eventually('time to begin anew', () => clock(page), (time) => time < 1.5);
    await page.getByRole('button', { name: 'Pause' }).first().click();
    const [paused, at] = [await clock(page), await pose(page)];
    await page.evaluate(() => new Promise((resume) => setTimeout(resume, 300)));
    assert.ok((await clock(page)) - paused < 0.3 && apart(at, await pose(page)) < 0.2, 'a pause holds it');
    await page.getByRole('button', { name: 'Leave the simulation' }).click();
    await simulates(page).waitFor({ state: 'detached' });
  });

  await test('Physics: a gait that is helped goes on upright', async (fresh) => {
    const page = await open(await fresh(), server.url);
    await page.getByRole('tab', { name: 'Physics' }).click();
    // The gait stands at its first moment, where the simulation begins: however late a busy machine looks, that is the start.
    const first = await pose(page);
    await page.getByRole('button', { name: 'Start', exact: true }).click();
    await simulates(page).waitFor();
    await eventually('three seconds of simulation', () => clock(page), (time) => time > 3);
    const now = await pose(page);
    assert.ok(now[2] > 0.67 * first[2], `its trunk is ${now[2]} m high, ${first[2]} m at the start`);
    assert.ok(now[0] - first[0] > 1, `it went ${now[0] - first[0]} m`);
  });

  await test('Physics: what falls says so, shows its own contacts, and begins again at a click', async (fresh) => {
    const page = await open(await fresh(), server.url);
    await page.getByRole('tab', { name: 'Physics' }).click();
    await page.getByText('Helped to stay up').click();
    await page.getByRole('button', { name: 'Start', exact: true }).click();
    await simulates(page).waitFor();
    await page.getByText(/It fell after [0-9.]+ s/).waitFor();
    await eventually('contacts of the simulation', () => page.locator('.tracks.live .contact i').count(), (count) => count > 0);
    assert.equal(await page.locator('.playhead').count(), 0, 'the clip of the gait is not what is played');
    await page.getByRole('button', { name: 'Start again' }).click();
    await eventually('the note to go', () => page.getByText(/It fell after/).count(), (count) => count === 0);
    await eventually('time to begin anew', () => clock(page), (time) => time < 3);
  });

  await test('Physics: the loop pumped along two modes travels', async (fresh) => {
    const page = await open(await fresh(), server.url);
    await page.locator('.creature-button').click();
    await page.getByRole('dialog').getByRole('button', { name: /^Loop/ }).click();
    await until(page, 'the loop', () => window.studio.work().creature.source.name === 'loop' && window.studio.settled);
    for (const k of [0, 1]) await page.locator('.picture').nth(k).click();
    await until(page, 'two green modes', () => window.studio.work().gait.prefer.length === 2 && window.studio.settled);
    await page.getByRole('tab', { name: 'Physics' }).click();
    await page.getByRole('radio', { name: 'Green modes' }).click();
    await page.getByRole('button', { name: 'Start', exact: true }).click();
    await simulates(page).waitFor();
    const start = await pose(page);
    await eventually('the loop to travel', async () => {
      const now = await pose(page);
      return Math.hypot(now[0] - start[0], now[1] - start[1]);
    }, (way) => way > 0.1);
  });
};
