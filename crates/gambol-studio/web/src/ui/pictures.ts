const addresses = new Map<string, string>()

/** The address of a gallery picture: an image of its own, so that nothing in it can touch the page. */
export function pictureOf({ name, picture }: { name: string; picture: string }): string {
  let address = addresses.get(name)
  if (address === undefined) {
    address = URL.createObjectURL(new Blob([picture], { type: 'image/svg+xml' }))
    addresses.set(name, address)
  }
  return address
}
