// Files that the studio gave, as others read them: the Khronos validator and three.js.

import assert from 'node:assert/strict';
import validator from 'gltf-validator';
import { AnimationMixer, Vector3 } from 'three';
import { GLTFLoader } from 'three/examples/jsm/loaders/GLTFLoader.js';

// The loader asks for the browser's global object; it needs nothing of it for a file without images.
globalThis.self ??= globalThis;

/** Fails unless the Khronos validator finds nothing wrong, but for what was wrong `before`. */
export async function validate(bytes, before = null) {
  const messages = async (bytes) => {
    const { issues } = await validator.validateBytes(new Uint8Array(bytes));
    return issues.messages.filter(({ severity }) => severity < 2).map(({ pointer, message }) => `${pointer}: ${message}`);
  };
  assert.deepEqual(await messages(bytes), before ? await messages(before) : [], 'the glTF validator finds nothing new');
}

/** JSON and binary part of a GLB. */
export function parts(bytes) {
  assert.equal(bytes.toString('latin1', 0, 4), 'glTF', 'it is a GLB');
  const length = bytes.readUInt32LE(12);
  const at = 20 + length;
  return { json: JSON.parse(bytes.toString('utf8', 20, at)), binary: bytes.subarray(at + 8, at + 8 + bytes.readUInt32LE(at)) };
}

/** A GLB as three.js plays it: where its nodes are at a time of one of its clips. */
export async function player(bytes, clipName) {
  const gltf = await new GLTFLoader().parseAsync(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength), '');
  const clip = gltf.animations.find(({ name }) => name === clipName);
  assert.ok(clip, `there is a clip ${clipName} among ${gltf.animations.map(({ name }) => name)}`);
  const mixer = new AnimationMixer(gltf.scene);
  mixer.clipAction(clip).play();
  const nodes = new Map();
  for (const [index, { name }] of gltf.parser.json.nodes.entries()) {
    const node = await gltf.parser.getDependency('node', index);
    nodes.set(index, node).set(name, node);
  }
  return {
    duration: clip.duration,
    /** Sets the time; then `place` tells where a node is, by its name or number. */
    seek(time) {
      mixer.setTime(time);
      gltf.scene.updateMatrixWorld(true);
    },
    place: (node) => nodes.get(node).getWorldPosition(new Vector3()).toArray(),
  };
}
