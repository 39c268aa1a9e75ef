// Where the axis of a leg lies between its joints, for drawing: offset joints are closed by a fixed point.

/**
 * @typedef {object} Joint where a leg meets it, and the axis y of the leg there
 * @property {THREE.Vector3} at
 * @property {THREE.Vector3} y
 * @property {THREE.Vector3} on
 * @typedef {Joint & { k: THREE.Vector3, pin: THREE.Vector3 }} Universal
 */

import * as THREE from "three";
import { v3 } from "./shapes.js";

const NONE = { e: 0, d: 0, f: 0 };

/**
 * The frame of a universal joint at `at` with first axis k and a strut along s.
 * @param {THREE.Vector3} at
 * @param {THREE.Vector3} k
 * @param {THREE.Vector3} s
 * @param {import("./types.d.ts").JointOffset | null | undefined} offset
 * @returns {Universal}
 */
function universal(at, k, s, offset) {
  const y = new THREE.Vector3().crossVectors(k, s).normalize();
  const n = new THREE.Vector3().crossVectors(y, k);
  const z = new THREE.Vector3().crossVectors(s, y);
  const { e, d, f } = offset ?? NONE;
  const pin = at.clone().addScaledVector(n, e);
  const on = pin.clone().addScaledVector(y, f).addScaledVector(z, d);
  return { at, k, y, pin, on };
}

/**
 * Across s, from a reference direction (any other where that lies along s).
 * @param {THREE.Vector3} reference
 * @param {THREE.Vector3} s
 */
function across(reference, s) {
  const y = new THREE.Vector3().crossVectors(reference, s);
  if (y.lengthSq() < 1e-12) y.crossVectors(new THREE.Vector3(Math.abs(s.x) < 0.9 ? 1 : 0, 1, 0), s);
  return y.normalize();
}

/**
 * low, high: ends of the strut; s along it; foot, top: universal joints { at, k, y, pin, on } or balls { y };
 * own, upper: the axis y in which the data of the lower part (or the rod) and of the upper part are given.
 * @param {import("./legs3d.js").Leg3D} leg
 * @param {THREE.Matrix4} platform
 */
export function legAxis(leg, platform) {
  const { data, start, end } = leg;
  /** @param {THREE.Vector3} k */
  const turn = (k) => (leg.shaft ? k.applyAxisAngle(leg.shaft, leg.angle) : k);
  const k = data.axis ? turn(v3(data.axis)) : null;
  const kp = data.platform_axis ? v3(data.platform_axis).transformDirection(platform) : null;
  const reference = v3(data.reference ?? [1, 0, 0]);
  const s = new THREE.Vector3().subVectors(end, start).normalize();
  /**
   * @param {THREE.Vector3} at
   * @param {THREE.Vector3 | null} axis
   * @param {import("./types.d.ts").JointOffset | null | undefined} offset
   * @returns {Joint}
   */
  const joint = (at, axis, offset) =>
    axis ? universal(at, axis, s, offset) : { at, on: at.clone(), y: across(reference, s) };
  let foot = joint(start, k, data.base_offset);
  let top = joint(end, kp, data.platform_offset);
  for (let step = 0; step < 40; step++) {
    const next = new THREE.Vector3().subVectors(top.on, foot.on).normalize();
    const change = next.distanceTo(s);
    s.copy(next);
    if (!(change > 1e-9)) break;
    foot = joint(start, k, data.base_offset);
    top = joint(end, kp, data.platform_offset);
  }
  const own = k ? foot.y : kp ? top.y : foot.y;
  const spun = data.reference ? across(reference, s) : own;
  return { low: foot.on, high: top.on, s, foot, top, own, upper: kp ? top.y : spun };
}
