// One smooth skin over the round solids of a creature, so that it looks like an animal and not like a bag of sausages.
//
//   for each round shape s, in the reference pose:
//     f = smooth union of s with the shapes near it, on its own body and on bodies up to two joints away
//     polygonise f = 0 around s (surface nets), push the corners onto the surface
//     keep what is nearer to s than to its neighbours, and a little more
//     bind each corner to the bodies near it, by distance
//
// Bodies that are far apart in the tree never flow together, however close they are in space. Each shape's grid is as
// fine as the shape is thin. Where two patches meet, place, normal and binding depend on the place alone, so that no
// seam shows.

import type { CreatureAnswer, ShapePart } from '../protocol'
import { Kinematics } from './kinematics'
import { isRound, shapeFrame, thickness } from './shapes'

export interface Flesh {
  /** In the world of the reference pose, m. */
  positions: Float32Array
  normals: Float32Array
  triangles: Uint32Array
  /** Four bodies per corner, and how much it follows each. */
  bodies: Uint16Array
  weights: Float32Array
  /** The two nearest shapes per corner (numbers of `CreatureAnswer.shapes`), and the second one's share of its colour. */
  shapes: Uint16Array
  secondShare: Float32Array
  /** Per corner: how open it is to light from around, 0 to 1. */
  openness: Float32Array
}

/** How far solids flow into each other, in parts of the thinner one's half thickness. More makes knots at joints. */
const FLOW = 0.55
/** Width over which a corner changes from one body to the next, in the same parts. */
const BLEND = 1.3
/** Width over which the colour of one shape becomes that of the next, in the same parts. */
const COLOUR_BLEND = 0.4
/** Joints between bodies that still flow together. */
const JOINTS_APART = 2
/** Cells in half the thickness of a shape, at least and at most; about six times as many corners go around a limb. */
const FEWEST_CELLS = 1.1
const ENOUGH_CELLS = 3.2
const FINE_CELLS = 2
/** A shape is left or right if its middle is this many half thicknesses off the plane y = 0. */
const OFF_MIDDLE = 0.3
/** The most cells of one shape's grid: a long thin shape gets a coarser one. */
const MOST_CELLS = 40_000
/** Of a patch beyond the middle between two shapes, in cells: closes the hairline between them, wider on coarse grids. */
const SKIRT = 0.3
const COARSE_SKIRT = 0.9
/** The border is found this many times closer than an edge is long, as a power of two. */
const HALVINGS = 5
/** Thick shapes get no coarser grid than this many times a typical one: thin ones must fit onto them. */
const COARSEST = 1.5
/** Size of the solids under the skin, in parts of the shapes, and how open to light they pass for. */
const CORE = 0.94
const CORE_OPENNESS = 0.85
/** Light from around is looked for this far off the surface, in typical half thicknesses. */
const OPENNESS_REACH = [0.8, 2.5]

/** Bodies that get skin: all their shapes are round. */
export function fleshyBodies(creature: CreatureAnswer): Set<number> {
  const bodies = new Set(creature.shapes.filter((shape) => shape.body > 0).map((shape) => shape.body))
  for (const shape of creature.shapes) if (!isRound(shape)) bodies.delete(shape.body)
  return bodies
}

/** Grows a skin of about so many triangles. */
export function growFlesh(creature: CreatureAnswer, triangles: number): Flesh {
  const fleshy = fleshyBodies(creature)
  const frames = new Kinematics(creature).frames(creature.reference)
  const blobs = creature.shapes.flatMap((shape, number) =>
    fleshy.has(shape.body) ? [new Blob(shape, number, frames)] : [],
  )
  // A face of the grid has two triangles: 2 area / cell², with cell = thickness / cells.
  const atOneCell = blobs.reduce((sum, blob) => sum + 2 * blob.area / blob.thickness ** 2, 0)
  const cells = Math.min(Math.max(Math.sqrt(triangles / atOneCell), FEWEST_CELLS), ENOUGH_CELLS)
  const fine = cells > FINE_CELLS
  // In a small picture no seam is seen.
  const coarsest = fine ? COARSEST * typicalThickness(blobs) / cells : Infinity
  const apart = jointsApart(creature, fleshy)
  const patches = blobs.map((own) => {
    const near = blobs.filter(
      (other) => other !== own && apart(own.body, other.body) <= JOINTS_APART && own.touches(other) && !own.mirrors(other),
    )
    return new Patch(own, near, cells, coarsest).grow()
  })
  const skinCorners = patches.reduce((sum, patch) => sum + patch.positions.length / 3, 0)
  const flesh = join([...patches, ...blobs.map((blob) => blob.core(fine ? 5 : 3, fine ? 8 : 6))])
  measureOpenness(flesh, blobs, skinCorners)
  return flesh
}

