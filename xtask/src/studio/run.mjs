// Tests of the studio in a real browser: the program runs, Chromium shows its page, and what is on the screen is checked.

import { join } from 'node:path';
import { config, finish, scratch, Server, Site } from './harness.mjs';

const server = await (config.site ? new Site() : new Server(join(scratch, 'studio'))).start();
for (const theme of ['first', ...config.themes, 'last']) {
  const { default: tests } = await import(`./${theme}.mjs`);
  await tests(server);
}
await finish(server);
