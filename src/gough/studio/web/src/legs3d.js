// One leg in 3D, from the fields of its document: two parts or a rod, slider or crank, the joints it has at either end.

import * as THREE from "three";
import { needed } from "./dom.js";
import { Cross, between, helix, rail, strutGeometry, v3 } from "./shapes.js";
import { legAxis } from "./legaxis.js";
import { legColor } from "./units.js";

/**
 * How far the slider of a leg goes.
 * @param {import("./types.d.ts").LegDocument} leg
 * @param {number} home
 * @returns {[number, number]}
 */
export function railRange(leg, home) {
  if (leg.limits.stroke) return leg.limits.stroke;
  const rod = needed(leg.length, "the length of a leg on a rail");
  return [home - 0.3 * rod, home + 0.3 * rod];
}

export class Leg3D {
  /**
   * group: where its meshes go; m: materials; r: usual radius; home: coordinate at home.
   * @param {THREE.Object3D} group
   * @param {import("./types.d.ts").LegDocument} data
   * @param {number} i
   * @param {{ m: import("./machine3d.js").Materials, r: number, home: number }} look
   */
  constructor(group, data, i, { m, r, home }) {
    this.group = group;
    this.data = data;
    this.i = i;
    this.m = m;
    this.home = home;
    this.color = new THREE.Color(legColor(i));
    this.start = new THREE.Vector3();
    this.end = new THREE.Vector3();
    this.base = v3(data.base);
    this.joint = v3(data.joint);
    this.held = data.fixed !== null && data.fixed !== undefined; // a fixed link: no actuator
    this.telescopic = "lower" in data && !this.held;
    this.material = (this.telescopic ? m.lower : m.link).clone();
    this.tint = this.material.color.clone();
    this.r = data.limits.radius
      ? THREE.MathUtils.clamp(data.limits.radius, 0.35 * r, 1.25 * r)
      : r * 0.95;
    this.rod = this.mesh(strutGeometry(), this.telescopic ? m.upper : this.material);
    this.band = this.mesh(
      strutGeometry(),
      new THREE.MeshStandardMaterial({ color: this.color, roughness: 0.5 }),
    );
    this.foot = this.joints(data.axis, data.base_offset, m.dark, 1.05);
    this.ball = this.joints(data.platform_axis, data.platform_offset, m.joint, 0.95);
    /** @type {THREE.Mesh<THREE.BufferGeometry, THREE.MeshBasicMaterial> | undefined} */
    this.baseCone = undefined;
    /** @type {THREE.Mesh<THREE.BufferGeometry, THREE.MeshBasicMaterial> | undefined} */
    this.topCone = undefined;
    this.angle = 0; // of the crank
    /** @type {ReturnType<typeof legAxis> | null} where it was placed last */
    this.axis = null;
    const { screw } = this.telescopic ? data : {};
    this.cylinder = this.telescopic ? this.mesh(strutGeometry(), this.material) : null;
    this.cap = this.telescopic ? this.mesh(strutGeometry(), m.dark) : null;
    this.barrel = 0.8 * (data.limits.stroke ? data.limits.stroke[0] : 0.82 * home);
    // a mark on either part: the angle between them is the twist
    this.marks =
      this.telescopic && data.platform_axis
        ? [m.mark, m.mark].map((material) => this.mesh(new THREE.BoxGeometry(1, 1, 1), material))
        : null;
    this.thread = screw ? this.mesh(helix(screw.hand === "left" ? -1 : 1), m.thread) : null;
    this.motor = screw ? this.mesh(strutGeometry(), m.dark) : null;
    this.rail = data.rail ? v3(data.rail) : null;
    this.slider = this.rail ? rail(this, this.rail, ...railRange(data, home)) : null;
    this.shaft = data.shaft ? v3(data.shaft) : null;
    this.arm = data.arm ? v3(data.arm) : null;
    this.crank = this.shaft && this.arm ? this.buildCrank(this.shaft, this.arm) : null;
  }

  /**
   * @param {THREE.BufferGeometry} geometry
   * @param {THREE.Material} material
   */
  mesh(geometry, material) {
    const mesh = new THREE.Mesh(geometry, material);
    this.group.add(mesh);
    return mesh;
  }

  /**
   * A universal joint as its cross, with the arms of an offset one; a ball where no axis is given.
   * @param {number[] | undefined} axis
   * @param {import("./types.d.ts").JointOffset | null | undefined} offset
   * @param {THREE.Material} material
   * @param {number} size
   */
  joints(axis, offset, material, size) {
    const made = axis
      ? new Cross(this.m, this.r, offset)
      : new THREE.Mesh(new THREE.SphereGeometry(this.r * size, 24, 16), material);
    this.group.add(made);
    return made;
  }

  /**
   * The motor of a crank, its hub, and the crank itself.
   * @param {THREE.Vector3} shaft
   * @param {THREE.Vector3} arm
   */
  buildCrank(shaft, arm) {
    const { m, r } = this;
    const radius = new THREE.Vector3().crossVectors(shaft, arm).length();
    const motor = this.mesh(strutGeometry(32), m.dark);
    between(
      motor,
      this.base.clone().addScaledVector(shaft, -radius * 0.55),
      this.base.clone().addScaledVector(shaft, r * 0.6),
      radius * 0.36,
    );
    const crank = this.mesh(strutGeometry(), m.slider);
    const hub = this.mesh(new THREE.SphereGeometry(r * 1.5, 24, 16), m.joint);
    hub.position.copy(this.base);
    return crank;
  }

