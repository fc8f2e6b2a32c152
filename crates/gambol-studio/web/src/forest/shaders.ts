/** Most modes that a shader sums. */
export const MOST_MODES = 32
/** Texels in a row of the textures of trees. */
export const WIDTH = 1024

/** Step 2 of a forest (Diener et al. 2009, figure 5), for one corner: its tree's modes, summed at the two nodes that it follows. */
const MOVED = `
precision highp float;
precision highp int;
uniform sampler2D shapes;   // nodes wide; rows: v of each mode, w of each mode, three residual shapes
uniform sampler2D states;   // texels of each tree: coordinates of its modes, then wind
uniform sampler2D stand;    // two texels of each tree: x, y, z, turn; size, tint
uniform int stride;         // texels of a tree in states
uniform int modes;          // that are summed
uniform int rows;           // modes in shapes
uniform vec3 bends[${MOST_MODES}]; // a, b and largest coordinate of equation 18
uniform float reach;        // what steady wind beyond the modes moves at most, m
uniform float time;
attribute float tree;
attribute vec3 joint;

vec4 texel(sampler2D from, int index) {
  return texelFetch(from, ivec2(index % ${WIDTH}, index / ${WIDTH}), 0);
}

vec3 shape(int row) {
  vec3 first = texelFetch(shapes, ivec2(int(joint.x), row), 0).xyz;
  if (joint.z == 0.0) return first;
  return mix(first, texelFetch(shapes, ivec2(int(joint.y), row), 0).xyz, joint.z);
}

// Displacement in the plant's own axes, m, and the wind there: |v| v and |v|.
vec3 moved(out vec4 wind) {
  int at = int(tree) * stride;
  vec3 sum = vec3(0.0);
  for (int mode = 0; mode < modes; mode++) {
    vec4 four = texel(states, at + mode / 4);
    vec3 bend = bends[mode];
    float q = clamp(four[mode % 4], -bend.z, bend.z);
#ifdef BENT
    float s = bend.x * atan(bend.y * q);
    sum += s * shape(mode) + s * s * shape(rows + mode);
#else
    sum += q * shape(mode);
#endif
  }
  wind = texel(states, at + stride - 1);
  vec3 rest = wind.x * shape(2 * rows) + wind.y * shape(2 * rows + 1) + wind.z * shape(2 * rows + 2);
  return sum + rest * min(1.0, reach / max(length(rest), 1e-9));
}

vec3 turned(vec3 p, float turn) {
  float c = cos(turn), s = sin(turn);
  return vec3(c * p.x - s * p.y, s * p.x + c * p.y, p.z);
}
`

/** Light, and air between the eye and what it sees. */
const AIR = `
precision highp float;
uniform vec3 sun;           // towards it
uniform vec3 sunlight;
uniform vec3 skylight;
uniform vec3 groundlight;
uniform vec3 haze;
uniform float hazy;         // m at which most is haze

vec3 lit(vec3 colour, vec3 normal, float shade) {
  float above = 0.5 + 0.5 * normal.z;
  float direct = max(dot(normal, sun), 0.0);
  return colour * (mix(groundlight, skylight, above) * shade + sunlight * direct * shade);
}

vec3 aired(vec3 colour, float distance) {
  float part = 1.0 - exp(-distance * distance / (hazy * hazy));
  return mix(colour, haze, 0.92 * part);
}
`

