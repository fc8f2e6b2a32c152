// A set of clips for a game, clip by clip, and the tempo of a file's own clips.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { closeDialog, config, drag, dropFiles, eventually, open, report, slider, test, until, work } from './harness.mjs';

const making = (page) => page.evaluate(() => window.studio.set());
const setButton = (page) => page.getByRole('button', { name: 'Set for a game', exact: true });

async function press(page) {
  await page.getByRole('button', { name: 'Take it home' }).click();
  await setButton(page).click();
}

export default async (server) => {
  await test('Set for a game: clips are told by name, a slider goes on beside it, and Cancel ends it', async (fresh) => {
    const page = await open(await fresh(), server.url);
    await dropFiles(page, [{ name: 'walker.xml', bytes: readFileSync(config.samples.walker) }]);
    await until(page, 'the walker', () => window.studio.work().creature.source.name === 'walker.xml' && window.studio.settled);
    await press(page);
    await page.getByText(/^Making [a-z]+( [a-z]+)?, \d+ of \d+$/).first().waitFor();
    await page.getByRole('progressbar', { name: 'Set for a game' }).waitFor();
    await page.getByRole('button', { name: 'Cancel', exact: true }).click();
    assert.equal(await making(page), null, 'Cancel ends it');

    // Beside the dialog it goes on, and the body can be changed meanwhile.
    await setButton(page).click();
    await until(page, 'the first clip', () => window.studio.set()?.next);
    await closeDialog(page);
    await page.getByRole('tab', { name: 'Body' }).click();
    await drag(page, slider(page, 'Weight'), 0.7);
    await until(page, 'the body of the slider', () => window.studio.work().style.weight > 1 && window.studio.settled);
    const { done } = await making(page);
    await eventually('the next clip', () => making(page), (now) => now.done > done);
    await page.locator('.top').getByRole('button', { name: 'Cancel', exact: true }).click();
    assert.equal(await making(page), null, 'Cancel ends it here too');
    await eventually('the bar to go', () => page.locator('.making').count(), (count) => count === 0);
  });

  await test('Set for a game: what has no legs is told so', async (fresh) => {
    const page = await open(await fresh(), server.url);
    await page.locator('.creature-button').click();
    await page.getByRole('dialog').getByRole('button', { name: /^Snake/ }).click();
    await until(page, 'the snake', () => window.studio.work().creature.source.name === 'snake' && window.studio.settled);
    await press(page);
    await page.getByText(/for what goes on legs.*snake.*no legs/).waitFor();
    await setButton(page).waitFor();
  });

  await test('Tempo: a file with quick clips of its own offers to go in step with them; it is undone and kept', async (fresh) => {
    const page = await open(await fresh(), server.url);
    await dropFiles(page, [{ name: 'beast.glb', bytes: readFileSync(config.samples.quadruped) }]);
    await until(page, 'the beast', () => window.studio.work().creature.source.name === 'beast.glb' && window.studio.settled);
    const toggle = page.getByText('In step with its own clips', { exact: true });
    assert.equal(await toggle.count(), 0, 'nothing is offered where no clip is a gait');
    // The same with one more walk in it that is three times as fast as its size has it.
    const quick = await page.evaluate(async () => {
      const { creature, style, gait } = window.studio.work();
      const walk = { ...gait, name: 'walk' };
      const { answer: { report } } = await window.studio.ask('motion', { creature, style, gait: walk });
      const fast = { ...walk, frequency: 3 * report.stride_frequency, stride_length: report.stride_length };
      const { bytes } = await window.studio.ask('export', { creature, style, what: { of: 'gait', gait: fast }, format: 'glb', in_place: true });
      return [...bytes];
    });
    await dropFiles(page, [{ name: 'quick.glb', bytes: Uint8Array.from(quick) }]);
    await until(page, 'the quick one', () => window.studio.work().creature.source.name === 'quick.glb' && window.studio.settled);
    await page.getByText(/its own "walk[^"]*" takes .* strides per second/i).waitFor();
    const before = await report(page);
    await toggle.click();
    await until(page, 'the other tempo', () => window.studio.work().creature.own_tempo && window.studio.settled);
    await page.getByText(/in step with its own clips, .*times as fast/i).waitFor();
    const after = await report(page);
    assert.ok(after.stride_frequency > 2 * before.stride_frequency, `${before.stride_frequency} to ${after.stride_frequency} Hz`);
    assert.ok(Math.abs(after.stride_length / before.stride_length - 1) < 0.02, 'it keeps its size');
    await page.getByRole('button', { name: /^Undo tempo/ }).click();
    await until(page, 'its own tempo', () => !window.studio.work().creature.own_tempo && window.studio.settled);
    await page.getByRole('button', { name: /^Redo tempo/ }).click();
    // A moment later it is kept.
    await eventually('the work to be kept', () => page.evaluate(async () => {
      const tab = new URLSearchParams(location.hash.slice(1)).get('tab');
      return (await window.studio.ask('load', { tab })).answer.work?.history.present.work.creature.own_tempo;
    }), (kept) => kept === true);
    await page.reload();
    await until(page, 'the work', () => window.studio?.settled);
    assert.equal((await work(page)).creature.own_tempo, true);
  });
};
