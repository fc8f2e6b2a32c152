import * as THREE from 'three'
import { toCreasedNormals } from 'three/addons/utils/BufferGeometryUtils.js'
import type { CreatureAnswer, ShapePart } from '../protocol'
import type { Bytes } from './bytes'
import { type Flesh, fleshyBodies, growFlesh } from './flesh'
import { Kinematics } from './kinematics'
import { meshGeometry, Picker, setMatrix } from './pick'
import type { Look, Puppet } from './puppet'
import { COLOURS } from './theme'

/** Edges sharper than this stay sharp on meshes, rad. */
const CREASE = 0.7
/** Meshes with more triangles than this are not worth the wait for sharp edges. */
const MOST_CREASED = 60_000
/** A small picture of a creature shows no more triangles than this per mesh shape. */
const MOST_IN_SMALL = 400
/** Of the skin over round shapes, about. */
const TRIANGLES = 12_000
/** The same for small pictures. */
const FEW_TRIANGLES = 2_500
/** What MuJoCo paints shapes that have no colour. */
const UNPAINTED = 0.5
/** How strongly a highlight covers what is below. */
const HIGHLIGHT = 0.55
/** The same of a tint. */
const TINT = 0.8
/** What is left of the light in the deepest fold. */
const DARKEST = 0.5

/** A creature drawn from its shapes. */
export function bodyPuppet(creature: CreatureAnswer, bytes: Bytes, look: Look): Puppet {
  return new BodyPuppet(creature, bytes, look)
}

class BodyPuppet implements Puppet {
  readonly object = new THREE.Group()
  readonly skin = false
  readonly triangles: number
  private readonly look: Look
  private readonly picker: Picker
  private readonly paint: Paint
  private readonly parts: Part[] = []
  private painted = ''

  constructor(creature: CreatureAnswer, bytes: Bytes, look: Look) {
    this.look = look
    this.picker = new Picker(creature, bytes)
    this.paint = new Paint(look)
    const fleshy = fleshyBodies(creature)
    if (fleshy.size > 0) this.parts.push(new FleshPart(creature, look))
    const hard = creature.shapes.filter((shape) => shape.body > 0 && !fleshy.has(shape.body))
    this.parts.push(...solidParts(hard, look))
    for (const shape of hard) if (shape.kind === 'mesh') this.parts.push(new MeshPart(shape, bytes, look))
    for (const part of this.parts) this.object.add(part.object)
    this.triangles = this.parts.reduce((sum, part) => sum + part.triangles, 0)
    this.repaint()
    this.pose(new Kinematics(creature).frames(creature.reference))
  }

  pose(frames: Float64Array): void {
    this.picker.pose(frames)
    for (const part of this.parts) part.pose(frames)
  }

  pick(raycaster: THREE.Raycaster) {
    return this.picker.pick(raycaster)
  }

  highlight(bodies: number[] | null, colour = COLOURS[this.look.theme].highlight): void {
    this.paint.highlighted = bodies ? { bodies: new Set(bodies), colour } : null
    this.repaint()
  }

  tint(colours: (string | null)[] | null): void {
    this.paint.tints = colours
    this.repaint()
  }

  setTheme(theme: Look['theme']): void {
    this.look.theme = theme
    this.repaint()
  }

  dispose(): void {
    this.picker.dispose()
    for (const part of this.parts) part.dispose()
  }

  /** Colours every corner anew, if anything about the colours is new. */
  private repaint(): void {
    const painted = this.paint.description()
    if (painted === this.painted) return
    this.painted = painted
    for (const part of this.parts) part.paint(this.paint)
  }
}

/** What colour things are: the file's, the theme's clay where the file gives none, tints and highlights over it. */
class Paint {
  highlighted: { bodies: Set<number>; colour: string } | null = null
  tints: (string | null)[] | null = null

  constructor(private readonly look: Look) {}

  /** The same for the same colours. */
  description(): string {
    const { highlighted, tints, look } = this
    return JSON.stringify([highlighted && [...highlighted.bodies, highlighted.colour], tints, look.theme])
  }

  /** The shape's own. */
  base(shape: ShapePart): THREE.Color {
    const theme = COLOURS[this.look.theme]
    if (this.look.ghost) return new THREE.Color(theme.ghost)
    const [red, green, blue] = shape.colour
    const unpainted = red === UNPAINTED && green === UNPAINTED && blue === UNPAINTED
    if (unpainted) return new THREE.Color(theme.clay)
    return new THREE.Color().setRGB(red, green, blue, THREE.SRGBColorSpace)
  }

