// Names of the legs, dimensions, distances between points, and where the camera stands.

import { clear, h } from "./dom.js";
import { Ruler } from "./ruler.js";
import { coordinateUnit, legColor, num } from "./units.js";

/** @typedef {import("three").Vector3} Vector3 */

export class MeasurePanel {
  /** @param {import("./studio.js").Studio} studio */
  constructor(studio) {
    this.studio = studio;
    this.name = "view";
    this.title = "View";
    /** @type {Record<string, boolean>} */
    this.on = { names: false, dimensions: false };
    /** @type {{ at: number[], text: string, color: string }[]} written in the view */
    this.marks = [];
    /** @type {Record<string, HTMLInputElement>} */
    this.checks = {};
    this.ruler = new Ruler(studio);
    /** @type {(number | null)[]} of the legs, where the platform was placed last */
    this.coordinate = [];
    /** @type {HTMLElement[]} */
    this.tags = [];
    this.labels = h("div.labels", { "aria-hidden": "true" });
    studio.stage.append(this.labels);
    this.el = h("div", {}, this.looks(), this.shows(), this.ruler.el);
    studio.viewer.on("placed", (at) => this.placed(at));
    studio.viewer.on("drawn", () => this.project());
  }

  /** @param {boolean} on */
  shown(on) {
    this.ruler.open = on;
    if (on) this.ruler.list();
  }

  redraw() {
    this.ruler.list();
    this.ruler.measure();
    this.relabel();
  }

  /** The measured distance, m. */
  get distance() {
    return this.ruler.distance;
  }

  looks() {
    /**
     * @param {string} name
     * @param {number} key
     */
    const button = (name, key) =>
      h("button.text", { title: `Key ${key}`, onclick: () => this.look(name) }, name);
    return h(
      "div",
      {},
      h("h3", {}, "Camera"),
      h(
        "div.buttons",
        { role: "group", "aria-label": "Camera" },
        ["front", "side", "top", "isometric"].map((name, i) => button(name, i + 1)),
        h("button.text", { title: "Key F", onclick: () => this.studio.viewer.fit() }, "fit"),
      ),
    );
  }

  shows() {
    /**
     * @param {string} name
     * @param {string} text
     */
    const check = (name, text) =>
      h(
        "label.inline",
        {},
        (this.checks[name] = h("input", {
          type: "checkbox",
          onchange: () => this.toggle(name, this.checks[name].checked),
        })),
        text,
      );
    return h(
      "div.checks",
      {},
      check("names", "leg names (N)"),
      check("dimensions", "dimensions (D)"),
    );
  }

  /**
   * Look along an axis of the machine: from the front, the side, above, or a corner.
   * @param {string} name
   */
  look(name) {
    const { viewer } = this.studio;
    if (!viewer.alive || !viewer.machine) return;
    viewer.fit();
    const { front, side } = viewer.axes;
    const up = viewer.machine.up;
    /** @type {Record<string, Vector3>} */
    const places = {
      front: side.clone().negate(),
      side: front.clone(),
      top: up.clone().addScaledVector(side, -1e-3),
      isometric: front.clone().sub(side).add(up),
    };
    const from = places[name].normalize();
    const { target } = viewer.orbit;
    const distance = viewer.camera.position.distanceTo(target);
    viewer.camera.position.copy(target).addScaledVector(from, distance);
    viewer.orbit.update();
    viewer.draw();
  }

  /**
   * @param {string} name names or dimensions
   * @param {boolean} [on]
   */
  toggle(name, on = !this.on[name]) {
    this.on[name] = on;
    this.checks[name].checked = on;
    this.relabel();
  }

  /** The machine as the view holds it; nothing is read of a view that is not there yet. */
  get drawn() {
    const { viewer } = this.studio;
    return viewer.alive ? viewer.machine : null;
  }

  /** @param {{ coordinate: (number | null)[] }} at */
  placed({ coordinate }) {
    this.coordinate = coordinate;
    this.ruler.measure();
    this.relabel();
  }

  /** What is written where, in the view. */
  relabel() {
    const { viewer, machine } = this.studio;
    this.marks = [];
    if (this.drawn && machine && (this.on.names || this.on.dimensions)) {
      this.drawn.legs.forEach((leg, i) => {
        const { unit, scale } = coordinateUnit(machine.drawing.kinds[i]);
        const length = this.coordinate[i] ?? NaN;
        const words = [
          this.on.names ? machine.drawing.names[i] : null,
          this.on.dimensions && Number.isFinite(length)
            ? `${num(length * scale, 1)} ${unit}`
            : null,
        ];
        const at = leg.start.clone().lerp(leg.end, 0.5);
        const text = words.filter(Boolean).join("  ");
        if (text) this.marks.push({ at: at.toArray(), text, color: legColor(i) });
      });
    }
    if (this.ruler.label) this.marks.push({ ...this.ruler.label, color: "" });
    const said = this.drawn && this.on.dimensions ? plates(this.drawn) : null;
    this.studio.legend("dimension-legend", said ? h("div.dimension-legend", {}, said) : null);
    this.tags = this.marks.map(({ text, color }) =>
      h(color ? "span" : "span.distance", { style: { borderColor: color } }, text),
    );
    clear(this.labels, this.tags);
    viewer.draw();
  }

  /** Put the labels where their points are seen. */
  project() {
    if (!this.marks.length) return;
    this.marks.forEach(({ at }, k) => {
      const el = this.tags[k];
      const seen = this.studio.viewer.seen(at);
      el.hidden = !seen;
      if (seen) [el.style.left, el.style.top] = seen.map((px) => `${px}px`);
    });
  }
}

/**
 * Radii of the circles about the joints of either plate, and the height between their middles, in words.
 * @param {import("./machine3d.js").Machine3D} machine
 * @returns {string}
 */
function plates({ legs, up }) {
  const base = legs.map((leg) => Array.from(leg.data.base));
  const top = legs.map((leg) => leg.end.toArray());
  /** @param {number[][]} points */
  const middle = (points) =>
    [0, 1, 2].map((k) => points.reduce((sum, p) => sum + p[k], 0) / points.length);
  const [low, high] = [middle(base), middle(top)];
  /**
   * @param {number[][]} points
   * @param {number[]} c
   */
  const radius = (points, c) =>
    num(1000 * Math.max(...points.map((p) => Math.hypot(...p.map((x, k) => x - c[k])))), 1);
  const height = up.toArray().reduce((sum, x, k) => sum + x * (high[k] - low[k]), 0);
  return (
    `radius of the base joints ${radius(base, low)} mm, of the platform joints ` +
    `${radius(top, high)} mm; height ${num(1000 * height, 1)} mm`
  );
}
