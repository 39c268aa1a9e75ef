// The machine in 3D: plates, legs, mass centers, cones, forces.

import * as THREE from "three";
import { BASE, PLATFORM, bodyMatrix } from "./bodies.js";
import { sprung } from "./flexures.js";
import { Leg3D, railRange } from "./legs3d.js";
import { Arrow, X, aside, coneGeometry, dispose, frame, plane, plate, quat, v3 } from "./shapes.js";

const BAD = new THREE.Color("#ff4d4f");
const NEAR = new THREE.Color("#ffb84d");

/** @typedef {ReturnType<typeof materials>} Materials */

function materials() {
  /**
   * @param {string} color
   * @param {number} roughness
   * @param {number} metalness
   */
  const metal = (color, roughness, metalness) =>
    new THREE.MeshStandardMaterial({ color, roughness, metalness });
  return {
    base: metal("#7f8fa6", 0.55, 0.35),
    platform: metal("#e2953a", 0.48, 0.12),
    lower: metal("#34507a", 0.42, 0.45),
    link: metal("#7e97ba", 0.4, 0.5),
    upper: metal("#ccd3dc", 0.22, 0.9),
    dark: metal("#1d2633", 0.5, 0.4),
    joint: metal("#95a1b1", 0.35, 0.75),
    rail: metal("#5c6b84", 0.45, 0.6),
    slider: metal("#4a6a96", 0.4, 0.45),
    cross: metal("#c0653a", 0.45, 0.3),
    thread: metal("#8a7440", 0.35, 0.7),
    mark: metal("#ffe14d", 0.6, 0.0),
    flexure: metal("#b9a26a", 0.4, 0.55),
  };
}

/** Base plate, platform plate, six legs; `place` moves them. */
export class Machine3D extends THREE.Group {
  /**
   * @param {import("./types.d.ts").MachineDocument} document
   * @param {import("./types.d.ts").Drawing} drawing
   */
  constructor(document, drawing) {
    super();
    this.doc = document;
    this.drawing = drawing;
    this.size = drawing.size;
    this.r = this.size * 0.02;
    this.m = materials();
    this.up = v3(drawing.up);
    this.platform = new THREE.Group();
    this.add(this.platform);
    this.homePosition = v3(drawing.home.position);
    this.homeQuaternion = quat(drawing.home.quaternion);
    this.buildPlates();
    this.legs = document.legs.map((leg, i) => {
      const home = drawing.coordinate[i];
      const { m, r } = this;
      return new Leg3D(this, leg, i, { m, r, home, lean: this.lean(i), rest: drawing.rest[i] });
    });
    this.frames = new THREE.Group();
    this.platformFrame = frame(this.size * 0.2);
    this.centers = new THREE.Group();
    this.platformCenter = this.ball(this.size * 0.016, "#fff3bf");
    /** @type {{ leg: Leg3D, name: string, body: import("./types.d.ts").Body, mesh: THREE.Mesh }[]} */
    this.centerBalls = [];
    this.forceArrows = this.legs.map(
      (leg) => new Arrow(new THREE.MeshBasicMaterial({ color: leg.color }), this.size * 0.008),
    );
    this.arrows = new THREE.Group();
    this.cones = new THREE.Group();
    this.buildOverlays();
    this.traverse((o) => {
      if (o instanceof THREE.Mesh && o.material.isMeshStandardMaterial) {
        o.castShadow = true;
        o.receiveShadow = true;
      }
    });
  }

