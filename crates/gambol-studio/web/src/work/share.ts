import type { Work } from './work'
import { whole } from './keeper'

/** What a link that holds a work begins with; names of gaits that a server keeps do not. */
export const WHOLE = '~'

/** A work as letters for an address: its JSON, deflated, as base64 of URLs (RFC 4648, section 5). */
export async function toLink(work: Work): Promise<string> {
  const packed = await through(new TextEncoder().encode(JSON.stringify(work)), new CompressionStream('deflate-raw'))
  const letters = [...packed].map((byte) => String.fromCharCode(byte)).join('')
  return WHOLE + btoa(letters).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '')
}

/** The work that a link holds. Throws where it holds none. */
export async function ofLink(link: string): Promise<Work> {
  try {
    const letters = atob(link.slice(WHOLE.length).replaceAll('-', '+').replaceAll('_', '/'))
    const packed = Uint8Array.from(letters, (letter) => letter.charCodeAt(0))
    const work = JSON.parse(new TextDecoder().decode(await through(packed, new DecompressionStream('deflate-raw')))) as Work
    return whole({ work, counted: work.style, label: '' }).work
  } catch {
    throw new Error('This link is not whole: perhaps a part of it was lost on its way.')
  }
}

async function through(bytes: Uint8Array<ArrayBuffer>, stream: CompressionStream | DecompressionStream): Promise<Uint8Array> {
  return new Uint8Array(await new Response(new Blob([bytes]).stream().pipeThrough(stream)).arrayBuffer())
}
