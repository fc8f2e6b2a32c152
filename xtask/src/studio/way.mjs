// The typical session of Kry et al. 2009, section 5.1, by mouse: stiffness from weight, stiffness by hand, the rest pose,
// constraints, a gait, its modes, and home with it; on the dog, and on a skinned file that was dropped.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import {
  apart, closeDialog, config, drag, dropFiles, eventually, eye, frequencies, gaitButton, keep, open, pose, press, report,
  settled, slider, stageShot, take, test, until, work,
} from './harness.mjs';
import { parts, player, validate } from './gltf.mjs';

/** Frequencies are shown with two digits after the point, or three in all. */
const SHOWN = 0.02;
/** A foot that slips less is not seen to slip, mm. */
const SLIP = 1;
/** Bones in the file and on the page, in parts of the creature's height: 32-bit numbers along a chain, and keys that
 * both interpolate, at the keys' own times. */
const NEAR = 2e-4;

/** Vibrations scale with the root of stiffness. */
function assertRatio(before, after, ratio, what) {
  assert.equal(before.length, after.length, `${what}: as many modes`);
  for (const k of [0, 10, 40]) {
    const off = Math.abs(after[k] / before[k] / ratio - 1);
    assert.ok(off < SHOWN, `${what}: mode ${k} went from ${before[k]} to ${after[k]} Hz, not by ${ratio}`);
  }
}

/** A body by its name: its number, its middle, and what the page may call the place. */
const bodyNamed = (page, name) => page.evaluate((name) => {
  const { bodies, joints } = window.studio.creature();
  const body = bodies.findIndex((body) => body.name === name);
  const names = [name, ...joints.filter((joint) => joint.body === body).map((joint) => joint.name)];
  return { body, com: bodies[body].com, names };
}, name);

/** Puts the mouse on a body: where it is told to be, and where the page says under the mouse that it is. */
async function pointAt(page, { body, com, names }) {
  const words = (name) => name.toLowerCase().split(/[. ]/).sort().join();
  return eventually(`${names} under the mouse`, async () => {
    const at = await page.evaluate(([body, point]) => window.studio.onPage(body, point), [body, com]);
    await page.mouse.move(at.x, at.y);
    const tips = await page.locator('.tip').allInnerTexts();
    return tips.some((tip) => names.map(words).includes(words(tip))) ? at : tips[0] ?? 'nothing';
  }, (at) => at.x !== undefined);
}

/** Checks that a file's clip is the motion on the page: all bones at some times, y up against z up. */
async function assertSameMotion(page, file, bones) {
  // Off the palette, where the mouse would play a mode.
  await page.mouse.move(640, 4);
  await page.evaluate(() => { window.studio.time = 0; });
  const height = await page.evaluate(() => window.studio.creature().height);
  let last = 0;
  for (let step = 0; step < 4; step++) {
    if (step > 0) for (let k = 0; k < 5; k++) await page.keyboard.press('ArrowRight');
    const time = await page.evaluate(() => window.studio.time);
    assert.ok(step === 0 || time > last, `the arrow keys step: ${last} to ${time} s`);
    last = time;
    await eventually('the stage to show the frame', async () => {
      file.seek(time);
      const frames = await page.evaluate(() => window.studio.frames());
      return Math.max(...bones.map(({ node, place }) => {
        const [a, b] = [file.place(node), place(frames)];
        return Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
      })) / height;
    }, (off) => off < NEAR);
  }
}

