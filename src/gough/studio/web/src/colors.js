// A color scale from dark blue over green to yellow, readable without red and green.

const STOPS = [
  [0.27, 0.0, 0.33],
  [0.25, 0.27, 0.53],
  [0.16, 0.47, 0.56],
  [0.13, 0.66, 0.52],
  [0.48, 0.82, 0.32],
  [0.99, 0.91, 0.15],
];

/** Red, green, blue from 0 to 1 for a share from 0 to 1.
 * @param {number} share
 * @returns {number[]} */
export function scaleColor(share) {
  const at = Math.min(Math.max(share, 0), 1) * (STOPS.length - 1);
  const i = Math.min(Math.floor(at), STOPS.length - 2);
  return STOPS[i].map((c, k) => c + (STOPS[i + 1][k] - c) * (at - i));
}

/** The scale as a CSS gradient from left to right.
 * @returns {string} */
export function scaleGradient() {
  const stops = STOPS.map((c) => `rgb(${c.map((x) => Math.round(255 * x)).join(" ")})`);
  return `linear-gradient(90deg, ${stops.join(", ")})`;
}
