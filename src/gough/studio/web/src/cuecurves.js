// Curves of a cue as paths: what is drawn keeps every extreme, however many samples share a pixel.

/** @typedef {import("./types.d.ts").CueData} CueData */

export const AXES = ["surge", "sway", "heave", "roll", "pitch", "yaw"];

/**
 * Specific force (first three axes) in m/s², angular rate in °/s.
 * @param {number} axis
 */
export function shownUnit(axis) {
  return axis < 3 ? { unit: "m/s²", scale: 1 } : { unit: "°/s", scale: 180 / Math.PI };
}

/**
 * Column `axis` of six, in the unit shown.
 * @param {ArrayLike<number>} flat
 * @param {number} axis
 */
export function axisValues(flat, axis) {
  const { scale } = shownUnit(axis);
  return Float64Array.from({ length: flat.length / 6 }, (_, k) => flat[6 * k + axis] * scale);
}

/**
 * Which samples to draw so that each of `columns` parts of the time keeps its first, lowest, highest and last one.
 * @param {ArrayLike<number>} values
 * @param {number} columns
 * @returns {number[]}
 */
export function drawnSamples(values, columns) {
  const n = values.length;
  if (n <= 4 * columns) return Array.from({ length: n }, (_, k) => k);
  /** @type {Set<number>} */
  const kept = new Set();
  for (let c = 0; c < columns; c++) {
    const first = Math.floor((c * n) / columns);
    const end = Math.floor(((c + 1) * n) / columns);
    let [low, high] = [first, first];
    for (let k = first; k < end; k++) {
      if (values[k] < values[low]) low = k;
      if (values[k] > values[high]) high = k;
    }
    for (const k of [first, low, high, end - 1]) kept.add(k);
  }
  return [...kept].sort((a, b) => a - b);
}

/**
 * The path of a curve.
 * @param {ArrayLike<number>} t
 * @param {ArrayLike<number>} values
 * @param {(t: number) => number} X
 * @param {(y: number) => number} Y
 * @param {number} columns
 */
export function curvePath(t, values, X, Y, columns) {
  return drawnSamples(values, columns)
    .map((k, n) => `${n ? "L" : "M"}${X(t[k]).toFixed(1)} ${Y(values[k]).toFixed(1)}`)
    .join("");
}

/**
 * Lowest and highest of some curves.
 * @param {ArrayLike<number>[]} curves
 * @returns {[number, number]}
 */
export function extremes(curves) {
  let [low, high] = [Infinity, -Infinity];
  for (const values of curves)
    for (let k = 0; k < values.length; k++) {
      low = Math.min(low, values[k]);
      high = Math.max(high, values[k]);
    }
  return [low, high];
}
