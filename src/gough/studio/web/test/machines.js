// Machines made of plain data, drawn without a page: six legs of one kind about a circle.
import { Machine3D } from "../src/machine3d.js";

globalThis.document ??= { documentElement: { dataset: { theme: "dark" } } };

const ZERO = [
  [0, 0, 0],
  [0, 0, 0],
  [0, 0, 0],
];
const NO_LIMITS = {
  stroke: null,
  force: null,
  speed: null,
  base_cone: null,
  platform_cone: null,
  radius: null,
};
export const body = (mass, center) => ({ mass, center, inertia: ZERO });
export const springs = (given) => ({
  first: 0,
  second: 0,
  platform_first: 0,
  platform_second: 0,
  base_ball: ZERO,
  platform_ball: ZERO,
  ...given,
});

/** A leg of a type with what it has; `more` changes it. */
export function leg(type, i, more = {}) {
  const at = (radius, z, angle) => [radius * Math.cos(angle), radius * Math.sin(angle), z];
  const angle = (i * Math.PI) / 3;
  const made = { type, base: at(1, 0, angle), joint: at(0.6, 0, angle + 0.3), limits: NO_LIMITS };
  const universal = { axis: at(1, 0, angle + Math.PI / 2) };
  const topped = { platform_axis: at(1, 0, angle + 0.3) };
  const parts = { lower: body(2, [0.2, 0, 0]), upper: body(1, [-0.2, 0, 0]) };
  const rod = { link: body(1, [0.3, 0, 0]), length: 1.1 };
  const slide = { rail: [0, 0, 1], slider_mass: 3, slider_center: [0, 0, 0.02] };
  const turn = { shaft: at(1, 0, angle), arm: [0, 0, 0.2], crank: body(1, [0, 0, 0.1]) };
  const spun = { reference: [1, 0, 0] };
  const kinds = {
    UPS: { ...universal, ...parts },
    SPS: { ...spun, ...parts },
    UCU: { ...universal, ...topped, ...parts, screw: null },
    UCS: { ...universal, ...spun, ...parts },
    PUS: { ...slide, ...universal, ...rod },
    PSU: { ...slide, ...topped, ...rod },
    RUS: { ...turn, ...universal, ...rod },
    RSS: { ...turn, ...spun, ...rod },
  };
  return { ...made, springs: springs({}), ...kinds[type], ...more };
}

/** A machine of six legs, placed. */
export function drawn(type, more = {}, { rest = null, coordinate = 0.1 } = {}) {
  const legs = Array.from({ length: 6 }, (_, i) => leg(type, i, more));
  const place = { position: [0.01, 0.02, 0.03], rotation: [] };
  const doc = {
    name: type,
    gravity: [0, 0, -9.81],
    frames: { work: place, tool: { ...place, position: [0, 0, 0.1] } },
    body: body(10, [0, 0.01, 0.02]),
    legs,
  };
  const drawing = {
    kinds: legs.map(() => type),
    names: legs.map((_, i) => `L${i + 1}`),
    home: { position: [0, 0, 1], quaternion: [1, 0, 0, 0] },
    start: legs.map((one) => one.base),
    end: legs.map((one) => [one.joint[0], one.joint[1], 1]),
    coordinate: legs.map(() => coordinate),
    size: 2,
    base_axes: legs.map(() => null),
    platform_axes: legs.map(() => null),
    up: [0, 0, 1],
    limit_kinds: [],
    rest: legs.map(() => rest),
  };
  const machine = new Machine3D(doc, drawing);
  machine.place([0, 0, 1], [1, 0, 0, 0], drawing.coordinate);
  return machine;
}
