import type { Dropped } from './work/stash'

/** What can be dropped, for people. */
export const ACCEPTED = '.glb, .gltf with its files, .xml (MJCF), .urdf, .bvh, a plant (.mtg, .swc, .csv), or a gait or sketch .toml'
/** The same for a file dialog: a glTF's pictures and a robot's meshes come along. */
export const ACCEPT = '.glb,.gltf,.bin,.png,.jpg,.jpeg,.webp,.ktx2,.xml,.urdf,.bvh,.toml,.obj,.stl,.mtg,.drf,.swc,.csv,.tsv'

/** A file that was not read yet: a large one is refused before it is. */
export interface Found { name: string; file: File }

/** All files of a drop, those of folders with their paths. */
export async function filesOf(transfer: DataTransfer): Promise<Found[]> {
  // The list is gone once this function waits: all of it is taken first.
  const items = [...transfer.items].map((item) => ({ entry: item.webkitGetAsEntry(), file: item.getAsFile() }))
  const found = items.map(({ entry, file }) => (entry ? walk(entry) : file ? Promise.resolve([{ name: file.name, file }]) : []))
  return (await Promise.all(found)).flat()
}

export function filesOfInput(files: Iterable<File>): Found[] {
  return [...files].map((file) => ({ name: file.webkitRelativePath || file.name, file }))
}

export async function readAll(found: Found[]): Promise<Dropped[]> {
  return Promise.all(found.map(async ({ name, file }) => ({ name, bytes: new Uint8Array(await file.arrayBuffer()) })))
}

async function walk(entry: FileSystemEntry): Promise<Found[]> {
  const path = entry.fullPath.replace(/^\//, '')
  if (entry.isFile) {
    const file = await new Promise<File>((settle, fail) => (entry as FileSystemFileEntry).file(settle, fail))
    return [{ name: path, file }]
  }
  const reader = (entry as FileSystemDirectoryEntry).createReader()
  const inside: FileSystemEntry[] = []
  // A browser tells a folder piece by piece, and an empty piece is the end.
  for (;;) {
    const piece = await new Promise<FileSystemEntry[]>((settle, fail) => reader.readEntries(settle, fail))
    if (piece.length === 0) break
    inside.push(...piece)
  }
  return (await Promise.all(inside.map((inner) => walk(inner)))).flat()
}

/** Gives a file to the browser to save. */
export function download(name: string, blob: Blob): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(blob)
  link.download = name
  link.click()
  // The browser has begun to read it long before.
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000)
}
