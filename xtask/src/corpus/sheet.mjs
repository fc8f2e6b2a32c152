// Film strips of skinned clips as three.js shows them, on sheets: node sheet.mjs CONFIG, which is
// { chromium, modules, folder, clips: [{ file, label, clip, view }], type: jpeg if not png }. Prints the names of the sheets that it writes into the folder.

import { createServer } from 'node:http';
import { readFileSync, writeFileSync } from 'node:fs';
import { extname, join, normalize } from 'node:path';
import { chromium } from 'playwright-core';

const config = JSON.parse(readFileSync(process.argv[2], 'utf8'));
/** Strips of one sheet, so that it can be looked at as a whole. */
const ROWS = 8;
/** Frames of a strip, and their size, px. */
const [FRAMES, WIDTH, HEIGHT] = [7, 200, 150];
const FLAGS = ['--no-sandbox', '--use-gl=angle', '--use-angle=swiftshader', '--enable-unsafe-swiftshader', '--disable-gpu'];
const KINDS = { '.js': 'text/javascript', '.mjs': 'text/javascript', '.wasm': 'application/wasm', '.html': 'text/html' };

const PAGE = `<!doctype html><meta charset="utf-8"><body style="margin:0;background:#fff;font:12px sans-serif">
<script type="importmap">{ "imports": { "three": "/three/build/three.module.js", "three/addons/": "/three/examples/jsm/" } }</script>
<script type="module">
import * as THREE from 'three';
import { GLTFLoader } from 'three/addons/loaders/GLTFLoader.js';
import { DRACOLoader } from 'three/addons/loaders/DRACOLoader.js';
import { MeshoptDecoder } from 'three/addons/libs/meshopt_decoder.module.js';
const renderer = new THREE.WebGLRenderer({ antialias: true, preserveDrawingBuffer: true });
renderer.setSize(${WIDTH}, ${HEIGHT});
renderer.setClearColor(0xf4f4f2);
const loader = new GLTFLoader();
loader.setDRACOLoader(new DRACOLoader().setDecoderPath('/three/examples/jsm/libs/draco/gltf/'));
loader.setMeshoptDecoder(MeshoptDecoder);

function bounds(scene) {
  const box = new THREE.Box3();
  scene.updateMatrixWorld(true);
  scene.traverse((node) => {
    if (!node.isMesh || !node.visible) return;
    if (node.isSkinnedMesh) node.computeBoundingBox();
    else node.geometry.computeBoundingBox();
    // Weights that are not numbers make no box: bones do.
    let own = (node.isSkinnedMesh ? node.boundingBox : node.geometry.boundingBox).clone();
    if (Number.isFinite(own.min.x)) own.applyMatrix4(node.matrixWorld);
    else own = new THREE.Box3().setFromPoints((node.skeleton?.bones ?? []).map((bone) => bone.getWorldPosition(new THREE.Vector3())));
    if (!own.isEmpty()) box.union(own);
  });
  return box;
}

/** Where it is looked at from: from ahead and aside; swimmers from above and behind. */
const VIEWS = { swim: [0.45, 0.75, -0.5], slither: [0.5, 0.8, 0.3], other: [0.78, 0.35, 0.52] };

window.strip = async (url, wanted, view) => {
  const gltf = await loader.loadAsync(url);
  const world = new THREE.Scene();
  world.add(gltf.scene, new THREE.HemisphereLight(0xffffff, 0x888888, 2.5));
  const light = new THREE.DirectionalLight(0xffffff, 1.5);
  light.position.set(2, 4, 3);
  world.add(light);
  gltf.scene.traverse((node) => { if (node.isMesh) { node.frustumCulled = false; } });
  const clip = gltf.animations.find((clip) => clip.name === wanted) ?? gltf.animations.at(-1);
  const mixer = new THREE.AnimationMixer(gltf.scene);
  if (clip) mixer.clipAction(clip).play();
  mixer.setTime(0);
  const first = bounds(gltf.scene);
  const size = first.getSize(new THREE.Vector3());
  const reach = 0.62 * Math.max(size.x, size.y, size.z, 1e-6);
  const ground = new THREE.GridHelper(40 * reach, 80, 0xbbbbbb, 0xdddddd);
  if (first.min.y > -0.2 * size.y) world.add(ground);
  const sheet = document.createElement('canvas');
  [sheet.width, sheet.height] = [${FRAMES} * ${WIDTH}, ${HEIGHT}];
  const paper = sheet.getContext('2d');
  const aspect = ${WIDTH} / ${HEIGHT};
  for (let k = 0; k < ${FRAMES}; k++) {
    mixer.setTime(clip ? clip.duration * k / ${FRAMES} : 0);
    const middle = bounds(gltf.scene).getCenter(new THREE.Vector3());
    const camera = new THREE.OrthographicCamera(-reach * aspect, reach * aspect, reach, -reach, 0.001, 100 * reach);
    camera.position.copy(middle).addScaledVector(new THREE.Vector3(...(view ?? VIEWS[wanted] ?? VIEWS.other)).normalize(), 20 * reach);
    camera.lookAt(middle);
    renderer.render(world, camera);
    paper.drawImage(renderer.domElement, k * ${WIDTH}, 0);
  }
  return sheet.toDataURL();
};
window.ready = true;
</script>`;

const server = createServer((request, answer) => {
  const path = normalize(decodeURIComponent(new URL(request.url, 'http://x').pathname)).replace(/^(\.\.[/\\])+/, '');
  try {
    if (path === '/') return answer.writeHead(200, { 'content-type': 'text/html' }).end(PAGE);
    const file = path.startsWith('/three/') ? join(config.modules, path) : join(config.folder, path);
    const bytes = readFileSync(file);
    answer.writeHead(200, { 'content-type': KINDS[extname(file)] ?? 'application/octet-stream' }).end(bytes);
  } catch { answer.writeHead(404).end(); }
}).listen(0);
const home = `http://localhost:${server.address().port}`;
const browser = await chromium.launch({ executablePath: config.chromium, args: FLAGS });
const page = await browser.newPage({ viewport: { width: FRAMES * WIDTH, height: 600 } });
await page.goto(home);
await page.waitForFunction('window.ready');
const rows = [];
for (const { file, label, clip, view } of config.clips) {
  const drawn = await Promise.race([
    page.evaluate(([url, clip, view]) => window.strip(url, clip, view), [`/${encodeURIComponent(file)}`, clip, view]).catch((error) => `${error}`),
    new Promise((resume) => setTimeout(() => resume('took too long'), 30_000)),
  ]);
  const image = drawn.startsWith('data:') ? `<img src="${drawn}">` : `<p>${drawn.slice(0, 200)}</p>`;
  rows.push(`<div style="height:${HEIGHT + 16}px;overflow:hidden"><div style="height:16px">${label}</div>${image}</div>`);
}
const sheets = await browser.newPage({ viewport: { width: FRAMES * WIDTH, height: ROWS * (HEIGHT + 16) } });
for (let first = 0; first < rows.length; first += ROWS) {
  await sheets.setContent(`<body style="margin:0;font:12px sans-serif">${rows.slice(first, first + ROWS).join('')}`);
  const name = `sheet-${String(first / ROWS + 1).padStart(2, '0')}.${config.type ?? 'png'}`;
  const height = Math.min(ROWS, rows.length - first) * (HEIGHT + 16);
  const clip = { x: 0, y: 0, width: FRAMES * WIDTH, height };
  const kind = config.type ? { type: config.type, quality: 80 } : {};
  writeFileSync(join(config.folder, name), await sheets.screenshot({ clip, ...kind }));
  console.log(name);
}
await browser.close();
server.close();
