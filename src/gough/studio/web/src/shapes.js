// Geometry of parts: plates around joints, struts, joints, arrows.

import * as THREE from "three";

export const X = new THREE.Vector3(1, 0, 0);
export const Y = new THREE.Vector3(0, 1, 0);
export const Z = new THREE.Vector3(0, 0, 1);
/** @param {ArrayLike<number>} a */
export const v3 = (a) => new THREE.Vector3(a[0], a[1], a[2]);

/**
 * Centroid and normal of the plane through points; `towards` picks the side of the normal.
 * @param {THREE.Vector3[]} points
 * @param {THREE.Vector3} towards
 */
export function plane(points, towards) {
  const c = points
    .reduce((sum, p) => sum.add(p), new THREE.Vector3())
    .multiplyScalar(1 / points.length);
  const n = new THREE.Vector3();
  const sorted = points.map((p) => p.clone().sub(c));
  for (let i = 0; i < sorted.length; i++) {
    for (let j = i + 1; j < sorted.length; j++) {
      const cross = new THREE.Vector3().crossVectors(sorted[i], sorted[j]);
      if (cross.dot(towards) < 0) cross.negate();
      n.add(cross);
    }
  }
  if (n.lengthSq() < 1e-18) n.copy(towards);
  return { center: c, normal: n.normalize() };
}

/**
 * Convex hull of 2D points, counter-clockwise.
 * @param {THREE.Vector2[]} points
 */
export function hull(points) {
  const p = [...points].sort((a, b) => a.x - b.x || a.y - b.y);
  /** @param {THREE.Vector2[]} list */
  const half = (list) => {
    const out = [];
    for (const q of list) {
      while (out.length > 1) {
        const [a, b] = out.slice(-2);
        if ((b.x - a.x) * (q.y - a.y) - (b.y - a.y) * (q.x - a.x) > 1e-12) break;
        out.pop();
      }
      out.push(q);
    }
    return out.slice(0, -1);
  };
  return [...half(p), ...half(p.reverse())];
}

/**
 * Outline at a distance `r` outside a convex polygon, corners rounded.
 * @template {THREE.Path} T
 * @param {T} path
 * @param {THREE.Vector2[]} polygon
 * @param {number} r
 */
function outline(path, polygon, r) {
  const n = polygon.length;
  /** @param {number} i */
  const normalAngle = (i) => {
    const a = polygon[i],
      b = polygon[(i + 1) % n];
    return Math.atan2(-(b.x - a.x), b.y - a.y);
  };
  for (let i = 0; i < n; i++) {
    const before = normalAngle((i + n - 1) % n);
    let after = normalAngle(i);
    while (after < before) after += 2 * Math.PI;
    path.absarc(polygon[i].x, polygon[i].y, r, before, after, false);
  }
  path.closePath();
  return path;
}

/**
 * A plate that carries all `points`, its lower face in their plane, raised along the normal.
 * @param {THREE.Vector3[]} points
 * @param {THREE.Vector3} normal
 * @param {{ margin: number, thickness: number, hole?: number, raise?: number }} options
 */
export function plate(points, normal, { margin, thickness, hole = 0, raise = 0 }) {
  const { center } = plane(points, normal);
  const u = new THREE.Vector3().crossVectors(Math.abs(normal.x) < 0.9 ? X : Y, normal).normalize();
  const w = new THREE.Vector3().crossVectors(normal, u);
  const flat = points.map((p) => {
    const d = p.clone().sub(center);
    return new THREE.Vector2(d.dot(u), d.dot(w));
  });
  let polygon = hull(flat);
  if (polygon.length < 3)
    polygon = [
      [1, 0],
      [-0.5, 0.87],
      [-0.5, -0.87],
    ].map(([x, y]) => new THREE.Vector2(x * margin, y * margin));
  const shape = outline(new THREE.Shape(), polygon, margin);
  if (hole > 0) {
    const inner = polygon.map((p) => p.clone().multiplyScalar(hole));
    shape.holes.push(outline(new THREE.Path(), inner, margin * 0.6));
  }
  const bevel = Math.min(thickness * 0.18, margin * 0.25);
  const geometry = new THREE.ExtrudeGeometry(shape, {
    depth: thickness - 2 * bevel,
    bevelEnabled: true,
    bevelSize: bevel,
    bevelThickness: bevel,
    bevelSegments: 3,
    curveSegments: 24,
  });
  const m = new THREE.Matrix4()
    .makeBasis(u, w, normal)
    .setPosition(center.clone().addScaledVector(normal, raise + bevel));
  geometry.applyMatrix4(m);
  return geometry;
}

