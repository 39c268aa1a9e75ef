// A motion at a time: the pose between samples, for drawing, and all numbers of one sample.

import { nearest } from "./plotsvg.js";
import { known } from "./quantities.js";

/**
 * Pose between samples, for drawing: positions and coordinates linear, quaternion normalized linear.  A coordinate is
 * null where a sample that it is taken from has none.
 * @param {import("./types.d.ts").TimelineData} data
 * @param {number} time
 */
export function poseAt(data, time) {
  const k = nearest(data.t, time);
  const a = data.t[k] <= time ? k : Math.max(k - 1, 0);
  const b = Math.min(a + 1, data.t.length - 1);
  const w = b > a ? (time - data.t[a]) / (data.t[b] - data.t[a]) : 0;
  /**
   * @param {ArrayLike<number>} flat
   * @param {number} n
   */
  const mix = (flat, n) =>
    Array.from({ length: n }, (_, i) => flat[a * n + i] * (1 - w) + flat[b * n + i] * w);
  const coordinate = Array.from({ length: 6 }, (_, i) => {
    const [x, y] = [known(data.coordinate[6 * a + i]), known(data.coordinate[6 * b + i])];
    if (w === 0) return x;
    return x === null || y === null ? null : x * (1 - w) + y * w;
  });
  const q = mix(data.quaternion, 4);
  const norm = Math.hypot(...q);
  return {
    position: mix(data.position, 3),
    quaternion: q.map((x) => x / norm),
    coordinate,
  };
}

/**
 * All numbers of sample k, for the table.
 * @param {import("./types.d.ts").TimelineData} data
 * @param {number} k
 */
export function sampleAt(data, k) {
  /**
   * @param {import("./types.d.ts").Numbers} flat
   * @param {number} n
   */
  const row = (flat, n) => Array.from(flat.slice(k * n, k * n + n), known);
  return {
    position: Array.from(data.position.slice(3 * k, 3 * k + 3)),
    quaternion: Array.from(data.quaternion.slice(4 * k, 4 * k + 4)),
    coordinate: row(data.coordinate, 6),
    rate: row(data.rate, 6),
    force: row(data.force.exact, 6),
    spherical_force: row(data.spherical_vector, 18),
    reactions: Object.fromEntries(
      Object.entries(data.reactions).map(([key, flat]) => [key, row(flat, 6)]),
    ),
    broken: row(data.broken, 6),
    near: row(data.near, 6),
    condition: known(data.condition[k]),
    condition_scaled: known(data.condition_scaled[k]),
    sigma_min: known(data.sigma_min[k]),
  };
}
