// From a sketch to a controller: a sketch of the gallery floats and moves, marks change it, a search draws its curve while the
// best candidate moves on the stage, and what it found is kept, undone and taken home.

import assert from 'node:assert/strict';
import { apart, closeDialog, dropFiles, eventually, MOVING, open, pose, simulates, take, test, until, work } from './harness.mjs';

const search = (page) => page.evaluate(() => window.studio.search());
const chip = (page, name) => page.locator('.chips').getByRole('button', { name, exact: true });

/** Opens the sketch of the runner. */
async function runner(page) {
  await page.getByRole('tab', { name: 'Controller' }).click();
  await chip(page, 'Runner').click();
  // It is a sketch of another creature than the one that is there.
  await page.getByRole('button', { name: 'Open the biped' }).click();
  await until(page, 'the runner', () => window.studio.work().sketch?.name === 'runner' && window.studio.work().creature.source.name === 'biped' && window.studio.settled);
}

/** Largest change of any joint on the stage within a moment. */
async function moves(page, least = 0.05) {
  const before = await pose(page);
  return eventually('the creature to move', async () => apart((await pose(page)).slice(7), before.slice(7)), (way) => way > least);
}

export default async (server) => {
  await test('Controller: the runner floats without gravity, and its palette is marked by clicks', async (fresh) => {
    const page = await open(await fresh(MOVING), server.url);
    await runner(page);
    await page.getByText('Without gravity').waitFor();
    await moves(page);
    const heights = [];
    for (let k = 0; k < 8; k++) {
      heights.push((await pose(page))[2]);
      await page.evaluate(() => new Promise((resume) => setTimeout(resume, 150)));
    }
    assert.ok(Math.max(...heights) - Math.min(...heights) < 0.3, `it floats: ${heights}`);

    const green = await page.locator('.cell.prefer').count();
    assert.equal(green, (await work(page)).sketch.flight.priority.length);
    await page.getByRole('radio', { name: 'On the ground' }).click();
    await eventually('the green modes of the ground', () => page.locator('.cell.prefer').count(), (count) => count === 4);
    await page.getByRole('radio', { name: 'In flight' }).click();

    const mode = page.locator('.picture[data-mode="6"]');
    await mode.click();
    const marked = (await work(page)).sketch.flight;
    assert.ok(marked.priority.some(({ mode, amplitude }) => mode === 6 && amplitude > 0));
    await page.getByRole('button', { name: /^Turn .* round$/ }).first().waitFor();
    await mode.click();
    assert.deepEqual((await work(page)).sketch.flight.excluded, [6]);
    await until(page, 'the new preview', () => window.studio.settled);
    await page.keyboard.press('Control+z');
    await page.keyboard.press('Control+z');
    const undone = (await work(page)).sketch.flight;
    assert.ok(undone.excluded.length === 0 && undone.priority.length === green);
  });

  await test('Controller: a search draws its curve while the best moves, stops, is kept, undone and taken home', async (fresh) => {
    const page = await open(await fresh(MOVING), server.url);
    await runner(page);
    await page.getByRole('button', { name: 'Optimise', exact: true }).click();
    await eventually('points of the curve', async () => (await search(page)).points.length, (count) => count > 5);
    await page.locator('.curves path').first().waitFor();
    assert.equal(await page.locator('.lights li').count(), 10, 'nine constraints and the cycle');
    await moves(page);
    await page.getByRole('button', { name: 'Stop', exact: true }).click();
    await until(page, 'what was found', () => window.studio.work().sketch.found?.controller && !window.studio.search().running);
    const { found } = (await work(page)).sketch;
    assert.ok(found.evaluations > 0 && found.controller.includes('[stride]'));
    await page.getByRole('button', { name: 'Go on', exact: true }).waitFor();

    const controller = await take(page, 'Controller');
    assert.equal(controller.name, 'biped-runner.toml');
    assert.equal(controller.bytes.toString(), found.controller);
    const glb = await take(page, 'GLB');
    assert.equal(glb.bytes.subarray(0, 4).toString(), 'glTF');
    await closeDialog(page);

    // It is kept, and a search goes on from where it was.
    await page.evaluate(() => new Promise((resume) => setTimeout(resume, 600)));
    await page.reload();
    await until(page, 'the work', () => window.studio?.settled && window.studio.work().sketch?.found);
    assert.equal((await work(page)).sketch.found.controller, found.controller);
    await page.getByRole('tab', { name: 'Controller' }).click();
    await page.getByRole('radio', { name: 'Found' }).click();
    await moves(page);
    await page.getByRole('button', { name: 'Go on', exact: true }).click();
    await eventually('more cycles', async () => (await search(page)).progress?.evaluations ?? 0, (count) => count > found.evaluations);

    // The engine is killed, and the search goes on by itself.
    await server.stumble(page);
    const before = (await search(page)).progress.evaluations;
    await eventually('cycles of the next engine', async () => (await search(page)).progress.evaluations, (count) => count !== before && count >= found.evaluations);
    assert.ok((await search(page)).running);
    await page.keyboard.press('Control+z');
    await until(page, 'undo', () => window.studio.work().sketch.found === null && !window.studio.search().running);
    await page.keyboard.press('Control+Shift+z');
    await page.getByRole('button', { name: 'Run it by physics' }).click();
    await simulates(page).waitFor();
    await moves(page);

    // The file comes back.
    await dropFiles(page, [{ name: 'mine.toml', bytes: controller.bytes }]);
    await until(page, 'the controller', () => window.studio.work().sketch?.found?.status === 'opened');
    await moves(page);
  });

  await test('Controller: a creature of one\'s own gets a sketch to begin with', async (fresh) => {
    const page = await open(await fresh(MOVING), server.url);
    await page.getByRole('tab', { name: 'Controller' }).click();
    await page.getByRole('button', { name: 'Sketch for this dog' }).click();
    await until(page, 'a sketch', () => window.studio.work().sketch?.stance.length === 2 && window.studio.settled);
    await page.locator('.picture').first().click();
    await until(page, 'its preview', () => window.studio.work().sketch.flight.priority.length === 1 && window.studio.settled);
    // A burst does little to a slow mode that is damped: half a degree.
    await moves(page, 0.008);
    await page.getByRole('tab', { name: 'Motion' }).click();
    await page.getByText('Natural motions').waitFor();
  });
};
