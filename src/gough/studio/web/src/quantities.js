// What can be plotted along a motion: titles, units and series, taken from the timeline's arrays.

/** @typedef {import("./types.d.ts").Numbers} Numbers */

import { legColor, legUnits, legWords, shade } from "./units.js";

/** @type {Record<string, string>} */
export const QUANTITIES = {
  length: "Leg length",
  rate: "Leg rate",
  acceleration: "Leg acceleration",
  force: "Actuator force",
  difference: "Force: formulation − exact",
  power: "Actuator power",
  spherical_force: "Platform joint force",
  universal_force: "Base-side joint force",
  universal_moment: "Base-side joint moment",
  prismatic_force: "Guide force",
  prismatic_moment: "Guide moment",
  condition: "Condition number",
  sigma: "Smallest singular value",
  energy: "Energy",
  position: "Position",
  margin: "Margin to limits",
  error: "Tracking error",
};

/**
 * Titles for a machine: cranks have angles and torques.
 * @param {import("./types.d.ts").Machine} machine
 * @returns {Record<string, string>}
 */
export function titles(machine) {
  const { length, moving, effort } = legWords(machine.document.legs);
  const capital = effort[0].toUpperCase() + effort.slice(1);
  return {
    ...QUANTITIES,
    length,
    rate: `${moving} rate`,
    acceleration: `${moving} acceleration`,
    force: `Actuator ${effort}`,
    difference: `${capital}: formulation − exact`,
  };
}

const DASHES = [
  [6, 4],
  [2, 3],
  [10, 4, 2, 4],
  [1, 4],
  [12, 3],
];

/**
 * Column i of a row-major array with `n` columns; null where there is no number (NaN in typed arrays).
 * @param {Numbers} flat
 * @param {number} [i]
 * @param {number} [n]
 */
export function column(flat, i = 0, n = 1) {
  const out = new Array(flat.length / n);
  for (let k = 0; k < out.length; k++) out[k] = known(flat[k * n + i]);
  return out;
}

/**
 * A number, or null for none.
 * @param {number | null} x
 */
export const known = (x) => (x === null || Number.isNaN(x) ? null : x);

/**
 * x - y, or null where one of them is not known.
 * @param {number | null} x
 * @param {number | null} y
 */
const less = (x, y) => {
  const [a, b] = [known(x), known(y)];
  return a === null || b === null ? null : a - b;
};

/**
 * @param {(number | null)[]} values
 * @param {number} k
 */
const scaled = (values, k) => (k === 1 ? values : values.map((x) => (x === null ? null : x * k)));

/**
 * { title, unit, series: [{ label, color, dash, values }], lines: [y] } for one quantity.
 * @param {string} key
 * @param {import("./types.d.ts").TimelineData} data
 * @param {import("./types.d.ts").Machine} machine
 * @returns {import("./types.d.ts").Quantity}
 */