/** Counts the joints between two bodies with skin; bodies without any shape are stepped over. */
function jointsApart(creature: CreatureAnswer, fleshy: Set<number>): (a: number, b: number) => number {
  const shaped = new Set(creature.shapes.map((shape) => shape.body))
  const above = (body: number): number[] => {
    const path = [body]
    for (let next = creature.bodies[body]!.parent; next > 0; next = creature.bodies[next]!.parent) {
      if (fleshy.has(next)) path.push(next)
      // A hard body between two soft ones keeps them apart.
      else if (shaped.has(next)) break
    }
    return path
  }
  const paths = new Map([...fleshy].map((body) => [body, above(body)]))
  return (a, b) => {
    const pathB = paths.get(b)!
    for (const [up, body] of paths.get(a)!.entries()) {
      const down = pathB.indexOf(body)
      if (down >= 0) return up + down
    }
    return Infinity
  }
}

/** The median. */
function typicalThickness(blobs: Blob[]): number {
  return blobs.map((blob) => blob.thickness).sort((a, b) => a - b)[blobs.length >> 1] ?? 0
}

/** Where `Blob.sense` and `Patch.sense` leave the gradient. */
const gradient = new Float64Array(3)

/** A round solid fixed in the world. */
class Blob {
  readonly body: number
  readonly thickness: number
  /** About, m². */
  readonly area: number
  /** Half sizes of the box around it along the world's axes, m. */
  readonly half: number[]
  readonly centre: number[]
  private readonly turn: number[]
  private readonly capsule: boolean
  private readonly a: number
  private readonly b: number
  private readonly c: number

  constructor(shape: ShapePart, readonly number: number, frames: Float64Array) {
    const frame = new Float64Array(7)
    shapeFrame(shape, frames, frame)
    this.body = shape.body
    this.thickness = thickness(shape)
    this.centre = [frame[0]!, frame[1]!, frame[2]!]
    const [w, x, y, z] = [frame[3]!, frame[4]!, frame[5]!, frame[6]!]
    // Rows: the axes of the shape in the world.
    this.turn = [
      1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y),
      2 * (x * y - w * z), 1 - 2 * (x * x + z * z), 2 * (y * z + w * x),
      2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y),
    ]
    this.capsule = shape.kind !== 'ellipsoid'
    this.a = shape.size[0]!
    this.b = shape.kind === 'sphere' ? 0 : shape.size[1]!
    this.c = shape.size[2] ?? 0
    this.area = 4 * Math.PI * (this.capsule ? this.a * (this.a + this.b) : (this.a * this.b + this.b * this.c + this.c * this.a) / 3)
    const t = this.turn
    this.half = [0, 1, 2].map((k) =>
      this.capsule ? this.a + this.b * Math.abs(t[6 + k]!) : Math.hypot(this.a * t[k]!, this.b * t[3 + k]!, this.c * t[6 + k]!),
    )
  }

  touches(other: Blob): boolean {
    const room = this.thickness + other.thickness
    return this.centre.every((at, k) => Math.abs(at - other.centre[k]!) < this.half[k]! + other.half[k]! + room)
  }

  /** A coarse, smaller copy of itself: where the skin parts in a sharp bend, this shows and not what is behind. */
  core(rings: number, steps: number): PatchMesh {
    const mesh = emptyMesh()
    for (let ring = 0; ring <= rings; ring++)
      for (let step = 0; step < steps; step++) {
        const polar = Math.PI * ring / rings
        const around = 2 * Math.PI * step / steps
        const [x, y, z] = [Math.sin(polar) * Math.cos(around), Math.sin(polar) * Math.sin(around), Math.cos(polar)]
        const { a, b, c } = this
        mesh.positions.push(...this.toWorld(this.capsule ? [a * x, a * y, a * z + Math.sign(z) * b] : [a * x, b * y, c * z], CORE))
        mesh.normals.push(...this.toWorld([x, y, z], 1).map((value, k) => value - this.centre[k]!))
        mesh.bodies.push(this.body, 0, 0, 0)
        mesh.weights.push(1, 0, 0, 0)
        mesh.shapes.push(this.number, this.number)
        mesh.secondShare.push(0)
        if (ring === rings) continue
        const [here, next] = [ring * steps + step, ring * steps + (step + 1) % steps]
        mesh.triangles.push(here, here + steps, next, next, here + steps, next + steps)
      }
    return mesh
  }

  private toWorld(place: [number, number, number], scale: number): number[] {
    const t = this.turn
    return this.centre.map((value, k) => value + scale * (t[k]! * place[0] + t[3 + k]! * place[1] + t[6 + k]! * place[2]))
  }

  /** Whether they are on opposite sides of the creature, like two thighs: these never flow together. */
  mirrors(other: Blob): boolean {
    const [left, right] = [this, other].map((blob) => blob.centre[1]! / blob.thickness) as [number, number]
    return this.body !== other.body && left * right < 0 && Math.min(Math.abs(left), Math.abs(right)) > OFF_MIDDLE
  }

  /** Distance of a point of the world from the surface, negative inside; its gradient is left in `gradient`. */
  sense(x: number, y: number, z: number): number {
    const t = this.turn
    const dx = x - this.centre[0]!, dy = y - this.centre[1]!, dz = z - this.centre[2]!
    let u = t[0]! * dx + t[1]! * dy + t[2]! * dz
    let v = t[3]! * dx + t[4]! * dy + t[5]! * dz
    let w = t[6]! * dx + t[7]! * dy + t[8]! * dz
    let distance: number
    if (this.capsule) {
      w -= w < -this.b ? -this.b : w > this.b ? this.b : w
      const length = Math.sqrt(u * u + v * v + w * w) || 1e-12
      distance = length - this.a
      u /= length
      v /= length
      w /= length
    } else {
      // First order in the distance, exact on the surface, which is where it counts.
      const { a, b, c } = this
      const level = Math.sqrt((u / a) ** 2 + (v / b) ** 2 + (w / c) ** 2)
      u /= a * a
      v /= b * b
      w /= c * c
      const slope = Math.sqrt(u * u + v * v + w * w)
      if (slope < 1e-9) return -this.thickness
      distance = level * (level - 1) / slope
      u /= slope
      v /= slope
      w /= slope
    }
    gradient[0] = t[0]! * u + t[3]! * v + t[6]! * w
    gradient[1] = t[1]! * u + t[4]! * v + t[7]! * w
    gradient[2] = t[2]! * u + t[5]! * v + t[8]! * w
    return distance
  }
}