  /** What covers a body, and how much. */
  over(body: number): { colour: THREE.Color; share: number } | null {
    const tint = this.tints?.[body]
    if (this.highlighted?.bodies.has(body)) return { colour: new THREE.Color(this.highlighted.colour), share: HIGHLIGHT }
    return tint ? { colour: new THREE.Color(tint), share: TINT } : null
  }

  of(shape: ShapePart): THREE.Color {
    const over = this.over(shape.body)
    return over ? this.base(shape).lerp(over.colour, over.share) : this.base(shape)
  }
}

interface Part {
  readonly object: THREE.Object3D
  readonly triangles: number
  pose(frames: Float64Array): void
  paint(paint: Paint): void
  dispose(): void
}

function material(look: Look): THREE.Material {
  if (look.lowPoly) return new THREE.MeshLambertMaterial()
  const material = new THREE.MeshStandardMaterial({ roughness: 0.62, metalness: 0 })
  if (look.ghost) Object.assign(material, { transparent: true, opacity: 0.4 })
  return material
}

function castsShadow(object: THREE.Object3D, look: Look): void {
  object.castShadow = object.receiveShadow = !look.lowPoly && !look.ghost
}

const mixed = new THREE.Color()
const covering = new THREE.Color()

/** All round shapes, under one skin. */
class FleshPart implements Part {
  readonly object: THREE.SkinnedMesh
  readonly triangles: number
  private readonly flesh: Flesh
  private readonly bones: { body: number; bone: THREE.Bone }[] = []
  private readonly colours: THREE.BufferAttribute

  constructor(private readonly creature: CreatureAnswer, look: Look) {
    this.flesh = grown(creature, look.lowPoly ?? false)
    const { positions, normals, triangles, bodies, weights } = this.flesh
    this.triangles = triangles.length / 3
    const geometry = new THREE.BufferGeometry()
    geometry.setAttribute('position', new THREE.BufferAttribute(positions, 3))
    geometry.setAttribute('normal', new THREE.BufferAttribute(normals, 3))
    geometry.setAttribute('skinIndex', new THREE.BufferAttribute(bodies, 4))
    geometry.setAttribute('skinWeight', new THREE.BufferAttribute(weights, 4))
    this.colours = new THREE.BufferAttribute(new Float32Array(positions.length), 3)
    geometry.setAttribute('color', this.colours)
    geometry.setIndex(new THREE.BufferAttribute(triangles, 1))

    const fill = material(look)
    fill.vertexColors = true
    this.object = new THREE.SkinnedMesh(geometry, fill)
    const frames = new Kinematics(creature).frames(creature.reference)
    const bones = creature.bodies.map((_, body) => {
      // Bones stand alone, outside the scene: their matrices are written by `pose` and by nothing else.
      const bone = new THREE.Bone()
      setMatrix(bone.matrixWorld, frames, 7 * body)
      this.bones.push({ body, bone })
      return bone
    })
    const inverses = bones.map((bone) => bone.matrixWorld.clone().invert())
    this.object.bind(new THREE.Skeleton(bones, inverses), new THREE.Matrix4())
    this.object.frustumCulled = false
    castsShadow(this.object, look)
    if (look.ghost) this.object.add(this.depthOnly())
  }

  /** Drawn first, it leaves of a ghost only what is nearest: no limb shows through another. */
  private depthOnly(): THREE.SkinnedMesh {
    const before = new THREE.SkinnedMesh(this.object.geometry, new THREE.MeshBasicMaterial({ colorWrite: false }))
    before.bind(this.object.skeleton, new THREE.Matrix4())
    before.frustumCulled = false
    return before
  }

  pose(frames: Float64Array): void {
    for (const { body, bone } of this.bones) setMatrix(bone.matrixWorld, frames, 7 * body)
  }

