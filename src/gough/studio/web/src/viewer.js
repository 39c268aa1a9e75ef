// The 3D view: renders only when something changed.

import * as THREE from "three";
import { OrbitControls } from "three/addons/controls/OrbitControls.js";
import { TransformControls } from "three/addons/controls/TransformControls.js";
import { RoomEnvironment } from "three/addons/environments/RoomEnvironment.js";
import { largest, roundUp } from "./arrows.js";
import { surfaceUnder } from "./bodies.js";
import { h, needed, png } from "./dom.js";
import { Layers } from "./layers.js";
import { Machine3D } from "./machine3d.js";
import { dispose, quat, v3 } from "./shapes.js";

/** @type {Record<string, { background: string, grid: number, axis: number, shadow: number }>} */
const LOOK = {
  dark: { background: "#0d1219", grid: 0x2a3543, axis: 0x3c4a5c, shadow: 0.45 },
  light: { background: "#eef2f6", grid: 0xc3ccd6, axis: 0x9aa7b5, shadow: 0.18 },
};

const TOOLS = 56; // px of the upper end of the view
const LEGEND = 34; // px of its lower end, at least
const ARROW = 0.3; // of the machine's size: the arrow of the force that the legend names

export class Viewer extends Layers {
  /** @param {HTMLElement} host */
  constructor(host) {
    super();
    this.host = host;
    /** @type {Record<string, boolean>} */
    this.shown = { frames: true, centers: false, forces: true, cones: false };
    this.fitted = this.sized = this.scheduled = false;
    this.covered = 0; // px of the lower end of the view
    this.had = 1; // room for the machine when the view had its size last
    this.frames = 0; // drawn so far
    this.theme = "dark";
    /** @type {{ length: number, force: number } | null} the arrow that the legend names */
    this.arrows = null;
    this.axes = { side: new THREE.Vector3(1, 0, 0), front: new THREE.Vector3(0, -1, 0) }; // level, of the machine
    this.scene = new THREE.Scene();
    this.camera = new THREE.PerspectiveCamera(34, 1, 0.01, 100);
    this.sun = new THREE.DirectionalLight("#fff6e8", 2.1);
    this.fill = new THREE.DirectionalLight("#bcd3ff", 0.7);
    this.ground = new THREE.Group();
    this.handle = new THREE.Object3D();
    this.renderer = makeRenderer();
    const canvas = this.renderer?.domElement ?? null;
    this.orbit = new OrbitControls(this.camera, canvas);
    this.gizmo = new TransformControls(this.camera, canvas);
    if (this.renderer) this.setup(this.renderer);
    else
      host.append(
        h(
          "div.notice",
          { role: "note" },
          h("strong", {}, "No 3D here. "),
          "This browser has no WebGL; the table, the plots and everything else work as usual.",
        ),
      );
  }

  get alive() {
    return this.renderer !== null;
  }

  /** @param {THREE.WebGLRenderer} renderer */
  setup(renderer) {
    const { host } = this;
    renderer.setPixelRatio(Math.min(window.devicePixelRatio, 2));
    renderer.shadowMap.enabled = true;
    renderer.shadowMap.type = THREE.PCFShadowMap;
    renderer.toneMapping = THREE.ACESFilmicToneMapping;
    renderer.toneMappingExposure = 1.05;
    host.append(renderer.domElement);
    const pmrem = new THREE.PMREMGenerator(renderer);
    this.scene.environment = pmrem.fromScene(new RoomEnvironment(), 0.04).texture;
    this.scene.environmentIntensity = 0.55;
    pmrem.dispose();
    this.sun.castShadow = true;
    this.sun.shadow.mapSize.set(2048, 2048);
    this.sun.shadow.bias = -0.0005;
    this.sun.shadow.normalBias = 0.004;
    this.scene.add(this.sun, this.sun.target, this.fill);
    this.scene.add(this.ground, this.slice, this.ghosts, this.trail, ...this.layers);
    this.orbit.addEventListener("change", () => this.draw());
    this.scene.add(this.handle);
    this.gizmo.setSize(0.75);
    this.gizmo.addEventListener("change", () => this.draw());
    this.gizmo.addEventListener("dragging-changed", (event) => {
      this.orbit.enabled = !event.value;
      this.emit("dragging", event.value);
    });
    this.gizmo.addEventListener("objectChange", () =>
      this.emit("drag", {
        position: this.handle.position.toArray(),
        quaternion: [
          this.handle.quaternion.w,
          this.handle.quaternion.x,
          this.handle.quaternion.y,
          this.handle.quaternion.z,
        ],
      }),
    );
    this.scene.add(this.gizmo.getHelper());
    new ResizeObserver(() => this.resize(renderer)).observe(host);
    this.restyle();
  }

