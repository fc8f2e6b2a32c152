import type * as THREE from 'three'

/** Drivers that draw on the processor: they get less to do. */
const SOFTWARE = /swiftshader|llvmpipe|softpipe|software|basic render/i

/** As the graphics driver calls itself. */
export function driverName(renderer: THREE.WebGLRenderer): string {
  const context = renderer.getContext()
  const unmasked = context.getExtension('WEBGL_debug_renderer_info')
  return String(context.getParameter(unmasked ? unmasked.UNMASKED_RENDERER_WEBGL : context.RENDERER))
}

export function drawsInSoftware(renderer: THREE.WebGLRenderer): boolean {
  return SOFTWARE.test(driverName(renderer))
}
