// Points that distances are measured between: by name, typed, or clicked; where they are now, or why that is not known.

import { turned } from "./arrows.js";
import { num } from "./units.js";

/**
 * A point by name. at: where it is in the world, m; null where that is not known, `why` says it.
 * @typedef {{ name: string, group: string, at: number[] | null, why?: string, joint?: boolean }} NamedPoint
 * Numbers as typed, mm, in the axes of the world or, from the reference point, of the platform.
 * @typedef {{ axes: "world" | "platform", mm: (number | null)[] }} Typed
 * A point of a drawn surface: the body it was clicked on, and where on that body, m.
 * @typedef {{ body: { leg: number | null, name: string }, local: number[] }} Clicked
 * @typedef {{ at: number[] | null, why?: string }} Found
 */

/**
 * All points that have a name, where the machine is drawn.
 * @param {import("./machine3d.js").Machine3D} machine
 * @returns {NamedPoint[]}
 */
export function namedPoints(machine) {
  const { doc, drawing, legs } = machine;
  /** @type {NamedPoint[]} */
  const found = [];
  legs.forEach((leg, i) => {
    const name = drawing.names[i];
    const carried = Boolean(leg.rail || leg.shaft); // its base side moves with its coordinate
    found.push(
      carried && !leg.known
        ? { name: `${name} base`, group: "Joints", at: null, why: lost(name) }
        : { name: `${name} base`, group: "Joints", at: leg.start.toArray(), joint: true },
      { name: `${name} platform`, group: "Joints", at: leg.end.toArray(), joint: true },
    );
  });
  /** @type {import("./bodies.js").BodyName} */
  const platform = { leg: null, name: "platform" };
  const { tool, work } = doc.frames;
  /**
   * @param {string} name
   * @param {number[]} local
   */
  const onPlatform = (name, local) =>
    found.push({ name, group: "Platform", at: machine.bodyPoint(platform, local) });
  onPlatform("reference point", [0, 0, 0]);
  onPlatform("tool origin", tool.position);
  if (doc.body.mass > 0) onPlatform("platform mass center, without payload", doc.body.center);
  found.push({ name: "world origin", group: "World", at: [0, 0, 0] });
  found.push({ name: "work origin", group: "World", at: Array.from(work.position) });
  return [...found, ...legs.flatMap((leg, i) => massCenters(machine, i, drawing.names[i]))];
}

/**
 * @param {import("./machine3d.js").Machine3D} machine
 * @param {number} i
 * @param {string} name
 * @returns {NamedPoint[]}
 */
function massCenters(machine, i, name) {
  const { data } = machine.legs[i];
  const bodies = {
    lower: data.lower,
    upper: data.upper,
    link: data.link,
    crank: data.crank,
    slider: { mass: data.slider_mass ?? 0, center: data.slider_center ?? [0, 0, 0] },
    "base cross": data.base_offset?.cross,
    "platform cross": data.platform_offset?.cross,
  };
  return Object.entries(bodies).flatMap(([part, body]) => {
    if (!body || !(body.mass > 0)) return [];
    const shared = { name: `${name} ${part} mass center`, group: "Mass centers of legs" };
    const aside = body.center[1] !== 0 || body.center[2] !== 0;
    if (aside && spins(data, part)) return [{ ...shared, at: null, why: spinning(name, part) }];
    const at = machine.bodyPoint({ leg: i, name: part }, body.center);
    return [at ? { ...shared, at } : { ...shared, at, why: lost(name) }];
  });
}

/** @param {string} name */
const lost = (name) => `${name} does not reach this pose: where its parts are is not known`;
/**
 * @param {string} name
 * @param {string} part
 */
const spinning = (name, part) =>
  `the ${part} part of ${name} spins freely: where its mass center is, beside its axis, is not known`;

/**
 * A part that spins freely about its leg: by how much is not known, and it is drawn without spin.
 * @param {import("./types.d.ts").LegDocument} data
 * @param {string} name
 */
export function spins(data, name) {
  if (!data.reference) return false;
  return data.type === "UCS" ? name === "upper" : ["lower", "upper", "link"].includes(name);
}

/**
 * Where typed numbers are, with the platform at a pose.
 * @param {Typed} typed
 * @param {{ position: number[], quaternion: number[] }} pose
 * @returns {Found}
 */
export function typedPoint({ axes, mm }, { position, quaternion }) {
  const at = mm.map((x) => (x === null || !Number.isFinite(x) ? NaN : x / 1000));
  if (at.some(Number.isNaN)) return { at: null, why: "type three numbers" };
  if (axes === "world") return { at };
  return { at: turned(quaternion, at).map((x, i) => x + position[i]) };
}

/**
 * Where a clicked point is now.
 * @param {Clicked} clicked
 * @param {import("./machine3d.js").Machine3D} machine
 * @returns {Found}
 */
export function clickedPoint({ body, local }, machine) {
  const at = machine.bodyPoint(body, local);
  if (at || body.leg === null) return { at };
  return { at, why: lost(machine.drawing.names[body.leg]) };
}

/** @type {Record<string, string>} */
const PARTS = { lower: "lower part", upper: "upper part", link: "rod" };

/**
 * What a clicked point is, in words.
 * @param {Clicked} clicked
 * @param {import("./machine3d.js").Machine3D} machine
 */
export function clickedWords({ body }, { drawing, doc }) {
  if (body.leg === null) return `point on the drawn ${body.name}`;
  const part = `point on the drawn ${PARTS[body.name] ?? body.name} of ${drawing.names[body.leg]}`;
  const free = spins(doc.legs[body.leg], body.name);
  return free ? `${part} (it spins freely: taken without spin)` : part;
}

/**
 * From a to b: the distance and its parts along the axes of the world, m.
 * @param {number[]} a
 * @param {number[]} b
 */
export function apart(a, b) {
  const parts = b.map((x, i) => x - a[i]);
  return { distance: Math.hypot(...parts), parts };
}

/**
 * Lengths in mm, to a thousandth.
 * @param {number} length m
 */
export const mm = (length) => num(1000 * length, 3);
