import * as THREE from 'three'
import type { Foliage, LevelPart, PlantAnswer } from '../protocol'
import { type Bytes, numbersOf } from '../stage/bytes'
import { drawsInSoftware, driverName } from '../stage/driver'
import type { Theme } from '../stage/theme'
import { cardOf } from './cards'
import { TREE, type Oscillators } from './oscillators'
import { BARK, GROUND, LEAVES, MOST_MODES, SHADOWS, SKY, WIDTH } from './shaders'
import { Walker } from './walk'

/** Trees taller than this on the screen, px, are drawn by the finest level, the next, and so on. */
const TALL = [330, 120, 36]
/** Shares of the modes that each level sums, on a card and in software: nobody sees the fast ones of a far tree. */
const MODES = { card: [1, 1, 0.5, 0.24], software: [1, 0.6, 0.32, 0.16] }
/** Most trees of the finest levels, on a card and in software: a wood of near trees would stop it. */
const MOST = { card: [40, 400, 2500], software: [1, 4, 40] }
/** What steady wind beyond the modes moves at most, in heights. */
const REACH = 0.15

/** Colours: red, green, blue as light, 0 to 1. */
interface Colours {
  haze: string; zenith: string; low: string; high: string
  sunlight: [number, string]; skylight: [number, string]; groundlight: [number, string]
}

const DAY: Record<Theme, Colours> = {
  light: { haze: '#d5e2ea', zenith: '#6f9fce', low: '#6f7f46', high: '#9aa565', sunlight: [1.25, '#fff2d8'], skylight: [0.62, '#d3e2f2'], groundlight: [0.3, '#8f9470'] },
  // Dusk.
  dark: { haze: '#5a5663', zenith: '#1c2740', low: '#2c3330', high: '#3d453c', sunlight: [0.75, '#ffb27a'], skylight: [0.34, '#8fa4d0'], groundlight: [0.14, '#6a6a72'] },
}

/** Leaves: dark, light and pale side; bark at the root and at the tips; how much larger a card is than its leaf, and its width. */
interface Look { dark: string; light: string; pale: string; bark: string; twig: string; spread: number; slender: number }

const LOOKS: Record<Foliage, Look> = {
  broad: { dark: '#31551f', light: '#6d9a3b', pale: '#b9c99a', bark: '#4a3d30', twig: '#6d5f48', spread: 2.5, slender: 1 },
  needles: { dark: '#1d3a26', light: '#456b41', pale: '#8fa896', bark: '#463629', twig: '#574a38', spread: 1.5, slender: 0.7 },
  fronds: { dark: '#355c22', light: '#78a046', pale: '#c2d3a0', bark: '#75664f', twig: '#6f8245', spread: 1, slender: 0.17 },
  blades: { dark: '#557030', light: '#8fa04c', pale: '#cdd2a0', bark: '#5f7d33', twig: '#c3c877', spread: 1, slender: 1 },
}

export interface GroveStats {
  /** ms of JavaScript in a frame, median of lately: oscillators and wind, which tree is drawn how, and drawing. */
  step: number
  choose: number
  draw: number
  /** Largest of lately. */
  most: number
  fps: number
  frames: number
  drawCalls: number
  triangles: number
  /** Trees that are seen, by level. */
  seen: number[]
  renderer: string
  software: boolean
}

/** The trees of one level: bark and leaves, each one draw. */
interface Level { bark: THREE.Mesh | null; leaves: THREE.Mesh | null; index: THREE.InstancedBufferAttribute; count: number }

type Uniforms = Record<string, THREE.IUniform>

