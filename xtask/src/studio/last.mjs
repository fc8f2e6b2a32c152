// Of the whole run: no request left the machine, and no error went unseen.

import assert from 'node:assert/strict';
import { complaints, requests, test } from './harness.mjs';

export default async (server) => {
  await test('No request left the machine, and the page is told to make none', async () => {
    const here = /^(https?|wss?):\/\/127\.0\.0\.1:\d+\/|^(blob|data):/;
    assert.ok(requests.length > 0, 'requests were seen');
    assert.deepEqual([...new Set(requests.filter((url) => !here.test(url)))], []);
    const page = await fetch(server.url);
    const policy = page.headers.get('content-security-policy') ?? /Content-Security-Policy" content="([^"]*)"/.exec(await page.text())?.[1] ?? '';
    assert.match(policy, /default-src 'none'|default-src 'self'/);
    assert.doesNotMatch(policy, /https?:\/\/(?!127\.0\.0\.1)|\*/, policy);
  });

  await test('No error was written to the console in the whole run', async () => {
    assert.deepEqual([...new Set(complaints)], []);
  });
};
