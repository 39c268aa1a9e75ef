// Which body of the machine a drawn surface belongs to, and where that body is: a point of it moves with it.

import * as THREE from "three";

/**
 * A rigid body: base, platform, or a part of a leg.
 * @typedef {{ leg: number | null, name: string }} BodyName
 * The bodies that the pieces of a joint belong to: what carries it, the leg, the cross piece between.
 * @typedef {{ carrier: BodyName, leg: BodyName, cross: BodyName }} JointBodies
 */

export const BASE = Object.freeze({ leg: null, name: "base" });
export const PLATFORM = Object.freeze({ leg: null, name: "platform" });

/**
 * The bodies at either end of a leg.
 * @param {import("./legs3d.js").Leg3D} leg
 * @param {"base" | "platform"} side
 * @returns {JointBodies}
 */
export function jointBodies({ i, data, telescopic }, side) {
  const low = side === "base";
  const carried = data.rail ? "slider" : data.shaft ? "crank" : null;
  const carrier = low ? (carried ? { leg: i, name: carried } : BASE) : PLATFORM;
  const own = telescopic ? (low ? "lower" : "upper") : "link";
  return { carrier, leg: { leg: i, name: own }, cross: { leg: i, name: `${side} cross` } };
}

/**
 * Pose of a body in the world; null where it is not known, because its leg does not reach.
 * @param {import("./machine3d.js").Machine3D} machine
 * @param {BodyName} body
 * @returns {THREE.Matrix4 | null}
 */
export function bodyMatrix(machine, { leg: i, name }) {
  if (i === null) return name === "platform" ? machine.platform.matrixWorld : new THREE.Matrix4();
  const leg = machine.legs[i];
  if (!leg?.known || !leg.axis) return null;
  const { low, high, s, foot, top, own, upper } = leg.axis;
  /**
   * @param {THREE.Vector3} at
   * @param {THREE.Vector3} x
   * @param {THREE.Vector3} y
   */
  const frame = (at, x, y) =>
    new THREE.Matrix4().makeBasis(x, y, new THREE.Vector3().crossVectors(x, y)).setPosition(at);
  if (name === "slider") return new THREE.Matrix4().setPosition(leg.start);
  if (name === "crank" && leg.shaft)
    return new THREE.Matrix4().makeRotationAxis(leg.shaft, leg.angle ?? 0).setPosition(leg.base);
  if (name === "lower" || name === "link") return frame(low, s, own);
  if (name === "upper") return frame(high, s, upper);
  const joint = { "base cross": foot, "platform cross": top }[name];
  if (!joint || !("k" in joint)) return null;
  const { k } = /** @type {import("./legaxis.js").Universal} */ (joint);
  return frame(joint.at, new THREE.Vector3().crossVectors(joint.y, k), joint.y);
}

/**
 * The surface under a ray: where it is hit in the world, on which body, and where on that body.
 * @param {import("./machine3d.js").Machine3D} machine
 * @param {THREE.Raycaster} ray
 * @returns {{ body: BodyName, world: number[], local: number[] } | null}
 */
export function surfaceUnder(machine, ray) {
  /** @type {THREE.Object3D[]} */
  const drawn = [];
  machine.updateMatrixWorld();
  machine.traverseVisible((o) => {
    if (o instanceof THREE.Mesh && o.userData.body) drawn.push(o);
  });
  for (const { object, point } of ray.intersectObjects(drawn, false)) {
    /** @type {BodyName} */
    const body = object.userData.body;
    const matrix = bodyMatrix(machine, body);
    if (!matrix) continue;
    const local = point.clone().applyMatrix4(matrix.clone().invert());
    return { body, world: point.toArray(), local: local.toArray() };
  }
  return null;
}
