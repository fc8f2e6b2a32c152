// Reads clips back: the Khronos validator on every GLB, three.js on every GLB and BVH. Prints one line of JSON per file.
// Argument: a JSON file with a list of {file, times, bones: [[name, [[x, y, z] per time]]]}.

import { readFileSync } from 'node:fs';
import validator from 'gltf-validator';
import { AnimationMixer, Box3, Vector3 } from 'three';
import { BVHLoader } from 'three/examples/jsm/loaders/BVHLoader.js';
import { GLTFLoader } from 'three/examples/jsm/loaders/GLTFLoader.js';

// The loader asks for the browser's global object; it needs nothing of it for a file without images.
globalThis.self ??= globalThis;

async function readGlb(bytes) {
  const buffer = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength);
  const gltf = await new GLTFLoader().parseAsync(buffer, '');
  const bones = new Map();
  const nodes = gltf.parser.json.nodes;
  for (const [index, node] of nodes.entries()) {
    bones.set(node.name, await gltf.parser.getDependency('node', index));
  }
  const skins = [];
  gltf.scene.traverse((object) => object.isSkinnedMesh && skins.push(object));
  return { root: gltf.scene, clip: gltf.animations[0], bones, skins };
}

function readBvh(text) {
  const { skeleton, clip } = new BVHLoader().parse(text);
  const bones = new Map(skeleton.bones.filter((bone) => bone.name !== 'ENDSITE').map((bone) => [bone.name, bone]));
  return { root: skeleton.bones[0], clip, bones, skins: [] };
}

/** Corners of the box around the skin as it is drawn. */
function bounds(skins) {
  const box = new Box3();
  for (const skin of skins) {
    skin.computeBoundingBox();
    box.union(skin.boundingBox.clone().applyMatrix4(skin.matrixWorld));
  }
  return box.isEmpty() ? null : [box.min.toArray(), box.max.toArray()];
}

const place = new Vector3();
for (const { file, times, bones } of JSON.parse(readFileSync(process.argv[2], 'utf8'))) {
  const bytes = readFileSync(file);
  const glb = file.endsWith('.glb');
  const issues = glb ? (await validator.validateBytes(new Uint8Array(bytes))).issues : { numErrors: 0, numWarnings: 0 };
  const read = glb ? await readGlb(bytes) : readBvh(bytes.toString());
  const mixer = new AnimationMixer(read.root);
  mixer.clipAction(read.clip).play();
  let off = 0;
  const boxes = [];
  for (const [k, time] of times.entries()) {
    // The end of a loop is its start to a player; a moment before, it is still the last key.
    mixer.setTime(Math.min(time, read.clip.duration * (1 - 1e-7)));
    read.root.updateMatrixWorld(true);
    for (const [name, places] of bones) {
      read.bones.get(name).getWorldPosition(place);
      off = Math.max(off, place.distanceTo(new Vector3(...places[k])));
    }
    boxes.push(bounds(read.skins));
  }
  const messages = (issues.messages ?? []).filter(({ severity }) => severity < 2);
  console.log(JSON.stringify({
    file, errors: issues.numErrors, warnings: issues.numWarnings,
    messages: messages.slice(0, 5).map(({ code, message, pointer }) => `${pointer}: ${code}: ${message}`),
    off, bones: bones.length, tracks: read.clip.tracks.length, boxes,
  }));
}