/** Draws a forest: few draws, whatever the number of trees. */
export class Grove {
  readonly walker = new Walker()
  readonly software: boolean
  private readonly renderer: THREE.WebGLRenderer
  private readonly scene = new THREE.Scene()
  private readonly air: Uniforms = {
    sun: { value: new THREE.Vector3(-0.55, -0.5, 0.67).normalize() }, sunlight: { value: new THREE.Color() }, skylight: { value: new THREE.Color() },
    groundlight: { value: new THREE.Color() }, haze: { value: new THREE.Color() }, hazy: { value: 100 },
  }
  private readonly sky: Uniforms = { towards: { value: new THREE.Matrix4() }, haze: this.air['haze']!, zenith: { value: new THREE.Color() }, eye: { value: new THREE.Vector3() } }
  private readonly ground: Uniforms = { low: { value: new THREE.Color() }, high: { value: new THREE.Color() }, height: { value: 1 } }
  private readonly common: Uniforms = {
    shapes: { value: null }, states: { value: null }, stand: { value: null }, stride: { value: 1 }, rows: { value: 0 }, time: { value: 0 },
    bends: { value: Array.from({ length: MOST_MODES }, () => new THREE.Vector3()) }, reach: { value: 1 },
  }
  private readonly levelModes = MODES.card.map(() => ({ value: 0 }))
  private readonly floor: THREE.Mesh
  private readonly shadow: THREE.Mesh
  private readonly shadowWidth = { value: 1 }
  private readonly shadowStrength = { value: 0.4 }
  private darkest = 0.4
  private levels: Level[] = []
  private oscillators: Oscillators | null = null
  /** How far from the middle trees stand, m: to any side, and along y. */
  private half = 0
  private deep = 0
  private plant: PlantAnswer | null = null
  /** How much taller trees have to be for a fine level, so that no level has too many. */
  private readonly strict = [1, 1, 1]
  private readonly view = { frustum: new THREE.Frustum(), matrix: new THREE.Matrix4(), sphere: new THREE.Sphere() }
  private readonly costs: [number, number, number][] = []
  private readonly spans: number[] = []
  private last = 0
  private frames = 0

  constructor(private readonly canvas: HTMLCanvasElement, theme: Theme) {
    const msaa = new URLSearchParams(location.search).get('msaa') !== '0'
    this.renderer = new THREE.WebGLRenderer({ canvas, antialias: msaa, powerPreference: 'high-performance' })
    this.renderer.info.autoReset = true
    this.software = drawsInSoftware(this.renderer)
    this.renderer.setPixelRatio(this.software ? 1 : Math.min(devicePixelRatio, 2))
    this.scene.matrixWorldAutoUpdate = false
    const sky = new THREE.Mesh(new THREE.PlaneGeometry(2, 2), new THREE.ShaderMaterial({ uniforms: this.sky, vertexShader: SKY.vertex, fragmentShader: SKY.fragment, depthTest: false, depthWrite: false }))
    this.floor = new THREE.Mesh(new THREE.PlaneGeometry(1, 1), new THREE.ShaderMaterial({ uniforms: { ...this.air, ...this.ground }, vertexShader: GROUND.vertex, fragmentShader: GROUND.fragment }))
    this.shadow = new THREE.Mesh(new THREE.InstancedBufferGeometry(), new THREE.ShaderMaterial({
      uniforms: { ...this.air, stand: this.common['stand']!, width: this.shadowWidth, height: this.ground['height']!, strength: this.shadowStrength },
      vertexShader: SHADOWS.vertex, fragmentShader: SHADOWS.fragment, transparent: true, depthWrite: false,
    }))
    for (const [order, mesh] of [sky, this.floor, this.shadow].entries()) {
      mesh.frustumCulled = false
      mesh.renderOrder = order - 3
      this.scene.add(mesh)
    }
    this.setTheme(theme)
    this.resize()
  }

  setTheme(theme: Theme): void {
    const { haze, zenith, low, high, sunlight, skylight, groundlight } = DAY[theme]
    const set = (of: Uniforms, name: string, colour: string, strength = 1) => (of[name]!.value as THREE.Color).set(colour).multiplyScalar(strength)
    set(this.air, 'haze', haze)
    set(this.sky, 'zenith', zenith)
    set(this.ground, 'low', low)
    set(this.ground, 'high', high)
    set(this.air, 'sunlight', sunlight[1], sunlight[0])
    set(this.air, 'skylight', skylight[1], skylight[0])
    set(this.air, 'groundlight', groundlight[1], groundlight[0])
    this.darkest = theme === 'dark' ? 0.5 : 0.38
    this.setShadows()
  }

  /** Those of tufts that grow into each other lie over each other. */
  private setShadows(): void {
    this.shadowStrength.value = this.darkest * (this.plant?.foliage === 'blades' ? 0.15 : 1)
  }

  /** The plant that the forest is made of. */
  setPlant(plant: PlantAnswer, bytes: Bytes): void {
    this.plant = plant
    for (const level of this.levels) for (const mesh of [level.bark, level.leaves]) this.remove(mesh)
    ;(this.common['shapes']!.value as THREE.Texture | null)?.dispose()
    this.common['shapes']!.value = shapesTexture(plant, bytes)
    this.common['rows']!.value = plant.modes.length
    this.common['reach']!.value = REACH * plant.height
    plant.modes.forEach(({ bend }, mode) => (this.common['bends']!.value as THREE.Vector3[])[mode]!.set(...bend))
    this.ground['height']!.value = plant.height
    this.setShadows()
    this.shadowWidth.value = 0.55 * Math.max(plant.width, 0.2 * plant.height)
    const look = LOOKS[plant.foliage]
    const [near, far] = [{ value: cardOf(plant.foliage, 'near') }, { value: cardOf(plant.foliage, 'far') }]
    this.levels = plant.levels.map((part, level) => this.makeLevel(part, bytes, level, look, level === 0 ? near : far))
  }

