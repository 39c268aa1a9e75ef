// What the 3D view lays over the machine: a workspace slice, other assembly modes, the trail of a motion.

import * as THREE from "three";
import { Emitter, needed } from "./dom.js";
import { REASON_COLORS } from "./reasons.js";
import { dispose, quat, v3 } from "./shapes.js";

/**
 * The axes along, up and across of a slice.
 * @type {Record<string, [number, number, number] | undefined>}
 */
const PLANES = { xy: [0, 1, 2], xz: [0, 2, 1], yz: [1, 2, 0] };

export class Overlays extends Emitter {
  /** The groups that the overlays lie in; a view without WebGL is not alive and draws nothing. */
  constructor() {
    super();
    this.slice = new THREE.Group();
    this.ghosts = new THREE.Group();
    this.trail = new THREE.Group();
    /** @type {import("./machine3d.js").Machine3D | null} */
    this.machine = null;
  }

  /** Whether there is anything to draw on. */
  get alive() {
    return false;
  }

  /** Draw again; the view says how. */
  draw() {}

  /**
   * A workspace slice: one colored cell per grid point.
   * @param {import("./types.d.ts").SliceData} data
   */
  setSlice(data) {
    if (!this.alive) return;
    this.clearSlice();
    const { u, v, plane, level } = data;
    const canvas = document.createElement("canvas");
    canvas.width = u.length;
    canvas.height = v.length;
    paintSlice(canvas, data);
    const texture = new THREE.CanvasTexture(canvas);
    texture.colorSpace = THREE.SRGBColorSpace;
    texture.magFilter = THREE.LinearFilter;
    const du = (u[u.length - 1] - u[0]) / (u.length - 1),
      dv = (v[v.length - 1] - v[0]) / (v.length - 1);
    const geometry = new THREE.PlaneGeometry(
      u[u.length - 1] - u[0] + du,
      v[v.length - 1] - v[0] + dv,
    );
    const mesh = new THREE.Mesh(
      geometry,
      new THREE.MeshBasicMaterial({
        map: texture,
        transparent: true,
        opacity: 0.85,
        side: THREE.DoubleSide,
        depthWrite: false,
        toneMapped: false,
      }),
    );
    const axes = needed(PLANES[plane], `a plane ${plane}`);
    /** @param {number} i */
    const unit = (i) => new THREE.Vector3().setComponent(i, 1);
    mesh.matrixAutoUpdate = false;
    mesh.matrix.makeBasis(
      unit(axes[0]),
      unit(axes[1]),
      unit(axes[2]).multiplyScalar(plane === "xz" ? -1 : 1),
    );
    const at = new THREE.Vector3()
      .setComponent(axes[0], (u[0] + u[u.length - 1]) / 2)
      .setComponent(axes[1], (v[0] + v[v.length - 1]) / 2)
      .setComponent(axes[2], level);
    mesh.matrix.setPosition(at);
    mesh.renderOrder = 2;
    const through = mesh.clone(); // faintly visible through the machine too
    through.material = mesh.material.clone();
    Object.assign(through.material, { opacity: 0.35, depthTest: false });
    through.matrix.copy(mesh.matrix);
    this.slice.add(mesh, through);
    this.draw();
  }

  clearSlice() {
    if (this.alive) {
      dispose(this.slice);
      this.draw();
    }
  }

  /**
   * Every assembly mode as a see-through machine.
   * @param {number[][]} poses
   */
  setGhosts(poses) {
    const { machine } = this;
    if (!this.alive || !machine) return;
    this.clearGhosts();
    const { doc } = machine;
    poses.forEach((pose, n) => {
      const group = new THREE.Group();
      const color = new THREE.Color().setHSL((0.08 + n * 0.618) % 1, 0.85, 0.6);
      const q = quat(pose.slice(3));
      const joints = doc.legs.map((leg) => v3(leg.joint).applyQuaternion(q).add(v3(pose)));
      const ring = new THREE.BufferGeometry().setFromPoints([...joints, joints[0]]);
      group.add(new THREE.Line(ring, new THREE.LineBasicMaterial({ color, toneMapped: false })));
      const face = new THREE.BufferGeometry().setFromPoints(joints);
      face.setIndex([0, 1, 2, 0, 2, 3, 0, 3, 4, 0, 4, 5]);
      group.add(
        new THREE.Mesh(
          face,
          new THREE.MeshBasicMaterial({
            color,
            transparent: true,
            opacity: 0.34,
            side: THREE.DoubleSide,
            depthWrite: false,
            toneMapped: false,
          }),
        ),
      );
      const legs = joints.flatMap((joint, i) => [machine.legs[i].start.clone(), joint]);
      group.add(
        new THREE.LineSegments(
          new THREE.BufferGeometry().setFromPoints(legs),
          new THREE.LineBasicMaterial({
            color,
            transparent: true,
            opacity: 0.6,
            toneMapped: false,
          }),
        ),
      );
      this.ghosts.add(group);
    });
    this.draw();
  }

  clearGhosts() {
    if (this.alive) {
      dispose(this.ghosts);
      this.draw();
    }
  }

  /**
   * The path of the reference point.
   * @param {ArrayLike<number> | null} positions
   */
  setTrail(positions) {
    if (!this.alive) return;
    dispose(this.trail);
    if (positions?.length) {
      const points = [];
      for (let i = 0; i + 2 < positions.length; i += 3)
        points.push(new THREE.Vector3(positions[i], positions[i + 1], positions[i + 2]));
      this.trail.add(
        new THREE.Line(
          new THREE.BufferGeometry().setFromPoints(points),
          new THREE.LineBasicMaterial({
            color: 0x3bc9db,
            transparent: true,
            opacity: 0.75,
            depthTest: false,
          }),
        ),
      );
    }
    this.draw();
  }
}

/**
 * Reasons as pixels; first row of the grid is at the bottom.
 * @param {HTMLCanvasElement} canvas
 * @param {Pick<import("./types.d.ts").SliceData, "u" | "v" | "reason">} slice
 */
export function paintSlice(canvas, { u, v, reason }) {
  const context = needed(canvas.getContext("2d"), "a canvas to draw on");
  const image = context.createImageData(u.length, v.length);
  const rgb = REASON_COLORS.map((c) => [1, 3, 5].map((i) => parseInt(c.slice(i, i + 2), 16)));
  for (let j = 0; j < v.length; j++) {
    for (let i = 0; i < u.length; i++) {
      const code = reason[j * u.length + i];
      const at = 4 * ((v.length - 1 - j) * u.length + i);
      [image.data[at], image.data[at + 1], image.data[at + 2]] = rgb[code] ?? rgb[1];
      image.data[at + 3] = code === 0 ? 150 : 46;
    }
  }
  context.putImageData(image, 0, 0);
}
