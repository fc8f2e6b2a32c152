// Nothing that the user made is lost: undo over everything, a reload, a crash of the server, two tabs.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  config, drag, dropFiles, eventually, frequencies, open, press, scratch, Server, settled, slider, take, test, until, work,
} from './harness.mjs';
import { validate } from './gltf.mjs';

const choose = async (page, creature) => {
  await page.locator('.creature-button').click();
  await page.getByRole('dialog').getByRole('button', { name: new RegExp(`^${creature}`, 'i') }).click();
  await until(page, creature, (name) => window.studio.work().creature.source.name === name && window.studio.settled, creature);
};
const undoes = (page) => page.getByRole('button', { name: /^Undo/ });

export default async (server) => {
  await test('Undo and redo go over creature, body, palette and gait; a drag of a slider is one step', async (fresh) => {
    const page = await open(await fresh(), server.url);
    const steps = [await work(page)];
    const did = async () => {
      await settled(page);
      steps.push(await work(page));
    };
    await choose(page, 'snake');
    await did();
    await page.getByRole('tab', { name: 'Body' }).click();
    await drag(page, slider(page, 'All joints'), 0.7);
    await did();
    await page.locator('.picture').first().click();
    await did();
    await press(page, 'Swim');
    await did();
    for (let k = 1; k < steps.length; k++) assert.notDeepEqual(steps[k], steps[k - 1], `step ${k} changed something`);
    assert.equal(steps.at(-1).gait.prefer.length, 1, 'what the user said of modes stays with another gait');

    const is = (k, how) => eventually(`step ${k} ${how}`, async () => JSON.stringify(await work(page)) === JSON.stringify(steps[k]), Boolean);
    for (let k = steps.length - 2; k >= 0; k--) {
      if (k % 2) await page.keyboard.press('Control+z');
      else await undoes(page).click();
      await is(k, 'by undo');
    }
    assert.ok(await undoes(page).isDisabled(), 'there is nothing more to undo');
    await settled(page);
    assert.equal(await page.locator('.creature-button').innerText(), 'Dog');
    for (let k = 1; k < steps.length; k++) {
      if (k % 2) await page.keyboard.press('Control+y');
      else await page.getByRole('button', { name: /^Redo/ }).click();
      await is(k, 'by redo');
    }
    await settled(page);
    assert.equal(await page.locator('.cell.prefer').count(), 1, 'and the screen follows');
  });

  await test('A reload finds the work, the way back and the dropped file again', async (fresh) => {
    const page = await open(await fresh(), server.url);
    await dropFiles(page, [{ name: 'beast.glb', bytes: readFileSync(config.samples.quadruped) }]);
    await until(page, 'the dropped creature', () => window.studio.work().creature.source.from === 'file' && window.studio.settled);
    await press(page, 'Pace');
    const before = await work(page);
    await page.reload();
    await settled(page);
    assert.deepEqual(await work(page), before);
    await until(page, 'its skin', () => window.studio.stats().stage.skin);
    for (let k = 0; k < 2; k++) await page.keyboard.press('Control+z');
    await until(page, 'the dog again', () => window.studio.work().creature.source.name === 'dog' && window.studio.settled);
    await page.keyboard.press('Control+y');
    await until(page, 'the dropped creature again', () => window.studio.work().creature.source.from === 'file' && window.studio.settled);
  });

  // A site of files has no server to kill; what ends there instead is in site.mjs.
  if (!config.site) await test('The server killed in the middle of a drag: the page says so, goes on by itself, and nothing is lost', async (fresh) => {
    const own = await new Server(join(scratch, 'crashes')).start();
    const page = await open(await fresh(), own.url);
    page.excused.push(/WebSocket connection to .* failed/, /ERR_CONNECTION_REFUSED/);
    await press(page, 'Walk');
    await page.getByRole('tab', { name: 'Body' }).click();
    const all = slider(page, 'All joints');
    const soft = await frequencies(page);
    await drag(page, all, 0.75, async () => {
      await own.kill();
      await page.locator('.note.lost').waitFor();
    });
    const factor = (await work(page)).style.scale[0]?.[1];
    assert.ok(factor > 2, `the slider moves without an engine: ${factor}`);
    await page.locator('.picture').nth(2).click();
    assert.equal((await work(page)).gait.prefer.length, 1, 'and so does the palette');
    const made = await work(page);

    await own.start();
    await page.locator('.note.lost').waitFor({ state: 'detached' });
    await settled(page);
    const { style, gait } = await work(page);
    assert.deepEqual([style, gait.name], [made.style, 'walk'], 'nothing is lost');
    assert.equal(gait.prefer.length, 1);
    const stiff = await frequencies(page);
    assert.ok(Math.abs(stiff[0] / soft[0] / Math.sqrt(factor) - 1) < 0.02, `the palette caught up: ${soft[0]} to ${stiff[0]} Hz by ${factor}`);
    await validate((await take(page, 'GLB')).bytes);
    await page.keyboard.press('Escape');
    await undoes(page).click();
    await undoes(page).click();
    await until(page, 'the walk before the drag', () => window.studio.work().style.scale.length === 0 && window.studio.work().gait.name === 'walk' && window.studio.settled);
    // What was made is kept by the new server too.
    await page.keyboard.press('Control+y');
    await until(page, 'the stiffer body', () => window.studio.work().style.scale.length === 1 && window.studio.settled);
    await page.reload();
    await settled(page);
    assert.deepEqual((await work(page)).style, made.style);
    await own.stop();
  });

  await test('Two tabs keep to themselves, also when one is a copy of the other', async (fresh) => {
    const context = await fresh();
    const first = await open(context, server.url);
    const second = await open(context, server.url);
    await choose(second, 'spider');
    await press(first, 'Bound');
    assert.equal((await work(second)).creature.source.name, 'spider');
    assert.equal((await work(first)).creature.source.name, 'dog');
    await Promise.all([first.reload(), second.reload()]);
    await settled(first);
    await settled(second);
    assert.deepEqual([(await work(first)).gait.name, (await work(first)).creature.source.name], ['bound', 'dog']);
    assert.equal((await work(second)).creature.source.name, 'spider');

    // A browser that duplicates a tab copies its address and its session.
    const opening = context.waitForEvent('page');
    await first.evaluate(() => { window.open(location.href); });
    const copy = await opening;
    await settled(copy);
    assert.equal((await work(copy)).gait.name, 'bound', 'the copy begins with the same work');
    assert.notEqual(await copy.evaluate(() => location.hash), await first.evaluate(() => location.hash), 'under a name of its own');
    await press(copy, 'Walk');
    await copy.reload();
    await settled(copy);
    await first.reload();
    await settled(first);
    assert.deepEqual([(await work(first)).gait.name, (await work(copy)).gait.name], ['bound', 'walk']);
  });
};