export const BARK = {
  vertex: `${MOVED}
varying vec3 vNormal;
varying vec3 vOwn;
varying float vFar;
varying float vTint;
void main() {
  vec4 wind;
  vec3 own = position + moved(wind);
  vec4 place = texel(stand, 2 * int(tree));
  vec4 size = texel(stand, 2 * int(tree) + 1);
  vec3 world = place.xyz + size.x * turned(own, place.w);
  vNormal = turned(normal, place.w);
  vOwn = position;
  vTint = size.y;
  vec4 seen = viewMatrix * vec4(world, 1.0);
  vFar = length(seen.xyz);
  gl_Position = projectionMatrix * seen;
}`,
  fragment: `${AIR}
uniform vec3 bark;
uniform vec3 twig;
uniform float height;
varying vec3 vNormal;
varying vec3 vOwn;
varying float vFar;
varying float vTint;
void main() {
  float up = clamp(vOwn.z / height, 0.0, 1.0);
  vec3 colour = mix(bark, twig, up) * (0.85 + 0.3 * vTint);
  // It is darker within a crown, and at the root.
  float shade = mix(0.62, 1.0, smoothstep(0.0, 0.9, up));
  gl_FragColor = vec4(aired(lit(colour, normalize(vNormal), shade), vFar), 1.0);
  #include <colorspace_fragment>
}`,
}

export const LEAVES = {
  vertex: `${MOVED}
uniform vec3 middle;        // of the crown, m
uniform vec3 extent;        // of the crown, m
uniform float spread;       // how much larger a card is than its leaf
uniform float slender;      // width by length
attribute vec2 corner;      // -1 to 1; y from the stalk to the tip
attribute vec4 leaf;        // half length, phase, rate, a number of its own from 0 to 1
attribute vec3 aim;         // from stalk to tip
varying vec2 vCard;
varying vec3 vNormal;
varying float vFar;
varying float vTone;
varying float vShade;
varying float vPale;
void main() {
  vec4 wind;
  vec3 own = position + moved(wind);
  vec4 place = texel(stand, 2 * int(tree));
  vec4 size = texel(stand, 2 * int(tree) + 1);
  float strength = tanh(0.8 * wind.w / 6.0);
  float angle = 6.2832 * leaf.z * time + leaf.y + 2.4 * float(int(tree) % 7);
  // As Leaf::flutter: down the wind, and across it to and fro.
  vec3 along = wind.xyz / max(wind.w * wind.w, 1e-6);
  vec3 across = vec3(-along.y, along.x, 0.6);
  own += (0.4 * along + 0.5 * sin(angle) * across) * strength * leaf.x;
  vec3 world = place.xyz + size.x * turned(own, place.w);
  vec4 seen = viewMatrix * vec4(world, 1.0);
  // A card that faces the eye, its tip where the leaf's is; it rocks in the wind.
  vec3 tip = mat3(viewMatrix) * turned(aim, place.w);
  float roll = atan(tip.x, tip.y) + 0.6 * strength * sin(angle + 1.3);
  float c = cos(roll), s = sin(roll);
  vec2 flat_ = corner * vec2(slender * (1.0 - 0.25 * strength * (0.5 + 0.5 * sin(1.7 * angle))), 1.0) * leaf.x * spread * size.x;
  seen.xy += vec2(c * flat_.x + s * flat_.y, c * flat_.y - s * flat_.x);
  vec3 out_ = (position - middle) / max(extent, vec3(1e-3));
  float depth = clamp(length(out_), 0.0, 1.0);
  vNormal = normalize(turned(normalize(out_ + vec3(0.0, 0.0, 0.15)), place.w) + 0.35 * vec3(sin(leaf.w * 40.0), cos(leaf.w * 57.0), 0.5));
  vCard = 0.5 + 0.5 * corner;
  vTone = leaf.w + 0.45 * (size.y - 0.5);
  vShade = mix(0.5, 1.0, depth * depth) * mix(0.72, 1.0, clamp(0.5 + 0.5 * out_.z, 0.0, 1.0));
  // Leaves show their pale sides where it blows.
  vPale = strength * (0.35 + 0.35 * sin(angle));
  vFar = length(seen.xyz);
  gl_Position = projectionMatrix * seen;
}`,
  fragment: `${AIR}
uniform sampler2D card;
uniform vec3 dark;
uniform vec3 light;
uniform vec3 pale;
varying vec2 vCard;
varying vec3 vNormal;
varying float vFar;
varying float vTone;
varying float vShade;
varying float vPale;
void main() {
  vec4 grain = texture2D(card, vCard);
  if (grain.a < 0.42) discard;
  vec3 colour = mix(dark, light, clamp(vTone, 0.0, 1.0)) * (0.62 + 0.55 * grain.r);
  colour = mix(colour, pale, vPale * 0.55);
  gl_FragColor = vec4(aired(lit(colour, normalize(vNormal), vShade), vFar), 1.0);
  #include <colorspace_fragment>
}`,
}

