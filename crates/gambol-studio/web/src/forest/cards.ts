import * as THREE from 'three'
import type { Foliage } from '../protocol'

/** px */
const SIZE = 256
/** Leaves on a card of broad leaves: near, and where one card stands for many, whose leaves would look huge. */
const LEAVES = { near: 17, far: 70 }

/** What a leaf or a spray of them looks like: brightness, and where there is something. */
export function cardOf(foliage: Foliage, seen: 'near' | 'far'): THREE.Texture {
  const canvas = document.createElement('canvas')
  canvas.width = canvas.height = SIZE
  const brush = canvas.getContext('2d')!
  let seed = 7
  const random = () => {
    seed = (seed * 16807) % 2147483647
    return seed / 2147483647
  }
  const grey = (share: number) => `rgb(${Math.round(255 * share)} ${Math.round(255 * share)} ${Math.round(255 * share)})`
  // Drawn on a card of 128.
  brush.scale(SIZE / 128, SIZE / 128)
  brush.translate(64, 64)
  if (foliage === 'needles') spray(brush, random, grey)
  else if (foliage === 'fronds') blade(brush, grey)
  else twigs(brush, random, grey, LEAVES[seen])
  const texture = new THREE.CanvasTexture(canvas)
  texture.generateMipmaps = true
  texture.minFilter = THREE.LinearMipmapLinearFilter
  texture.anisotropy = 4
  return texture
}

type Brush = CanvasRenderingContext2D

/** A handful of leaves round a twig. */
function twigs(brush: Brush, random: () => number, grey: (share: number) => string, count: number): void {
  const size = Math.sqrt(LEAVES.near / count)
  for (let k = 0; k < count; k++) {
    brush.save()
    const angle = 2.4 * k
    // Of many, some stand out and none points outwards by rule.
    const loose = 1 - size
    const away = (62 - 18 * size) * Math.sqrt((k + 0.5) / count) * (1 - loose * 0.7 * random())
    brush.translate(away * Math.cos(angle), away * Math.sin(angle))
    brush.rotate(angle + Math.PI / 2 + (1.2 + 10 * loose) * (random() - 0.5))
    const [long, wide] = [size * (15 + 6 * random()), size * (8 + 3 * random())]
    brush.fillStyle = grey(0.35 + 0.6 * random())
    brush.beginPath()
    brush.moveTo(0, -long)
    brush.quadraticCurveTo(wide, 0, 0, long)
    brush.quadraticCurveTo(-wide, 0, 0, -long)
    brush.fill()
    brush.restore()
  }
}

/** Needles on both sides of a twig that goes up the card. */
function spray(brush: Brush, random: () => number, grey: (share: number) => string): void {
  brush.lineCap = 'round'
  for (let k = 0; k < 26; k++) {
    const y = 58 - 4.1 * k
    const long = 34 * Math.sin(Math.PI * Math.min(0.2 + 0.78 * (k / 26), 0.97)) + 10
    for (const side of [-1, 1]) {
      brush.strokeStyle = grey(0.3 + 0.6 * random())
      brush.lineWidth = 3.4
      brush.beginPath()
      brush.moveTo(0, y)
      brush.lineTo(side * long * (0.85 + 0.3 * random()), y - 16 - 12 * random())
      brush.stroke()
    }
  }
}

/** One leaflet. */
function blade(brush: Brush, grey: (share: number) => string): void {
  brush.fillStyle = grey(0.75)
  brush.beginPath()
  brush.moveTo(0, 62)
  brush.quadraticCurveTo(64, 0, 0, -62)
  brush.quadraticCurveTo(-64, 0, 0, 62)
  brush.fill()
  brush.strokeStyle = grey(0.45)
  brush.lineWidth = 6
  brush.beginPath()
  brush.moveTo(0, 60)
  brush.lineTo(0, -50)
  brush.stroke()
}
