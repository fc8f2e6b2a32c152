// That there is something to see at all: without a renderer every other test would pass on nothing, or fail for nothing.

import assert from 'node:assert/strict';
import { apart, eventually, eye, gaitButton, MOVING, open, pose, stageShot, test } from './harness.mjs';

/** A picture of nothing has a colour or a gradient; a lit body with its shadow has hundreds. */
const COLOURS = 200;
/** Share of the stage's pixels that a moving dog changes: it covers about a tenth. */
const MOVED = 0.003;

export default async (server) => {
  await test('The page opens with the dog moving, drawn by WebGL', async (fresh) => {
    const page = await open(await fresh(MOVING), server.url);
    const { renderer, triangles } = await page.evaluate(() => window.studio.stats().stage);
    assert.match(renderer, /SwiftShader|llvmpipe|ANGLE|Mesa|NVIDIA|AMD|Intel|Apple/, 'the renderer tells its name');
    console.log(`      drawn by ${renderer}`);
    assert.ok(triangles > 1000, `${triangles} triangles are drawn`);
    const [shot, before] = [await stageShot(page), await pose(page)];
    const { colours } = await eye.look(shot);
    assert.ok(colours > COLOURS, `the stage shows ${colours} colours`);
    await eventually('pixels of the stage to change', async () => (await eye.look(shot, await stageShot(page))).different, (share) => share > MOVED);
    assert.ok(apart(before, await pose(page)) > 0.01, 'the pose changes');
    assert.equal(await gaitButton(page, 'Trot').getAttribute('aria-pressed'), 'true', 'the gait that it moves by is pressed');
  });
};