  paint(paint: Paint): void {
    const { bodies, weights, shapes, secondShare, openness } = this.flesh
    const base = this.creature.shapes.map((shape) => paint.base(shape))
    const over = this.creature.bodies.map((_, body) => paint.over(body))
    const out = this.colours.array
    for (let corner = 0; corner < openness.length; corner++) {
      mixed.copy(base[shapes[2 * corner]!]!).lerp(base[shapes[2 * corner + 1]!]!, secondShare[corner]!)
      let [red, green, blue, total] = [0, 0, 0, 0]
      for (let n = 4 * corner; n < 4 * corner + 4; n++) {
        const cover = over[bodies[n]!]
        if (!cover) continue
        const share = cover.share * weights[n]!
        red += share * cover.colour.r
        green += share * cover.colour.g
        blue += share * cover.colour.b
        total += share
      }
      if (total > 0) mixed.lerp(covering.setRGB(red / total, green / total, blue / total), total)
      const light = DARKEST + (1 - DARKEST) * openness[corner]!
      out[3 * corner] = mixed.r * light
      out[3 * corner + 1] = mixed.g * light
      out[3 * corner + 2] = mixed.b * light
    }
    this.colours.needsUpdate = true
  }

  dispose(): void {
    this.object.skeleton.dispose()
    this.object.geometry.dispose()
    ;(this.object.material as THREE.Material).dispose()
  }
}

/** Flesh takes a moment to grow, and stage, ghost and palette ask for the same; so do creatures with new landmarks. */
const grownBefore = new Map<string, Flesh>()
/** A stage and a palette of the creature before and of the one now. */
const MOST_KEPT = 4

function grown(creature: CreatureAnswer, lowPoly: boolean): Flesh {
  const { shapes, bodies, joints, reference } = creature
  const tree = bodies.map(({ parent, position, orientation }) => [parent, position, orientation])
  const axes = joints.map(({ anchor, axis }) => [anchor, axis])
  const key = JSON.stringify([lowPoly, shapes, tree, axes, reference])
  const flesh = grownBefore.get(key) ?? growFlesh(creature, lowPoly ? FEW_TRIANGLES : TRIANGLES)
  // The latest last.
  grownBefore.delete(key)
  grownBefore.set(key, flesh)
  for (const oldest of grownBefore.keys()) {
    if (grownBefore.size <= MOST_KEPT) break
    grownBefore.delete(oldest)
  }
  return flesh
}

/** Shapes as instances of one geometry per kind; a capsule is a tube and two balls. */
function solidParts(shapes: ShapePart[], look: Look): Part[] {
  const round = look.lowPoly ? 8 : 32
  const ball = () => new THREE.SphereGeometry(1, round, round / 2)
  const tube = (open: boolean) => new THREE.CylinderGeometry(1, 1, 2, round, 1, open).rotateX(Math.PI / 2)
  const [a, b, c] = [0, 1, 2].map((k) => (shape: ShapePart) => shape.size[k]!) as [Measure, Measure, Measure]
  const scaled = (x: Measure, y: Measure, z: Measure) => (shape: ShapePart) => new THREE.Vector3(x(shape), y(shape), z(shape))
  const of = (kind: ShapePart['kind']) => shapes.filter((shape) => shape.kind === kind)
  return [
    new SolidPart(ball(), of('sphere'), scaled(a, a, a), look),
    new SolidPart(ball(), of('ellipsoid'), scaled(a, b, c), look),
    new SolidPart(new THREE.BoxGeometry(2, 2, 2), of('box'), scaled(a, b, c), look),
    new SolidPart(tube(false), of('cylinder'), scaled(a, a, b), look),
    new SolidPart(tube(true), of('capsule'), scaled(a, a, b), look),
    new SolidPart(ball(), of('capsule'), scaled(a, a, a), look, (shape) => shape.size[1]!),
    new SolidPart(ball(), of('capsule'), scaled(a, a, a), look, (shape) => -shape.size[1]!),
  ].filter((part) => part.count > 0)
}

type Measure = (shape: ShapePart) => number

class SolidPart implements Part {
  readonly object: THREE.InstancedMesh
  readonly triangles: number
  private readonly shapes: ShapePart[]
  readonly count: number
  /** Of each instance in its body, with its size. */
  private readonly inBody: THREE.Matrix4[]
  private readonly matrix = new THREE.Matrix4()