interface PatchMesh {
  positions: number[]
  normals: number[]
  triangles: number[]
  bodies: number[]
  weights: number[]
  shapes: number[]
  secondShare: number[]
}

function emptyMesh(): PatchMesh {
  return { positions: [], normals: [], triangles: [], bodies: [], weights: [], shapes: [], secondShare: [] }
}

/** The skin of one shape. */
class Patch {
  private readonly all: Blob[]
  /** Of all, at the place last asked about, with their gradients. */
  private readonly distances: Float64Array
  private readonly gradients: Float64Array
  private cell = 1
  private least = [0, 0, 0]
  private size = [0, 0, 0]

  constructor(private readonly own: Blob, near: Blob[], private readonly cells: number, private readonly coarsest: number) {
    this.all = [own, ...near]
    this.distances = new Float64Array(this.all.length)
    this.gradients = new Float64Array(3 * this.all.length)
  }

  grow(): PatchMesh {
    this.layGrid()
    const field = this.fillField()
    const { places, triangles } = this.polygonise(field)
    return this.finish(places, triangles)
  }

  private layGrid(): void {
    const { half, centre, thickness } = this.own
    const margin = () => FLOW * thickness / 4 + 2 * this.cell
    const sizes = () => half.map((value) => Math.ceil(2 * (value + margin()) / this.cell) + 1)
    this.cell = Math.min(thickness / this.cells, this.coarsest)
    while (sizes().reduce((product, size) => product * size, 1) > MOST_CELLS) this.cell *= 1.1
    this.size = sizes()
    this.least = centre.map((value, k) => value - half[k]! - margin())
  }

  private fillField(): Float32Array {
    const [nx, ny, nz] = this.size as [number, number, number]
    const { cell, least, own } = this
    const field = new Float32Array(nx * ny * nz)
    // Farther off than this the surface is another shape's, and will be cut off: no need to ask the neighbours.
    const band = FLOW * own.thickness + 2 * cell
    let at = 0
    for (let k = 0; k < nz; k++)
      for (let j = 0; j < ny; j++)
        for (let i = 0; i < nx; i++) {
          const x = least[0]! + i * cell, y = least[1]! + j * cell, z = least[2]! + k * cell
          const distance = own.sense(x, y, z)
          field[at++] = Math.abs(distance) > band ? distance : this.sense(x, y, z)
        }
    return field
  }

