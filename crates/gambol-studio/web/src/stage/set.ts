// What stands around the creature: backdrop, lights, ground.

import * as THREE from 'three'
import { COLOURS, type Theme } from './theme'

/** The most feet that stand at once. */
const MOST_CONTACTS = 64
/** Where the key light comes from, seen from the creature: above, from the viewer's side of the start, a little ahead. */
const KEY_FROM = new THREE.Vector3(0.35, -0.55, 1.35).normalize()
/** The rim light comes from behind, to part a dark back from a dark backdrop. */
const RIM_FROM = new THREE.Vector3(-0.6, 1, 0.5).normalize()

const BACKDROP_VERTEX = `
  varying vec2 vAt;
  void main() { vAt = position.xy; gl_Position = vec4(position.xy, 1.0, 1.0); }`
// The noise hides the steps between neighbouring shades.
const BACKDROP_FRAGMENT = `
  uniform vec3 middle; uniform vec3 edge; varying vec2 vAt;
  float noise(vec2 at) { return fract(52.9829189 * fract(dot(at, vec2(0.06711056, 0.00583715)))); }
  void main() {
    float away = length(vAt * vec2(0.75, 0.95) - vec2(0.0, 0.08));
    gl_FragColor = vec4(mix(middle, edge, smoothstep(0.1, 1.25, away)), 1.0);
    #include <colorspace_fragment>
    gl_FragColor.rgb += (noise(gl_FragCoord.xy) - 0.5) / 255.0;
  }`

const GRID_VERTEX = `
  varying vec2 vOnGround;
  void main() {
    vec4 onGround = vec4(position, 1.0);
    vOnGround = (modelMatrix * onGround).xy;
    gl_Position = projectionMatrix * modelViewMatrix * onGround;
  }`
const GRID_FRAGMENT = `
  uniform vec3 weak; uniform vec3 strong; uniform vec2 centre; uniform float cell; uniform float reach;
  varying vec2 vOnGround;
  float lines(float size) {
    vec2 at = vOnGround / size;
    vec2 width = fwidth(at);
    vec2 near = abs(fract(at - 0.5) - 0.5) / width;
    vec2 line = (1.0 - min(near / 1.1, 1.0)) * (1.0 - smoothstep(0.15, 0.6, width));
    return max(line.x, line.y);
  }
  void main() {
    float fade = 1.0 - smoothstep(0.15, 1.0, length(vOnGround - centre) / reach);
    float fine = 0.45 * lines(cell);
    float coarse = 0.75 * lines(5.0 * cell);
    gl_FragColor = vec4(mix(weak, strong, step(fine, coarse)), max(fine, coarse) * fade * fade);
    #include <colorspace_fragment>
  }`

export class StageSet {
  readonly scene = new THREE.Scene()
  /** Everything that lies on the ground; sloped with it. */
  readonly ground = new THREE.Group()
  private readonly marks = new THREE.Group()
  private readonly backdrop: THREE.Mesh<THREE.BufferGeometry, THREE.ShaderMaterial>
  private readonly grid: THREE.Mesh<THREE.PlaneGeometry, THREE.ShaderMaterial>
  private readonly shadow: THREE.Mesh<THREE.PlaneGeometry, THREE.ShadowMaterial>
  private readonly contacts: THREE.InstancedMesh<THREE.BufferGeometry, THREE.MeshBasicMaterial>
  private readonly arrow: THREE.Mesh<THREE.ShapeGeometry, THREE.MeshBasicMaterial>
  private readonly around = new THREE.HemisphereLight()
  private readonly key = new THREE.DirectionalLight()
  private readonly rim = new THREE.DirectionalLight()
  private slope = 0
  private radius = 1

