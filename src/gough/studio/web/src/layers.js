// What the tools lay over the machine in the 3D view: the workspace volume, a way between poses, a measured distance.

import * as THREE from "three";
import { Overlays } from "./overlays.js";
import { dispose, v3 } from "./shapes.js";

const STALE = 0.4; // of its opacity: a volume that belongs to another pose

export class Layers extends Overlays {
  constructor() {
    super();
    this.volume = new THREE.Group();
    this.way = new THREE.Group();
    this.rule = new THREE.Group();
    this.plan = new THREE.Group();
    this.layers = [this.volume, this.way, this.rule, this.plan];
  }

  /**
   * The surface of the cells; `color`: red, green, blue of a value.
   * @param {import("./messages.js").VolumeShown} answer
   * @param {(value: number) => number[]} color
   */
  setVolume(answer, color) {
    if (!this.alive) return;
    dispose(this.volume);
    const geometry = surface(answer, color);
    /**
     * @param {number} opacity
     * @param {boolean} depthTest
     */
    const add = (opacity, depthTest) => {
      const material = new THREE.MeshLambertMaterial({
        vertexColors: true,
        transparent: true,
        opacity,
        side: THREE.FrontSide,
        depthWrite: false,
        depthTest,
      });
      const mesh = new THREE.Mesh(geometry, material);
      mesh.userData = { material, opacity };
      mesh.renderOrder = 3;
      this.volume.add(mesh);
    };
    add(0.72, true);
    add(0.34, false); // faintly through the machine, too
    this.draw();
  }

  /**
   * Dimmed, not hidden: it follows the platform while that is dragged.
   * @param {boolean} stale
   */
  dimVolume(stale) {
    if (!this.alive) return;
    for (const { userData } of this.volume.children)
      userData.material.opacity = userData.opacity * (stale ? STALE : 1);
    this.draw();
  }

  clearVolume() {
    if (!this.alive) return;
    dispose(this.volume);
    this.draw();
  }

  /**
   * The platform's joints somewhere on a way, and where it is singular.
   * @param {number[][]} joints
   * @param {number[][][]} singular
   */
  setWay(joints, singular) {
    if (!this.alive) return;
    dispose(this.way);
    this.way.add(loop(joints, 0x3bc9db), ...singular.map((points) => loop(points, 0xff4d4f)));
    this.draw();
  }

  clearWay() {
    if (!this.alive) return;
    dispose(this.way);
    this.draw();
  }

  /**
   * The platform's joints at every pose of a plan, one of them bright; none without poses.
   * @param {number[][][]} poses
   * @param {number} chosen
   */
  setPlan(poses, chosen) {
    if (!this.alive) return;
    dispose(this.plan);
    poses.forEach((joints, k) => {
      const line = loop(joints, k === chosen ? 0xffe14d : 0x3bc9db);
      line.material.transparent = true;
      line.material.opacity = k === chosen ? 1 : 0.35;
      this.plan.add(line);
    });
    this.draw();
  }

  /**
   * A dimension line between two points, with its parts along the axes of the world; none without them.
   * @param {[number[], number[]] | null} ends
   */
  setRule(ends) {
    if (!this.alive) return;
    dispose(this.rule);
    if (ends) {
      const [a, b] = ends;
      const corners = [a, [b[0], a[1], a[2]], [b[0], b[1], a[2]], b];
      AXES.forEach((color, k) => this.rule.add(seenThrough([corners[k], corners[k + 1]], color)));
      this.rule.add(seenThrough(ends, RULE));
      for (const end of ends) this.rule.add(tip(end, (this.machine?.size ?? 1) * 0.007));
    }
    this.draw();
  }
}

const RULE = 0xffd21f;
const AXES = [0xff5a5a, 0x4fd06a, 0x4d8dff]; // as the frames have them

/**
 * @param {number[][]} points
 * @param {number} color
 */
function seenThrough(points, color) {
  const line = new THREE.Line(
    new THREE.BufferGeometry().setFromPoints(points.map(v3)),
    new THREE.LineBasicMaterial({ color, depthTest: false, toneMapped: false }),
  );
  line.renderOrder = color === RULE ? 8 : 7;
  return line;
}

/**
 * @param {number[]} at
 * @param {number} radius
 */
function tip(at, radius) {
  const ball = new THREE.Mesh(
    new THREE.SphereGeometry(radius, 12, 8),
    new THREE.MeshBasicMaterial({ color: RULE, depthTest: false, toneMapped: false }),
  );
  ball.position.copy(v3(at));
  ball.renderOrder = 8;
  return ball;
}

/**
 * A closed line, seen through everything.
 * @param {number[][]} points
 * @param {number} color
 */
function loop(points, color) {
  const line = new THREE.LineLoop(
    new THREE.BufferGeometry().setFromPoints(points.map(v3)),
    new THREE.LineBasicMaterial({ color, depthTest: false, toneMapped: false }),
  );
  line.renderOrder = 6;
  return line;
}

/**
 * The faces as triangles, four corners each, with the color of their cell.
 * @param {import("./messages.js").VolumeShown} answer
 * @param {(x: number) => number[]} color
 */
function surface({ box, cells, faces, values }, color) {
  const step = [0, 1, 2].map((k) => (box[3 + k] - box[k]) / cells);
  const position = new Float32Array(faces.length * 12);
  const normal = new Float32Array(faces.length * 12);
  const colors = new Float32Array(faces.length * 12);
  const index = new Uint32Array(faces.length * 6);
  faces.forEach((code, f) => {
    const cell = Math.floor(code / 6);
    const axis = Math.floor((code % 6) / 2);
    const side = code % 2;
    const at = [Math.floor(cell / (cells * cells)), Math.floor(cell / cells) % cells, cell % cells];
    const [u, w] = [(axis + 1) % 3, (axis + 2) % 3];
    const [red, green, blue] = values[f] === null ? [0.5, 0.5, 0.5] : color(values[f]);
    const linear = new THREE.Color().setRGB(red, green, blue, THREE.SRGBColorSpace).toArray();
    for (let corner = 0; corner < 4; corner++) {
      const p = [...at];
      p[axis] += side;
      if (corner === 1 || corner === 2) p[u] += 1;
      if (corner >= 2) p[w] += 1;
      for (let k = 0; k < 3; k++) {
        const to = 12 * f + 3 * corner + k;
        position[to] = box[k] + p[k] * step[k];
        normal[to] = k === axis ? 2 * side - 1 : 0;
        colors[to] = linear[k];
      }
    }
    const v = 4 * f;
    const four = side ? [v, v + 1, v + 2, v, v + 2, v + 3] : [v, v + 2, v + 1, v, v + 3, v + 2];
    index.set(four, 6 * f);
  });
  const geometry = new THREE.BufferGeometry();
  geometry.setAttribute("position", new THREE.BufferAttribute(position, 3));
  geometry.setAttribute("normal", new THREE.BufferAttribute(normal, 3));
  geometry.setAttribute("color", new THREE.BufferAttribute(colors, 3));
  geometry.setIndex(new THREE.BufferAttribute(index, 1));
  return geometry;
}