  /** A corner in every cell that the surface passes, a face across every grid edge that it cuts. */
  private polygonise(field: Float32Array): { places: number[]; triangles: number[] } {
    const [nx, ny, nz] = this.size as [number, number, number]
    const { cell, least } = this
    const offsets = [0, 1, nx, nx + 1, nx * ny, nx * ny + 1, nx * ny + nx, nx * ny + nx + 1]
    const corners = new Int32Array(field.length).fill(-1)
    const places: number[] = []
    const triangles: number[] = []
    const cut = [0, 0, 0]
    for (let k = 0; k + 1 < nz; k++)
      for (let j = 0; j + 1 < ny; j++)
        for (let i = 0; i + 1 < nx; i++) {
          const at = (k * ny + j) * nx + i
          if (!meanCut(field, at, offsets, cut)) continue
          corners[at] = places.length / 3
          places.push(least[0]! + (i + cut[0]!) * cell, least[1]! + (j + cut[1]!) * cell, least[2]! + (k + cut[2]!) * cell)
        }
    const [alongX, alongY, alongZ] = [1, nx, nx * ny]
    for (let k = 1; k + 1 < nz; k++)
      for (let j = 1; j + 1 < ny; j++)
        for (let i = 1; i + 1 < nx; i++) {
          const at = (k * ny + j) * nx + i
          const inside = field[at]! < 0
          for (const [along, u, v] of [[alongX, alongY, alongZ], [alongY, alongZ, alongX], [alongZ, alongX, alongY]] as const) {
            if (inside === field[at + along]! < 0) continue
            const [a, b, c, d] = [corners[at - u - v]!, corners[at - v]!, corners[at]!, corners[at - u]!]
            if (inside) triangles.push(a, b, c, a, c, d)
            else triangles.push(a, c, b, a, d, c)
          }
        }
    return { places, triangles }
  }

  /** Cuts off what is another shape's, settles what is left, and binds it. */
  private finish(places: number[], triangles: number[]): PatchMesh {
    const mesh = emptyMesh()
    const beyond = new Float64Array(places.length / 3)
    for (let corner = 0; corner < beyond.length; corner++) {
      const place = places.slice(3 * corner, 3 * corner + 3)
      // Settling moves it by two cells at most: what is farther beyond than it can come back stays there.
      this.measure(place[0]!, place[1]!, place[2]!)
      beyond[corner] = this.beyond()
      if (beyond[corner]! > 4 * this.cell) continue
      this.settle(place)
      for (let k = 0; k < 3; k++) places[3 * corner + k] = place[k]!
      beyond[corner] = this.beyond()
    }
    const kept = new Map<number, number>()
    const keep = (key: number, place: () => number[]): number => {
      const known = kept.get(key)
      if (known !== undefined) return known
      const index = mesh.positions.length / 3
      kept.set(key, index)
      this.add(place(), mesh)
      return index
    }
    const corner = (c: number) => keep(c, () => places.slice(3 * c, 3 * c + 3))
    /** Where an edge passes from this shape to another. */
    const border = (a: number, b: number) => {
      const [from, to] = beyond[a]! <= 0 ? [a, b] : [b, a]
      // Keys of edges come after those of corners.
      return keep(beyond.length * (1 + from) + to, () => this.seek(places, 3 * from, 3 * to))
    }
    const ring: number[] = []
    for (let t = 0; t < triangles.length; t += 3) {
      ring.length = 0
      for (let k = 0; k < 3; k++) {
        const a = triangles[t + k]!
        const b = triangles[t + (k + 1) % 3]!
        if (beyond[a]! <= 0) ring.push(corner(a))
        if (beyond[a]! <= 0 !== beyond[b]! <= 0) ring.push(border(a, b))
      }
      for (let k = 2; k < ring.length; k++) mesh.triangles.push(ring[0]!, ring[k - 1]!, ring[k]!)
    }
    return mesh
  }

