// Joints with springs, drawn as what they mostly are: flexures, two blocks with a notched neck between them.

import * as THREE from "three";
import { between, strutGeometry, through } from "./shapes.js";

const WAIST = 0.2; // of the block's half height: what the notch leaves
const NOTCH = 0.6; // of the length of a half: where the notch ends
export const NECK = 1.9; // radii of the leg: length of either half

/**
 * Which axes of the joint at one end of a leg have springs.
 * @typedef {{ first: boolean, second: boolean }} Sprung
 */

/**
 * The springs of a joint; null where it has none.  A ball has them about all axes or about none.
 * @param {import("./types.d.ts").LegDocument} leg
 * @param {"base" | "platform"} side
 * @returns {Sprung | null}
 */
export function sprung({ axis, platform_axis, springs }, side) {
  if (!springs) return null;
  const low = side === "base";
  if (low ? axis : platform_axis) {
    const first = (low ? springs.first : springs.platform_first) > 0;
    const second = (low ? springs.second : springs.platform_second) > 0;
    return first || second ? { first, second } : null;
  }
  const ball = low ? springs.base_ball : springs.platform_ball;
  return ball.flat().some((x) => x !== 0) ? { first: true, second: true } : null;
}

/**
 * Half height of a notched block at x from 0 (the waist, which is the joint's center) to 1.
 * @param {number} x
 */
export function notched(x) {
  if (x >= NOTCH) return 1;
  return WAIST + (1 - WAIST) * (1 - Math.sqrt(1 - (x / NOTCH) ** 2));
}

const PROFILE = Array.from({ length: 17 }, (_, i) => (i < 16 ? (NOTCH * i) / 15 : 1));

/** A round neck along +x from its waist at 0 to 1, radius 1: bends about every axis. */
export function roundNeck() {
  const points = PROFILE.map((x) => new THREE.Vector2(notched(x), x));
  return new THREE.LatheGeometry([...points, new THREE.Vector2(0, 1)], 28).rotateZ(-Math.PI / 2);
}

/** A block along +x, notched across y: bends about z. */
export function bladeNeck() {
  const above = PROFILE.map((x) => new THREE.Vector2(x, notched(x)));
  const below = PROFILE.map((x) => new THREE.Vector2(x, -notched(x))).reverse();
  const shape = new THREE.Shape([...above, ...below]);
  return new THREE.ExtrudeGeometry(shape, { depth: 2, bevelEnabled: false }).translate(0, 0, -1);
}

/**
 * Put a neck with its waist at a point: along a direction, notched about an axis (any where none is given).
 * @param {THREE.Object3D} mesh
 * @param {THREE.Vector3} at
 * @param {THREE.Vector3} along
 * @param {THREE.Vector3} about
 * @param {number} r
 */
function place(mesh, at, along, about, r) {
  const z = about.clone().normalize();
  const x = along.clone().addScaledVector(z, -along.dot(z)).normalize();
  const y = new THREE.Vector3().crossVectors(z, x);
  mesh.quaternion.setFromRotationMatrix(new THREE.Matrix4().makeBasis(x, y, z));
  mesh.position.copy(at);
  mesh.scale.set(NECK * r, 0.85 * r, 0.85 * r);
}

/** A joint with springs about its axes; an axis without one is a pin. */
export class Flexure extends THREE.Group {
  /**
   * universal: with two axes; bodies: which body each piece belongs to.
   * @param {import("./machine3d.js").Materials} m
   * @param {number} r
   * @param {{
   *   springs: Sprung, universal: boolean, offset: import("./types.d.ts").JointOffset | null | undefined,
   *   bodies: import("./bodies.js").JointBodies,
   * }} made
   */
  constructor(m, r, { springs, universal, offset, bodies }) {
    super();
    this.r = r;
    /**
     * @param {string} name
     * @param {import("./bodies.js").BodyName} body
     * @param {THREE.BufferGeometry} geometry
     * @param {THREE.Material} material
     */
    const add = (name, body, geometry, material) => {
      const mesh = new THREE.Mesh(geometry, material);
      mesh.name = name;
      mesh.userData.body = body;
      this.add(mesh);
      return mesh;
    };
    const neck = universal ? bladeNeck : roundNeck;
    this.first = springs.first
      ? add("carrier neck", bodies.carrier, neck(), m.flexure)
      : add("first pin", bodies.cross, strutGeometry(20), m.dark);
    this.second = springs.second
      ? add("leg neck", bodies.leg, neck(), m.flexure)
      : add("second pin", bodies.cross, strutGeometry(20), m.joint);
    this.springs = springs;
    if (offset)
      this.arms = [
        add("cross arm", bodies.cross, strutGeometry(20), m.cross),
        add("leg arm", bodies.leg, strutGeometry(20), m.cross),
      ];
  }

  /**
   * joint: of `legAxis`; towards: from the joint into what carries it; s: from the joint into the leg.
   * @param {import("./legaxis.js").Joint | import("./legaxis.js").Universal} joint
   * @param {THREE.Vector3} towards
   * @param {THREE.Vector3} s
   */
  turn(joint, towards, s) {
    const { r } = this;
    const k = "k" in joint ? joint.k : crossing(towards);
    const pin = "pin" in joint ? joint.pin : joint.at;
    if (this.springs.first) place(this.first, joint.at, towards, k, r);
    else through(this.first, joint.at, k, r * 1.55, r * 0.36);
    if (this.springs.second) place(this.second, pin, s, joint.y, r);
    else through(this.second, pin, joint.y, r * 1.3, r * 0.42);
    if (this.arms) {
      between(this.arms[0], joint.at, pin, r * 0.5);
      between(this.arms[1], pin, joint.on, r * 0.5);
    }
  }
}

/**
 * Any direction across another.
 * @param {THREE.Vector3} s
 */
function crossing(s) {
  return new THREE.Vector3(Math.abs(s.x) < 0.9 ? 1 : 0, Math.abs(s.x) < 0.9 ? 0 : 1, 0).cross(s);
}