  constructor(theme: Theme, shadowMapSize: number) {
    const everywhere = new THREE.BufferGeometry()
    everywhere.setAttribute('position', new THREE.Float32BufferAttribute([-1, -1, 0, 3, -1, 0, -1, 3, 0], 3))
    this.backdrop = new THREE.Mesh(
      everywhere,
      new THREE.ShaderMaterial({
        uniforms: { middle: { value: new THREE.Color() }, edge: { value: new THREE.Color() } },
        vertexShader: BACKDROP_VERTEX,
        fragmentShader: BACKDROP_FRAGMENT,
        depthTest: false,
        depthWrite: false,
        toneMapped: false,
      }),
    )
    this.backdrop.frustumCulled = false
    this.backdrop.renderOrder = -3

    this.grid = new THREE.Mesh(
      new THREE.PlaneGeometry(1, 1),
      new THREE.ShaderMaterial({
        uniforms: {
          weak: { value: new THREE.Color() },
          strong: { value: new THREE.Color() },
          centre: { value: new THREE.Vector2() },
          cell: { value: 1 },
          reach: { value: 1 },
        },
        vertexShader: GRID_VERTEX,
        fragmentShader: GRID_FRAGMENT,
        transparent: true,
        depthWrite: false,
        side: THREE.DoubleSide,
        toneMapped: false,
      }),
    )
    this.grid.renderOrder = -2
    this.shadow = new THREE.Mesh(new THREE.PlaneGeometry(1, 1), new THREE.ShadowMaterial({ depthWrite: false }))
    this.shadow.receiveShadow = true
    this.shadow.renderOrder = -1

    this.contacts = new THREE.InstancedMesh(
      new THREE.RingGeometry(0.62, 1, 40),
      new THREE.MeshBasicMaterial({ transparent: true, opacity: 0.85, depthWrite: false, toneMapped: false }),
      MOST_CONTACTS,
    )
    this.contacts.count = 0
    this.contacts.frustumCulled = false
    this.arrow = new THREE.Mesh(
      arrowGeometry(),
      new THREE.MeshBasicMaterial({ transparent: true, opacity: 0.85, depthWrite: false, side: THREE.DoubleSide, toneMapped: false }),
    )
    this.arrow.visible = false

    this.key.castShadow = true
    this.key.shadow.mapSize.set(shadowMapSize, shadowMapSize)
    // As soft on a coarse map as on a fine one.
    this.key.shadow.radius = shadowMapSize / 170
    this.key.shadow.blurSamples = 8
    this.key.shadow.bias = -0.0004

    this.marks.add(this.contacts, this.arrow)
    this.ground.add(this.grid, this.shadow, this.marks)
    this.scene.add(this.backdrop, this.ground, this.around, this.key, this.key.target, this.rim, this.rim.target)
    this.around.position.set(0, 0, 1)
    this.setTheme(theme)
  }

  setTheme(theme: Theme): void {
    const colours = COLOURS[theme]
    const uniform = (mesh: { material: THREE.ShaderMaterial }, name: string, colour: string) =>
      (mesh.material.uniforms[name]!.value as THREE.Color).set(colour)
    uniform(this.backdrop, 'middle', colours.backdrop[0])
    uniform(this.backdrop, 'edge', colours.backdrop[1])
    uniform(this.grid, 'weak', colours.grid)
    uniform(this.grid, 'strong', colours.gridStrong)
    this.shadow.material.color.set(colours.shadow)
    this.shadow.material.opacity = colours.shadowStrength
    this.contacts.material.color.set(colours.contact)
    this.arrow.material.color.set(colours.forward)
    this.around.color.set(colours.sky)
    this.around.groundColor.set(colours.ground)
    this.around.intensity = colours.around
    this.key.intensity = colours.key
    this.rim.intensity = colours.rim
  }

  /** Sizes grid, light and marks for a creature of this half size, m. */
  setSize(radius: number): void {
    this.radius = radius
    const { uniforms } = this.grid.material
    uniforms.cell!.value = niceLength(radius / 2.5)
    uniforms.reach!.value = 9 * radius
    this.grid.scale.setScalar(18 * radius)
    // As far as the light's map reaches, as it falls on the ground.
    this.shadow.scale.setScalar(3.6 * radius)
    const camera = this.key.shadow.camera
    camera.left = camera.bottom = -1.5 * radius
    camera.right = camera.top = 1.5 * radius
    camera.near = 0.1 * radius
    camera.far = 9 * radius
    camera.updateProjectionMatrix()
    // A small creature's shadow must not fall off it: the offset is of its size.
    this.key.shadow.normalBias = 0.012 * radius
  }