  /** Halves the way from a corner of this shape to one beyond, on the surface, until the border is found. */
  private seek(places: number[], from: number, to: number): number[] {
    let [near, far] = [0, 1]
    let place: number[] = []
    for (let round = 0; round < HALVINGS; round++) {
      const share = (near + far) / 2
      place = [0, 1, 2].map((k) => places[from + k]! + share * (places[to + k]! - places[from + k]!))
      this.settle(place)
      if (this.beyond() <= 0) near = share
      else far = share
    }
    return place
  }

  private add(place: number[], mesh: PatchMesh): void {
    this.settle(place)
    mesh.positions.push(...place)
    mesh.normals.push(...gradient)
    this.bind(mesh)
    this.colour(mesh)
  }

  /** By how much the place last asked about belongs to another shape, m. */
  private beyond(): number {
    let other = Infinity
    for (let n = 1; n < this.distances.length; n++) other = Math.min(other, this.distances[n]!)
    return this.distances[0]! - other - (this.cells > FINE_CELLS ? SKIRT : COARSE_SKIRT) * this.cell
  }

  /** Distances to all shapes, with their gradients. */
  private measure(x: number, y: number, z: number): void {
    for (let n = 0; n < this.all.length; n++) {
      this.distances[n] = this.all[n]!.sense(x, y, z)
      this.gradients[3 * n] = gradient[0]!
      this.gradients[3 * n + 1] = gradient[1]!
      this.gradients[3 * n + 2] = gradient[2]!
    }
  }

  /**
   * Smooth distance to all shapes, with its gradient: that to the nearest less a bulge where others are about as near,
   * d − (Σ bᵢ²)^½ with bᵢ = (flow − (dᵢ − d))²/4 flow. It does not depend on the order of the shapes.
   */
  private sense(x: number, y: number, z: number): number {
    const { all, distances, gradients } = this
    this.measure(x, y, z)
    const first = this.nearest()
    const nearest = distances[first]!
    let squares = 0
    let gx = 0, gy = 0, gz = 0
    for (let n = 0; n < all.length; n++) {
      const flow = FLOW * Math.min(all[first]!.thickness, all[n]!.thickness)
      const overlap = flow - (distances[n]! - nearest)
      if (n === first || overlap <= 0) continue
      const bulge = overlap * overlap / (4 * flow)
      squares += bulge * bulge
      // ∇bᵢ = (overlap / 2 flow)(∇d − ∇dᵢ)
      const share = bulge * overlap / (2 * flow)
      gx += share * (gradients[3 * first]! - gradients[3 * n]!)
      gy += share * (gradients[3 * first + 1]! - gradients[3 * n + 1]!)
      gz += share * (gradients[3 * first + 2]! - gradients[3 * n + 2]!)
    }
    const bulge = Math.sqrt(squares)
    const scale = bulge > 0 ? 1 / bulge : 0
    gradient[0] = gradients[3 * first]! - scale * gx
    gradient[1] = gradients[3 * first + 1]! - scale * gy
    gradient[2] = gradients[3 * first + 2]! - scale * gz
    return nearest - bulge
  }

  /** Pushes a place onto the surface by Newton's method; leaves the unit normal in `gradient`. */
  private settle(place: number[]): void {
    for (let round = 0; ; round++) {
      const distance = this.sense(place[0]!, place[1]!, place[2]!)
      const length = Math.hypot(gradient[0]!, gradient[1]!, gradient[2]!) || 1
      for (let k = 0; k < 3; k++) gradient[k]! /= length
      if (round === 2) return
      // Never farther than a cell: the gradient may vanish between two shapes.
      const way = Math.min(Math.max(distance / length, -this.cell), this.cell)
      for (let k = 0; k < 3; k++) place[k]! -= way * gradient[k]!
    }
  }

  private bind(mesh: PatchMesh): void {
    const nearest = this.nearest()
    const shares = new Map<number, number>()
    this.all.forEach((blob, n) => {
      const width = BLEND * Math.min(blob.thickness, this.all[nearest]!.thickness)
      const share = Math.max(0, 1 - (this.distances[n]! - this.distances[nearest]!) / width) ** 2
      shares.set(blob.body, Math.max(shares.get(blob.body) ?? 0, share))
    })
    const four = [...shares].sort((a, b) => b[1] - a[1]).slice(0, 4)
    const total = four.reduce((sum, [, share]) => sum + share, 0)
    for (let n = 0; n < 4; n++) {
      mesh.bodies.push(four[n]?.[0] ?? 0)
      mesh.weights.push((four[n]?.[1] ?? 0) / total)
    }
  }