export default async (server) => {
  await test('The way of section 5.1 on the dog, from stiffness to an exported walk', async (fresh) => {
    const page = await open(await fresh(), server.url);
    await page.getByRole('tab', { name: 'Body' }).click();

    // Stand it up: one factor for all springs.
    const untouched = await frequencies(page);
    assert.equal(untouched.length, 74, 'all vibrations of the dog are in the palette');
    assert.deepEqual(untouched, [...untouched].sort((a, b) => a - b), 'lowest first');
    await page.getByRole('button', { name: 'Stand it up' }).click();
    await page.locator('.note.good').waitFor();
    await settled(page);
    const standing = await frequencies(page);
    const { style } = await work(page);
    const factor = style.scale.find(([pattern]) => pattern === '.*')?.[1];
    assert.ok(factor > 0 && Math.abs(factor - 1) > 0.01, `standing up changes the stiffness: ${JSON.stringify(style)}`);
    assertRatio(untouched, standing, Math.sqrt(factor), 'stand it up');

    // Stiffness by hand.
    await drag(page, slider(page, 'All joints'), 0.8);
    await settled(page);
    const stiffer = (await work(page)).style.scale.find(([pattern]) => pattern === '.*')[1];
    assert.ok(stiffer > 2 * factor || stiffer > 4, `the slider makes it stiffer: ${stiffer}`);
    assertRatio(untouched, await frequencies(page), Math.sqrt(stiffer), 'stiffness by hand');

    // The rest pose: a paw follows the mouse, and undo takes it back.
    await page.getByRole('button', { name: 'Pose by hand' }).click();
    const paw = await bodyNamed(page, 'paw.front.right');
    const from = await pointAt(page, paw);
    const rest = await pose(page);
    const to = { x: from.x + 25, y: from.y - 45 };
    await page.mouse.down();
    await page.mouse.move((from.x + to.x) / 2, (from.y + to.y) / 2, { steps: 4 });
    await page.mouse.move(to.x, to.y, { steps: 4 });
    await page.mouse.up();
    await until(page, 'bent joints', () => window.studio.work().style.bend.length > 0 && window.studio.settled);
    const posed = await pose(page);
    assert.ok(apart(posed, rest) > 0.05, 'the pose differs');
    await eventually('the paw to be where it was dragged', () => page.evaluate(([body, point, to]) => {
      const at = window.studio.onPage(body, point);
      return Math.hypot(at.x - to.x, at.y - to.y);
    }, [paw.body, paw.com, to]), (pixels) => pixels < 20);
    await page.keyboard.press('Control+z');
    await until(page, 'no bent joints', () => window.studio.work().style.bend.length === 0 && window.studio.settled);
    await eventually('the pose before', async () => apart(await pose(page), rest), (off) => off < 1e-9);

    // A constraint by clicking: the head keeps its orientation.
    assert.equal(await page.locator('.picture').first().getAttribute('data-mode'), '6', 'the first vibration comes after shifts and turns');
    await page.getByRole('button', { name: 'Pin by clicking' }).click();
    const at = await pointAt(page, await bodyNamed(page, 'head'));
    await page.mouse.click(at.x, at.y);
    await page.getByRole('menuitem', { name: /orientation/ }).click();
    await until(page, 'a constraint', () => window.studio.work().style.constraints.length === 1 && window.studio.settled);
    assert.match((await work(page)).style.constraints[0], /^orientation:/);
    // With the head's orientation the whole creature's is held: of six rigid motions three are left.
    assert.equal(await page.locator('.picture').first().getAttribute('data-mode'), '3', 'the first vibration comes after three shifts');
    assert.match(await page.locator('.rows').innerText(), /head.*orientation/i);
    await page.keyboard.press('Escape');

    // Walk: modes light up, the meter tells.
    await press(page, 'Walk');
    const lit = await page.locator('.cell.lit').count();
    assert.ok(lit >= 2, `${lit} modes light up`);
    const { speed, slip_mm: slip } = await report(page);
    assert.ok(speed > 0.1, `it walks at ${speed} m/s`);
    assert.ok(slip < SLIP, `feet slip ${slip} mm`);
    const meter = await page.locator('dl.meter').innerText();
    assert.match(meter, /Speed\s+[\d.]+ m\/s/);
    assert.match(meter, /Slip\s+0\.\d+ mm/);
    assert.equal(await page.locator('.contact').count(), 4, 'a bar for each foot');

    // The amplitude of a mode in it changes the motion.
    await page.keyboard.press('Space');
    await page.evaluate(() => { window.studio.time = 0.1; });
    const amplitudes = page.locator('.section').filter({ hasText: 'Modes in it' }).getByRole('slider');
    const calm = await eventually('a still pose', () => pose(page), (now) => now.length > 0);
    const picture = await stageShot(page);
    await drag(page, amplitudes.first(), 0.75);
    await settled(page);
    assert.equal((await work(page)).gait.edits.length, 1, 'one mode is edited');
    await page.evaluate(() => { window.studio.time = 0.1; });
    await eventually('another pose at the same time', async () => apart(await pose(page), calm), (off) => off > 0.02);
    await eventually('another picture', async () => (await eye.look(picture, await stageShot(page))).different, (share) => share > 0.001);

    // Home with it.
    const { name, bytes } = await take(page, 'GLB');
    keep(name, bytes);
    assert.equal(name, 'dog-walk.glb');
    await closeDialog(page);
    await validate(bytes);
    const names = await page.evaluate(() => window.studio.creature().bodies.map((body) => body.name));
    const bones = names.map((name, body) => ({ node: name, place: (frames) => [frames[7 * body + 1], frames[7 * body + 2], frames[7 * body]] }));
    await assertSameMotion(page, await player(bytes, 'walk'), bones.slice(1));
  });

  await test('A skinned file from drop to export: its own skin on the stage, the walk in it, all else unchanged', async (fresh) => {
    const page = await open(await fresh(), server.url);
    const before = readFileSync(config.samples.quadruped);
    await dropFiles(page, [{ name: 'beast.glb', bytes: before }]);
    await until(page, 'the dropped creature', () => window.studio.work().creature.source.from === 'file' && window.studio.settled && window.studio.stats().stage.skin);
    assert.ok((await page.locator('.creature-button').innerText()).includes('beast.glb'));
    const old = parts(before).json;
    const { triangles } = await page.evaluate(() => window.studio.stats().stage);
    const ofSkin = old.meshes.flatMap((mesh) => mesh.primitives).reduce((sum, { indices }) => sum + old.accessors[indices].count / 3, 0);
    assert.ok(triangles >= ofSkin, `${triangles} triangles are drawn, ${ofSkin} of the skin`);
    // Its fur is light brown; our own body would be grey.
    const brown = await page.evaluate(async (base64) => {
      const bitmap = await createImageBitmap(new Blob([Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0))]));
      const brush = new OffscreenCanvas(bitmap.width, bitmap.height).getContext('2d');
      brush.drawImage(bitmap, 0, 0);
      const { data } = brush.getImageData(0, 0, bitmap.width, bitmap.height);
      let brown = 0;
      for (let k = 0; k < data.length; k += 4) if (data[k] > data[k + 1] + 20 && data[k + 1] > data[k + 2] + 20) brown++;
      return brown / (data.length / 4);
    }, (await stageShot(page)).toString('base64'));
    assert.ok(brown > 0.01, `${brown} of the stage is of its material's colour`);

    await press(page, 'Walk');
    const { slip_mm: slip } = await report(page);
    assert.ok(slip < SLIP, `feet slip ${slip} mm`);
    await page.keyboard.press('Space');
    const { name, bytes } = await take(page, 'GLB');
    keep(name, bytes);
    await closeDialog(page);
    await validate(bytes, before);
    const [was, now] = [parts(before), parts(bytes)];
    for (const key of ['scenes', 'scene', 'nodes', 'meshes', 'skins', 'materials']) assert.deepEqual(now.json[key], was.json[key], `${key} are unchanged`);
    assert.deepEqual(now.json.animations.slice(0, was.json.animations.length), was.json.animations, 'its own clips are unchanged');
    assert.equal(now.json.animations.length, was.json.animations.length + 1, 'one clip is new');
    assert.ok(now.binary.subarray(0, was.binary.length).equals(was.binary), 'its data is unchanged');
    // Bones of the file, from the page's kinematics through the skin's own numbers.
    const skin = await page.evaluate(() => window.studio.creature().skin);
    const { name: clip } = now.json.animations.at(-1);
    assert.match(clip, /^walk/);
    assert.ok(was.json.animations.every((old) => old.name !== clip), 'under a name of its own');
    const file = await player(bytes, clip);
    const bones = skin.bones.map(({ node, body, position }) => ({ node, place: (frames) => {
      const at = frames.slice(7 * body, 7 * body + 7);
      return inFile(skin, add(at, rotated(at.slice(3), position)));
    } }));
    await assertSameMotion(page, file, bones);
  });

  await test('Kinematics on the page are those of the engine: a limb that reaches its goal there is there', async (fresh) => {
    const page = await open(await fresh(), server.url);
    const off = await page.evaluate(async () => {
      const { creature, style } = window.studio.work();
      const answer = window.studio.creature();
      const feet = answer.landmarks.filter(({ role }) => role === 'foot');
      const rest = (await window.studio.ask('body', { creature, style })).answer.pose;
      const at = (frames, { body, point }) => {
        const [x, y, z, w, i, j, k] = frames.slice(7 * body, 7 * body + 7);
        const [a, b, c] = point;
        const [t, u, v] = [2 * (j * c - k * b), 2 * (k * a - i * c), 2 * (i * b - j * a)];
        return [x + a + w * t + j * v - k * u, y + b + w * u + k * t - i * v, z + c + w * v + i * u - j * t];
      };
      const results = [];
      for (const foot of feet) {
        const [x, y, z] = at(window.studio.frames(rest), foot);
        const target = [x + 0.04, y, z + 0.05];
        const { answer: reached } = await window.studio.ask('reach', { creature, style, pulls: [{ body: foot.body, point: foot.point, target }] });
        const there = at(window.studio.frames(reached.pose), foot);
        results.push({ off: Math.hypot(...there.map((value, k) => value - target[k])), miss: reached.miss });
      }
      return results;
    });
    assert.equal(off.length, 4);
    for (const { off: distance, miss } of off) {
      assert.ok(miss < 1e-3, `the engine reaches its goal: ${miss} m`);
      assert.ok(Math.abs(distance - miss) < 1e-6, `the page finds it ${distance} m off, the engine ${miss} m`);
    }
  });
};

const add = (a, b) => [0, 1, 2].map((k) => a[k] + b[k]);

/** A vector turned by a quaternion w x y z. */
function rotated([w, x, y, z], [a, b, c]) {
  const [t, u, v] = [2 * (y * c - z * b), 2 * (z * a - x * c), 2 * (x * b - y * a)];
  return [a + w * t + y * v - z * u, b + w * u + z * t - x * v, c + w * v + x * u - y * t];
}

/** From the world to the scene of the file: world = position + orientation · scale · scene. */
function inFile({ position, orientation: [w, x, y, z], scale }, point) {
  return rotated([w, -x, -y, -z], point.map((value, k) => value - position[k])).map((value) => value / scale);
}