export function quantity(key, data, machine) {
  const { kinds, names } = machine.drawing;
  const unit = legUnits(kinds);
  const title = titles(machine)[key];
  /**
   * One series per leg; own: the key of the leg's own unit, by which its numbers are scaled where it is a length.
   * @param {Numbers} flat
   * @param {"unit" | "rate" | "effort"} [own]
   * @param {{ by?: string, dash?: number[] }} [more]
   */
  const legs = (flat, own, { by, dash } = {}) =>
    names.map((name, i) => {
      const named = unit.mixed && own ? `${name} ${unit.each[i][own]}` : name;
      return {
        label: by ? `${named} ${by}` : named,
        name: named,
        color: legColor(i),
        dash,
        by,
        leg: i,
        values: scaled(column(flat, i, 6), own && own !== "effort" ? unit.each[i].scale : 1),
      };
    });
  /**
   * @param {string} u
   * @param {import("./types.d.ts").Series[]} series
   * @param {number[]} [lines]
   */
  const make = (u, series, lines = []) => ({ key, title, unit: u, series, lines });
  switch (key) {
    case "length":
      return make(unit.unit, legs(data.coordinate, "unit"), strokeLines(machine, unit));
    case "rate":
      return make(unit.rate, legs(data.rate, "rate"));
    case "acceleration":
      return make(unit.rate.replaceAll("/s", "/s²"), legs(data.acceleration, "rate"));
    case "force":
      return make(
        unit.effort,
        Object.entries(data.force).flatMap(([name, flat], n) =>
          legs(flat, "effort", n ? { by: name, dash: DASHES[(n - 1) % DASHES.length] } : {}),
        ),
      );
    case "difference":
      return make(
        unit.effort,
        Object.entries(data.force)
          .slice(1)
          .flatMap(([name, flat], n) =>
            legs(
              Array.from(flat, (x, i) => less(x, data.force.exact[i])),
              "effort",
              { by: name, dash: n ? DASHES[(n - 1) % DASHES.length] : undefined },
            ),
          ),
      );
    case "power":
      return make("W", legs(data.power));
    case "condition":
      return make("", [
        one("one unit", "#f59f33", data.condition_scaled),
        one("SI, as in the papers", "#8b98a9", data.condition, [6, 4]),
      ]);
    case "sigma":
      return make("", [one("σ min", "#f59f33", data.sigma_min)]);
    case "energy":
      return make("J", [
        one("kinetic", "#4dabf7", data.energy.kinetic),
        one("potential", "#69db7c", data.energy.potential),
        one("total", "#f59f33", data.energy.total),
      ]);
    case "position":
      return make(
        "mm",
        ["x", "y", "z"].map((name, i) =>
          one(
            name,
            ["#ff6b6b", "#69db7c", "#4dabf7"][i],
            scaled(column(data.position, i, 3), 1000),
          ),
        ),
      );
    case "error":
      return make(
        "mm, °",
        data.error
          ? [
              one("position mm", "#f59f33", scaled(column(data.error.position), 1000)),
              one("angle °", "#4dabf7", scaled(column(data.error.angle), 180 / Math.PI)),
            ]
          : [],
      );
    case "margin":
      return make("", [one("smallest margin", "#f59f33", data.margin)], [0]);
    default:
      return make(key.endsWith("moment") ? "N·m" : "N", legs(data.reactions[key]));
  }
}

/**
 * @param {string} label
 * @param {string} color
 * @param {Numbers} flat
 * @param {number[]} [dash]
 */
function one(label, color, flat, dash) {
  return { label, color: shade(color), values: column(flat), dash };
}

/**
 * @param {import("./types.d.ts").Machine} machine
 * @param {ReturnType<typeof legUnits>} unit
 */
function strokeLines(machine, { mixed, each }) {
  if (mixed) return [];
  const { scale } = each[0];
  const strokes = machine.document.legs.map((leg) => leg.limits.stroke);
  const first = strokes[0];
  const same = first && strokes.every((s) => s && s[0] === first[0] && s[1] === first[1]);
  return same ? first.map((x) => x * scale) : [];
}

/**
 * Text in a CSV cell; what a spreadsheet would take for a formula begins with an apostrophe.
 * @param {string} text
 */
export function cell(text) {
  const safe = /^[=+\-@\t\r\n]/.test(text) ? `'${text}` : text;
  return `"${safe.replaceAll('"', '""')}"`;
}

/**
 * Everything drawn in a plot, as CSV.
 * @param {import("./types.d.ts").Quantity} q
 * @param {ArrayLike<number>} t
 */
export function csv(q, t) {
  const head = ["t [s]", ...q.series.map((s) => `${s.label}${q.unit ? ` [${q.unit}]` : ""}`)];
  const rows = Array.from(t, (x, k) =>
    [x, ...q.series.map((s) => s.values[k])].map((y) => (y === null ? "" : String(y))).join(","),
  );
  return [head.map(cell).join(","), ...rows].join("\n") + "\n";
}
