// Without a mouse, and for those who do not see the screen.

import assert from 'node:assert/strict';
import { apart, eventually, open, pose, test, until } from './harness.mjs';

const focused = (page) => page.evaluate(() => {
  const at = document.activeElement;
  return { tag: at.tagName, text: (at.getAttribute('aria-label') ?? at.textContent).trim() };
});

export default async (server) => {
  await test('By keyboard alone: tab to walk and press it, play and pause, step, help', async (fresh) => {
    const page = await open(await fresh(), server.url);
    await eventually('the walk button in focus', async () => {
      await page.keyboard.press('Tab');
      return focused(page);
    }, ({ tag, text }) => tag === 'BUTTON' && text === 'Walk');
    const ring = await page.evaluate(() => getComputedStyle(document.activeElement).outlineStyle);
    assert.notEqual(ring, 'none', 'what is in focus is seen to be');
    await page.keyboard.press('Enter');
    await until(page, 'the walk', () => window.studio.work().gait.name === 'walk' && window.studio.settled);

    // Away from the button, where space would press it.
    await page.evaluate(() => document.activeElement.blur());
    await page.keyboard.press('Space');
    const play = page.locator('.play');
    assert.equal(await play.getAttribute('aria-label'), 'Play', 'space pauses');
    const [time, before] = [await page.evaluate(() => window.studio.time), await pose(page)];
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('ArrowRight');
    const later = await page.evaluate(() => window.studio.time);
    assert.ok(later > time && later - time < 0.2, `two frames on: ${time} to ${later} s`);
    await eventually('the pose of the frame', async () => apart(before, await pose(page)), (off) => off > 1e-4);
    await page.keyboard.press('ArrowLeft');
    assert.ok((await page.evaluate(() => window.studio.time)) < later, 'and one back');
    await page.keyboard.press('Space');
    assert.equal(await play.getAttribute('aria-label'), 'Pause', 'space plays');

    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keys' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.keyboard.press('Control+e');
    await page.getByRole('dialog', { name: 'Take it home' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });

    // A slider by arrow keys: one step of undo.
    await page.getByRole('tab', { name: 'Body' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('slider', { name: 'All joints', exact: true }).focus();
    for (let k = 0; k < 4; k++) await page.keyboard.press('PageUp');
    await until(page, 'a stiffer body', () => window.studio.work().style.scale[0]?.[1] > 1 && window.studio.settled);
    // A mode by arrow keys and Enter.
    await page.locator('.picture').first().focus();
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('Enter');
    await until(page, 'a preferred mode', () => window.studio.work().gait.prefer.length === 1);
  });

  await test('Every control of every panel and dialog has a name', async (fresh) => {
    const page = await open(await fresh(), server.url);
    const check = async (where) => {
      const nameless = await page.evaluate(() => {
        const controls = document.querySelectorAll('button, input, select, textarea, a[href], canvas[tabindex], [role=slider], [role=tab], [role=radio], [role=switch]');
        const named = (control) => {
          const labels = [...(control.labels ?? [])].map((label) => label.textContent);
          const by = (control.getAttribute('aria-labelledby') ?? '').split(' ').map((id) => document.getElementById(id)?.textContent ?? '');
          const own = control.matches('button, a, [role=tab], [role=radio], [role=slider]') ? control.textContent : '';
          return [control.getAttribute('aria-label'), ...by, ...labels, own, control.getAttribute('title')].some((text) => text?.trim());
        };
        return [...controls].filter((control) => !named(control)).map((control) => control.outerHTML.slice(0, 160));
      });
      assert.deepEqual(nameless, [], where);
    };
    await check('at the start');
    await page.getByRole('tab', { name: 'Body' }).click();
    await check('body');
    await page.getByRole('tab', { name: 'Physics' }).click();
    await check('physics');
    await page.getByRole('tab', { name: 'Controller' }).click();
    await page.getByRole('button', { name: 'Sketch for this dog' }).click();
    for (const section of ['Timing', 'Legs and pose', 'Springs']) await page.getByRole('button', { name: section, exact: true }).click();
    await check('controller');
    await page.getByRole('tab', { name: 'Motion' }).click();
    await page.locator('.creature-button').click();
    await check('gallery');
    assert.ok((await page.locator('.card').count()) >= 10, 'the gallery has its ten creatures');
    const pictures = await page.locator('.card img').evaluateAll((images) => images.map((image) => image.naturalWidth));
    assert.ok(pictures.length >= 10 && pictures.every((width) => width > 20), `with pictures: ${pictures}`);
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.keyboard.press('Control+e');
    await check('take it home');
  });

  await test('Those who want less motion find the studio paused', async (fresh) => {
    const page = await open(await fresh(), server.url);
    const before = await pose(page);
    await page.evaluate(() => new Promise((resume) => setTimeout(resume, 500)));
    assert.equal(apart(before, await pose(page)), 0, 'nothing moves');
    await page.getByRole('button', { name: 'Play', exact: true }).click();
    await eventually('it to move when asked', async () => apart(before, await pose(page)), (off) => off > 0.01);
  });
};
