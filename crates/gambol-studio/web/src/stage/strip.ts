import * as THREE from 'three'
import type { ClipPlayer } from './clip'
import { centreOfMass } from './overlay'
import type { Stage } from './stage'

/** Room around the creature: its legs reach farther in a gait than at rest. */
const ROOM = 1.15

/**
 * Small pictures of the creature along one cycle of a clip, side by side, on a clear background. Each is taken at the
 * middle of its share of the time, from the creature's right.
 */
export async function filmStrip(
  stage: Stage,
  player: ClipPlayer,
  pictures: number,
  size: { width: number; height: number; pixelRatio?: number },
): Promise<HTMLCanvasElement> {
  const ratio = size.pixelRatio ?? Math.min(devicePixelRatio, 2)
  const width = Math.round(size.width * ratio)
  const height = Math.round(size.height * ratio)
  const camera = new THREE.OrthographicCamera()
  camera.up.set(0, 0, 1)
  const { half, middle } = stage.box
  const away = 4 * half.length()
  camera.top = ROOM * Math.max(half.z, half.x * height / width)
  camera.bottom = -camera.top
  camera.right = camera.top * width / height
  camera.left = -camera.right
  camera.near = 0
  camera.far = 2 * away
  camera.updateProjectionMatrix()

  return stage.paintAside(width * pictures, height, (renderer, scene) => {
    stage.alone((pose) => {
      renderer.setScissorTest(true)
      for (let n = 0; n < pictures; n++) {
        const share = (n + 0.5) / pictures
        const q = player.at(share * player.duration, new Float64Array(player.creature.nq))
        const { frames } = pose(q, player.wayAfter(share))
        const centre = new THREE.Vector3(...centreOfMass(player.creature, frames)).add(middle)
        camera.position.copy(centre).add(new THREE.Vector3(0, -away, 0.15 * away))
        camera.lookAt(centre)
        renderer.setViewport(n * width, 0, width, height)
        renderer.setScissor(n * width, 0, width, height)
        renderer.render(scene, camera)
      }
      renderer.setScissorTest(false)
      renderer.setViewport(0, 0, width * pictures, height)
    })
  })
}
