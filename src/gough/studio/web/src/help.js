// The help dialog and the legend of a workspace slice.

import { dialog, h } from "./dom.js";
import { REASON_COLORS } from "./reasons.js";

const KEYS = [
  ["Space", "play or pause"],
  ["← →", "on the timeline: one sample; Page Up and Down: twenty"],
  ["G, R", "handle to move, to turn"],
  ["F", "fit the view"],
  ["H", "home pose"],
  [
    "Arrows, Page Up, Page Down",
    "with the 3D view focused: move the platform; with Shift: turn it; with Alt: finely",
  ],
  ["W", "workspace slice"],
  ["V", "workspace volume"],
  ["N, D", "names of the legs, dimensions"],
  ["1, 2, 3, 4", "look from the front, the side, above, isometric"],
  ["A", "assembly modes"],
  ["E, M, C, T", "editor, motion, code, tools"],
  ["O, S", "open, save"],
  ["Ctrl+Z, Ctrl+Shift+Z", "undo, redo"],
  ["+ − 0", "on a plot: zoom in, out, all"],
  ["Esc", "close the panel"],
];

/** @param {(() => void) | null} tour begins the guided first minute */
export function help(tour = null) {
  const box = dialog(
    "Keys",
    h(
      "table.keys",
      {},
      h(
        "tbody",
        {},
        KEYS.map(([key, what]) => h("tr", {}, h("th", { scope: "row" }, key), h("td", {}, what))),
      ),
    ),
    h(
      "p.hint",
      {},
      "Drag in the 3D view to look around, right drag to shift, wheel to come nearer. " +
        "Drag across a plot to zoom, double click for all, click to go to that time.",
    ),
    tour
      ? h(
          "button.text",
          { onclick: () => (box.close(), tour()) },
          "the first minute, in five steps",
        )
      : null,
  );
}

/** @param {Pick<import("./types.d.ts").SliceData, "reason" | "kinds" | "text">} slice */
export function sliceLegend(slice) {
  const present = [...new Set(slice.reason)].sort((a, b) => a - b);
  return h(
    "div.slice-legend",
    {},
    h("strong", {}, slice.text),
    present.map((code) =>
      h("span", {}, h("i", { style: { background: REASON_COLORS[code] } }), slice.kinds[code]),
    ),
  );
}
