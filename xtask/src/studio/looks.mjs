// A laptop and a large screen, light and dark: nothing lies over anything else's words, nothing leaves the window, and
// all words can be read.

import assert from 'node:assert/strict';
import { open, simulates, test, until } from './harness.mjs';

/** WCAG 2.1, level AA, for text of normal size. */
const CONTRAST = 4.5;
const SCREENS = [{ width: 1280, height: 720 }, { width: 2560, height: 1440 }];

/** Runs in the page: what is wrong with the layout, in words. */
function layout() {
  const found = [];
  const clips = (style) => /auto|scroll|hidden|clip/.test(style.overflowX + style.overflowY);
  /** What of an element's box is not cut off by the boxes around it; null if nothing. */
  const seen = (element, box) => {
    let { left, top, right, bottom } = box;
    for (let around = element.parentElement; around; around = around.parentElement) {
      if (!clips(getComputedStyle(around))) continue;
      const frame = around.getBoundingClientRect();
      [left, top, right, bottom] = [Math.max(left, frame.left), Math.max(top, frame.top), Math.min(right, frame.right), Math.min(bottom, frame.bottom)];
    }
    return right - left > 1 && bottom - top > 1 ? { left, top, right, bottom } : null;
  };
  const modal = document.querySelector('dialog[open]');
  const root = modal ?? document.body;
  const shown = [...root.querySelectorAll('*')].filter((element) => element.checkVisibility({ opacityProperty: true, visibilityProperty: true }) && !element.closest('.hidden'));
  const scrolls = (element) => {
    for (let around = element.parentElement; around; around = around.parentElement) if (/auto|scroll/.test(getComputedStyle(around).overflowY)) return true;
    return false;
  };
  const say = (element) => `${element.tagName.toLowerCase()}.${element.className?.baseVal ?? element.className} “${element.textContent.trim().slice(0, 30)}”`;
  for (const element of shown.filter((element) => element.matches('button, label, input, select, p, h2, h3, output'))) {
    const { left, right, top, bottom } = element.getBoundingClientRect();
    if (right - left === 0) continue;
    if (left < -1 || right > innerWidth + 1) found.push(`${say(element)} leaves the window sideways`);
    if (!scrolls(element) && (top < -1 || bottom > innerHeight + 1)) found.push(`${say(element)} leaves the window`);
  }
  for (const element of [document.documentElement, ...shown]) {
    if (/auto|scroll/.test(getComputedStyle(element).overflowX) && element.scrollWidth > element.clientWidth + 1) found.push(`${say(element)} scrolls sideways`);
  }
  if (document.documentElement.scrollWidth > innerWidth) found.push('the page scrolls sideways');
  // Words: the boxes of text itself.
  const words = shown.flatMap((element) => [...element.childNodes].filter((node) => node.nodeType === Node.TEXT_NODE && node.textContent.trim()).flatMap((node) => {
    const range = document.createRange();
    range.selectNode(node);
    return [...range.getClientRects()].flatMap((box) => {
      const visible = seen(element, clips(getComputedStyle(element)) ? overlap(box, element.getBoundingClientRect()) : box);
      return visible ? [{ element, box: visible }] : [];
    });
  }));
  function overlap(a, b) {
    return { left: Math.max(a.left, b.left), top: Math.max(a.top, b.top), right: Math.min(a.right, b.right), bottom: Math.min(a.bottom, b.bottom) };
  }
  // What floats over the page for a moment may cover it.
  const floats = (element) => element.closest('.notes, .tip, .stage-hint, .menu');
  for (let a = 0; a < words.length; a++) {
    for (let b = a + 1; b < words.length; b++) {
      if (words[a].element === words[b].element || floats(words[a].element) || floats(words[b].element)) continue;
      const common = overlap(words[a].box, words[b].box);
      if (common.right - common.left > 2 && common.bottom - common.top > 3) found.push(`${say(words[a].element)} lies over ${say(words[b].element)}`);
    }
  }
  return [...new Set(found)].slice(0, 12);
}

