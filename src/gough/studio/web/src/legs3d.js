// One leg in 3D, from the fields of its document: two parts or a rod, slider or crank, the joints it has at either end.

import * as THREE from "three";
import { BASE, jointBodies } from "./bodies.js";
import { needed } from "./dom.js";
import { Flexure, NECK, sprung } from "./flexures.js";
import { Cross, aside, between, helix, rail, strutGeometry, v3 } from "./shapes.js";
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
   * group: where its meshes go; m: materials; r: usual radius; home: coordinate at home; rest: directions of the leg
   * at which springs in its joints are relaxed, as base (crank) and platform see it; lean: along the leg at home.
   * @param {THREE.Object3D} group
   * @param {import("./types.d.ts").LegDocument} data
   * @param {number} i
   * @param {{
   *   m: import("./machine3d.js").Materials, r: number, home: number, lean: THREE.Vector3,
   *   rest: import("./types.d.ts").Drawing["rest"][number],
   * }} look
   */
  constructor(group, data, i, { m, r, home, lean, rest }) {
    this.group = group;
    this.data = data;
    this.i = i;
    this.m = m;
    this.home = home;
    this.lean = lean;
    this.known = false; // where it is: its coordinate at the pose it is placed at
    this.rest = rest ? rest.map(v3) : [lean, lean];
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
    const [lower, upper] = this.telescopic ? ["lower", "upper"] : ["link", "link"];
    this.rod = this.mesh("rod", upper, strutGeometry(), this.telescopic ? m.upper : this.material);
    const banded = new THREE.MeshStandardMaterial({ color: this.color, roughness: 0.5 });
    this.band = this.mesh("band", lower, strutGeometry(), banded);
    this.foot = this.joints("base", m.dark, data.shaft ? 1.4 : 1.05); // seen around the end of a crank
    this.ball = this.joints("platform", m.joint, 0.95);
    /** @type {THREE.Mesh<THREE.BufferGeometry, THREE.MeshBasicMaterial> | undefined} */
    this.baseCone = undefined;
    /** @type {THREE.Mesh<THREE.BufferGeometry, THREE.MeshBasicMaterial> | undefined} */
    this.topCone = undefined;
    this.angle = 0; // of the crank
    /** @type {ReturnType<typeof legAxis> | null} where it was placed last */
    this.axis = null;
    const { screw } = this.telescopic ? data : {};
    this.cylinder = this.telescopic
      ? this.mesh("cylinder", "lower", strutGeometry(), this.material)
      : null;
    this.cap = this.telescopic ? this.mesh("cap", "lower", strutGeometry(), m.dark) : null;
    this.barrel = 0.8 * (data.limits.stroke ? data.limits.stroke[0] : 0.82 * home);
    // a mark on either part: the angle between them is the twist
    this.marks =
      this.telescopic && data.platform_axis
        ? ["lower", "upper"].map((part) =>
            this.mesh(`${part} mark`, part, new THREE.BoxGeometry(1, 1, 1), m.mark),
          )
        : null;
    const ridge = screw ? helix(screw.hand === "left" ? -1 : 1) : null;
    this.thread = ridge ? this.mesh("thread", "upper", ridge, m.thread) : null;
    this.motor = screw ? this.mesh("motor", screw.mount, strutGeometry(), m.dark) : null;
    this.rail = data.rail ? v3(data.rail) : null;
    this.slider = this.rail ? rail(this, this.rail, ...railRange(data, home)) : null;
    this.shaft = data.shaft ? v3(data.shaft) : null;
    this.arm = data.arm ? v3(data.arm) : null;
    this.crank = this.shaft && this.arm ? this.buildCrank(this.shaft, this.arm) : null;
    // where slider or crank are drawn from their joint: that of a slider, and a flexure, stands free
    this.beside = new THREE.Vector3();
    if (this.rail) this.beside = aside(lean, this.rail, this.r);
    if (this.arm && this.foot instanceof Flexure)
      this.beside = aside(this.rest[0], this.arm, this.r);
  }

  /**
   * body: the base, or the name of a part of this leg.
   * @param {string} name
   * @param {string} body
   * @param {THREE.BufferGeometry} geometry
   * @param {THREE.Material} material
   */
  mesh(name, body, geometry, material) {
    const mesh = new THREE.Mesh(geometry, material);
    mesh.name = `L${this.i + 1} ${name}`;
    mesh.userData.body = body === "base" ? BASE : Object.freeze({ leg: this.i, name: body });
    this.group.add(mesh);
    return mesh;
  }

  /**
   * The joint at one end: a universal joint as its cross, with the arms of an offset one; a ball where no axis is
   * given; a notched neck where it has springs.
   * @param {"base" | "platform"} side
   * @param {THREE.Material} material
   * @param {number} size
   */
  joints(side, material, size) {
    const { data, m, r } = this;
    const [axis, offset] =
      side === "base" ? [data.axis, data.base_offset] : [data.platform_axis, data.platform_offset];
    const springs = sprung(data, side);
    const bodies = jointBodies(this, side);
    const name = `L${this.i + 1} ${side} ${springs ? "flexure" : axis ? "cross" : "ball"}`;
    /** @type {THREE.Object3D} */
    let made;
    if (springs) made = new Flexure(m, r, { springs, universal: Boolean(axis), offset, bodies });
    else if (axis) made = new Cross(m, r, offset, bodies);
    else {
      made = new THREE.Mesh(new THREE.SphereGeometry(r * size, 24, 16), material);
      made.userData.body = bodies.leg;
    }
    made.name = name;
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
    const motor = this.mesh("motor", "base", strutGeometry(32), m.dark);
    between(
      motor,
      this.base.clone().addScaledVector(shaft, -radius * 0.55),
      this.base.clone().addScaledVector(shaft, r * 0.6),
      radius * 0.36,
    );
    const crank = this.mesh("crank", "crank", strutGeometry(), m.slider);
    const hub = this.mesh("hub", "crank", new THREE.SphereGeometry(r * 1.5, 24, 16), m.joint);
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
    this.known = known;
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
      const [from, to] = this.ends(length).map((d) => low.clone().addScaledVector(s, d));
      between(this.rod, from, to, this.r * 0.62);
      const middle = low.clone().addScaledVector(s, length * 0.46);
      between(this.band, middle, middle.clone().addScaledVector(s, this.r), this.r * 0.68);
    }
    const beside = this.beside.clone();
    if (this.shaft) beside.applyAxisAngle(this.shaft, this.angle);
    if (this.slider) this.slider.position.copy(this.start).add(beside);
    const [hub, tip] = [this.base, this.start].map((p) => p.clone().add(beside));
    if (this.crank) between(this.crank, hub, tip, this.r * 1.05);
    if (this.baseCone) this.baseCone.position.copy(this.start);
    this.placeJoint(this.foot, this.start, axis.foot);
    this.placeJoint(this.ball, this.end, axis.top);
    if (this.foot instanceof Flexure) {
      const carrier = this.rest[0].clone().negate();
      if (this.shaft) carrier.applyAxisAngle(this.shaft, this.angle);
      this.foot.turn(axis.foot, carrier, s);
    }
    const seat = this.rest[1].clone().transformDirection(platform);
    if (this.ball instanceof Flexure) this.ball.turn(axis.top, seat, s.clone().negate());
  }

  /**
   * Where the strut begins and ends along its axis: a flexure's neck on it stands in front of it.
   * @param {number} length
   */
  ends(length) {
    const neck = Math.min(NECK * 0.85 * this.r, length * 0.2);
    /**
     * @param {THREE.Object3D} made
     * @param {import("./types.d.ts").JointOffset | null | undefined} offset
     */
    const taken = (made, offset) =>
      made instanceof Flexure && made.springs.second && !offset?.d && !offset?.f ? neck : 0;
    const { base_offset, platform_offset } = this.data;
    return [taken(this.foot, base_offset), length - taken(this.ball, platform_offset)];
  }

  /**
   * @param {THREE.Object3D} mesh
   * @param {THREE.Vector3} at
   * @param {import("./legaxis.js").Joint} joint
   */
  placeJoint(mesh, at, joint) {
    if (mesh instanceof Flexure) return;
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
    const [from, to] = this.ends(length);
    between(cylinder, at(from), at(barrel), r);
    between(cap, at(barrel - r * 0.9), at(barrel + r * 0.25), r * 1.16);
    between(this.rod, at(barrel * 0.4), at(to), r * 0.55);
    between(this.band, at(barrel * 0.16), at(barrel * 0.16 + r * 0.9), r * 1.03);
    if (this.marks) {
      this.mark(this.marks[0], at(barrel - r * 1.4), s, foot.y, r * 1.1, r * 2.2);
      const free = length - barrel;
      this.mark(this.marks[1], at(barrel + free * 0.2), s, top.y, r * 0.52, free * 0.5);
    }
    if (this.thread && this.motor && screw) {
      between(this.thread, at(barrel + r * 0.25), at(to), r * 0.56);
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