  /**
   * A new machine; keeps the camera unless `fit`.
   * @param {import("./types.d.ts").MachineDocument} document
   * @param {import("./types.d.ts").Drawing} drawing
   * @param {boolean} fit
   */
  setMachine(document, drawing, fit) {
    if (!this.alive) return;
    const { machine: old } = this;
    if (old) {
      this.scene.remove(old);
      old.dispose();
    }
    const machine = new Machine3D(document, drawing);
    this.machine = machine;
    this.scene.add(machine);
    const { home, coordinate } = drawing;
    machine.place(home.position, home.quaternion, coordinate);
    for (const [name, on] of Object.entries(this.shown)) machine.show(name, on);
    this.camera.up.copy(machine.up);
    this.layGround(machine);
    this.clearSlice();
    this.clearGhosts();
    if (fit || !this.fitted) this.fit();
    this.draw();
  }

  /** @param {Machine3D} machine */
  layGround(machine) {
    dispose(this.ground);
    const { size, up, doc } = machine;
    const look = LOOK[this.theme];
    let low = Infinity;
    for (const leg of doc.legs) {
      const low0 = leg.rail
        ? Math.min(...machine.railEnds(leg).map((p) => p.dot(up)))
        : v3(leg.base).dot(up);
      low = Math.min(low, low0);
    }
    const grid = new THREE.GridHelper(size * 8, 40, look.axis, look.grid);
    grid.material.transparent = true;
    grid.material.opacity = 0.55;
    const floor = new THREE.Mesh(
      new THREE.PlaneGeometry(size * 8, size * 8),
      new THREE.ShadowMaterial({ opacity: look.shadow }),
    );
    floor.rotation.x = -Math.PI / 2;
    floor.receiveShadow = true;
    this.ground.add(grid, floor);
    this.ground.quaternion.setFromUnitVectors(new THREE.Vector3(0, 1, 0), up);
    this.ground.position.copy(up).multiplyScalar(low - size * 0.085);
    this.scene.fog = new THREE.Fog(look.background, size * 3, size * 6.5);
    this.clearAir();
    const side = new THREE.Vector3()
      .crossVectors(
        up,
        Math.abs(up.x) < 0.9 ? new THREE.Vector3(1, 0, 0) : new THREE.Vector3(0, 1, 0),
      )
      .normalize();
    const front = new THREE.Vector3().crossVectors(side, up);
    this.axes = { side, front };
    const center = centerOf(machine);
    this.sun.position
      .copy(center)
      .addScaledVector(up, size * 2.2)
      .addScaledVector(side, size * 1.1)
      .addScaledVector(front, -size * 0.8);
    this.sun.target.position.copy(center);
    this.fill.position
      .copy(center)
      .addScaledVector(up, size)
      .addScaledVector(side, -size * 2);
    const cam = this.sun.shadow.camera;
    Object.assign(cam, {
      left: -size * 1.3,
      right: size * 1.3,
      top: size * 1.3,
      bottom: -size * 1.3,
      near: size * 0.1,
      far: size * 6,
    });
    cam.updateProjectionMatrix();
  }