  buildPlates() {
    const { doc, size } = this;
    const joints = doc.legs.map((leg) => v3(leg.joint));
    const outwards = this.up.clone().applyQuaternion(this.homeQuaternion.clone().invert());
    const top = plane(joints, outwards);
    const thickness = size * 0.035;
    const mesh = new THREE.Mesh(
      plate(joints, top.normal, { margin: size * 0.045, thickness, raise: this.r * 0.9 }),
      this.m.platform,
    );
    mesh.name = "platform";
    mesh.userData.body = PLATFORM;
    this.platform.add(mesh);
    for (const [i, joint] of joints.entries()) {
      if (sprung(doc.legs[i], "platform")) continue; // a flexure has its own end there
      const stud = new THREE.Mesh(
        new THREE.CylinderGeometry(this.r * 0.7, this.r * 0.9, this.r * 1.2, 20),
        this.m.dark,
      );
      stud.name = `L${i + 1} stud`;
      stud.userData.body = PLATFORM;
      stud.position.copy(joint).addScaledVector(top.normal, this.r * 0.4);
      stud.quaternion.setFromUnitVectors(new THREE.Vector3(0, 1, 0), top.normal);
      this.platform.add(stud);
    }
    const rails = doc.legs.some((leg) => leg.rail);
    const bases = doc.legs.map((leg) => v3(leg.base));
    const flat =
      rails && doc.legs.every((leg) => !leg.rail || Math.abs(v3(leg.rail).dot(this.up)) < 0.9);
    /**
     * @param {import("./types.d.ts").LegDocument} leg
     * @param {number} i
     */
    const ends = (leg, i) => (leg.rail ? this.railEnds(leg) : [bases[i]]);
    const spread = flat
      ? doc.legs.flatMap(ends)
      : rails
        ? doc.legs.map((leg, i) => ends(leg, i)[0])
        : bases;
    const { center, normal } = plane(spread, this.up);
    if (flat) normal.copy(this.up);
    // under the lowest of the rails where they lie flat, else in the plane of the joints
    const lowest = Math.min(...spread.map((p) => p.clone().sub(center).dot(normal)));
    const drop = flat ? this.r * 0.75 - lowest + this.sunk() : rails ? size * 0.02 : this.r * 1.1;
    const base = new THREE.Mesh(
      plate(spread, normal, {
        margin: size * 0.06,
        thickness: size * 0.04,
        hole: 0.62,
        raise: -drop - size * 0.04,
      }),
      this.m.base,
    );
    base.name = "base";
    base.userData.body = BASE;
    this.add(base);
  }

  /**
   * Along a leg at home.
   * @param {number} i
   */
  lean(i) {
    const { start, end } = this.drawing;
    return v3(end[i]).sub(v3(start[i])).normalize();
  }

  /** How far below their joints level rails are drawn. */
  sunk() {
    const level = this.doc.legs.every(
      (leg) => leg.rail && Math.abs(v3(leg.rail).dot(this.up)) < 0.3,
    );
    const deep = this.doc.legs.map(({ rail }, i) =>
      rail ? -aside(this.lean(i), v3(rail), this.r).dot(this.up) : 0,
    );
    return level ? Math.max(0, ...deep) : 0;
  }

  /**
   * Where the slider of a leg is at either end of its rail; nowhere without one.
   * @param {import("./types.d.ts").LegDocument} leg
   */
  railEnds(leg) {
    if (!leg.rail) return [];
    const home = this.drawing.coordinate[this.doc.legs.indexOf(leg)];
    const along = v3(leg.rail);
    return railRange(leg, home).map((l) => v3(leg.base).addScaledVector(along, l));
  }

  /**
   * A mass center, seen through everything.
   * @param {number} radius
   * @param {THREE.ColorRepresentation} color
   */
  ball(radius, color) {
    const mesh = new THREE.Mesh(
      new THREE.SphereGeometry(radius, 20, 14),
      new THREE.MeshBasicMaterial({ color, depthTest: false, transparent: true, opacity: 0.9 }),
    );
    mesh.renderOrder = 5;
    this.centers.add(mesh);
    return mesh;
  }

  buildOverlays() {
    const { size } = this;
    this.frames.add(frame(size * 0.22));
    this.platform.add(this.platformFrame);
    this.add(this.frames, this.centers, this.arrows, this.cones);
    this.legs.forEach((leg) => {
      for (const name of /** @type {const} */ (["lower", "upper", "link", "crank"])) {
        const body = leg.data[name];
        if (body && body.mass > 0)
          this.centerBalls.push({ leg, name, body, mesh: this.ball(size * 0.009, leg.color) });
      }
    });
    this.arrows.add(...this.forceArrows);
    this.buildCones();
  }

