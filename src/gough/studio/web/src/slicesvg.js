// A workspace slice as vector drawing with its axes: runs of equal cells in a row become one rectangle.

import { s } from "./dom.js";
import { last, ticks } from "./plotsvg.js";
import { REASON_COLORS } from "./reasons.js";
import { sig } from "./units.js";

/**
 * @param {import("./types.d.ts").SliceData} slice
 * @param {{ width?: number, height?: number }} [size]
 */
export function sliceSvg({ u, v, plane, reason }, { width = 420, height = 400 } = {}) {
  const [left, bottom, top, right] = [52, 40, 8, 12];
  const [du, dv] = [(last(u) - u[0]) / (u.length - 1), (last(v) - v[0]) / (v.length - 1)];
  const [u0, u1, v0, v1] = [u[0] - du / 2, last(u) + du / 2, v[0] - dv / 2, last(v) + dv / 2];
  const k = Math.min((width - left - right) / (u1 - u0), (height - top - bottom) / (v1 - v0));
  /** @param {number} x */
  const X = (x) => left + (x - u0) * k;
  /** @param {number} y */
  const Y = (y) => top + (v1 - y) * k;
  const cells = REASON_COLORS.map(() => "");
  for (let j = 0; j < v.length; j++) {
    for (let i = 0; i < u.length;) {
      const code = reason[j * u.length + i];
      let end = i + 1;
      while (end < u.length && reason[j * u.length + end] === code) end++;
      const box = [X(u[i] - du / 2), Y(v[j] + dv / 2), (end - i) * du * k, dv * k];
      const [x, y, w, t] = box.map((z) => z.toFixed(2));
      cells[code < cells.length ? code : 1] += `M${x} ${y}h${w}v${t}h-${w}z`;
      i = end;
    }
  }
  /**
   * @param {number} x
   * @param {number} y
   * @param {string} text
   * @param {string} anchor
   */
  const mark = (x, y, text, anchor) =>
    s("text", { x, y, "text-anchor": anchor, class: "axis-text" }, text);
  /** @param {number} x */
  const mm = (x) => sig(x * 1000, 5);
  return s(
    "svg",
    {
      viewBox: `0 0 ${width} ${(Y(v0) + bottom).toFixed(0)}`,
      class: "drawing slice-svg",
      role: "img",
      "aria-label": "workspace slice",
    },
    cells.map((d, code) =>
      d ? s("path", { d, fill: REASON_COLORS[code], opacity: code ? 0.25 : 0.7 }) : null,
    ),
    s("path", { d: `M${X(u0)} ${Y(v1)}V${Y(v0)}H${X(u1)}`, class: "d-dim" }),
    ticks(u0, u1, 5).map((x) => [
      s("path", { d: `M${X(x)} ${Y(v0)}v4`, class: "d-dim" }),
      mark(X(x), Y(v0) + 15, mm(x), "middle"),
    ]),
    ticks(v0, v1, 5).map((y) => [
      s("path", { d: `M${X(u0)} ${Y(y)}h-4`, class: "d-dim" }),
      mark(X(u0) - 6, Y(y) + 3, mm(y), "end"),
    ]),
    mark((X(u0) + X(u1)) / 2, Y(v0) + 32, `${plane[0]} [mm]`, "middle"),
    mark(4, Y(v1) + 10, `${plane[1]} [mm]`, "start"),
  );
}
