// Display units only: everything that travels is SI and radians.

export const DEG = Math.PI / 180;
export const LEG_COLORS = {
  dark: ["#ff6b6b", "#4dabf7", "#69db7c", "#ffa94d", "#b197fc", "#3bc9db"],
  light: ["#d6303a", "#1971c2", "#237a37", "#ad5200", "#6741d9", "#0b7285"],
};

/** The same colors for paper and the light theme; those that are no leg's have one of their own. */
/** @type {Map<string, string>} */
const INKS = new Map(
  /** @type {[string, string][]} */ ([
    ...LEG_COLORS.dark.map((color, i) => [color, LEG_COLORS.light[i]]),
    ["#f59f33", "#a85806"],
    ["#8b98a9", "#566373"],
  ]),
);

/**
 * A color of the dark theme as dark ink on white; others as they are.
 * @param {string} color
 */
export const inkOf = (color) => INKS.get(color) ?? color;

/**
 * A color of the dark theme as the theme on screen shows it.
 * @param {string} color
 */
export const shade = (color) => (theme() === "light" ? inkOf(color) : color);

export function theme() {
  return document.documentElement.dataset.theme === "light" ? "light" : "dark";
}
/** @param {number} i */
export function legColor(i) {
  return LEG_COLORS[theme()][i % 6];
}

/**
 * The color of leg i for text, in either theme (style.css).
 * @param {number} i
 */
export const legText = (i) => `var(--leg-${(i % 6) + 1})`;

/**
 * Fixed digits, a true minus sign, and a dash for nothing.
 * @param {number | null | undefined} x
 * @param {number} [digits]
 */
export function num(x, digits = 1) {
  if (x === null || x === undefined || Number.isNaN(x)) return "–";
  if (!Number.isFinite(x)) return x > 0 ? "∞" : "−∞";
  const text = Math.abs(x) < 0.5 * 10 ** -digits ? (0).toFixed(digits) : x.toFixed(digits);
  return text.replace("-", "−");
}

/**
 * Significant digits.
 * @param {number | null | undefined} x
 * @param {number} [digits]
 */
export function sig(x, digits = 4) {
  if (x === null || x === undefined || Number.isNaN(x)) return "–";
  if (!Number.isFinite(x)) return "∞";
  if (x === 0) return "0";
  const a = Math.abs(x);
  const text =
    a >= 1e6 || a < 1e-4 ? x.toExponential(digits - 1) : String(Number(x.toPrecision(digits)));
  return text.replaceAll("-", "−");
}

/**
 * Ticks of an axis: short.
 * @param {number} x
 */
export function tick(x) {
  const a = Math.abs(x);
  return a !== 0 && (a >= 1e6 || a < 1e-4) ? x.toExponential(1).replaceAll("-", "−") : sig(x, 5);
}

/**
 * Force-like numbers: about four significant digits, never more than one decimal above 100.
 * @param {number | null | undefined} x
 */
export function effort(x) {
  if (x === null || x === undefined) return "–";
  const a = Math.abs(x);
  return num(x, a >= 1000 ? 0 : a >= 10 ? 1 : a >= 0.1 ? 2 : 4);
}

/**
 * Legs whose actuator turns a crank (RUS, RSS).
 * @param {string} kind
 */
export const turns = (kind) => kind.startsWith("R");

/**
 * What the coordinate of a leg is called.
 * @param {Pick<import("./types.d.ts").LegDocument, "type" | "screw">} leg
 */
export function coordinateName({ type, screw }) {
  if (turns(type)) return "crank";
  return type.startsWith("P") ? "slider" : screw ? "travel" : "length";
}

/**
 * How an actuator coordinate is shown: mm, or degrees for a crank.
 * @param {string} kind
 */
export function coordinateUnit(kind) {
  return turns(kind)
    ? { scale: 1 / DEG, unit: "°", rate: "°/s", effort: "N·m", digits: 2 }
    : { scale: 1000, unit: "mm", rate: "mm/s", effort: "N", digits: 1 };
}

/**
 * Units of all legs of a machine for a heading, and of each; legs that turn and legs that push may be mixed.
 * @param {string[]} kinds
 */
export function legUnits(kinds) {
  const each = kinds.map(coordinateUnit);
  const joined = (/** @type {"unit" | "rate" | "effort"} */ key) =>
    [...new Set(each.map((unit) => unit[key]))].join(", ");
  const mixed = new Set(kinds.map(turns)).size > 1;
  return { each, mixed, unit: joined("unit"), rate: joined("rate"), effort: joined("effort") };
}

/**
 * What coordinates and efforts of a machine's legs are called in titles.
 * @param {import("./types.d.ts").LegDocument[]} legs
 */
export function legWords(legs) {
  const names = new Set(legs.map(coordinateName));
  const [name] = names;
  const one = {
    crank: "Crank angle",
    slider: "Slider position",
    travel: "Leg travel",
    length: "Leg length",
  };
  const cranks = legs.filter(({ type }) => turns(type)).length;
  return {
    length: names.size > 1 ? "Leg coordinate" : one[name],
    moving: names.size > 1 || name === "length" ? "Leg" : one[name].split(" ")[0],
    effort: cranks === 0 ? "force" : cranks === legs.length ? "torque" : "effort",
  };
}

/**
 * Names of the three numbers of a rotation convention; Euler sequences name their axes: "ZXZ", "XYZ extrinsic".
 * @param {string} convention
 */
export function poseFields(convention) {
  if (convention === "rpy") return ["roll", "pitch", "yaw"];
  if (convention === "vector") return ["v x", "v y", "v z"];
  return [...convention.slice(0, 3).toLowerCase()].map((axis, i) => `${"abc"[i]} (${axis})`);
}
