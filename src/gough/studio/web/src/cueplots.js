// What is felt over time, drawn: the scaled vehicle against the machine, one small plot an axis.

import { AXES, axisValues, curvePath, extremes, shownUnit } from "./cuecurves.js";
import { h, s } from "./dom.js";
import { spread, ticks } from "./plotsvg.js";
import { sig, tick } from "./units.js";

const [WIDTH, HEIGHT] = [360, 122];
const [LEFT, RIGHT, TOP, BOTTOM] = [48, 8, 22, 20];

/** @typedef {{ title: string, vehicle: "vehicle" | "vehicle_sensed", machine: "machine" | "machine_sensed" }} Kind */

/** @type {Record<string, Kind>} */
export const KINDS = {
  felt: { title: "at the head", vehicle: "vehicle", machine: "machine" },
  sensed: {
    title: "as the inner ear senses it",
    vehicle: "vehicle_sensed",
    machine: "machine_sensed",
  },
};

/**
 * Six plots with their legend.
 * @param {import("./messages.js").CueMade} made
 * @param {string} kind of KINDS
 */
export function cuePlots(made, kind) {
  const { factors } = made;
  const [force, rate] = [factors.slice(0, 3), factors.slice(3)];
  const same = factors.every((x) => x === factors[0]);
  const times = same ? `× ${sig(factors[0], 3)}` : `× ${each(force)} and × ${each(rate)}`;
  return [
    h(
      "p.cue-legend",
      {},
      h("span", {}, key("cue-vehicle"), `vehicle ${times}`),
      h("span", {}, key("cue-machine"), "machine"),
      kind === "sensed" ? h("span", {}, key("cue-threshold"), "threshold") : null,
    ),
    ...AXES.map((_, axis) => plot(made, axis, KINDS[kind])),
  ];
}

/** @param {number[]} factors */
const each = (factors) =>
  factors.every((x) => x === factors[0])
    ? sig(factors[0], 3)
    : `(${factors.map((x) => sig(x, 3)).join(", ")})`;

/** @param {string} name */
const key = (name) =>
  s(
    "svg",
    { viewBox: "0 0 28 6", class: "dash", "aria-hidden": "true" },
    s("path", { d: "M0 3H28", class: name }),
  );

/**
 * @param {import("./messages.js").CueMade} made
 * @param {number} axis
 * @param {Kind} kind
 */
function plot(made, axis, kind) {
  const { t } = made.data;
  const { unit, scale } = shownUnit(axis);
  const vehicle = axisValues(made.data[kind.vehicle], axis);
  const machine = axisValues(made.data[kind.machine], axis);
  const near = scale * made.threshold[axis];
  const lines = kind === KINDS.sensed ? [-near, near] : [];
  const [found, most] = extremes([vehicle, machine]);
  const least = Math.max(most - found, near); // what is below the threshold is not blown up
  const middle = (found + most) / 2;
  const [low, high] = spread(middle - least / 2, middle + least / 2, lines);
  const [first, last] = [t[0], t[t.length - 1]];
  const X = (/** @type {number} */ x) =>
    LEFT + ((x - first) / (last - first)) * (WIDTH - LEFT - RIGHT);
  const Y = (/** @type {number} */ y) =>
    HEIGHT - BOTTOM - ((y - low) / (high - low)) * (HEIGHT - TOP - BOTTOM);
  const what = axis < 3 ? "specific force" : "angular rate";
  const name = `${AXES[axis]}, ${what} ${kind.title} [${unit}]`;
  const columns = WIDTH - LEFT - RIGHT;
  return s(
    "svg",
    { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, class: "cue-plot", role: "img", "aria-label": name },
    s("text", { x: LEFT, y: 13, class: "cue-name" }, name),
    ticks(low, high, 4).map((y) => [
      s("line", { x1: LEFT, x2: WIDTH - RIGHT, y1: Y(y), y2: Y(y), class: "way-grid" }),
      s("text", { x: LEFT - 5, y: Y(y) + 3.5, class: "way-tick", "text-anchor": "end" }, tick(y)),
    ]),
    ticks(first, last, 6).map((x) =>
      x > last - 0.16 * (last - first)
        ? null
        : s("text", { x: X(x), y: HEIGHT - 5, class: "way-tick", "text-anchor": "middle" }, sig(x)),
    ),
    s(
      "text",
      { x: WIDTH - RIGHT, y: HEIGHT - 5, class: "way-tick", "text-anchor": "end" },
      "time [s]",
    ),
    lines
      .filter((y) => y > low && y < high)
      .map((y) =>
        s("line", { x1: LEFT, x2: WIDTH - RIGHT, y1: Y(y), y2: Y(y), class: "cue-threshold" }),
      ),
    s("path", { d: curvePath(t, vehicle, X, Y, columns), class: "cue-vehicle" }),
    s("path", { d: curvePath(t, machine, X, Y, columns), class: "cue-machine" }),
  );
}
