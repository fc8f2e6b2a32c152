import type { ClipPlayer } from './clip'
import type { Stage } from './stage'

/** Small pictures of the creature along one cycle of a clip, side by side, on a clear background. */
export async function filmStrip(
  stage: Stage,
  player: ClipPlayer,
  pictures: number,
  size: { width: number; height: number; pixelRatio?: number },
): Promise<HTMLCanvasElement> {
  void [stage, player, pictures, size]
  return document.createElement('canvas')
}
