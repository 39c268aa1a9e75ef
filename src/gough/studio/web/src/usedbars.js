// Used shares of limits as bars with their percentage: of a report's motion and of a cue.

import { h, s } from "./dom.js";
import { coordinateUnit, legText, num, sig } from "./units.js";

/** @typedef {import("./types.d.ts").UsedShare} UsedShare */
/** @typedef {import("./types.d.ts").UsedLimit} UsedLimit */

const DEG = 180 / Math.PI;
export const SHARES_TOLD =
  "100 % is the limit. Stroke: 0 % is its middle. Distances: what is needed over what there is.";

/**
 * How a value of a limit of that kind is shown, for a leg of that type.
 * @param {string} kind
 * @param {string} type
 */
function shown(kind, type) {
  const unit = coordinateUnit(type);
  if (kind === "stroke") return { scale: unit.scale, unit: unit.unit, digits: unit.digits };
  if (kind === "speed") return { scale: unit.scale, unit: unit.rate, digits: 1 };
  if (kind === "force") return { scale: 1, unit: unit.effort, digits: 0 };
  if (kind.endsWith("cone")) return { scale: DEG, unit: "°", digits: 1 };
  return { scale: 1000, unit: "mm", digits: 1 };
}

/**
 * A share in percent: never 100 % where it is not, whatever the rounding.
 * @param {number | null} share null: bodies touch
 */
export function percent(share) {
  if (share === null) return "touch";
  const whole = num(100 * share, 0);
  if (whole !== "100" || share === 1) return `${whole} %`;
  const fine = num(100 * share, 2);
  if (fine !== "100.00") return `${fine} %`;
  return share < 1 ? "< 100 %" : "> 100 %";
}

/**
 * The leg that uses most of a limit.
 * @param {(UsedShare | null)[]} legs
 */
export function worst(legs) {
  /** @param {UsedShare | null} leg */
  const share = (leg) => (leg ? (leg.share ?? Infinity) : -Infinity);
  return legs.reduce((most, leg, i) => (share(leg) > share(legs[most]) ? i : most), 0);
}

/**
 * A bar per kind of limit: of the leg that uses most of it, or in words why there is none.
 * @param {UsedLimit[]} rows
 * @param {import("./types.d.ts").Machine["drawing"]} drawing names and types of the legs
 */
export function bars(rows, { names, kinds }) {
  return h(
    "div.bars",
    {},
    rows.map(({ kind, legs, word }) => {
      const i = worst(legs);
      const leg = legs[i];
      if (leg) return bar(kind, leg, names[i], kinds[i], i, counted(legs));
      return h(
        "div.bar-row",
        { dataset: { kind, share: "" } },
        h("span.bar-name", {}, kind),
        h("span.bar-none", {}, word || "no limit given"),
      );
    }),
  );
}

/**
 * In words, where not every leg has this limit.
 * @param {(UsedShare | null)[]} legs
 */
export function counted(legs) {
  const given = legs.filter(Boolean).length;
  return given < legs.length ? `; ${given} of ${legs.length} legs have this limit` : "";
}

/**
 * One limit of one leg: its name, a bar to 100 % and beyond, the numbers.
 * @param {string} kind
 * @param {UsedShare} leg
 * @param {string} name
 * @param {string} type
 * @param {number} i
 * @param {string} more
 */
function bar(kind, leg, name, type, i, more) {
  const look = shown(kind, type);
  /** @param {number | null} x */
  const value = (x) => (x === null ? "" : num(x * look.scale, look.digits));
  const allowed =
    leg.low !== null && leg.high !== null && kind === "stroke"
      ? `of ${value(leg.low)} … ${value(leg.high)}`
      : leg.high !== null
        ? `of ${value(leg.high)}`
        : `at least ${value(leg.low)}`;
  const share = leg.share ?? 2;
  const wide = Math.min(Math.max(share, 0), 1.25) * 80;
  return h(
    "div.bar-row",
    { dataset: { kind, leg: i, share: leg.share ?? "" } },
    h("span.bar-name", {}, `${kind} `, h("b", { style: { color: legText(i) } }, name)),
    s(
      "svg",
      { viewBox: "0 0 100 8", class: "bar", preserveAspectRatio: "none", "aria-hidden": "true" },
      s("rect", { x: 0, y: 1, width: 80, height: 6, class: "bar-room" }),
      s("rect", { x: 0, y: 1, width: wide, height: 6, class: leg.broken ? "bar-bad" : "bar-ok" }),
      s("path", { d: "M80 0V8", class: "bar-end" }),
    ),
    h("span.bar-share", {}, percent(leg.share)),
    h(
      "span.bar-value",
      {},
      `${value(leg.value)} ${allowed} ${look.unit} at ${sig(leg.time, 4)} s${more}`,
    ),
  );
}