  private colour(mesh: PatchMesh): void {
    const first = this.nearest()
    let second = first
    for (let n = 0; n < this.distances.length; n++)
      if (n !== first && (second === first || this.distances[n]! < this.distances[second]!)) second = n
    const width = COLOUR_BLEND * Math.min(this.all[first]!.thickness, this.all[second]!.thickness)
    const gap = this.distances[second]! - this.distances[first]!
    mesh.shapes.push(this.all[first]!.number, this.all[second]!.number)
    mesh.secondShare.push(second === first ? 0 : Math.max(0, 1 - gap / width) / 2)
  }

  private nearest(): number {
    let nearest = 0
    for (let n = 1; n < this.distances.length; n++) if (this.distances[n]! < this.distances[nearest]!) nearest = n
    return nearest
  }
}

/** The twelve edges of a cell, as pairs of its eight corners (bits x y z). */
const EDGES = [[0, 1], [2, 3], [4, 5], [6, 7], [0, 2], [1, 3], [4, 6], [5, 7], [0, 4], [1, 5], [2, 6], [3, 7]] as const

/** cut ← mean of the points where the surface cuts the edges of a cell, in parts of it; false if it does not pass. */
function meanCut(field: Float32Array, at: number, offsets: number[], cut: number[]): boolean {
  let insides = 0
  for (let corner = 0; corner < 8; corner++) if (field[at + offsets[corner]!]! < 0) insides++
  if (insides === 0 || insides === 8) return false
  let cuts = 0
  cut.fill(0)
  for (const [a, b] of EDGES) {
    const fa = field[at + offsets[a]!]!
    const fb = field[at + offsets[b]!]!
    if (fa < 0 === fb < 0) continue
    const share = fa / (fa - fb)
    for (let k = 0; k < 3; k++) {
      const from = (a >> k) & 1
      cut[k]! += from + share * (((b >> k) & 1) - from)
    }
    cuts++
  }
  for (let k = 0; k < 3; k++) cut[k]! /= cuts
  return true
}

function join(patches: PatchMesh[]): Flesh {
  const corners = patches.reduce((sum, patch) => sum + patch.positions.length / 3, 0)
  const triangles = new Uint32Array(patches.reduce((sum, patch) => sum + patch.triangles.length, 0))
  const flesh: Flesh = {
    positions: new Float32Array(3 * corners),
    normals: new Float32Array(3 * corners),
    triangles,
    bodies: new Uint16Array(4 * corners),
    weights: new Float32Array(4 * corners),
    shapes: new Uint16Array(2 * corners),
    secondShare: new Float32Array(corners),
    openness: new Float32Array(corners).fill(1),
  }
  let corner = 0
  let place = 0
  for (const patch of patches) {
    flesh.positions.set(patch.positions, 3 * corner)
    flesh.normals.set(patch.normals, 3 * corner)
    flesh.bodies.set(patch.bodies, 4 * corner)
    flesh.weights.set(patch.weights, 4 * corner)
    flesh.shapes.set(patch.shapes, 2 * corner)
    flesh.secondShare.set(patch.secondShare, corner)
    for (const index of patch.triangles) triangles[place++] = corner + index
    corner += patch.positions.length / 3
  }
  return flesh
}

/** Walks off the surface along the normal: where other flesh comes nearer than the way gone, light is lost. */
function measureOpenness(flesh: Flesh, blobs: Blob[], skinCorners: number): void {
  const typical = typicalThickness(blobs)
  const reaches = OPENNESS_REACH.map((reach) => reach * typical)
  flesh.openness.fill(CORE_OPENNESS, skinCorners)
  for (let corner = 0; corner < skinCorners; corner++) {
    let open = 0
    for (const reach of reaches) {
      const x = flesh.positions[3 * corner]! + reach * flesh.normals[3 * corner]!
      const y = flesh.positions[3 * corner + 1]! + reach * flesh.normals[3 * corner + 1]!
      const z = flesh.positions[3 * corner + 2]! + reach * flesh.normals[3 * corner + 2]!
      let nearest = reach
      for (const blob of blobs) {
        const { centre, half } = blob
        const away = Math.max(
          Math.abs(x - centre[0]!) - half[0]!,
          Math.abs(y - centre[1]!) - half[1]!,
          Math.abs(z - centre[2]!) - half[2]!,
        )
        if (away > nearest) continue
        nearest = Math.min(nearest, blob.sense(x, y, z))
      }
      open += Math.max(nearest / reach, 0)
    }
    flesh.openness[corner] = open / reaches.length
  }
}