  /**
   * Move the leg: the platform's matrix, and the actuator's coordinate.
   * @param {THREE.Matrix4} platform
   * @param {number | null} coordinate
   */
  place(platform, coordinate) {
    const known = coordinate !== null && Number.isFinite(coordinate);
    this.angle = known ? coordinate : 0;
    this.end.copy(this.joint).applyMatrix4(platform);
    this.start.copy(this.base);
    if (this.rail && known) this.start.addScaledVector(this.rail, coordinate);
    if (this.shaft && this.arm && known)
      this.start.add(this.arm.clone().applyAxisAngle(this.shaft, coordinate));
    const axis = legAxis(this, platform);
    this.axis = axis;
    const { low, high, s } = axis;
    const length = low.distanceTo(high);
    if (this.cylinder && this.cap) this.placeParts(axis, this.cylinder, this.cap);
    else {
      between(this.rod, low, high, this.r * 0.62);
      const middle = low.clone().addScaledVector(s, length * 0.46);
      between(this.band, middle, middle.clone().addScaledVector(s, this.r), this.r * 0.68);
    }
    if (this.slider) this.slider.position.copy(this.start);
    if (this.crank) between(this.crank, this.base, this.start, this.r * 1.05);
    if (this.baseCone) this.baseCone.position.copy(this.start);
    this.placeJoint(this.foot, this.start, axis.foot);
    this.placeJoint(this.ball, this.end, axis.top);
  }

  /**
   * @param {THREE.Object3D} mesh
   * @param {THREE.Vector3} at
   * @param {import("./legaxis.js").Joint} joint
   */
  placeJoint(mesh, at, joint) {
    if (mesh instanceof Cross)
      mesh.turn(/** @type {import("./legaxis.js").Universal} */ (joint)); // a cross is made where there is an axis
    else mesh.position.copy(at);
  }

  /**
   * @param {ReturnType<typeof legAxis>} axis
   * @param {THREE.Mesh} cylinder
   * @param {THREE.Mesh} cap
   */
  placeParts({ low, high, s, foot, top }, cylinder, cap) {
    const { r } = this;
    const { screw } = this.data;
    const length = low.distanceTo(high);
    const barrel = Math.min(this.barrel, length * 0.9);
    /** @param {number} d */
    const at = (d) => low.clone().addScaledVector(s, d);
    between(cylinder, low, at(barrel), r);
    between(cap, at(barrel - r * 0.9), at(barrel + r * 0.25), r * 1.16);
    between(this.rod, at(barrel * 0.4), high, r * 0.55);
    between(this.band, at(barrel * 0.16), at(barrel * 0.16 + r * 0.9), r * 1.03);
    if (this.marks) {
      this.mark(this.marks[0], at(barrel - r * 1.4), s, foot.y, r * 1.1, r * 2.2);
      const free = length - barrel;
      this.mark(this.marks[1], at(barrel + free * 0.2), s, top.y, r * 0.52, free * 0.5);
    }
    if (this.thread && this.motor && screw) {
      between(this.thread, at(barrel + r * 0.25), high, r * 0.56);
      const [a, b] =
        screw.mount === "lower"
          ? [at(barrel * 0.02), at(barrel * 0.14)]
          : [at(length - barrel * 0.12), at(length - r * 1.2)];
      between(this.motor, a, b, r * (screw.mount === "lower" ? 1.35 : 1.1));
    }
  }

  /**
   * A bar along the leg, `out` from its axis in the direction y.
   * @param {THREE.Object3D} mesh
   * @param {THREE.Vector3} from
   * @param {THREE.Vector3} s
   * @param {THREE.Vector3} y
   * @param {number} out
   * @param {number} length
   */
  mark(mesh, from, s, y, out, length) {
    const z = new THREE.Vector3().crossVectors(s, y);
    mesh.quaternion.setFromRotationMatrix(new THREE.Matrix4().makeBasis(s, y, z));
    mesh.position
      .copy(from)
      .addScaledVector(s, length / 2)
      .addScaledVector(y, out);
    mesh.scale.set(length, this.r * 0.28, this.r * 0.34);
  }

  /**
   * Where the mass center of a body is (`placed` before).
   * @param {string} name
   * @param {import("./types.d.ts").Body} body
   */
  center(name, body) {
    const { low, high, s, own, upper } = needed(this.axis, "a leg that was placed");
    if (name === "crank")
      return v3(body.center)
        .applyAxisAngle(needed(this.shaft, "the shaft of a crank"), this.angle)
        .add(this.base);
    const y = name === "upper" ? upper : own;
    const z = new THREE.Vector3().crossVectors(s, y);
    const c = body.center;
    return (name === "upper" ? high : low)
      .clone()
      .addScaledVector(s, c[0])
      .addScaledVector(y, c[1])
      .addScaledVector(z, c[2]);
  }
}
