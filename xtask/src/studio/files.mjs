// Files in and out: what is no creature changes nothing and is told; what is taken home is what its name says; a gait
// comes back by its link and by its file.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { apart, closeDialog, config, dropFiles, eventually, MOVING, open, pose, press, report, take, test, until, work } from './harness.mjs';

const text = new TextEncoder();

/** How a file of each kind begins. */
const MAGIC = [
  ['BVH', /\.bvh$/, (bytes) => bytes.toString('latin1', 0, 9) === 'HIERARCHY'],
  ['GIF', /\.gif$/, (bytes) => bytes.toString('latin1', 0, 6) === 'GIF89a'],
  ['Film strip', /\.png$/, (bytes) => bytes.readUInt32BE(0) === 0x89504e47],
  ['WebM', /\.webm$/, (bytes) => bytes.readUInt32BE(0) === 0x1a45dfa3],
  ['Gait file', /\.toml$/, (bytes) => /^(#|gambol|version|name)/m.test(bytes.toString('utf8'))],
];

export default async (server) => {
  await test('A file that is no creature is told in words, and the old creature goes on', async (fresh) => {
    const page = await open(await fresh(MOVING), server.url);
    const whole = readFileSync(config.samples.quadruped);
    const bad = {
      'text.glb': text.encode('This is not a model.'),
      'truncated.glb': whole.subarray(0, 1000),
      'empty.glb': new Uint8Array(),
      'picture.png': Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex'),
      'broken.xml': text.encode('<mujoco><worldbody><body></worldbody>'),
      'broken.toml': text.encode('speed = "fast"'),
    };
    const before = await work(page);
    for (const [name, bytes] of Object.entries(bad)) {
      await dropFiles(page, [{ name, bytes }]);
      const note = page.locator('.note.trouble');
      await note.waitFor();
      const said = await note.innerText();
      assert.match(said, /What can be dropped: \.glb.*\.bvh/s, `${name}: what can be dropped is told`);
      assert.ok(said.split('\n')[0].length > 15, `${name}: what is wrong is told: ${said}`);
      assert.doesNotMatch(said, /undefined|NaN|panicked|Error:/, `${name}: in words`);
      assert.deepEqual(await work(page), before, `${name}: nothing changed`);
      await note.getByRole('button', { name: 'Dismiss' }).click();
      await note.waitFor({ state: 'detached' });
    }
    // Too large: refused before it is sent.
    await page.evaluate(() => {
      const transfer = new DataTransfer();
      transfer.items.add(new File([new Uint8Array((64 << 20) + 1)], 'huge.glb'));
      for (const kind of ['dragenter', 'drop']) document.body.dispatchEvent(new DragEvent(kind, { dataTransfer: transfer, bubbles: true, cancelable: true }));
    });
    await page.locator('.note.trouble').getByText(/MB/).waitFor();
    assert.deepEqual(await work(page), before);
    const still = await pose(page);
    await eventually('the dog to move', async () => apart(still, await pose(page)), (off) => off > 0.01);
  });

  await test('Each file that is taken home is of its kind', async (fresh) => {
    const page = await open(await fresh(), server.url);
    for (const [name, pattern, isOne] of MAGIC) {
      const file = await take(page, name);
      assert.match(file.name, pattern);
      assert.ok(file.bytes.length > 300, `${file.name} has ${file.bytes.length} bytes`);
      assert.ok(isOne(file.bytes), `${file.name} begins as one: ${file.bytes.toString('latin1', 0, 60)}`);
      await eventually('the next file to be possible', () => page.locator('.take[disabled]').count(), (count) => count === 0);
    }
  });

  await test('A gait shared by a link opens in a new tab, and its file opens by a drop', async (fresh) => {
    const context = await fresh();
    const page = await open(context, server.url);
    await press(page, 'Pace');
    const wanted = await report(page);
    await page.getByRole('button', { name: 'Take it home' }).click();
    await page.getByRole('button', { name: 'Make a link' }).click();
    const link = await page.getByRole('textbox', { name: 'Link' }).inputValue();
    assert.match(link, /#gait=/);
    const { bytes } = await take(page, 'Gait file');
    await closeDialog(page);

    const other = await context.newPage();
    await other.goto(link);
    await until(other, 'the shared gait', () => window.studio?.work().gait.name === 'pace' && window.studio.settled);
    assert.ok(Math.abs((await report(other)).speed - wanted.speed) < 1e-3 * wanted.speed, 'it goes as fast');
    assert.equal(await other.evaluate(() => location.hash.startsWith('#tab=')), true, 'the tab has a name of its own');

    const third = await open(await fresh(), server.url);
    await dropFiles(third, [{ name: 'mine.toml', bytes }]);
    await until(third, 'the gait of the file', () => window.studio.work().gait.file !== null && window.studio.settled);
    assert.ok(Math.abs((await report(third)).speed - wanted.speed) < 1e-3 * wanted.speed, 'it goes as fast');
    await third.getByRole('button', { name: /^Undo/ }).click();
    await until(third, 'the gait before', () => window.studio.work().gait.file === null && window.studio.work().gait.name === 'trot');
  });
};