  /** Where the trees stand, and what moves them. */
  setForest(oscillators: Oscillators): void {
    this.oscillators = oscillators
    // What was measured was of other trees.
    this.costs.length = this.spans.length = 0
    this.strict.fill(1)
    const { trees, count } = oscillators
    for (const name of ['states', 'stand']) (this.common[name]!.value as THREE.Texture | null)?.dispose()
    this.common['states']!.value = floatTexture(oscillators.texels, WIDTH)
    this.common['stride']!.value = oscillators.stride
    const stand = new Float32Array(4 * WIDTH * Math.max(Math.ceil(2 * count / WIDTH), 1))
    let [half, deep] = [0, 0]
    for (let tree = 0; tree < count; tree++) {
      const [x, y, z, turn, size] = trees.subarray(TREE * tree, TREE * (tree + 1)) as unknown as [number, number, number, number, number]
      // A tint of its own: the fraction of a number that no two share.
      const tint = (tree * 0.618034 + 0.5 * Math.sin(12.9 * tree)) % 1
      stand.set([x, y, z, turn, size, Math.abs(tint), 0, 0], 8 * tree)
      half = Math.max(half, Math.abs(x), Math.abs(y))
      deep = Math.max(deep, Math.abs(y))
    }
    this.common['stand']!.value = floatTexture(stand, WIDTH)
    for (const level of this.levels) this.makeRoom(level, count)
    const square = new THREE.PlaneGeometry(2, 2)
    const spots = new THREE.InstancedBufferGeometry()
    spots.index = square.index
    spots.setAttribute('position', square.getAttribute('position'))
    spots.setAttribute('tree', new THREE.InstancedBufferAttribute(Float32Array.from({ length: count }, (_, tree) => tree), 1))
    spots.instanceCount = count
    this.shadow.geometry.dispose()
    this.shadow.geometry = spots
    const { height } = this.plant!
    const another = this.half === 0 || Math.abs(half - this.half) > 0.2 * this.half || Math.abs(deep - this.deep) > 0.2 * this.half
    ;[this.half, this.deep] = [half, deep]
    this.walker.setSize(height, half, deep)
    this.air['hazy']!.value = Math.max(40 * height, 1.5 * half)
    this.floor.scale.setScalar(2 * this.walker.camera.far)
    this.floor.updateMatrixWorld()
    if (another) this.walker.start()
  }

  /** Draws a frame after the oscillators went on, which took so many ms. */
  draw(now: number, seconds: number, modes: number, stepped: number): void {
    const { oscillators, plant } = this
    if (!oscillators || !plant) return
    const start = performance.now()
    this.common['time']!.value = seconds
    const shares = this.software ? MODES.software : MODES.card
    shares.forEach((share, level) => { this.levelModes[level]!.value = Math.max(Math.min(Math.ceil(share * modes), modes), 1) })
    this.choose()
    const chosen = performance.now()
    ;(this.common['states']!.value as THREE.DataTexture).needsUpdate = true
    const { camera } = this.walker
    ;(this.sky['towards']!.value as THREE.Matrix4).copy(camera.projectionMatrixInverse).premultiply(camera.matrixWorld)
    ;(this.sky['eye']!.value as THREE.Vector3).copy(camera.position)
    this.renderer.render(this.scene, camera)
    const done = performance.now()
    this.frames++
    this.costs.push([stepped, chosen - start, done - chosen])
    if (this.last > 0) this.spans.push(now - this.last)
    this.last = now
    for (const values of [this.costs, this.spans]) if (values.length > 90) values.shift()
  }

