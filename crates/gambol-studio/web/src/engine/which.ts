import type { Engine } from './engine'
import { linkToServer } from './link'
import { LocalEngine } from './local'

/** Where the page says that its engine is, if it brought one: a site of files alone does (`cargo xtask site`). */
const BROUGHT = 'meta[name="gambol-engine"]'

/** The engine that came with the page, or that of the server which served it. */
export function engineOf(page: Document): Engine {
  const address = page.querySelector<HTMLMetaElement>(BROUGHT)?.content
  return address ? new LocalEngine(new URL(address, page.baseURI)) : linkToServer(page.location)
}