/** A unit cylinder along +x from 0 to 1, radius 1: scaled and turned for every strut. */
export function strutGeometry(segments = 28) {
  const g = new THREE.CylinderGeometry(1, 1, 1, segments, 1);
  g.rotateZ(-Math.PI / 2);
  g.translate(0.5, 0, 0);
  return g;
}

/**
 * A thread along +x from 0 to 1 about a cylinder of radius 1; hand +1 right, -1 left.
 * @param {number} hand
 * @param {number} [turns]
 */
export function helix(hand, turns = 12) {
  const stretch = 14; // a rod is about so many radii long: the ridge stays round when it is scaled
  const points = Array.from({ length: turns * 12 + 1 }, (_, i) => {
    const angle = (hand * 2 * Math.PI * i) / 12;
    return new THREE.Vector3((stretch * i) / (turns * 12), Math.cos(angle), Math.sin(angle));
  });
  const tube = new THREE.TubeGeometry(new THREE.CatmullRomCurve3(points), turns * 12, 0.16, 6);
  return tube.scale(1 / stretch, 1, 1);
}

/**
 * From a joint to what carries it, away from its leg and across an axis: so far that the joint is seen.
 * @param {THREE.Vector3} leg
 * @param {THREE.Vector3} axis
 * @param {number} r
 */
export function aside(leg, axis, r) {
  const a = axis.clone().normalize();
  const out = leg.clone().addScaledVector(a, -leg.dot(a)).negate();
  return out.lengthSq() > 1e-12 ? out.setLength(1.7 * r) : out.set(0, 0, 0);
}

/**
 * Rail from `low` to `high` along the leg's rail, and the slider on it; the joint stands before them.
 * @param {import("./legs3d.js").Leg3D} leg
 * @param {THREE.Vector3} along
 * @param {number} low
 * @param {number} high
 */
export function rail(leg, along, low, high) {
  const { r, m, base } = leg;
  const extra = r * 2.4;
  const box = new THREE.BoxGeometry(high - low + 2 * extra, r * 1.5, r * 1.5);
  const bar = leg.mesh("rail", "base", box, m.rail);
  bar.position
    .copy(base)
    .addScaledVector(along, (low + high) / 2)
    .add(aside(leg.lean, along, r));
  bar.quaternion.setFromUnitVectors(X, along);
  const block = new THREE.BoxGeometry(r * 4, r * 2.3, r * 2.3);
  const slider = leg.mesh("slider", "slider", block, m.slider);
  slider.quaternion.copy(bar.quaternion);
  return slider;
}

/** The cross of a universal joint: a pin along either axis; where they do not meet, the pieces between. */
export class Cross extends THREE.Group {
  /**
   * @param {import("./machine3d.js").Materials} m
   * @param {number} r
   * @param {import("./types.d.ts").JointOffset | null | undefined} offset
   * @param {import("./bodies.js").JointBodies} bodies
   */
  constructor(m, r, offset, bodies) {
    super();
    this.r = r;
    /**
     * @param {string} name
     * @param {THREE.Material} material
     * @param {THREE.BufferGeometry} [geometry]
     */
    const piece = (name, material, geometry = strutGeometry(20)) => {
      const mesh = new THREE.Mesh(geometry, material);
      mesh.name = name;
      mesh.userData.body = name === "leg arm" ? bodies.leg : bodies.cross;
      this.add(mesh);
      return mesh;
    };
    this.first = piece("first pin", m.dark);
    this.second = piece("second pin", m.joint);
    this.hub = piece("hub", m.joint, new THREE.SphereGeometry(r * 0.62, 20, 14));
    if (offset) this.arms = [piece("cross arm", m.cross), piece("leg arm", m.cross)];
  }