  /** The fog begins behind the machine, however far a narrow view has to stand back. */
  clearAir() {
    const { scene, machine, camera, orbit } = this;
    if (!machine || !this.fitted || !(scene.fog instanceof THREE.Fog)) return;
    const away = camera.position.distanceTo(orbit.target);
    scene.fog.near = Math.max(machine.size * 3, away * 1.3);
    scene.fog.far = scene.fog.near + Math.max(machine.size * 3.5, away);
  }

  /** How much of its height the view has for the machine: less where it is narrow, or low with tools and legends. */
  get room() {
    const legends = Math.max(this.covered, LEGEND);
    const free = Math.min(1, Math.max((this.host.clientHeight - TOOLS - legends) / 320, 0.5));
    return free * Math.min(1, this.camera.aspect);
  }

  /** Look at the whole machine from the front, a little above. */
  fit() {
    if (!this.machine) return;
    const { size, up } = this.machine;
    const center = centerOf(this.machine);
    let radius = 0;
    for (const p of extent(this.machine)) radius = Math.max(radius, p.distanceTo(center));
    const half = Math.tan((this.camera.fov * Math.PI) / 360);
    const distance = (radius * 1.18) / (half * this.room);
    const look = new THREE.Vector3()
      .addScaledVector(this.axes.front, -0.35)
      .addScaledVector(this.axes.side, -0.92)
      .addScaledVector(up, 0.42)
      .normalize();
    this.camera.position.copy(center).addScaledVector(look, distance);
    this.camera.near = size * 0.02;
    this.camera.far = size * 30;
    this.camera.updateProjectionMatrix();
    this.orbit.target.copy(center);
    this.orbit.update();
    this.fitted = true;
    this.clearAir();
    this.draw();
  }

  /**
   * @param {number[]} position
   * @param {number[]} quaternion
   * @param {(number | null)[]} coordinate
   */
  place(position, quaternion, coordinate) {
    if (!this.alive || !this.machine) return;
    this.machine.place(position, quaternion, coordinate);
    this.emit("placed", { position, quaternion, coordinate });
    this.draw();
  }

  /**
   * Where the drag handle sits; not while it is being dragged.
   * @param {number[]} position
   * @param {number[]} quaternion
   */
  placeHandle(position, quaternion) {
    if (!this.alive || this.gizmo.dragging) return;
    this.handle.position.copy(v3(position));
    this.handle.quaternion.copy(quat(quaternion));
    this.draw();
  }

  /** @param {"translate" | "rotate" | "off"} mode */
  setGizmo(mode) {
    if (!this.alive) return;
    if (mode === "off") this.gizmo.detach();
    else {
      this.gizmo.attach(this.handle);
      this.gizmo.setMode(mode);
      this.gizmo.setSpace(mode === "rotate" ? "local" : "world");
    }
    this.draw();
  }

  /**
   * Arrows of six forces (18 numbers); `most`: the force that they are scaled for, of the pose or of the whole run.
   * @param {(number | null)[]} vectors
   * @param {number} [most]
   */
  setForces(vectors, most = largest(vectors)) {
    if (!this.alive || !this.machine) return;
    const full = roundUp(most);
    const length = this.machine.size * ARROW;
    this.machine.setForces(vectors, full > 0 ? length / full : 0);
    this.arrows = full > 0 ? { length, force: full } : null;
    this.emit("arrows", this.shown.forces ? this.arrows : null);
    this.draw();
  }

  /**
   * @param {(number | null)[]} broken
   * @param {(number | null)[]} near
   */
  setMarks(broken, near) {
    if (!this.alive || !this.machine) return;
    this.machine.setMarks(broken, near);
    this.draw();
  }

  /**
   * @param {string} name
   * @param {boolean} on
   */
  toggle(name, on) {
    this.shown[name] = on;
    if (name === "forces") this.emit("arrows", on ? this.arrows : null);
    if (this.alive && this.machine) {
      this.machine.show(name, on);
      this.draw();
    }
  }

