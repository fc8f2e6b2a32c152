// Reads clips back: the Khronos validator on every glTF, three.js on every glTF and BVH. Prints one line of JSON per file.
// Argument: a JSON file with a list of {file, times, bones: [[name, [[x, y, z] per time]]]}. In files of a user, bones are
// told by the number of their node, and `before` is the file without the clip, which must be in it unchanged.

import { readFileSync } from 'node:fs';
import validator from 'gltf-validator';
import { AnimationMixer, Box3, Vector3 } from 'three';
import { BVHLoader } from 'three/examples/jsm/loaders/BVHLoader.js';
import { GLTFLoader } from 'three/examples/jsm/loaders/GLTFLoader.js';

// The loader asks for the browser's global object; it needs nothing of it for a file without images.
globalThis.self ??= globalThis;
// And, for data URIs, for the event by which a browser shows how far it has come.
globalThis.ProgressEvent ??= class extends Event {};

/** JSON and binary chunk of a glTF of either kind. */
function chunks(bytes) {
  if (bytes.toString('latin1', 0, 4) !== 'glTF') return { json: JSON.parse(bytes.toString()), binary: null };
  const length = bytes.readUInt32LE(12);
  const json = JSON.parse(bytes.toString('utf8', 20, 20 + length));
  const at = 20 + length;
  return { json, binary: at < bytes.length ? bytes.subarray(at + 8, at + 8 + bytes.readUInt32LE(at)) : null };
}

/** The same without looks, for which three.js would want a browser. */
function withoutLooks(bytes) {
  const { json, binary } = chunks(bytes);
  for (const key of ['materials', 'textures', 'images', 'samplers', 'extensionsUsed', 'extensionsRequired']) delete json[key];
  for (const mesh of json.meshes ?? []) for (const primitive of mesh.primitives) delete primitive.material;
  const pad = (part, fill) => Buffer.concat([part, Buffer.alloc((4 - (part.length % 4)) % 4, fill)]);
  const parts = [[0x4e4f534a, pad(Buffer.from(JSON.stringify(json)), 0x20)]];
  if (binary) parts.push([0x004e4942, pad(binary, 0)]);
  const header = Buffer.alloc(12);
  header.write('glTF');
  header.writeUInt32LE(2, 4);
  header.writeUInt32LE(12 + parts.reduce((sum, [, part]) => sum + 8 + part.length, 0), 8);
  const framed = parts.flatMap(([kind, part]) => {
    const head = Buffer.alloc(8);
    head.writeUInt32LE(part.length, 0);
    head.writeUInt32LE(kind, 4);
    return [head, part];
  });
  return Buffer.concat([header, ...framed]);
}

async function readGlb(file, clip) {
  const bytes = withoutLooks(file);
  const buffer = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength);
  const gltf = await new GLTFLoader().parseAsync(buffer, '');
  const bones = new Map();
  const nodes = gltf.parser.json.nodes;
  for (const [index, node] of nodes.entries()) {
    const object = await gltf.parser.getDependency('node', index);
    bones.set(node.name, object).set(index, object);
  }
  const skins = [];
  gltf.scene.traverse((object) => object.isSkinnedMesh && skins.push(object));
  return { root: gltf.scene, clips: gltf.animations, clip: gltf.animations.at(clip), bones, skins, nodes: nodes.length };
}

/** What is not in `after` as it was in `before`, in words; nothing if all is. */
function changes(before, after) {
  const [old, now] = [chunks(before), chunks(after)];
  const found = [];
  const same = (a, b) => JSON.stringify(a) === JSON.stringify(b);
  const appended = ['animations', 'accessors', 'bufferViews', 'buffers'];
  for (const [key, value] of Object.entries(old.json)) {
    let there = now.json[key];
    if (appended.includes(key)) there = there?.slice(0, value.length);
    if (key === 'buffers' && old.binary) there = [{ ...there[0], byteLength: value[0].byteLength }, ...there.slice(1)];
    if (key === 'nodes') there = there.map((node, k) => (value[k].matrix && !node.matrix ? value[k] : node));
    if (!same(value, there)) found.push(`${key} changed`);
  }
  const added = Object.keys(now.json).filter((key) => !(key in old.json) && key !== 'animations');
  if (added.length) found.push(`${added} added`);
  if (old.binary && !old.binary.equals(now.binary.subarray(0, old.binary.length))) found.push('binary changed');
  return found;
}

/** Largest distance of any node, in any old clip, between the file before and after. */
function oldClipsOff(before, after) {
  let off = 0;
  for (const [index, clip] of before.clips.entries()) {
    const mixers = [[before, clip], [after, after.clips[index]]].map(([read, clip]) => {
      const mixer = new AnimationMixer(read.root);
      mixer.clipAction(clip).play();
      return mixer;
    });
    for (const share of [0, 0.3, 0.7]) {
      for (const [k, read] of [before, after].entries()) {
        mixers[k].setTime(share * clip.duration);
        read.root.updateMatrixWorld(true);
      }
      for (let node = 0; node < before.nodes; node += 1) {
        const [a, b] = [before, after].map((read) => read.bones.get(node).getWorldPosition(new Vector3()));
        off = Math.max(off, a.distanceTo(b));
      }
    }
    mixers.forEach((mixer) => mixer.stopAllAction());
  }
  return off;
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
for (const { file, times, bones, before } of JSON.parse(readFileSync(process.argv[2], 'utf8'))) {
  const bytes = readFileSync(file);
  const glb = !file.endsWith('.bvh');
  const issues = glb ? (await validator.validateBytes(new Uint8Array(bytes))).issues : { numErrors: 0, numWarnings: 0 };
  const read = glb ? await readGlb(bytes, -1) : readBvh(bytes.toString());
  const old = before && readFileSync(before);
  const changed = old ? changes(old, bytes) : [];
  const oldOff = old ? oldClipsOff(await readGlb(old, 0), read) : 0;
  const oldIssues = old ? (await validator.validateBytes(new Uint8Array(old))).issues : { numErrors: 0, numWarnings: 0 };
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
    file, changed, old_off: oldOff,
    errors: issues.numErrors - oldIssues.numErrors, warnings: issues.numWarnings - oldIssues.numWarnings,
    messages: messages.slice(0, 5).map(({ code, message, pointer }) => `${pointer}: ${code}: ${message}`),
    off, bones: bones.length, tracks: read.clip.tracks.length, boxes,
  }));
}
