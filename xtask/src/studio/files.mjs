// Files in and out: what is no creature changes nothing and is told; what is taken home is what its name says; a gait
// comes back by its link and by its file.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { apart, closeDialog, config, dropFiles, eventually, keep, MOVING, open, pose, press, report, take, test, until, work } from './harness.mjs';

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
      // Of one piece many times: the file is that large and takes no memory.
      const piece = new Blob([new Uint8Array(1 << 20)]);
      transfer.items.add(new File([...Array(512).fill(piece), 'x'], 'huge.glb'));
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

  await test('A bone with skin that follows no body goes along, as in the file that goes home', async (fresh) => {
    // Weights on the root above all driven bones: on the stage the skin once stayed behind with it for metres.
    const page = await open(await fresh(), server.url);
    await dropFiles(page, [{ name: 'beast.glb', bytes: readFileSync(config.samples.quadruped) }]);
    await until(page, 'the beast', () => window.studio.work().creature.source.from === 'file' && window.studio.settled && window.studio.stats().stage.skin);
    await press(page, 'Walk');
    const { root, bones } = await page.evaluate(() => window.studio.creature().skin);
    const stay = await page.evaluate(() => window.studio.nodes());
    const driven = new Set(bones.map(({ node }) => node));
    assert.ok(stay.length > bones.length, 'all nodes of the file are told');
    const travel = async (cycles) => {
      await page.evaluate(async (cycles) => {
        const { answer } = await window.studio.ask('motion', window.studio.work());
        window.studio.time = cycles * answer.clip.duration;
      }, cycles);
      await page.evaluate(() => new Promise((resume) => requestAnimationFrame(() => requestAnimationFrame(resume))));
      return page.evaluate(() => window.studio.nodes());
    };
    const [before, after] = [await travel(0), await travel(20)];
    const way = (index) => Math.hypot(...[0, 1].map((k) => after.find(({ node }) => node === index).place[k] - before.find(({ node }) => node === index).place[k]));
    const far = way(bones[0].node);
    assert.ok(far > 3, `it goes ${far} m`);
    assert.ok(driven.has(root) || Math.abs(way(root) - far) < 0.05 * far, `the root goes ${way(root)} m`);
  });

  await test('An FBX file is told in words that help, and nothing changes', async (fresh) => {
    const page = await open(await fresh(), server.url);
    const before = await work(page);
    await dropFiles(page, [{ name: 'hero.fbx', bytes: text.encode('Kaydara FBX Binary  ') }]);
    await page.getByText(/hero\.fbx is an FBX file.*does not read/).waitFor();
    await page.getByText(/GLB/).first().waitFor();
    assert.deepEqual(await work(page), before);
  });

  await test('Films show the skin at the chosen size, whole and clear, however slowly they are drawn', async (fresh) => {
    const page = await open(await fresh({ viewport: { width: 900, height: 600 } }), server.url);
    await dropFiles(page, [{ name: 'beast.glb', bytes: readFileSync(config.samples.quadruped) }]);
    await until(page, 'the beast', () => window.studio.work().creature.source.from === 'file' && window.studio.settled && window.studio.stats().stage.skin);
    await press(page, 'Walk');
    await page.getByRole('button', { name: 'Take it home' }).click();
    await page.getByLabel('Pictures').selectOption('240');
    const cycle = await page.evaluate(async () => (await window.studio.ask('motion', window.studio.work())).answer.clip.duration);
    // As the browser plays them: how large, how long, how many pictures, what share is brown as its fur, and what share is clear.
    const looked = (bytes, kind) => page.evaluate(async ([base64, kind]) => {
      const data = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
      const shares = (source, width, height) => {
        const brush = new OffscreenCanvas(width, height).getContext('2d');
        brush.drawImage(source, 0, 0);
        const pixels = brush.getImageData(0, 0, width, height).data;
        let [brown, clear] = [0, 0];
        for (let k = 0; k < pixels.length; k += 4) {
          if (pixels[k + 3] < 128) clear++;
          else if (pixels[k] > pixels[k + 1] + 15 && pixels[k + 1] > pixels[k + 2] + 15) brown++;
        }
        return { brown: brown / width / height, clear: clear / width / height };
      };
      if (kind === 'video/webm') {
        const video = document.createElement('video');
        video.muted = true;
        video.src = URL.createObjectURL(new Blob([data], { type: kind }));
        await new Promise((resume, fail) => { video.onloadeddata = resume; video.onerror = () => fail(new Error(video.error.message)); });
        video.currentTime = video.duration / 2;
        await new Promise((resume) => { video.onseeked = resume; });
        return { height: video.videoHeight, seconds: video.duration, ...shares(video, video.videoWidth, video.videoHeight) };
      }
      const decoder = new ImageDecoder({ data, type: kind });
      await decoder.tracks.ready;
      await decoder.completed;
      const { frameCount, repetitionCount } = decoder.tracks.selectedTrack;
      let seconds = 0;
      // Pictures that are not given back are told on the console.
      for (let frameIndex = 0; frameIndex < frameCount; frameIndex++) {
        const { image } = await decoder.decode({ frameIndex });
        seconds += image.duration / 1e6;
        image.close();
      }
      const { image } = await decoder.decode({ frameIndex: Math.floor(frameCount / 2) });
      const seen = { height: image.displayHeight, width: image.displayWidth, frameCount, repetitionCount, seconds, ...shares(image, image.displayWidth, image.displayHeight) };
      image.close();
      decoder.close();
      return seen;
    }, [Buffer.from(bytes).toString('base64'), kind]);

    for (const clear of [false, true]) {
      if (clear) await page.getByText('Clear', { exact: true }).click();
      const [film, loop, strip] = [await take(page, 'WebM'), await take(page, 'GIF'), await take(page, 'Film strip')];
      for (const { name, bytes } of [film, loop, strip]) keep(`${clear ? 'clear' : 'whole'}-${name}`, bytes);
      const [webm, gif] = [await looked(film.bytes, 'video/webm'), await looked(loop.bytes, 'image/gif')];
      assert.deepEqual([webm.height, gif.height], [240, 240]);
      assert.ok(Math.abs(webm.seconds - cycle) < 0.02, `the film takes ${webm.seconds} s, the cycle ${cycle} s`);
      assert.ok(Math.abs(gif.seconds - cycle) < 0.03 * gif.frameCount, `the GIF takes ${gif.seconds} s, the cycle ${cycle} s`);
      assert.ok(gif.frameCount > 10 && gif.repetitionCount === Infinity, `${gif.frameCount} pictures that go round`);
      const png = await looked(strip.bytes, 'image/png');
      assert.deepEqual([png.width, png.height], [8 * 300, 240]);
      for (const [kind, seen] of Object.entries({ webm, gif, png })) {
        assert.ok(seen.brown > 0.01, `${kind}: ${seen.brown} of it is of the colour of its fur`);
        assert.ok(clear ? seen.clear > 0.5 : seen.clear === 0, `${kind}: ${seen.clear} of it is clear`);
      }
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