/** Runs in the page: words that are hard to read on what is behind them. */
function faint(least) {
  const brush = new OffscreenCanvas(1, 1).getContext('2d', { willReadFrequently: true });
  const rgba = (colour) => {
    brush.clearRect(0, 0, 1, 1);
    brush.fillStyle = colour;
    brush.fillRect(0, 0, 1, 1);
    const [r, g, b, a] = brush.getImageData(0, 0, 1, 1).data;
    return [r, g, b, a / 255];
  };
  const over = ([r, g, b, a], [x, y, z]) => [r * a + x * (1 - a), g * a + y * (1 - a), b * a + z * (1 - a), 1];
  const light = (colour) => {
    const [r, g, b] = colour.slice(0, 3).map((value) => (value / 255 <= 0.04045 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const behind = (element) => {
    const layers = [];
    for (let at = element; at; at = at.parentElement) {
      layers.push(rgba(getComputedStyle(at).backgroundColor));
      if (layers.at(-1)[3] === 1) break;
    }
    return layers.reverse().reduce((below, layer) => over(layer, below), [255, 255, 255, 1]);
  };
  const found = new Map();
  let read = 0;
  for (const element of document.querySelectorAll('body *')) {
    const own = [...element.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.textContent.trim());
    if (!own || !element.checkVisibility({ opacityProperty: true, visibilityProperty: true }) || element.closest('.hidden, [disabled], svg')) continue;
    read++;
    const back = behind(element);
    const [a, b] = [light(over(rgba(getComputedStyle(element).color), back)), light(back)];
    const contrast = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (contrast < least) found.set(`${element.tagName.toLowerCase()}.${element.className}`, `${contrast.toFixed(2)}: “${element.textContent.trim().slice(0, 30)}” (${element.className})`);
  }
  return { read, found: [...found.values()] };
}

export default async (server) => {
  for (const viewport of SCREENS) {
    for (const colorScheme of ['light', 'dark']) {
      await test(`At ${viewport.width} × ${viewport.height}, ${colorScheme}: nothing overlaps or leaves the window, and all words can be read`, async (fresh) => {
        const page = await open(await fresh({ viewport, colorScheme }), server.url);
        assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), colorScheme);
        const wrong = [];
        const look = async (where) => {
          wrong.push(...(await page.evaluate(layout)).map((text) => `${where}: ${text}`));
          const { read, found } = await page.evaluate(faint, CONTRAST);
          assert.ok(read > 20, `${where}: ${read} texts were looked at`);
          wrong.push(...found.map((text) => `${where}: contrast ${text}`));
        };
        await look('motion and creature');
        await page.getByRole('tab', { name: 'Body' }).click();
        await page.locator('.picture').nth(1).click();
        await page.locator('.picture').nth(2).dblclick();
        await look('body');
        await page.getByRole('tab', { name: 'Physics' }).click();
        await page.getByRole('radio', { name: 'Nothing' }).click();
        await page.getByRole('button', { name: 'Start', exact: true }).click();
        await simulates(page).waitFor();
        await look('physics');
        await page.getByRole('tab', { name: 'Controller' }).click();
        await page.getByRole('button', { name: 'Sketch for this dog' }).click();
        await until(page, 'a sketch', () => window.studio.work().sketch && window.studio.settled);
        await page.locator('.picture').nth(1).click();
        await page.locator('.picture').nth(2).dblclick();
        await page.getByRole('button', { name: 'Legs and pose' }).click();
        await look('controller');
        await page.getByRole('tab', { name: 'Motion' }).click();
        for (const [open, name] of [['?', 'keys'], ['Control+e', 'take it home']]) {
          // There is nothing to take home before the gait is there; the button says when.
          await page.locator('button:enabled', { hasText: 'Take it home' }).waitFor();
          await page.keyboard.press(open);
          await page.getByRole('dialog').waitFor();
          await look(name);
          await page.keyboard.press('Escape');
          await page.getByRole('dialog').waitFor({ state: 'detached' });
        }
        await page.locator('.creature-button').click();
        await look('gallery');
        assert.ok(wrong.length === 0, [...new Set(wrong)].join('\n      '));
      });
    }
  }
};
