// Flat drawings of a machine in SVG: thumbnails of the gallery, views of the machine sheet.

/** @typedef {"top" | "front" | "side" | "oblique"} View */

import { cross } from "./arrows.js";
import { s } from "./dom.js";
import { legColor } from "./units.js";

/**
 * Right-handed axes (right, upwards on paper) for a view, from the machine's upward direction.
 * @param {number[]} up
 */
function views(up) {
  const z = up;
  const pick = Math.abs(z[0]) < 0.9 ? [1, 0, 0] : [0, 1, 0];
  const y = norm(cross(z, pick));
  const x = cross(y, z);
  /** @param {...[number, number[]]} terms */
  const mix = (...terms) => [0, 1, 2].map((i) => terms.reduce((sum, [k, v]) => sum + k * v[i], 0));
  const c = Math.cos(0.55),
    k = Math.sin(0.55),
    tilt = 0.42;
  return {
    top: [x, y],
    front: [x, z],
    side: [y, z],
    oblique: [
      mix([c, x], [k, y]),
      mix([-k * tilt, x], [c * tilt, y], [Math.sqrt(1 - tilt * tilt), z]),
    ],
  };
}

/**
 * @param {number[]} a
 * @param {number[]} b
 */
const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
/** @param {number[]} a */
const norm = (a) => {
  const n = Math.hypot(...a) || 1;
  return a.map((x) => x / n);
};

/**
 * One view; shape: { start, end, base, up } in meters.
 * @param {import("./types.d.ts").Outline} shape
 * @param {View} view
 * @param {{ width?: number, height?: number, dimension?: boolean }} [options]
 */
export function machineView(shape, view, { width = 200, height = 150, dimension = false } = {}) {
  const [right, above] = views(shape.up)[view];
  /** @param {number[]} p */
  const flat = (p) => [dot(p, right), dot(p, above)];
  const all = [...shape.start, ...shape.end, ...shape.base].map(flat);
  /** @param {number} i */
  const span = (i) => [Math.min(...all.map((p) => p[i])), Math.max(...all.map((p) => p[i]))];
  const [[x0, x1], [y0, y1]] = [span(0), span(1)];
  const pad = dimension ? 26 : 12;
  const k = Math.min((width - 2 * pad) / (x1 - x0 || 1), (height - 2 * pad) / (y1 - y0 || 1));
  /** @param {number[]} p */
  const at = (p) => {
    const [x, y] = flat(p);
    return [width / 2 + k * (x - (x0 + x1) / 2), height / 2 - k * (y - (y0 + y1) / 2)];
  };
  /** @param {number[][]} points */
  const path = (points) =>
    `M${points
      .map((p) =>
        at(p)
          .map((x) => x.toFixed(1))
          .join(" "),
      )
      .join("L")}`;
  /** @param {number[][]} points */
  const around = (points) => {
    const c = [0, 1, 2].map((i) => points.reduce((sum, p) => sum + p[i], 0) / points.length);
    const [u, w] = [views(shape.up).top[0], views(shape.up).top[1]];
    const angle = (/** @type {number[]} */ p) =>
      Math.atan2(dot(p, w) - dot(c, w), dot(p, u) - dot(c, u));
    return [...points].sort((a, b) => angle(a) - angle(b));
  };
  const parts = [
    s("path", { d: `${path(around(shape.base))}Z`, class: "d-base" }),
    ...shape.start.map((p, i) => s("path", { d: path([shape.base[i], p]), class: "d-rail" })),
    ...shape.start.map((p, i) =>
      s("path", { d: path([p, shape.end[i]]), stroke: legColor(i), class: "d-leg" }),
    ),
    s("path", { d: `${path(around(shape.end))}Z`, class: "d-top" }),
    ...shape.end.map((p) => {
      const [cx, cy] = at(p);
      return s("circle", { cx, cy, r: 2, class: "d-joint" });
    }),
  ];
  if (dimension) {
    const bottom = height - 8;
    const [a, b] = [width / 2 + k * (x0 - (x0 + x1) / 2), width / 2 + k * (x1 - (x0 + x1) / 2)];
    parts.push(
      s("path", {
        d: `M${a} ${bottom}H${b}M${a} ${bottom - 4}v8M${b} ${bottom - 4}v8`,
        class: "d-dim",
      }),
      s(
        "text",
        { x: (a + b) / 2, y: bottom - 5, class: "d-text" },
        `${((x1 - x0) * 1000).toFixed(0)} mm`,
      ),
    );
    const left = 9;
    const [c, d] = [height / 2 - k * (y1 - (y0 + y1) / 2), height / 2 - k * (y0 - (y0 + y1) / 2)];
    parts.push(
      s("path", { d: `M${left} ${c}V${d}M${left - 4} ${c}h8M${left - 4} ${d}h8`, class: "d-dim" }),
      s(
        "text",
        {
          x: 0,
          y: 0,
          class: "d-text",
          transform: `translate(${left + 10} ${(c + d) / 2}) rotate(-90)`,
        },
        `${((y1 - y0) * 1000).toFixed(0)} mm`,
      ),
    );
  }
  return s(
    "svg",
    {
      viewBox: `0 0 ${width} ${height}`,
      class: "drawing",
      role: "img",
      "aria-label": `${view} view`,
    },
    parts,
  );
}