  buildCones() {
    this.legs.forEach((leg) => {
      const { base_cone: low, platform_cone: high } = leg.data.limits;
      const length = this.size * 0.13;
      /**
       * @param {number} angle
       * @param {number[]} axis
       * @param {THREE.Object3D} parent
       */
      const make = (angle, axis, parent) => {
        const material = new THREE.MeshBasicMaterial({
          color: leg.color,
          transparent: true,
          opacity: 0.16,
          side: THREE.DoubleSide,
          depthWrite: false,
        });
        const cone = new THREE.Mesh(coneGeometry(angle, length), material);
        cone.quaternion.setFromUnitVectors(X, v3(axis));
        parent.add(cone);
        return cone;
      };
      const [base, top] = [this.drawing.base_axes[leg.i], this.drawing.platform_axes[leg.i]];
      if (low && base) leg.baseCone = make(low, base, this.cones);
      if (high && top) {
        leg.topCone = make(high, top, this.platform);
        leg.topCone.position.copy(leg.joint);
      }
    });
  }

  /**
   * @param {string} name
   * @param {boolean} on
   */
  show(name, on) {
    if (name === "frames") {
      this.frames.visible = on;
      this.platformFrame.visible = on;
    }
    if (name === "centers") this.centers.visible = on;
    if (name === "forces") this.arrows.visible = on;
    if (name === "cones") {
      this.cones.visible = on;
      for (const leg of this.legs) if (leg.topCone) leg.topCone.visible = on;
    }
  }

  /**
   * Move everything: position (3), quaternion (w x y z), actuator coordinates (6).
   * @param {number[]} position
   * @param {number[]} quaternion
   * @param {(number | null)[]} coordinate
   */
  place(position, quaternion, coordinate) {
    this.platform.position.copy(v3(position));
    this.platform.quaternion.copy(quat(quaternion));
    this.platform.updateMatrixWorld();
    for (const leg of this.legs) leg.place(this.platform.matrixWorld, coordinate[leg.i]);
    this.platformCenter.position
      .copy(v3(this.doc.body.center))
      .applyMatrix4(this.platform.matrixWorld);
    for (const { leg, name, body, mesh } of this.centerBalls)
      mesh.position.copy(leg.center(name, body));
  }

  /**
   * Where a point of a body is now; null where that is not known.
   * @param {import("./bodies.js").BodyName} body
   * @param {number[]} local
   * @returns {number[] | null}
   */
  bodyPoint(body, local) {
    const matrix = bodyMatrix(this, body);
    return matrix && v3(local).applyMatrix4(matrix).toArray();
  }

  /**
   * Joint reaction arrows (18 numbers, world axes); `scale` meters per newton.
   * @param {(number | null)[] | null} vectors
   * @param {number} scale
   */
  setForces(vectors, scale) {
    this.forceArrows.forEach((arrow, i) => {
      const f = vectors ? vectors.slice(3 * i, 3 * i + 3).map((x) => x ?? NaN) : [0, 0, 0];
      if (!f.every(Number.isFinite)) arrow.visible = false;
      else arrow.aim(this.legs[i].end, v3(f).multiplyScalar(scale));
    });
  }

  /**
   * Color legs by their limits (bits of `limit_kinds`): broken red, nearly met amber; a cone by its own limit.
   * @param {(number | null)[]} broken
   * @param {(number | null)[]} near
   */
  setMarks(broken, near) {
    /** @param {string} kind */
    const bit = (kind) => 1 << this.drawing.limit_kinds.indexOf(kind);
    this.legs.forEach((leg, i) => {
      const [bad, close] = [broken?.[i] ?? 0, near?.[i] ?? 0];
      leg.material.color.copy(bad ? BAD : close ? NEAR : leg.tint);
      leg.baseCone?.material.color.copy(bad & bit("base cone") ? BAD : leg.color);
      leg.topCone?.material.color.copy(bad & bit("platform cone") ? BAD : leg.color);
    });
  }

  dispose() {
    dispose(this);
  }
}
