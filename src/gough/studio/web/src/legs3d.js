// One leg in 3D, from the fields of its document: two parts or a rod, slider or crank, the joints it has at either end.

import * as THREE from "three";
import { BASE, jointBodies } from "./bodies.js";
import { Flexure, NECK, sprung } from "./flexures.js";
import { Cross, aside, between, helix, rail, strutGeometry, v3 } from "./shapes.js";
import { legAxis } from "./legaxis.js";
import { legColor } from "./units.js";

const ORIGIN = new THREE.Vector3();

/**
 * How far the slider of a leg goes.
 * @param {import("./types.d.ts").LegDocument} leg
 * @param {number} home
 * @returns {[number, number]}
 */
export function railRange(leg, home) {
  if (leg.limits.stroke) return leg.limits.stroke;
  return [home - 0.3 * leg.length, home + 0.3 * leg.length];
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
    if (this.telescopic) this.buildParts();
    if (data.rail) this.buildRail();
    if (data.shaft) this.buildCrank();
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

  buildParts() {
    const { data, m } = this;
    this.cylinder = this.mesh("cylinder", "lower", strutGeometry(), this.material);
    this.cap = this.mesh("cap", "lower", strutGeometry(), m.dark);
    const shortest = data.limits.stroke ? data.limits.stroke[0] : 0.82 * this.home;
    this.barrel = 0.8 * shortest;
    if (data.platform_axis) {
      // a mark on either part: the angle between them is the twist
      this.marks = ["lower", "upper"].map((part) =>
        this.mesh(`${part} mark`, part, new THREE.BoxGeometry(1, 1, 1), m.mark),
      );
    }
    if (data.screw) {
      const ridge = helix(data.screw.hand === "left" ? -1 : 1);
      this.thread = this.mesh("thread", "upper", ridge, m.thread);
      this.motor = this.mesh("motor", data.screw.mount, strutGeometry(), m.dark);
    }
  }

  buildRail() {
    this.rail = v3(this.data.rail);
    const [low, high] = railRange(this.data, this.home);
    this.slider = rail(this, low, high);
  }

  buildCrank() {
    const { data, m, r } = this;
    this.shaft = v3(data.shaft);
    this.arm = v3(data.arm);
    const radius = new THREE.Vector3().crossVectors(this.shaft, this.arm).length();
    const motor = this.mesh("motor", "base", strutGeometry(32), m.dark);
    between(
      motor,
      this.base.clone().addScaledVector(this.shaft, -radius * 0.55),
      this.base.clone().addScaledVector(this.shaft, r * 0.6),
      radius * 0.36,
    );
    // beside the neck of a flexure, which stands free
    this.beside = this.foot instanceof Flexure ? aside(this.rest[0], this.arm, r) : null;
    this.crank = this.mesh("crank", "crank", strutGeometry(), m.slider);
    this.hub = this.mesh("hub", "crank", new THREE.SphereGeometry(r * 1.5, 24, 16), m.joint);
    this.hub.position.copy(this.base);
  }

  /**
   * Move the leg: the platform's matrix, and the actuator's coordinate.
   * @param {THREE.Matrix4} platform
   * @param {number | null} coordinate
   */
  place(platform, coordinate) {
    const known = Number.isFinite(coordinate ?? NaN);
    this.known = known;
    this.angle = known ? coordinate : 0;
    this.end.copy(this.joint).applyMatrix4(platform);
    this.start.copy(this.base);
    if (this.rail && known) this.start.addScaledVector(this.rail, coordinate);
    if (this.shaft && known)
      this.start.add(this.arm.clone().applyAxisAngle(this.shaft, coordinate));
    this.axis = legAxis(this, platform);
    const { low, high, s } = this.axis;
    const length = low.distanceTo(high);
    if (this.cylinder) this.placeParts(length);
    else {
      const [from, to] = this.ends(length).map((d) => low.clone().addScaledVector(s, d));
      between(this.rod, from, to, this.r * 0.62);
      const middle = low.clone().addScaledVector(s, length * 0.46);
      between(this.band, middle, middle.clone().addScaledVector(s, this.r), this.r * 0.68);
    }
    if (this.slider) this.slider.position.copy(this.start).add(aside(this.lean, this.rail, this.r));
    if (this.crank) {
      const beside = this.beside?.clone().applyAxisAngle(this.shaft, this.angle);
      const [a, b] = [this.base, this.start].map((p) => p.clone().add(beside ?? ORIGIN));
      between(this.crank, a, b, this.r * 1.05);
    }
    if (this.baseCone) this.baseCone.position.copy(this.start);
    this.placeJoint(this.foot, this.start, this.axis.foot);
    this.placeJoint(this.ball, this.end, this.axis.top);
    if (this.foot instanceof Flexure) {
      const carrier = this.rest[0].clone().negate();
      if (this.shaft) carrier.applyAxisAngle(this.shaft, this.angle);
      this.foot.turn(this.axis.foot, carrier, s);
    }
    if (this.ball instanceof Flexure)
      this.ball.turn(
        this.axis.top,
        this.rest[1].clone().transformDirection(platform),
        s.clone().negate(),
      );
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

  /** @param {number} length */
  placeParts(length) {
    const { r } = this;
    const { low, s, foot, top } = this.axis;
    const barrel = Math.min(this.barrel, length * 0.9);
    /** @param {number} d */
    const at = (d) => low.clone().addScaledVector(s, d);
    const [from, to] = this.ends(length);
    between(this.cylinder, at(from), at(barrel), r);
    between(this.cap, at(barrel - r * 0.9), at(barrel + r * 0.25), r * 1.16);
    between(this.rod, at(barrel * 0.4), at(to), r * 0.55);
    between(this.band, at(barrel * 0.16), at(barrel * 0.16 + r * 0.9), r * 1.03);
    if (this.marks) {
      this.mark(this.marks[0], at(barrel - r * 1.4), s, foot.y, r * 1.1, r * 2.2);
      const free = length - barrel;
      this.mark(this.marks[1], at(barrel + free * 0.2), s, top.y, r * 0.52, free * 0.5);
    }
    if (this.thread) {
      between(this.thread, at(barrel + r * 0.25), at(to), r * 0.56);
      const [a, b] =
        this.data.screw.mount === "lower"
          ? [at(barrel * 0.02), at(barrel * 0.14)]
          : [at(length - barrel * 0.12), at(length - r * 1.2)];
      between(this.motor, a, b, r * (this.data.screw.mount === "lower" ? 1.35 : 1.1));
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
    const { low, high, s, own, upper } = this.axis;
    if (name === "crank")
      return v3(body.center).applyAxisAngle(this.shaft, this.angle).add(this.base);
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
