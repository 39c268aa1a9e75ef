// A calibration in tables and a drawing: what was found and how surely, what was not, what the readings leave.

import { h, s, table } from "./dom.js";
import { cell } from "./quantities.js";
import { DEG, num, sig } from "./units.js";

/** @typedef {import("./types.d.ts").CalibratedNumber} CalibratedNumber */
/** @typedef {import("./messages.js").Calibrated} Calibrated */

const WIDTH = 360;
const HEIGHT = 170;
const LEFT = 40;
const BOTTOM = 26;
const TOP = 22;

/** Why a number is not there. */
const REASONS = {
  found: "",
  unseen: "not seen alone",
  weak: "seen too weakly",
  beforehand: "by its tolerance alone",
  none: "not found",
};

/**
 * How numbers of this SI unit are shown.
 * @param {string} unit
 */
export function shownUnit(unit) {
  if (unit === "m") return { unit: "mm", scale: 1000 };
  return unit === "rad" ? { unit: "°", scale: 1 / DEG } : { unit: "", scale: 1 };
}

/**
 * Decimals that mean something with this standard deviation, both as shown: two digits of it.
 * @param {number | null} sigma
 */
export function decimals(sigma) {
  if (sigma === null || !(sigma > 0)) return 4;
  return Math.min(9, Math.max(0, 1 - Math.floor(Math.log10(sigma))));
}

/**
 * The cells of one unknown, as text; what was not found has its reason and no number.
 * @param {CalibratedNumber} row
 */
export function numberCells(row) {
  const { unit, scale } = shownUnit(row.unit);
  const digits = decimals(row.sigma === null ? null : row.sigma * scale);
  /** @param {number | null} x */
  const shown = (x) => num(x === null ? null : x * scale, digits);
  const { change } = row;
  const plus = change !== null && change > 0 ? "+" : "";
  const found = row.status === "found";
  return {
    name: row.name,
    unit,
    nominal: num(row.nominal * scale, found ? digits : 4),
    value: found ? shown(row.value) : REASONS[row.status],
    change: found ? `${plus}${shown(change)}` : "",
    sigma: found && row.sigma !== null ? sig(row.sigma * scale, 2) : "",
    interval: found ? [`${shown(row.low)} …`, shown(row.high)] : [],
    planted: row.planted === null ? "" : num(row.planted * scale, found ? digits : 4),
  };
}

/**
 * Parts of a cell, one a line; nothing of what is empty.
 * @param {string} key
 * @param {...(HTMLElement | string)} parts
 */
function stacked(key, ...parts) {
  const told = parts.filter(Boolean);
  return h(
    "td",
    { dataset: { key } },
    told.map((part) => (typeof part === "string" ? h("span", {}, part) : part)),
  );
}

/** @param {Calibrated} answer */
export function numbersTable({ numbers, synthetic }) {
  const interval = synthetic ? "95 % interval, planted" : "95 % interval";
  const count = numbers.filter(({ status }) => status === "found").length;
  return h(
    "details.section.found-numbers",
    { open: true },
    h("summary", {}, `${count} of ${numbers.length} numbers found`),
    table(
      ["number", "found, σ", "nominal, change", interval],
      numbers.map((row) => {
        const cells = numberCells(row);
        const found = row.status === "found";
        const planted = cells.planted
          ? h(
              row.inside === false ? "small.outside" : "small",
              { dataset: { key: "planted" } },
              "planted ",
              h("span", {}, cells.planted),
            )
          : "";
        return h(
          "tr",
          { dataset: { number: row.name, status: row.status } },
          h(
            "th",
            { scope: "row" },
            cells.name,
            cells.unit ? h("small", {}, ` ${cells.unit}`) : null,
          ),
          found
            ? stacked("found", h("b", {}, cells.value), h("small", {}, `σ ${cells.sigma}`))
            : stacked("found", h("em", {}, cells.value)),
          stacked("nominal", cells.nominal, cells.change),
          stacked("interval", ...cells.interval, planted),
        );
      }),
    ),
  );
}