  /** Which trees are seen, and how finely. */
  private choose(): void {
    const { camera } = this.walker
    const { frustum, matrix, sphere } = this.view
    const { trees, count } = this.oscillators!
    const { height, width } = this.plant!
    frustum.setFromProjectionMatrix(matrix.multiplyMatrices(camera.projectionMatrix, camera.matrixWorldInverse))
    const pixels = 0.5 * this.renderer.domElement.height / Math.tan(0.5 * camera.fov * Math.PI / 180)
    const { x: ex, y: ey, z: ez } = camera.position
    for (const level of this.levels) level.count = 0
    const last = this.levels.length - 1
    const tall = TALL.map((limit, level) => limit * this.strict[level]!)
    for (let tree = 0; tree < count; tree++) {
      const at = TREE * tree
      const size = trees[at + 4]!
      sphere.center.set(trees[at]!, trees[at + 1]!, trees[at + 2]! + 0.5 * height * size)
      sphere.radius = (0.6 * height + 0.6 * width) * size
      if (!frustum.intersectsSphere(sphere)) continue
      const distance = Math.hypot(trees[at]! - ex, trees[at + 1]! - ey, trees[at + 2]! + 0.5 * height * size - ez)
      const shown = height * size * pixels / Math.max(distance, 0.1 * height)
      let fine = 0
      while (fine < last && shown < tall[fine]!) fine++
      const level = this.levels[fine]!
      ;(level.index.array as Float32Array)[level.count++] = tree
    }
    const most = this.software ? MOST.software : MOST.card
    this.levels.forEach((level, index) => {
      for (const mesh of [level.bark, level.leaves]) {
        if (!mesh) continue
        ;(mesh.geometry as THREE.InstancedBufferGeometry).instanceCount = level.count
        mesh.visible = level.count > 0
      }
      level.index.clearUpdateRanges()
      level.index.addUpdateRange(0, level.count)
      level.index.needsUpdate = true
      const limit = most[index]
      if (limit === undefined) return
      if (level.count > limit) this.strict[index]! *= 1.25
      else if (level.count < 0.8 * limit) this.strict[index] = Math.max(this.strict[index]! * 0.98, 1)
    })
  }

  resize(): void {
    const { clientWidth, clientHeight } = this.canvas
    if (clientWidth === 0 || clientHeight === 0) return
    this.renderer.setSize(clientWidth, clientHeight, false)
    this.walker.camera.aspect = clientWidth / clientHeight
    this.walker.camera.updateProjectionMatrix()
  }

  setLeaves(visible: boolean): void {
    for (const { leaves } of this.levels) if (leaves) leaves.layers.mask = visible ? 1 : 0
  }

  /** A PNG of the picture as it is. */
  snapshot(): Promise<Blob> {
    this.renderer.render(this.scene, this.walker.camera)
    return new Promise((resolve, reject) => this.canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error('the picture could not be written'))), 'image/png'))
  }

  stats(): GroveStats {
    const of = (part: 0 | 1 | 2) => median(this.costs.map((cost) => cost[part]))
    const span = this.spans.length > 0 ? this.spans.reduce((sum, value) => sum + value, 0) / this.spans.length : 0
    return {
      step: of(0), choose: of(1), draw: of(2), most: Math.max(0, ...this.costs.map(([a, b, c]) => a + b + c)), fps: span > 0 ? 1000 / span : 0, frames: this.frames,
      drawCalls: this.renderer.info.render.calls, triangles: this.renderer.info.render.triangles, seen: this.levels.map((level) => level.count),
      renderer: driverName(this.renderer), software: this.software,
    }
  }

  dispose(): void {
    for (const level of this.levels) for (const mesh of [level.bark, level.leaves]) this.remove(mesh)
    for (const name of ['shapes', 'states', 'stand']) (this.common[name]!.value as THREE.Texture | null)?.dispose()
    this.renderer.dispose()
  }

  private makeLevel(part: LevelPart, bytes: Bytes, level: number, look: Look, card: THREE.IUniform): Level {
    const index = new THREE.InstancedBufferAttribute(new Float32Array(1), 1)
    const uniforms = { ...this.air, ...this.common, modes: this.levelModes[level]!, height: this.ground['height']! }
    // Only where it can be seen do branches keep their lengths: near, and where they lie down.
    const defines = level < 2 || this.plant!.foliage === 'blades' ? { BENT: '' } : {}
    const colour = (text: string) => ({ value: new THREE.Color(text) })
    const bark = part.triangles.count === 0 ? null : this.mesh(barkGeometry(part, bytes), {
      uniforms: { ...uniforms, bark: colour(look.bark), twig: colour(look.twig) }, defines, vertexShader: BARK.vertex, fragmentShader: BARK.fragment,
    })
    const { middle, height, width } = this.plant!
    const extent = new THREE.Vector3(0.5 * width, 0.5 * width, 0.5 * height)
    const leaves = part.leaves.count === 0 ? null : this.mesh(leafGeometry(part, bytes), {
      uniforms: {
        ...uniforms, card, dark: colour(look.dark), light: colour(look.light), pale: colour(look.pale), spread: { value: look.spread }, slender: { value: look.slender },
        middle: { value: new THREE.Vector3(...middle) }, extent: { value: extent },
      },
      defines, vertexShader: LEAVES.vertex, fragmentShader: LEAVES.fragment, side: THREE.DoubleSide,
    })
    return { bark, leaves, index, count: 0 }
  }

  private mesh(geometry: THREE.InstancedBufferGeometry, parameters: THREE.ShaderMaterialParameters): THREE.Mesh {
    const mesh = new THREE.Mesh(geometry, new THREE.ShaderMaterial(parameters))
    mesh.frustumCulled = false
    this.scene.add(mesh)
    return mesh
  }

  /** Trees that a level may have to draw. */
  private makeRoom(level: Level, count: number): void {
    level.index = new THREE.InstancedBufferAttribute(new Float32Array(Math.max(count, 1)), 1)
    level.index.setUsage(THREE.DynamicDrawUsage)
    for (const mesh of [level.bark, level.leaves]) mesh?.geometry.setAttribute('tree', level.index)
  }

  private remove(mesh: THREE.Mesh | null): void {
    if (!mesh) return
    mesh.removeFromParent()
    mesh.geometry.dispose()
    ;(mesh.material as THREE.ShaderMaterial).dispose()
  }
}