  constructor(geometry: THREE.BufferGeometry, shapes: ShapePart[], size: (shape: ShapePart) => THREE.Vector3, look: Look, alongZ: Measure = () => 0) {
    this.shapes = shapes
    this.count = shapes.length
    this.object = new THREE.InstancedMesh(geometry, material(look), shapes.length)
    this.object.frustumCulled = false
    castsShadow(this.object, look)
    this.triangles = shapes.length * (geometry.index?.count ?? 0) / 3
    this.inBody = shapes.map((shape) => {
      const place = setMatrix(new THREE.Matrix4(), [...shape.position, ...shape.orientation])
      place.multiply(new THREE.Matrix4().makeTranslation(0, 0, alongZ(shape)))
      return place.scale(size(shape))
    })
  }

  pose(frames: Float64Array): void {
    this.shapes.forEach((shape, index) => {
      setMatrix(this.matrix, frames, 7 * shape.body).multiply(this.inBody[index]!)
      this.object.setMatrixAt(index, this.matrix)
    })
    this.object.instanceMatrix.needsUpdate = true
  }

  paint(paint: Paint): void {
    this.shapes.forEach((shape, index) => this.object.setColorAt(index, paint.of(shape)))
    if (this.object.instanceColor) this.object.instanceColor.needsUpdate = true
  }

  dispose(): void {
    this.object.geometry.dispose()
    ;(this.object.material as THREE.Material).dispose()
    this.object.dispose()
  }
}

class MeshPart implements Part {
  readonly object: THREE.Mesh
  readonly triangles: number
  private readonly inBody: THREE.Matrix4

  constructor(private readonly shape: ShapePart, bytes: Bytes, look: Look) {
    const whole = meshGeometry(shape, bytes)
    const geometry = look.lowPoly ? coarser(whole, MOST_IN_SMALL) : whole
    this.triangles = (geometry.index?.count ?? 0) / 3
    const sharp = this.triangles <= MOST_CREASED ? toCreasedNormals(geometry, CREASE) : geometry
    if (sharp === geometry) geometry.computeVertexNormals()
    this.object = new THREE.Mesh(sharp, material(look))
    this.object.matrixAutoUpdate = false
    this.object.frustumCulled = false
    castsShadow(this.object, look)
    this.inBody = setMatrix(new THREE.Matrix4(), [...shape.position, ...shape.orientation])
  }

  pose(frames: Float64Array): void {
    setMatrix(this.object.matrix, frames, 7 * this.shape.body).multiply(this.inBody)
    this.object.matrixWorldNeedsUpdate = true
  }

  paint(paint: Paint): void {
    ;(this.object.material as THREE.MeshStandardMaterial).color.copy(paint.of(this.shape))
  }

  dispose(): void {
    this.object.geometry.dispose()
    ;(this.object.material as THREE.Material).dispose()
  }
}

/** About as many triangles as asked for at most: corners that share a cell of a grid become one. */
function coarser(geometry: THREE.BufferGeometry, most: number): THREE.BufferGeometry {
  const index = geometry.index
  if (!index || index.count / 3 <= most) return geometry
  const positions = geometry.getAttribute('position')
  geometry.computeBoundingBox()
  const box = geometry.boundingBox!
  const longest = Math.max(...box.getSize(new THREE.Vector3()).toArray()) || 1
  // A closed surface passes about 6 n² cells of an n³ grid if it fills it, and has two triangles in each.
  const cell = longest / Math.max(2, Math.sqrt(most / 6))
  const cellOf = (corner: number) =>
    [positions.getX(corner) - box.min.x, positions.getY(corner) - box.min.y, positions.getZ(corner) - box.min.z]
      .map((value) => Math.floor(value / cell))
      .join()
  const kept = new Map<string, number>()
  const corners: number[] = []
  const renumbered = Array.from({ length: positions.count }, (_, corner) => {
    const key = cellOf(corner)
    const known = kept.get(key)
    if (known !== undefined) return known
    kept.set(key, corners.length / 3)
    corners.push(positions.getX(corner), positions.getY(corner), positions.getZ(corner))
    return corners.length / 3 - 1
  })
  const triangles: number[] = []
  for (let t = 0; t < index.count; t += 3) {
    const [a, b, c] = [0, 1, 2].map((k) => renumbered[index.getX(t + k)]!) as [number, number, number]
    if (a !== b && b !== c && c !== a) triangles.push(a, b, c)
  }
  const small = new THREE.BufferGeometry()
  small.setAttribute('position', new THREE.Float32BufferAttribute(corners, 3))
  small.setIndex(triangles)
  return small
}
