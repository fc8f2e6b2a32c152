import * as THREE from 'three'
import { type GLTF, GLTFLoader } from 'three/addons/loaders/GLTFLoader.js'
import type { BonePart, CreatureAnswer, SkinPart } from '../protocol'
import type { Bytes, FetchFile } from './bytes'
import type { Way } from './clip'
import { Kinematics } from './kinematics'
import { Picker, setMatrix } from './pick'
import type { Look, Puppet } from './puppet'
import { COLOURS } from './theme'

/** The user's own mesh and textures, moved by the creature's bodies. */
export async function skinPuppet(creature: CreatureAnswer, bytes: Bytes, fetchFile: FetchFile, look: Look): Promise<Puppet> {
  if (!creature.skin) throw new Error('the creature has no skin')
  const gltf = await readGltf(creature.skin.file, fetchFile)
  return new SkinPuppet(creature, creature.skin, bytes, gltf, look)
}

/** Reads a glTF file and what it refers to through `fetchFile` alone: nothing is asked of the network. */
async function readGltf(file: string, fetchFile: FetchFile): Promise<GLTF> {
  const data = await fetchFile(file)
  const folder = file.includes('/') ? file.slice(0, file.lastIndexOf('/') + 1) : ''
  const addresses = new Map<string, string>()
  try {
    for (const uri of outsideFiles(data)) {
      const inside = await fetchFile(folder + decodeURIComponent(uri))
      addresses.set(uri, URL.createObjectURL(new Blob([inside])))
    }
    const manager = new THREE.LoadingManager()
    manager.setURLModifier((url) => {
      const here = addresses.get(url) ?? url
      return here.startsWith('blob:') || here.startsWith('data:') ? here : 'data:,'
    })
    return await new GLTFLoader(manager).parseAsync(data, '')
  } finally {
    for (const address of addresses.values()) URL.revokeObjectURL(address)
  }
}

const GLB_MAGIC = 0x46546c67

/** Files that a glTF file refers to. */
export function outsideFiles(data: ArrayBuffer): string[] {
  const view = new DataView(data)
  const binary = data.byteLength >= 20 && view.getUint32(0, true) === GLB_MAGIC
  const text = binary ? new Uint8Array(data, 20, view.getUint32(12, true)) : new Uint8Array(data)
  const json = JSON.parse(new TextDecoder().decode(text)) as { buffers?: { uri?: string }[]; images?: { uri?: string }[] }
  const uris = [...(json.buffers ?? []), ...(json.images ?? [])].map(({ uri }) => uri)
  return [...new Set(uris.filter((uri): uri is string => uri !== undefined && !uri.startsWith('data:')))]
}

/** A node of the scene, with the body it follows if it follows one. */
interface Driven {
  node: THREE.Object3D
  /** Its number in the file. */
  index: number | null
  bone: BonePart | null
  turnInWorld: THREE.Quaternion
  /** Of the node that travels though it follows no body: where it rests in the world, and in its parent. */
  rest: { world: THREE.Matrix4; place: THREE.Vector3; turn: THREE.Quaternion } | null
}

class SkinPuppet implements Puppet {
  readonly object = new THREE.Group()
  readonly skin = true
  readonly triangles: number
  private readonly creature: CreatureAnswer
  private readonly look: Look
  private readonly picker: Picker
  /** All nodes, parents first. */
  private readonly nodes: Driven[] = []
  private readonly byNode = new Map<THREE.Object3D, Driven>()
  private readonly painted: PaintedMesh[] = []
  private highlighted: { bodies: Set<number>; colour: string } | null = null
  private tints: (string | null)[] | null = null
  private readonly mixer: THREE.AnimationMixer
  private readonly clips: THREE.AnimationClip[]

  constructor(creature: CreatureAnswer, skin: SkinPart, bytes: Bytes, gltf: GLTF, look: Look) {
    this.creature = creature
    this.look = look
    this.picker = new Picker(creature, bytes)

    const worldFromScene = setMatrix(new THREE.Matrix4(), [...skin.position, ...skin.orientation])
    this.object.matrix.copy(worldFromScene.scale(new THREE.Vector3(skin.scale, skin.scale, skin.scale)))
    this.object.matrixAutoUpdate = false
    this.object.matrixWorld.copy(this.object.matrix)
    this.object.add(gltf.scene)
    this.mixer = new THREE.AnimationMixer(gltf.scene)
    this.clips = gltf.animations

    const bones = new Map(skin.bones.map((bone) => [bone.node, bone]))
    const root: Driven = { node: this.object, index: null, bone: null, rest: null, turnInWorld: new THREE.Quaternion(...xyzw(skin.orientation)) }
    this.byNode.set(this.object, root)
    gltf.scene.traverse((node) => {
      const index = gltf.parser.associations.get(node)?.nodes
      const bone = (index === undefined ? undefined : bones.get(index)) ?? null
      node.updateMatrix()
      node.matrixWorld.multiplyMatrices(node.parent!.matrixWorld, node.matrix)
      const travels = bone === null && index === skin.root
      const rest = travels ? { world: node.matrixWorld.clone(), place: node.position.clone(), turn: node.quaternion.clone() } : null
      const driven: Driven = { node, index: index ?? null, bone, rest, turnInWorld: new THREE.Quaternion() }
      this.nodes.push(driven)
      this.byNode.set(node, driven)
      // Written by `pose` below, in the same order: three need not do it again.
      node.matrixAutoUpdate = node.matrixWorldAutoUpdate = false
    })
    gltf.scene.traverse((node) => {
      if ((node as THREE.Mesh).isMesh) this.dress(node as THREE.Mesh)
    })
    this.triangles = this.painted.reduce((sum, { triangles }) => sum + triangles, 0)
    this.pose(new Kinematics(creature).frames(creature.reference))
  }