/** @param {Calibrated} answer */
export function residualsTable({ residuals }) {
  /**
   * @param {number | null} x
   * @returns {string}
   */
  const micro = (x) => sig(x === null ? null : 1e6 * x, 3);
  /**
   * @param {string} key
   * @param {number | null} before
   * @param {number | null} after
   */
  const pair = (key, before, after) =>
    h(
      "td",
      { dataset: { key } },
      h("span", {}, `${micro(before)} →`),
      " ",
      h("span", {}, micro(after)),
    );
  return h(
    "div.residuals",
    {},
    table(
      ["residuals of", "given σ", "rms, before → after", "largest, before → after"],
      residuals.map((row) =>
        h(
          "tr",
          { dataset: { source: row.source } },
          h("th", { scope: "row" }, row.source, h("small", {}, row.unit === "m" ? " µm" : " µrad")),
          h("td", { dataset: { key: "sigma" } }, micro(row.sigma)),
          pair("rms", row.before_rms, row.after_rms),
          pair("largest", row.before_largest, row.after_largest),
        ),
      ),
    ),
  );
}

/**
 * Residuals of each pose over their deviations, before and after, on a logarithmic scale.
 * @param {Pick<Calibrated, "before" | "after" | "synthetic">} answer
 */
export function residualsPlot({ before, after, synthetic }) {
  const known = [...before, ...after].filter((x) => x !== null && x > 0).map(Number);
  const low = Math.floor(Math.log10(Math.min(...known, 1)));
  const high = Math.max(Math.ceil(Math.log10(Math.max(...known, 1))), low + 1);
  const count = Math.max(before.length, after.length);
  /** @param {number} k */
  const X = (k) => LEFT + ((k + 0.5) * (WIDTH - LEFT - 10)) / count;
  /** @param {number} v */
  const Y = (v) => {
    const part = (Math.max(Math.log10(v), low) - low) / (high - low);
    return HEIGHT - BOTTOM - part * (HEIGHT - BOTTOM - TOP);
  };
  /** @param {(number | null)[]} values */
  const dots = (values) =>
    values
      .map((v, k) => (v !== null && v > 0 ? `M${X(k).toFixed(1)} ${Y(v).toFixed(1)}h0` : ""))
      .join("");
  const powers = [...Array(high - low + 1).keys()].map((k) => low + k);
  const step = Math.max(1, Math.ceil(powers.length / 5));
  const marked = synthetic ? ", synthetic" : "";
  /**
   * @param {number} x
   * @param {number} y
   * @param {string} text
   * @param {Record<string, string>} [more]
   */
  const write = (x, y, text, more = {}) => s("text", { x, y, class: "way-tick", ...more }, text);
  return s(
    "svg",
    {
      viewBox: `0 0 ${WIDTH} ${HEIGHT}`,
      class: "residual-plot",
      role: "img",
      "aria-label": `Residuals of ${count} poses over their deviations, before and after${marked}`,
    },
    write(LEFT, 12, `residuals over their deviations, rms of each pose${marked}`),
    powers
      .filter((p) => (p - low) % step === 0)
      .map((p) => [
        s("line", { x1: LEFT, x2: WIDTH - 10, y1: Y(10 ** p), y2: Y(10 ** p), class: "way-grid" }),
        write(LEFT - 5, Y(10 ** p) + 4, String(Number((10 ** p).toPrecision(1))), {
          "text-anchor": "end",
        }),
      ]),
    s("line", { x1: LEFT, x2: WIDTH - 10, y1: Y(1), y2: Y(1), class: "one" }),
    s("path", { d: dots(before), class: "dots before" }),
    s("path", { d: dots(after), class: "dots after" }),
    write(LEFT, HEIGHT - 8, `pose 1 to ${count}`),
    s("path", { d: `M${WIDTH - 118} ${HEIGHT - 12}h0`, class: "dots before" }),
    write(WIDTH - 111, HEIGHT - 8, "before"),
    s("path", { d: `M${WIDTH - 58} ${HEIGHT - 12}h0`, class: "dots after" }),
    write(WIDTH - 51, HEIGHT - 8, "after"),
  );
}

/**
 * Combinations that no reading depends on, in words; nothing where there are none.
 * @param {Calibrated} answer
 */
export function unseenList({ unseen: lines }) {
  if (!lines.length) return null;
  return h(
    "details.unseen",
    {},
    h("summary", {}, `${lines.length} combinations that no reading depends on`),
    h(
      "p.hint",
      {},
      "They stay as they were. Coefficients are of changes of equal weight: 1e-3 of the machine's size, 1e-3 rad.",
    ),
    h(
      "ul",
      {},
      lines.map((line) => h("li", {}, line)),
    ),
  );
}

/**
 * Poses of a plan as CSV, SI and radians.
 * @param {Pick<import("./messages.js").PosesPlanned, "heads" | "table">} plan
 */
export function planCsv({ heads, table: rows }) {
  return [heads.map(cell).join(","), ...rows.map((row) => row.join(","))].join("\n") + "\n";
}
