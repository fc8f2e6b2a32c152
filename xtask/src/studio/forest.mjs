// A plant is a forest in the wind: it opens, sways, obeys the mouse, shows a mode, walks, and goes home as files. Drawn in software a
// frame takes long, so what is told are coordinates of oscillators, and few trees stand.

import assert from 'node:assert/strict';
import { closeDialog, dropFiles, eventually, eye, MOVING, open, stageShot, take, test, until, work } from './harness.mjs';

/** A stick with a fork, in metres. */
const TWIG = 'id,parent,edge,x,y,z,radius\n0,,,0,0,0,0.02\n1,0,<,0,0,1,0.016\n2,1,<,0.1,0,2,0.008\n3,1,+,0.5,0.2,1.6,0.006\n';

const forest = (page, what, argument) => page.evaluate(([what, argument]) => window.studio.forest[what](argument), [what, argument]);
const bend = async (page) => Math.hypot(...(await forest(page, 'coordinates', 0)));

/** As `open`, for a page whose stage is a forest. */
async function drawn(page) {
  await until(page, 'the forest', () => window.studio.settled && window.studio.forest.stats()?.frames > 2);
}

async function setSlider(page, label, share) {
  await page.getByRole('slider', { name: label, exact: true }).evaluate((slider, share) => {
    slider.value = String(Math.round(1000 * share));
    slider.dispatchEvent(new Event('input', { bubbles: true }));
  }, share);
}

export default async (server) => {
  await test('A plant of the gallery is a forest: the mouse is the wind, a mode sways alone, keys walk, and files go home', async (fresh) => {
    const page = await open(await fresh({ ...MOVING, viewport: { width: 900, height: 560 } }), server.url);
    await page.locator('.creature-button').click();
    await page.getByRole('dialog').getByRole('button', { name: /^Palm/ }).click();
    await drawn(page);
    await setSlider(page, 'Trees', 0.3);
    await drawn(page);
    const { colours } = await eye.look(await stageShot(page));
    assert.ok(colours > 200, `${colours} colours are no forest`);
    const { drawCalls, seen } = await forest(page, 'stats');
    assert.ok(drawCalls <= 12, `${drawCalls} draws`);
    assert.ok(seen.reduce((sum, count) => sum + count) > 3, `seen: ${seen}`);

    // A drag is wind: along it, the stronger the longer.
    const box = await page.locator('.stage canvas').boundingBox();
    const [x, y] = [box.x + 0.3 * box.width, box.y + 0.6 * box.height];
    await page.mouse.move(x, y);
    await page.mouse.down();
    await page.mouse.move(x + 0.4 * box.height, y, { steps: 3 });
    await page.mouse.up();
    const wind = await eventually('the wind to follow', () => forest(page, 'wind'), ([east, north]) => east > 12 && Math.abs(north) < 0.2 * east);
    const bent = await eventually('palms to bend', () => bend(page), (bent) => bent > 0);
    // Calm, and after a while they stand still.
    await page.getByRole('button', { name: 'Calm' }).click();
    await page.evaluate(() => { for (let k = 0; k < 900; k++) window.studio.forest.step(1 / 30); });
    const still = await bend(page);
    assert.ok(still < 0.02 * bent, `${still} of ${bent} after half a minute of calm, from ${wind} m/s`);
    // A click is a gust from there.
    await page.mouse.click(x, box.y + 0.75 * box.height);
    await eventually('the gust', async () => {
      await page.evaluate(() => window.studio.forest.step(0.1));
      return bend(page);
    }, (now) => now > 3 * still);

    const picture = page.locator('.picture').nth(1);
    await picture.click();
    assert.equal(await picture.getAttribute('aria-pressed'), 'true');
    await picture.click();
    assert.equal(await picture.getAttribute('aria-pressed'), 'false');

    const before = await forest(page, 'eye');
    await page.keyboard.down('w');
    await eventually('a walk', () => forest(page, 'eye'), (now) => Math.hypot(...now.map((value, k) => value - before[k])) > 0.5);
    await page.keyboard.up('w');

    const glb = await take(page, 'GLB');
    assert.equal(glb.bytes.subarray(0, 4).toString(), 'glTF');
    assert.match(glb.name, /^palm-wind-\d+\.glb$/);
    const png = await take(page, 'Picture');
    assert.ok(png.bytes.length > 20_000 && png.bytes[1] === 0x50, 'a picture');
    await closeDialog(page);
  });

  await test('A dropped plant is a forest too, a bad one changes nothing, and a small one may be a creature', async (fresh) => {
    const page = await open(await fresh({ ...MOVING, viewport: { width: 900, height: 560 } }), server.url);
    await dropFiles(page, [{ name: 'bad.csv', bytes: Buffer.from(TWIG.replace('0.1,0,2', '0.1,x,2')) }]);
    await page.locator('.note', { hasText: 'bad.csv:4' }).waitFor();
    assert.equal((await work(page)).creature.source.name, 'dog');
    await dropFiles(page, [{ name: 'twig.csv', bytes: Buffer.from(TWIG) }]);
    await drawn(page);
    assert.equal((await forest(page, 'plant')).nodes, 4);
    // In a row, along a road.
    await page.getByText('In a row', { exact: true }).click();
    await drawn(page);
    const places = await forest(page, 'places');
    const across = places.map(([x, y]) => [Math.abs(x), Math.abs(y)]).reduce(([a, b], [x, y]) => [Math.max(a, x), Math.max(b, y)]);
    assert.ok(across[0] > 10 * across[1], `a row of ${across} m`);
    await page.getByRole('button', { name: 'Look at it as a creature' }).click();
    await until(page, 'the creature', () => window.studio.creature()?.kind === 'plant' && window.studio.stats().stage?.frames > 0);
    await page.getByRole('button', { name: 'Back to the wind' }).click();
    await drawn(page);
  });
};