  /**
   * Each node's frame in the world is its body's ∘ the node's in the body. Its own scale stays, and so do nodes that
   * follow no body, relative to their parents; the root of all bones, if it is one of these, goes along the way over the ground.
   */
  pose(frames: Float64Array, way: Way = STILL): void {
    this.picker.pose(frames)
    for (const { node, bone, rest, turnInWorld } of this.nodes) {
      const parent = this.byNode.get(node.parent!)!
      if (bone) {
        setMatrix(nodeInWorld, frames, 7 * bone.body).multiply(setMatrix(inBody, [...bone.position, ...bone.orientation]))
        nodeInWorld.decompose(place, turn, scale)
        node.position.copy(place.applyMatrix4(inverse.copy(parent.node.matrixWorld).invert()))
        node.quaternion.copy(parent.turnInWorld).invert().multiply(turn)
      } else if (rest) {
        // way ∘ rest in the world, seen from the parent: its turn there is that of the way about the parent's own axes.
        turn.setFromAxisAngle(UP, way.yaw)
        place.setFromMatrixPosition(rest.world).applyQuaternion(turn)
        place.set(place.x + way.shift[0], place.y + way.shift[1], place.z + way.shift[2])
        node.position.copy(place.applyMatrix4(inverse.copy(parent.node.matrixWorld).invert()))
        node.quaternion.copy(parent.turnInWorld).invert().multiply(turn).multiply(parent.turnInWorld).multiply(rest.turn)
      }
      turnInWorld.copy(parent.turnInWorld).multiply(node.quaternion)
      node.updateMatrix()
      node.matrixWorld.multiplyMatrices(parent.node.matrixWorld, node.matrix)
    }
  }

  places(): { node: number; place: number[] }[] {
    return this.nodes.flatMap(({ node, index }) => (index === null ? [] : [{ node: index, place: new THREE.Vector3().setFromMatrixPosition(node.matrixWorld).toArray() }]))
  }

  /** A loop: after its end it begins again. */
  play(clip: string, time: number): void {
    const own = this.clips.find(({ name }) => name === clip)
    if (!own) return
    this.mixer.stopAllAction()
    this.mixer.clipAction(own).play()
    this.mixer.setTime(time)
    for (const { node } of this.nodes) {
      node.updateMatrix()
      node.matrixWorld.multiplyMatrices(node.parent!.matrixWorld, node.matrix)
    }
  }

  pick(raycaster: THREE.Raycaster) {
    return this.picker.pick(raycaster)
  }

  highlight(bodies: number[] | null, colour = COLOURS[this.look.theme].highlight): void {
    this.highlighted = bodies ? { bodies: new Set(bodies), colour } : null
    this.repaint()
  }

  tint(colours: (string | null)[] | null): void {
    this.tints = colours
    this.repaint()
  }

  setTheme(theme: Look['theme']): void {
    this.look.theme = theme
  }

  dispose(): void {
    this.picker.dispose()
    for (const painted of this.painted) painted.dispose()
    this.object.traverse((node) => {
      const mesh = node as Partial<THREE.SkinnedMesh>
      mesh.geometry?.dispose()
      mesh.skeleton?.dispose()
    })
  }

  private dress(mesh: THREE.Mesh): void {
    mesh.frustumCulled = false
    mesh.castShadow = mesh.receiveShadow = !this.look.lowPoly && !this.look.ghost
    this.painted.push(new PaintedMesh(mesh, (node) => this.bodyOf(node), this.look))
  }

  /** The body that a node goes with: its own, or that of the nearest node above which has one. */
  private bodyOf(node: THREE.Object3D): number {
    for (let above: THREE.Object3D | null = node; above; above = above.parent) {
      const bone = this.byNode.get(above)?.bone
      if (bone) return bone.body
    }
    return 0
  }