  /**
   * joint: { at, k, y, pin, on } of `legAxis`.
   * @param {import("./legaxis.js").Universal} joint
   */
  turn({ at, k, y, pin, on }) {
    const { r } = this;
    through(this.first, at, k, r * 1.55, r * 0.36);
    through(this.second, pin, y, r * 1.3, r * 0.42);
    this.hub.position.copy(pin);
    if (this.arms) {
      between(this.arms[0], at, pin, r * 0.5);
      between(this.arms[1], pin, on, r * 0.5);
    }
  }
}

const direction = new THREE.Vector3();

/**
 * Put a unit strut between two points.
 * @param {THREE.Object3D} mesh
 * @param {THREE.Vector3} a
 * @param {THREE.Vector3} b
 * @param {number} radius
 */
export function between(mesh, a, b, radius) {
  direction.subVectors(b, a);
  const length = direction.length();
  mesh.visible = length > 1e-9 && Number.isFinite(length);
  if (!mesh.visible) return;
  mesh.position.copy(a);
  mesh.quaternion.setFromUnitVectors(X, direction.multiplyScalar(1 / length));
  mesh.scale.set(length, radius, radius);
}

/**
 * A pin through a point, so far to either side.
 * @param {THREE.Object3D} mesh
 * @param {THREE.Vector3} center
 * @param {THREE.Vector3} axis
 * @param {number} half
 * @param {number} radius
 */
export function through(mesh, center, axis, half, radius) {
  const [a, b] = [-half, half].map((d) => center.clone().addScaledVector(axis, d));
  between(mesh, a, b, radius);
}

/** An arrow along +x of unit length with a head; set it with `aim`. */
export class Arrow extends THREE.Group {
  /**
   * @param {THREE.Material} material
   * @param {number} radius
   */
  constructor(material, radius) {
    super();
    this.radius = radius;
    this.shaft = new THREE.Mesh(strutGeometry(12), material);
    const cone = new THREE.ConeGeometry(1, 1, 20);
    cone.rotateZ(-Math.PI / 2);
    this.head = new THREE.Mesh(cone, material);
    this.add(this.shaft, this.head);
  }

  /**
   * From `origin` along `vector` (its length is the arrow's).
   * @param {THREE.Vector3} origin
   * @param {THREE.Vector3} vector
   */
  aim(origin, vector) {
    const length = vector.length();
    this.visible = length > this.radius * 0.5;
    if (!this.visible) return;
    this.position.copy(origin);
    this.quaternion.setFromUnitVectors(X, vector.clone().normalize());
    const head = Math.min(this.radius * 5, length * 0.5);
    this.shaft.scale.set(length - head, this.radius, this.radius);
    this.head.scale.set(head, this.radius * 2.4, this.radius * 2.4);
    this.head.position.set(length - head / 2, 0, 0);
  }
}

/**
 * Three colored axes.
 * @param {number} size
 */
export function frame(size) {
  const group = new THREE.Group();
  const axes = [
    { axis: X, color: 0xff5a5a },
    { axis: Y, color: 0x4fd06a },
    { axis: Z, color: 0x4d8dff },
  ];
  axes.forEach(({ axis, color }) => {
    const arrow = new Arrow(new THREE.MeshBasicMaterial({ color }), size * 0.018);
    arrow.aim(new THREE.Vector3(), axis.clone().multiplyScalar(size));
    group.add(arrow);
  });
  return group;
}

/**
 * Cone surface with its tip at the origin, opening along +x.
 * @param {number} halfAngle
 * @param {number} length
 */
export function coneGeometry(halfAngle, length) {
  const angle = Math.min(halfAngle, 1.5);
  const g = new THREE.ConeGeometry(length * Math.sin(angle), length * Math.cos(angle), 40, 1, true);
  g.rotateZ(Math.PI / 2);
  g.translate((length * Math.cos(angle)) / 2, 0, 0);
  return g;
}

/**
 * Quaternion from (w, x, y, z).
 * @param {ArrayLike<number>} q
 */
export const quat = (q) => new THREE.Quaternion(q[1], q[2], q[3], q[0]);

/**
 * Free what a group holds on the graphics card.
 * @param {THREE.Object3D} group
 */
export function dispose(group) {
  group.traverse((o) => {
    if (!(o instanceof THREE.Mesh || o instanceof THREE.Line)) return;
    o.geometry.dispose();
    for (const m of [o.material].flat()) {
      m.map?.dispose();
      m.dispose();
    }
  });
  group.clear();
}
