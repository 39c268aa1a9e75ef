// The machine in 3D: plates, legs of the four types, joints, mass centers, cones.

import * as THREE from "three";
import {
  Arrow,
  X,
  between,
  coneGeometry,
  dispose,
  frame,
  plane,
  plate,
  quat,
  strutGeometry,
  v3,
} from "./shapes.js";
import { legColor } from "./units.js";

const BAD = new THREE.Color("#ff4d4f");
const NEAR = new THREE.Color("#ffb84d");

function materials() {
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
  };
}

/** Base plate, platform plate, six legs; `place` moves them. */
export class Machine3D extends THREE.Group {
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
    this.legs = document.legs.map((leg, i) => this.buildLeg(leg, i));
    this.buildOverlays();
    this.traverse((o) => {
      if (o.isMesh && o.material.isMeshStandardMaterial) {
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
    this.platform.add(mesh);
    for (const joint of joints) {
      const stud = new THREE.Mesh(
        new THREE.CylinderGeometry(this.r * 0.7, this.r * 0.9, this.r * 1.2, 20),
        this.m.dark,
      );
      stud.position.copy(joint).addScaledVector(top.normal, this.r * 0.4);
      stud.quaternion.setFromUnitVectors(new THREE.Vector3(0, 1, 0), top.normal);
      this.platform.add(stud);
    }
    const rails = doc.legs.some((leg) => leg.type === "PUS");
    const bases = doc.legs.map((leg) => v3(leg.base));
    const flat = rails && doc.legs.every((leg) => Math.abs(v3(leg.rail).dot(this.up)) < 0.9);
    if (flat) return;
    const drop = rails ? size * 0.02 : this.r * 1.1;
    const spread = rails
      ? doc.legs.map((leg, i) =>
          bases[i].clone().addScaledVector(v3(leg.rail), this.railRange(leg)[0]),
        )
      : bases;
    const base = new THREE.Mesh(
      plate(spread, plane(spread, this.up).normal, {
        margin: size * 0.06,
        thickness: size * 0.04,
        hole: 0.62,
        raise: -drop - size * 0.04,
      }),
      this.m.base,
    );
    this.add(base);
  }

  railRange(leg) {
    if (leg.limits.stroke) return leg.limits.stroke;
    const home = this.drawing.coordinate[this.doc.legs.indexOf(leg)];
    return [home - 0.3 * leg.length, home + 0.3 * leg.length];
  }

  mesh(geometry, material) {
    const mesh = new THREE.Mesh(geometry, material);
    this.add(mesh);
    return mesh;
  }

  buildLeg(data, i) {
    const { r, m } = this;
    const color = new THREE.Color(legColor(i));
    const telescopic = data.type === "UPS" || data.type === "SPS";
    const lowerMaterial = (telescopic ? m.lower : m.link).clone();
    const leg = {
      data,
      i,
      material: lowerMaterial,
      tint: lowerMaterial.color.clone(),
      color,
      start: new THREE.Vector3(),
      end: new THREE.Vector3(),
      base: v3(data.base),
      joint: v3(data.joint),
    };
    if (data.limits.radius) leg.r = THREE.MathUtils.clamp(data.limits.radius, 0.35 * r, 1.25 * r);
    else leg.r = r * 0.95;
    leg.rod = this.mesh(strutGeometry(), telescopic ? m.upper : lowerMaterial);
    leg.ball = this.mesh(new THREE.SphereGeometry(leg.r * 0.95, 24, 16), m.joint);
    leg.foot = this.mesh(new THREE.SphereGeometry(leg.r * 1.05, 24, 16), m.dark);
    leg.band = this.mesh(
      strutGeometry(),
      new THREE.MeshStandardMaterial({ color, roughness: 0.5 }),
    );
    if (telescopic) {
      leg.cylinder = this.mesh(strutGeometry(), lowerMaterial);
      leg.cap = this.mesh(strutGeometry(), m.dark);
      const shortest = data.limits.stroke
        ? data.limits.stroke[0]
        : 0.82 * this.drawing.coordinate[i];
      leg.barrel = 0.8 * shortest;
      leg.yoke = this.mesh(strutGeometry(), m.joint);
    } else if (data.type === "PUS") this.buildRail(leg, data);
    else this.buildCrank(leg, data);
    return leg;
  }

  buildRail(leg, data) {
    const rail = v3(data.rail);
    const [low, high] = this.railRange(data);
    const extra = leg.r * 2.4;
    const bar = this.mesh(
      new THREE.BoxGeometry(high - low + 2 * extra, leg.r * 1.5, leg.r * 1.5),
      this.m.rail,
    );
    bar.position.copy(leg.base).addScaledVector(rail, (low + high) / 2);
    leg.slide = new THREE.Quaternion().setFromUnitVectors(X, rail);
    bar.quaternion.copy(leg.slide);
    leg.slider = this.mesh(
      new THREE.BoxGeometry(leg.r * 4, leg.r * 2.7, leg.r * 2.7),
      this.m.slider,
    );
    leg.slider.quaternion.copy(leg.slide);
    leg.rail = rail;
  }

  buildCrank(leg, data) {
    leg.shaft = v3(data.shaft);
    leg.arm = v3(data.arm);
    const radius = new THREE.Vector3().crossVectors(leg.shaft, leg.arm).length();
    const motor = this.mesh(strutGeometry(32), this.m.dark);
    between(
      motor,
      leg.base.clone().addScaledVector(leg.shaft, -radius * 0.55),
      leg.base.clone().addScaledVector(leg.shaft, leg.r * 0.6),
      radius * 0.36,
    );
    leg.crank = this.mesh(strutGeometry(), this.m.slider);
    leg.hub = this.mesh(new THREE.SphereGeometry(leg.r * 1.5, 24, 16), this.m.joint);
    leg.hub.position.copy(leg.base);
  }

  buildOverlays() {
    const { size } = this;
    this.frames = new THREE.Group();
    this.frames.add(frame(size * 0.22));
    this.platformFrame = frame(size * 0.2);
    this.platform.add(this.platformFrame);
    this.add(this.frames);
    this.centers = new THREE.Group();
    this.add(this.centers);
    this.centerBalls = [];
    const ball = (radius, color) => {
      const mesh = new THREE.Mesh(
        new THREE.SphereGeometry(radius, 20, 14),
        new THREE.MeshBasicMaterial({ color, depthTest: false, transparent: true, opacity: 0.9 }),
      );
      mesh.renderOrder = 5;
      this.centers.add(mesh);
      return mesh;
    };
    this.platformCenter = ball(size * 0.016, "#fff3bf");
    this.legs.forEach((leg) => {
      for (const name of ["lower", "upper", "link", "crank"]) {
        const body = leg.data[name];
        if (body && body.mass > 0)
          this.centerBalls.push({ leg, name, body, mesh: ball(size * 0.009, leg.color) });
      }
    });
    this.arrows = new THREE.Group();
    this.add(this.arrows);
    this.forceArrows = this.legs.map((leg) => {
      const arrow = new Arrow(new THREE.MeshBasicMaterial({ color: leg.color }), size * 0.008);
      this.arrows.add(arrow);
      return arrow;
    });
    this.cones = new THREE.Group();
    this.add(this.cones);
    this.buildCones();
  }

  buildCones() {
    this.legs.forEach((leg) => {
      const { base_cone: low, platform_cone: high } = leg.data.limits;
      const length = this.size * 0.13;
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
      const i = leg.i;
      if (low && this.drawing.base_axes[i])
        leg.baseCone = make(low, this.drawing.base_axes[i], this.cones);
      if (high && this.drawing.platform_axes[i]) {
        leg.topCone = make(high, this.drawing.platform_axes[i], this.platform);
        leg.topCone.position.copy(leg.joint);
      }
    });
  }

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

  /** Move everything: position (3), quaternion (w x y z), actuator coordinates (6). */
  place(position, quaternion, coordinate) {
    this.platform.position.set(...position);
    this.platform.quaternion.copy(quat(quaternion));
    this.platform.updateMatrixWorld();
    for (const leg of this.legs) this.placeLeg(leg, coordinate[leg.i]);
    this.platformCenter.position
      .copy(v3(this.doc.body.center))
      .applyMatrix4(this.platform.matrixWorld);
    for (const item of this.centerBalls) this.placeCenter(item);
  }

  placeLeg(leg, l) {
    leg.end.copy(leg.joint).applyMatrix4(this.platform.matrixWorld);
    leg.start.copy(leg.base);
    const known = l !== null && l !== undefined && Number.isFinite(l);
    if (leg.rail && known) leg.start.addScaledVector(leg.rail, l);
    if (leg.shaft && known) leg.start.add(leg.arm.clone().applyAxisAngle(leg.shaft, l));
    const s = new THREE.Vector3().subVectors(leg.end, leg.start);
    const length = s.length();
    s.normalize();
    leg.ball.position.copy(leg.end);
    leg.foot.position.copy(leg.start);
    const { r } = leg;
    if (leg.cylinder) {
      const barrel = Math.min(leg.barrel, length * 0.9);
      const at = (d) => leg.start.clone().addScaledVector(s, d);
      between(leg.cylinder, leg.start, at(barrel), r);
      between(leg.cap, at(barrel - r * 0.9), at(barrel + r * 0.25), r * 1.16);
      between(leg.rod, at(barrel * 0.4), leg.end, r * 0.55);
      between(leg.band, at(barrel * 0.16), at(barrel * 0.16 + r * 0.9), r * 1.03);
      const axis = leg.data.axis ?? leg.data.reference;
      const y = new THREE.Vector3().crossVectors(v3(axis), s).normalize();
      between(
        leg.yoke,
        leg.start.clone().addScaledVector(y, -r * 1.25),
        leg.start.clone().addScaledVector(y, r * 1.25),
        r * 0.5,
      );
    } else {
      between(leg.rod, leg.start, leg.end, r * 0.62);
      between(
        leg.band,
        leg.start.clone().addScaledVector(s, length * 0.46),
        leg.start.clone().addScaledVector(s, length * 0.46 + r),
        r * 0.68,
      );
      if (leg.slider) leg.slider.position.copy(leg.start);
      if (leg.crank) between(leg.crank, leg.base, leg.start, r * 1.05);
    }
    if (leg.baseCone) leg.baseCone.position.copy(leg.start);
  }

  placeCenter({ leg, name, body, mesh }) {
    const s = new THREE.Vector3().subVectors(leg.end, leg.start).normalize();
    const axis = v3(leg.data.axis ?? leg.data.reference);
    if (name === "crank") {
      const angle = new THREE.Vector3().subVectors(leg.start, leg.base);
      const turn = new THREE.Quaternion().setFromUnitVectors(
        leg.arm.clone().normalize(),
        angle.normalize(),
      );
      mesh.position.copy(v3(body.center)).applyQuaternion(turn).add(leg.base);
      return;
    }
    const y = new THREE.Vector3().crossVectors(axis, s).normalize();
    const z = new THREE.Vector3().crossVectors(s, y);
    const c = body.center;
    mesh.position
      .copy(name === "upper" ? leg.end : leg.start)
      .addScaledVector(s, c[0])
      .addScaledVector(y, c[1])
      .addScaledVector(z, c[2]);
  }

  /** Joint reaction arrows (18 numbers, world axes); `scale` meters per newton. */
  setForces(vectors, scale) {
    this.forceArrows.forEach((arrow, i) => {
      const f = vectors ? vectors.slice(3 * i, 3 * i + 3) : [0, 0, 0];
      if (f.some((x) => x === null || !Number.isFinite(x))) arrow.visible = false;
      else arrow.aim(this.legs[i].end, v3(f).multiplyScalar(scale));
    });
  }

  /** Color legs by their margin: below 0 red, nearly there amber. */
  setMargins(margins) {
    this.legs.forEach((leg, i) => {
      const m = margins?.[i];
      const bad = m !== null && m !== undefined && m < 0;
      const near = !bad && m !== null && m !== undefined && m < 0.05;
      leg.material.color.copy(bad ? BAD : near ? NEAR : leg.tint);
      for (const cone of [leg.baseCone, leg.topCone])
        if (cone) cone.material.color.copy(bad ? BAD : leg.color);
    });
  }

  dispose() {
    dispose(this);
  }
}
