// A second view beside the first, seen by the same camera: same directions, same scale.

import { h } from "./dom.js";

/** @typedef {{ position: number[], quaternion: number[], coordinate: (number | null)[] }} Placed */

/**
 * The machine B and where it is.
 * @typedef {object} Second
 * @property {import("./types.d.ts").MachineDocument} document
 * @property {import("./types.d.ts").Drawing} drawing
 * @property {Placed} at
 */

export class SecondView {
  /** @param {import("./studio.js").Studio} studio */
  constructor(studio) {
    this.studio = studio;
    /** @type {HTMLElement | null} */
    this.el = null;
    /** @type {import("./viewer.js").Viewer | null} */
    this.viewer = null;
    this.text = "";
    /** @type {string | undefined} */
    this.theme = "";
    this.tagA = h("div.tag.tag-a");
    this.tagB = h("div.tag.tag-b");
    /** @type {Second | null} */
    this.second = null;
    studio.viewer.on("drawn", () => this.follow());
  }

  /**
   * Show the machine B, or move it.
   * @param {Second} second
   */
  show(second) {
    this.second = second;
    if (!this.el) this.build();
    else this.place();
  }

  /** Draw the machine B where it is, once there is a view of it. */
  place() {
    const { viewer, second, studio } = this;
    if (!viewer || !second) return;
    const { document, drawing, at } = second;
    const text = JSON.stringify(document);
    const { theme } = globalThis.document.documentElement.dataset;
    if (this.text !== text || this.theme !== theme) {
      this.text = text;
      this.theme = theme;
      viewer.restyle(theme);
      viewer.setMachine(document, drawing, false);
      viewer.gizmo.detach();
      if (studio.viewer.alive) viewer.scene.fog = studio.viewer.scene.fog; // as far as A's
    }
    const known = at.coordinate.every((x) => x !== null);
    viewer.place(at.position, at.quaternion, known ? at.coordinate : drawing.coordinate);
    this.follow();
  }

  /**
   * @param {string} own
   * @param {string} other
   */
  label(own, other) {
    this.tagA.textContent = `A  ${own}`;
    this.tagB.textContent = `B  ${other}`;
  }

  async build() {
    const { studio } = this;
    const el = h("div.stage-b", { role: "img", "aria-label": "3D view of machine B" }, this.tagB);
    this.el = el;
    this.refit();
    studio.stage.parentElement?.classList.add("comparing");
    studio.stage.after(el);
    studio.stage.append(this.tagA);
    const { Viewer } = await import("./viewer.js");
    if (this.el !== el) return; // closed meanwhile
    const viewer = new Viewer(el);
    this.viewer = viewer;
    viewer.shown.forces = false; // arrows of two scales side by side would mislead
    if (viewer.alive) {
      viewer.orbit.enabled = false;
      viewer.fitted = viewer.sized = true; // the camera is that of the first view
    }
    this.place();
  }

  /** The camera of the first view; the height of both views is the same, so is the scale. */
  follow() {
    const [from, to] = [this.studio.viewer, this.viewer];
    if (!from.alive || !to?.alive) return;
    to.camera.up.copy(from.camera.up);
    to.camera.position.copy(from.camera.position);
    to.camera.quaternion.copy(from.camera.quaternion);
    to.camera.near = from.camera.near;
    to.camera.far = from.camera.far;
    to.camera.updateProjectionMatrix();
    to.draw();
  }

  /** The first view holds its machine again once it has its new width. */
  refit() {
    const { viewer } = this.studio;
    if (viewer.alive) viewer.sized = false;
  }

  close() {
    if (!this.el) return;
    this.refit();
    this.studio.stage.parentElement?.classList.remove("comparing");
    this.tagA.remove();
    this.el.remove();
    const renderer = this.viewer?.renderer;
    if (renderer) {
      this.viewer?.orbit.dispose();
      this.viewer?.gizmo.dispose();
      renderer.dispose();
      renderer.forceContextLoss();
    }
    this.el = this.viewer = null;
    this.text = "";
  }
}