  /** @param {string} [name] */
  restyle(name) {
    this.theme = name ?? document.documentElement.dataset.theme ?? "dark";
    if (!this.alive) return;
    this.scene.background = new THREE.Color(LOOK[this.theme].background);
    if (this.machine) this.layGround(this.machine);
    this.draw();
  }

  /**
   * A view that became narrow stands back, one that became wide comes near again: as much is seen across.
   * @param {number} times the distance as it was
   */
  standBack(times) {
    if (!this.fitted || times === 1) return;
    const { camera, orbit } = this;
    camera.position.sub(orbit.target).multiplyScalar(times).add(orbit.target);
    orbit.update();
    this.clearAir();
  }

  /**
   * Words lie over the whole width of the lowest `px` of the view: the picture moves up, between them and the tools.
   * @param {number} px
   */
  cover(px) {
    if (!this.alive || px === this.covered) return;
    const before = this.room;
    this.covered = px;
    this.moveUp();
    this.standBack(before / this.room);
    this.had = this.room;
    this.draw();
  }

  moveUp() {
    const { clientWidth: w, clientHeight: hgt } = this.host;
    const up = Math.max(0, (this.covered - TOOLS) / 2);
    if (up) this.camera.setViewOffset(w, hgt, 0, up, w, hgt);
    else this.camera.clearViewOffset();
  }

  /** @param {THREE.WebGLRenderer} renderer */
  resize(renderer) {
    const { clientWidth: w, clientHeight: hgt } = this.host;
    if (!w || !hgt) return;
    const before = this.had;
    renderer.setSize(w, hgt, false);
    this.camera.aspect = w / hgt;
    this.moveUp();
    if (!this.sized && this.machine) this.fit();
    else if (this.orbit.enabled) this.standBack(before / this.room);
    this.had = this.room;
    this.sized = true;
    this.draw();
  }

  /**
   * Where a point is seen, px from the corner of the view; null behind the camera.
   * @param {number[]} point
   * @returns {[number, number] | null}
   */
  seen(point) {
    const p = v3(point).project(this.camera);
    const { clientWidth: w, clientHeight: hgt } = this.host;
    return p.z > 1 ? null : [((p.x + 1) / 2) * w, ((1 - p.y) / 2) * hgt];
  }

  /**
   * The surface of the machine at a place of the view, px from its corner.
   * @param {number} x
   * @param {number} y
   */
  surface(x, y) {
    if (!this.alive || !this.machine) return null;
    const { clientWidth: w, clientHeight: hgt } = this.host;
    const ray = new THREE.Raycaster();
    ray.setFromCamera(new THREE.Vector2((2 * x) / w - 1, 1 - (2 * y) / hgt), this.camera);
    return surfaceUnder(this.machine, ray);
  }

  draw() {
    const { renderer } = this;
    if (!renderer || this.scheduled) return;
    this.scheduled = true;
    requestAnimationFrame(() => {
      this.scheduled = false;
      this.frames += 1;
      renderer.render(this.scene, this.camera);
      this.emit("drawn");
    });
  }

  /**
   * The view as a PNG.
   * @returns {Promise<Blob>}
   */
  async picture() {
    const renderer = needed(this.renderer, "a 3D view");
    renderer.render(this.scene, this.camera);
    return png(renderer.domElement);
  }
}

/** None in a browser without WebGL. */
function makeRenderer() {
  try {
    return new THREE.WebGLRenderer({
      antialias: true,
      alpha: false,
      preserveDrawingBuffer: false,
    });
  } catch {
    return null;
  }
}

/**
 * Points that the view must hold: joints, bases, ends of rails.
 * @param {Machine3D} machine
 */
function extent(machine) {
  const { drawing, doc } = machine;
  const points = [...drawing.start, ...drawing.end].map(v3);
  for (const leg of doc.legs) points.push(v3(leg.base), ...machine.railEnds(leg));
  return points;
}

/** @param {Machine3D} machine */
function centerOf(machine) {
  const box = new THREE.Box3().setFromPoints(extent(machine));
  return box.getCenter(new THREE.Vector3());
}