/** Soft spots under the trees. */
export const SHADOWS = {
  vertex: `
precision highp float;
precision highp int;
uniform sampler2D stand;
uniform float width;
uniform vec3 sun;
uniform float height;
attribute float tree;
varying vec2 vAt;
varying float vFar;
void main() {
  int index = 2 * int(tree);
  vec4 place = texelFetch(stand, ivec2(index % ${WIDTH}, index / ${WIDTH}), 0);
  float size = texelFetch(stand, ivec2((index + 1) % ${WIDTH}, (index + 1) / ${WIDTH}), 0).x;
  vAt = position.xy;
  // Away from the sun, and longer that way.
  vec2 away = -normalize(sun.xy);
  vec2 at = position.xy * width * size;
  at += away * (dot(position.xy, away) + 0.6) * 0.35 * height * size;
  vec4 seen = viewMatrix * vec4(place.xy + at, 0.01 * height, 1.0);
  vFar = length(seen.xyz);
  gl_Position = projectionMatrix * seen;
}`,
  fragment: `${AIR}
varying vec2 vAt;
varying float vFar;
uniform float strength;
void main() {
  float part = 1.0 - exp(-vFar * vFar / (hazy * hazy));
  gl_FragColor = vec4(0.06, 0.09, 0.06, strength * (1.0 - part) * smoothstep(1.0, 0.1, length(vAt)));
}`,
}

/** A meadow; seen from both near and far it has spots of its own size. */
export const GROUND = {
  vertex: `
varying vec3 vWorld;
void main() {
  vWorld = (modelMatrix * vec4(position, 1.0)).xyz;
  gl_Position = projectionMatrix * viewMatrix * vec4(vWorld, 1.0);
}`,
  fragment: `${AIR}
uniform vec3 low;
uniform vec3 high;
uniform float height;
varying vec3 vWorld;
float hash(vec2 p) { return fract(sin(dot(p, vec2(127.1, 311.7))) * 43758.5453); }
float noise(vec2 p) {
  vec2 i = floor(p), f = fract(p);
  f = f * f * (3.0 - 2.0 * f);
  return mix(mix(hash(i), hash(i + vec2(1.0, 0.0)), f.x), mix(hash(i + vec2(0.0, 1.0)), hash(i + vec2(1.0, 1.0)), f.x), f.y);
}
void main() {
  vec2 p = vWorld.xy / height;
  float far = length(vWorld - cameraPosition);
  float fine = exp(-far / (14.0 * height));
  float n = 0.55 * noise(0.35 * p) + 0.3 * noise(1.7 * p + 9.0) + fine * (0.35 * noise(9.0 * p) + 0.25 * noise(37.0 * p) - 0.3);
  gl_FragColor = vec4(aired(lit(mix(low, high, n), vec3(0.0, 0.0, 1.0), 0.95), far), 1.0);
  #include <colorspace_fragment>
}`,
}

export const SKY = {
  vertex: `
varying vec2 vAt;
void main() {
  vAt = position.xy;
  gl_Position = vec4(position.xy, 1.0, 1.0);
}`,
  fragment: `
precision highp float;
uniform mat4 towards;       // world from clip
uniform vec3 haze;
uniform vec3 zenith;
uniform vec3 eye;
varying vec2 vAt;
void main() {
  vec4 far = towards * vec4(vAt, 1.0, 1.0);
  vec3 ray = normalize(far.xyz / far.w - eye);
  gl_FragColor = vec4(mix(haze, zenith, pow(clamp(ray.z, 0.0, 1.0), 0.55)), 1.0);
  #include <colorspace_fragment>
}`,
}
