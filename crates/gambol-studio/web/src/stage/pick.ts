import * as THREE from 'three'
import type { CreatureAnswer, ShapePart, Vec3 } from '../protocol'
import { type Bytes, numbersOf } from './bytes'
import { unplace } from './rigid'
import { rayMeets, shapeFrame } from './shapes'

/** A limb thinner than this looks thin on any screen; the mouse may miss it by as much, in parts of the distance. */
const MISS = 0.004

/** Finds the body under a ray from the shapes alone: no triangle of a skin is looked at. */
export class Picker {
  private readonly frame = new Float64Array(7)
  private readonly meshes = new Map<ShapePart, THREE.Mesh>()
  private frames: Float64Array

  constructor(private readonly creature: CreatureAnswer, bytes: Bytes) {
    this.frames = new Float64Array(7 * creature.bodies.length)
    for (const shape of creature.shapes)
      if (shape.kind === 'mesh') this.meshes.set(shape, new THREE.Mesh(meshGeometry(shape, bytes)))
  }

  pose(frames: Float64Array): void {
    this.frames.set(frames)
  }

  pick(raycaster: THREE.Raycaster): { body: number; pointInBody: Vec3 } | null {
    const { origin, direction } = raycaster.ray
    const from = origin.toArray()
    const along = direction.toArray()
    const reach = Math.hypot(from[0] - this.frames[7]!, from[1] - this.frames[8]!, from[2] - this.frames[9]!)
    let nearest = Infinity
    let body = 0
    for (const shape of this.creature.shapes) {
      if (shape.body === 0) continue
      shapeFrame(shape, this.frames, this.frame)
      const mesh = this.meshes.get(shape)
      const distance = mesh ? this.meshDistance(mesh, raycaster) : rayMeets(shape, this.frame, from, along, MISS * reach)
      if (distance === null || distance >= nearest) continue
      nearest = distance
      body = shape.body
    }
    if (body === 0) return null
    const point: Vec3 = [0, 0, 0]
    unplace(this.frames, body, from.map((value, k) => value + nearest * along[k]!), point)
    return { body, pointInBody: point }
  }

  dispose(): void {
    for (const mesh of this.meshes.values()) mesh.geometry.dispose()
  }

  private meshDistance(mesh: THREE.Mesh, raycaster: THREE.Raycaster): number | null {
    setMatrix(mesh.matrixWorld, this.frame)
    const hits: THREE.Intersection[] = []
    mesh.raycast(raycaster, hits)
    return hits.length > 0 ? Math.min(...hits.map((hit) => hit.distance)) : null
  }
}

const position = new THREE.Vector3()
const quaternion = new THREE.Quaternion()
const ONE = new THREE.Vector3(1, 1, 1)

/** matrix ← a frame: position, quaternion w x y z. */
export function setMatrix(matrix: THREE.Matrix4, frame: ArrayLike<number>, at = 0, scale = ONE): THREE.Matrix4 {
  position.set(frame[at]!, frame[at + 1]!, frame[at + 2]!)
  quaternion.set(frame[at + 4]!, frame[at + 5]!, frame[at + 6]!, frame[at + 3]!)
  return matrix.compose(position, quaternion, scale)
}

/** Triangles of a mesh shape, in its own frame. */
export function meshGeometry(shape: ShapePart, bytes: Bytes): THREE.BufferGeometry {
  const geometry = new THREE.BufferGeometry()
  const vertices = shape.vertices ? numbersOf(bytes, shape.vertices) : new Float32Array()
  geometry.setAttribute('position', new THREE.BufferAttribute(vertices.slice(), 3))
  if (shape.triangles) geometry.setIndex(new THREE.BufferAttribute(Uint32Array.from(numbersOf(bytes, shape.triangles)), 1))
  return geometry
}