  private repaint(): void {
    const paint = this.creature.bodies.map((_, body) => {
      const over = this.highlighted?.bodies.has(body) ? this.highlighted.colour : this.tints?.[body]
      return over ? new THREE.Color(over) : null
    })
    for (const painted of this.painted) painted.paint(paint)
  }
}

const STILL: Way = { yaw: 0, shift: [0, 0, 0] }
const UP = new THREE.Vector3(0, 0, 1)
const nodeInWorld = new THREE.Matrix4()
const inBody = new THREE.Matrix4()
const inverse = new THREE.Matrix4()
const place = new THREE.Vector3()
const turn = new THREE.Quaternion()
const scale = new THREE.Vector3()

function xyzw([w, x, y, z]: number[]): [number, number, number, number] {
  return [x!, y!, z!, w!]
}

/** How much of a painted body's own colours is covered. */
const COVER = 0.5

/** A mesh of the file whose bodies can be painted over, whatever its material is. */
class PaintedMesh {
  readonly triangles: number
  private readonly over: THREE.BufferAttribute
  /** Per corner, four of each. */
  private readonly bodies: Uint16Array
  private readonly weights: Float32Array
  private readonly materials: THREE.Material[]

  constructor(mesh: THREE.Mesh, bodyOf: (node: THREE.Object3D) => number, look: Look) {
    const { geometry } = mesh
    const count = geometry.getAttribute('position').count
    this.triangles = (geometry.index?.count ?? count) / 3
    this.bodies = new Uint16Array(4 * count)
    this.weights = new Float32Array(4 * count)
    this.over = new THREE.BufferAttribute(new Float32Array(4 * count), 4)
    geometry.setAttribute('over', this.over)
    this.bind(mesh, bodyOf)
    const materials = Array.isArray(mesh.material) ? mesh.material : [mesh.material]
    this.materials = materials.map((original) => paintable(original, look))
    mesh.material = Array.isArray(mesh.material) ? this.materials : this.materials[0]!
  }

  paint(ofBodies: (THREE.Color | null)[]): void {
    const out = this.over.array
    for (let corner = 0; corner < out.length; corner += 4) {
      let red = 0, green = 0, blue = 0, share = 0
      for (let n = corner; n < corner + 4; n++) {
        const colour = ofBodies[this.bodies[n]!]
        if (!colour) continue
        red += this.weights[n]! * colour.r
        green += this.weights[n]! * colour.g
        blue += this.weights[n]! * colour.b
        share += this.weights[n]!
      }
      out[corner] = share > 0 ? red / share : 0
      out[corner + 1] = share > 0 ? green / share : 0
      out[corner + 2] = share > 0 ? blue / share : 0
      out[corner + 3] = COVER * share
    }
    this.over.needsUpdate = true
  }

  dispose(): void {
    for (const material of this.materials) {
      for (const value of Object.values(material)) if (value instanceof THREE.Texture) value.dispose()
      material.dispose()
    }
  }

  private bind(mesh: THREE.Mesh, bodyOf: (node: THREE.Object3D) => number): void {
    const skinned = mesh as THREE.SkinnedMesh
    if (!skinned.isSkinnedMesh) {
      this.bodies.fill(bodyOf(mesh))
      this.weights.forEach((_, n) => (this.weights[n] = n % 4 === 0 ? 1 : 0))
      return
    }
    const bodies = skinned.skeleton.bones.map(bodyOf)
    const index = mesh.geometry.getAttribute('skinIndex')
    const weight = mesh.geometry.getAttribute('skinWeight')
    for (let corner = 0; corner < index.count; corner++)
      for (let n = 0; n < 4; n++) {
        this.bodies[4 * corner + n] = bodies[index.getComponent(corner, n)] ?? 0
        this.weights[4 * corner + n] = weight.getComponent(corner, n)
      }
  }
}

/** Smoother skins would show the lamps. */
const SHINIEST = 0.45

/** A copy of a material that mixes in the attribute `over` (colour, cover), and is translucent for a ghost. */
function paintable(original: THREE.Material, look: Look): THREE.Material {
  const material = original.clone()
  if (material instanceof THREE.MeshStandardMaterial) {
    // There is nothing around that metal could mirror: it would be black. Many files say metal by saying nothing.
    material.metalness = 0
    material.roughness = Math.max(material.roughness, SHINIEST)
  }
  if (look.ghost) Object.assign(material, { transparent: true, opacity: 0.4 })
  material.onBeforeCompile = (shader) => {
    shader.vertexShader = `attribute vec4 over;\nvarying vec4 vOver;\n${shader.vertexShader}`.replace(
      '#include <begin_vertex>',
      '#include <begin_vertex>\n  vOver = over;',
    )
    shader.fragmentShader = `varying vec4 vOver;\n${shader.fragmentShader}`.replace(
      '#include <opaque_fragment>',
      '  outgoingLight = mix(outgoingLight, vOver.rgb, vOver.a);\n#include <opaque_fragment>',
    )
  }
  return material
}
