// Display units only: everything that travels is SI and radians.

export const DEG = Math.PI / 180;
export const LEG_COLORS = {
  dark: ["#ff6b6b", "#4dabf7", "#69db7c", "#ffa94d", "#b197fc", "#3bc9db"],
  light: ["#d6303a", "#1971c2", "#237a37", "#ad5200", "#6741d9", "#0b7285"],
};

export function theme() {
  return document.documentElement.dataset.theme === "light" ? "light" : "dark";
}
export function legColor(i) {
  return LEG_COLORS[theme()][i % 6];
}

/** Fixed digits, a true minus sign, and a dash for nothing. */
export function num(x, digits = 1) {
  if (x === null || x === undefined || Number.isNaN(x)) return "–";
  if (!Number.isFinite(x)) return x > 0 ? "∞" : "−∞";
  const text = Math.abs(x) < 0.5 * 10 ** -digits ? (0).toFixed(digits) : x.toFixed(digits);
  return text.replace("-", "−");
}

/** Significant digits. */
export function sig(x, digits = 4) {
  if (x === null || x === undefined || Number.isNaN(x)) return "–";
  if (!Number.isFinite(x)) return "∞";
  if (x === 0) return "0";
  const a = Math.abs(x);
  const text =
    a >= 1e6 || a < 1e-4 ? x.toExponential(digits - 1) : String(Number(x.toPrecision(digits)));
  return text.replace("-", "−");
}

/** Ticks of an axis: short. */
export function tick(x) {
  const a = Math.abs(x);
  return a !== 0 && (a >= 1e6 || a < 1e-4)
    ? x.toExponential(1).replace("-", "−").replace("e-", "e−")
    : sig(x, 5);
}

/** Force-like numbers: about four significant digits, never more than one decimal above 100. */
export function effort(x) {
  if (x === null || x === undefined) return "–";
  const a = Math.abs(x);
  return num(x, a >= 1000 ? 0 : a >= 10 ? 1 : a >= 0.1 ? 2 : 4);
}

/** Legs whose actuator turns a crank (RUS, RSS). */
export const turns = (kind) => kind.startsWith("R");

/** What the coordinate of a leg is called. */
export function coordinateName({ type, screw }) {
  if (turns(type)) return "crank";
  return type.startsWith("P") ? "slider" : screw ? "travel" : "length";
}

/** How an actuator coordinate is shown: mm, or degrees for a crank. */
export function coordinateUnit(kind) {
  return turns(kind)
    ? { scale: 1 / DEG, unit: "°", rate: "°/s", effort: "N·m", digits: 2 }
    : { scale: 1000, unit: "mm", rate: "mm/s", effort: "N", digits: 1 };
}

/** Units of all legs of a machine for a heading, and of each; legs that turn and legs that push may be mixed. */
export function legUnits(kinds) {
  const each = kinds.map(coordinateUnit);
  const joined = (key) => [...new Set(each.map((unit) => unit[key]))].join(", ");
  const mixed = new Set(kinds.map(turns)).size > 1;
  return { each, mixed, unit: joined("unit"), rate: joined("rate"), effort: joined("effort") };
}

/** What coordinates and efforts of a machine's legs are called in titles. */
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

/** Names of the three numbers of a rotation convention; Euler sequences name their axes: "ZXZ", "XYZ extrinsic". */
export function poseFields(convention) {
  if (convention === "rpy") return ["roll", "pitch", "yaw"];
  if (convention === "vector") return ["v x", "v y", "v z"];
  return [...convention.slice(0, 3).toLowerCase()].map((axis, i) => `${"abc"[i]} (${axis})`);
}