  /** Slope in rad, rising ahead. */
  setGround(visible: boolean, slope: number): void {
    this.ground.visible = visible
    this.slope = slope
    this.ground.rotation.y = -slope
  }

  setBackdropVisible(visible: boolean): void {
    this.backdrop.visible = visible
  }

  /** Rings under feet and the arrow: a film shows none of them. */
  setMarksVisible(visible: boolean): void {
    this.marks.visible = visible
  }

  setGridVisible(visible: boolean): void {
    this.grid.visible = visible
  }

  /** Moves light and grid along with the creature. */
  centreOn(centre: THREE.Vector3): void {
    const along = centre.x / Math.cos(this.slope)
    this.grid.position.set(along, centre.y, 0)
    this.shadow.position.copy(this.grid.position)
    ;(this.grid.material.uniforms.centre!.value as THREE.Vector2).set(centre.x, centre.y)
    for (const [light, from] of [[this.key, KEY_FROM], [this.rim, RIM_FROM]] as const) {
      light.target.position.copy(centre)
      light.position.copy(from).multiplyScalar(4 * this.radius).add(centre)
    }
  }

  /** Rings on the ground under points of the world. */
  setContacts(points: ArrayLike<number>[]): void {
    const matrix = new THREE.Matrix4()
    const size = 0.045 * this.radius
    const lift = 0.002 * this.radius
    this.contacts.count = Math.min(points.length, MOST_CONTACTS)
    for (let index = 0; index < this.contacts.count; index++) {
      const [x, y] = this.onGround(points[index]!)
      matrix.makeScale(size, size, 1).setPosition(x, y, lift)
      this.contacts.setMatrixAt(index, matrix)
    }
    this.contacts.instanceMatrix.needsUpdate = true
  }

  /** An arrow on the ground ahead of a point of the world, or none. */
  setForward(from: THREE.Vector3 | null, forward: ArrayLike<number> = [1, 0, 0], turned = 0): void {
    this.arrow.visible = from !== null
    if (!from) return
    const yaw = Math.atan2(forward[1]!, forward[0]!) + turned
    const [x, y] = this.onGround(from.toArray())
    const start = 0.85 * this.radius
    this.arrow.position.set(x + start * Math.cos(yaw), y + start * Math.sin(yaw), 0.003 * this.radius)
    this.arrow.rotation.z = yaw
    this.arrow.scale.setScalar(0.32 * this.radius)
  }

  dispose(): void {
    for (const mesh of [this.backdrop, this.grid, this.shadow, this.contacts, this.arrow]) {
      mesh.geometry.dispose()
      mesh.material.dispose()
    }
    this.contacts.dispose()
    this.key.dispose()
  }

  /** Below a point of the world, in the axes of the ground. */
  private onGround(point: ArrayLike<number>): [number, number] {
    return [Math.cos(this.slope) * point[0]! + Math.sin(this.slope) * point[2]!, point[1]!]
  }
}

/** 1, 2 or 5 times a power of ten, near a length. */
export function niceLength(length: number): number {
  const power = 10 ** Math.floor(Math.log10(length))
  const lead = length / power
  return power * (lead < 1.5 ? 1 : lead < 3.5 ? 2 : lead < 7.5 ? 5 : 10)
}

function arrowGeometry(): THREE.ShapeGeometry {
  const shape = new THREE.Shape()
  shape.moveTo(0, 0.09)
  for (const [x, y] of [[0.62, 0.09], [0.62, 0.26], [1, 0], [0.62, -0.26], [0.62, -0.09], [0, -0.09]]) shape.lineTo(x!, y!)
  shape.closePath()
  return new THREE.ShapeGeometry(shape)
}
