// Names of the legs, dimensions, distances between joints, and where the camera stands.

import { clear, h } from "./dom.js";
import { coordinateUnit, legColor, num } from "./units.js";

/** @typedef {import("three").Vector3} Vector3 */

const PICK = 26; // px: a click so near to a joint means it

export class MeasurePanel {
  /** @param {import("./studio.js").Studio} studio */
  constructor(studio) {
    this.studio = studio;
    this.name = "view";
    this.title = "View";
    /** @type {Record<string, boolean>} */
    this.on = { names: false, dimensions: false };
    /** @type {{ at: Vector3, text: string, color: string }[]} written in the view */
    this.marks = [];
    /** @type {Record<string, HTMLInputElement>} */
    this.checks = {};
    this.picked = ["", ""]; // joints between which is measured
    this.next = 0;
    this.open = false;
    /** @type {number | null} between the picked joints, m */
    this.distance = null;
    /** @type {(number | null)[]} of the legs, where the platform was placed last */
    this.coordinate = [];
    /** @type {HTMLElement[]} */
    this.tags = [];
    this.choices = [0, 1].map((i) => this.choice(i));
    this.told = h("p.measured", { role: "status" });
    this.labels = h("div.labels", { "aria-hidden": "true" });
    studio.stage.append(this.labels);
    this.el = h("div", {}, this.looks(), this.shows(), this.measuring());
    studio.viewer.on("placed", (at) => this.placed(at));
    studio.viewer.on("drawn", () => this.project());
    studio.stage.addEventListener("click", (event) => this.click(event));
  }

  /** @param {boolean} on */
  shown(on) {
    this.open = on;
    if (on) this.list();
  }

  redraw() {
    this.list();
    this.measure();
    this.relabel();
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

  /** @param {number} i 0 from, 1 to */
  choice(i) {
    const choice = h("select", {
      "aria-label": i ? "Measure to" : "Measure from",
      onchange: () => {
        this.picked[i] = choice.value;
        this.measure();
      },
    });
    return choice;
  }

  measuring() {
    return h(
      "div",
      {},
      h("h3", {}, "Distance"),
      h("p.hint", {}, "Choose two joints, or click them in the view while this panel is open."),
      h("label.field", {}, "from", this.choices[0]),
      h("label.field", {}, "to", this.choices[1]),
      this.told,
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

  /** Joints by name: where they are now, m. */
  get joints() {
    const { drawn } = this;
    /** @type {Map<string, Vector3>} */
    const found = new Map();
    drawn?.legs.forEach((leg, i) => {
      const name = drawn.drawing.names[i];
      found.set(`${name} base`, leg.start.clone());
      found.set(`${name} platform`, leg.end.clone());
    });
    return found;
  }

  list() {
    const names = [...this.joints.keys()];
    this.choices.forEach((choice, i) => {
      if (!names.includes(this.picked[i])) this.picked[i] = "";
      clear(
        choice,
        h("option", { value: "" }, "–"),
        names.map((name) => h("option", { value: name, selected: name === this.picked[i] }, name)),
      );
    });
  }

  /** @param {{ coordinate: (number | null)[] }} at */
  placed({ coordinate }) {
    this.coordinate = coordinate;
    this.measure();
    this.relabel();
  }

  /** The distance between the chosen joints; dimmed with the view while that is computed anew. */
  measure() {
    const { joints } = this;
    const [a, b] = this.picked.map((name) => joints.get(name));
    this.studio.viewer.setRule(a && b ? [a.toArray(), b.toArray()] : null);
    if (!a || !b) {
      this.distance = null;
      this.told.textContent = "";
      return;
    }
    this.distance = a.distanceTo(b);
    /** @param {number} length */
    const mm = (length) => num(1000 * length, 2);
    const { x, y, z } = b.clone().sub(a);
    this.told.textContent = `${mm(this.distance)} mm (x ${mm(x)}, y ${mm(y)}, z ${mm(z)})`;
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
        if (text) this.marks.push({ at, text, color: legColor(i) });
      });
    }
    const said = this.drawn && this.on.dimensions ? plates(this.drawn) : null;
    this.studio.legend("dimension-legend", said ? h("div.dimension-legend", {}, said) : null);
    this.tags = this.marks.map(({ text, color }) =>
      h("span", { style: { borderColor: color } }, text),
    );
    clear(this.labels, this.tags);
    viewer.draw();
  }

  /** Put the labels where their points are seen. */
  project() {
    if (!this.marks.length) return;
    const { camera, host } = this.studio.viewer;
    const [w, hgt] = [host.clientWidth, host.clientHeight];
    this.marks.forEach(({ at }, k) => {
      const p = at.clone().project(camera);
      const el = this.tags[k];
      el.style.left = `${((p.x + 1) / 2) * w}px`;
      el.style.top = `${((1 - p.y) / 2) * hgt}px`;
      el.hidden = p.z > 1;
    });
  }

  /**
   * A click next to a joint chooses it.
   * @param {MouseEvent} event
   */
  click(event) {
    if (!this.open || !this.studio.viewer.alive) return;
    const box = this.studio.stage.getBoundingClientRect();
    let best = PICK;
    let found = "";
    for (const [name, at] of this.joints) {
      const p = at.project(this.studio.viewer.camera);
      const x = box.left + ((p.x + 1) / 2) * box.width;
      const y = box.top + ((1 - p.y) / 2) * box.height;
      const away = Math.hypot(event.clientX - x, event.clientY - y);
      if (away < best) {
        best = away;
        found = name;
      }
    }
    if (!found) return;
    this.picked[this.next] = found;
    this.next = 1 - this.next;
    this.list();
    this.measure();
    this.studio.viewer.draw();
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