/** What other programs take from a frame now and then is not the page's. */
function median(values: number[]): number {
  return values.sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0
}

function floatTexture(numbers: Float32Array, width: number): THREE.DataTexture {
  const texture = new THREE.DataTexture(numbers, width, numbers.length / (4 * width), THREE.RGBAFormat, THREE.FloatType)
  texture.needsUpdate = true
  return texture
}

/** Φ: a texel for each node and mode; v, then w, then what modes leave of steady wind. */
function shapesTexture(plant: PlantAnswer, bytes: Bytes): THREE.DataTexture {
  const nodes = plant.places.count / 3
  const rows = [plant.shapes, plant.bends, plant.residual].map((numbers) => numbersOf(bytes, numbers))
  const texels = new Float32Array(4 * rows.reduce((sum, row) => sum + row.length / 3, 0))
  let at = 0
  for (const row of rows) for (let k = 0; k < row.length; k += 3, at += 4) texels.set(row.subarray(k, k + 3), at)
  return floatTexture(texels, nodes)
}

function barkGeometry(part: LevelPart, bytes: Bytes): THREE.InstancedBufferGeometry {
  const geometry = new THREE.InstancedBufferGeometry()
  const set = (name: string, numbers: Float32Array, size: number) => geometry.setAttribute(name, new THREE.BufferAttribute(numbers, size))
  set('position', numbersOf(bytes, part.positions), 3)
  set('normal', numbersOf(bytes, part.normals), 3)
  set('joint', numbersOf(bytes, part.joints), 3)
  geometry.setIndex(new THREE.BufferAttribute(Uint32Array.from(numbersOf(bytes, part.triangles)), 1))
  return geometry
}

/** A card of four corners for each leaf. */
function leafGeometry(part: LevelPart, bytes: Bytes): THREE.InstancedBufferGeometry {
  const NUMBERS = 9
  const leaves = numbersOf(bytes, part.leaves)
  const outs = numbersOf(bytes, part.outs)
  const count = leaves.length / NUMBERS
  const [position, joint, leaf, aim, corner] = [3, 3, 4, 3, 2].map((size) => new Float32Array(4 * count * size)) as [Float32Array, Float32Array, Float32Array, Float32Array, Float32Array]
  const triangles = new Uint32Array(6 * count)
  for (let k = 0; k < count; k++) {
    const [x, y, z, radius, phase, rate, first, second, share] = leaves.subarray(NUMBERS * k, NUMBERS * (k + 1)) as unknown as number[]
    for (let c = 0; c < 4; c++) {
      const at = 4 * k + c
      position.set([x!, y!, z!], 3 * at)
      joint.set([first!, second!, share!], 3 * at)
      leaf.set([radius!, phase!, rate!, (0.618034 * k) % 1], 4 * at)
      aim.set(outs.subarray(3 * k, 3 * k + 3), 3 * at)
      corner.set([c === 1 || c === 2 ? 1 : -1, c > 1 ? 1 : -1], 2 * at)
    }
    triangles.set([4 * k, 4 * k + 1, 4 * k + 2, 4 * k, 4 * k + 2, 4 * k + 3], 6 * k)
  }
  const geometry = new THREE.InstancedBufferGeometry()
  for (const [name, numbers, size] of [['position', position, 3], ['joint', joint, 3], ['leaf', leaf, 4], ['aim', aim, 3], ['corner', corner, 2]] as const) {
    geometry.setAttribute(name, new THREE.BufferAttribute(numbers, size))
  }
  geometry.setIndex(new THREE.BufferAttribute(triangles, 1))
  return geometry
}
