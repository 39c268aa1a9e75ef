// Six sliders with number boxes, the numbers in which a pose is said, payload, outer load, twist and acceleration.

import { Emitter, clear, h, section } from "./dom.js";
import { DEG, poseFields } from "./units.js";

/** Numbers of the reference point in the world, roll, pitch, yaw. */
export const WORLD = { convention: "rpy", pivot: [0, 0, 0], framed: false };

/**
 * Whether two numberings mean the same.
 * @param {import("./types.d.ts").Numbering} a
 * @param {import("./types.d.ts").Numbering} b
 */
export const sameNumbers = (a, b) =>
  a.convention === b.convention &&
  a.framed === b.framed &&
  a.pivot.every((x, i) => x === b.pivot[i]);

/**
 * @param {number} x
 * @param {number} digits
 */
const round = (x, digits) => Number(x.toFixed(digits));

/**
 * A labeled row of number boxes; `onchange(values)` in SI.
 * @param {string} label
 * @param {string} unit
 * @param {number[]} values
 * @param {number} scale
 * @param {(values: number[], boxes: HTMLInputElement[]) => void} onchange
 * @param {{ step?: number, digits?: number, names?: string[] }} [options]
 */
export function numberRow(label, unit, values, scale, onchange, options = {}) {
  const boxes = values.map((value, i) =>
    h("input.number", {
      type: "number",
      step: options.step ?? "any",
      value: round(value / scale, options.digits ?? 6),
      "aria-label": `${label} ${options.names?.[i] ?? ""} ${unit}`.trim(),
      onchange: () => {
        const next = boxes.map((box) => Number(box.value) * scale);
        if (next.every(Number.isFinite)) onchange(next, boxes);
      },
    }),
  );
  const row = h(
    "div.number-row",
    {},
    h("span.label", {}, label, unit ? h("small", {}, ` ${unit}`) : null),
    h("div.boxes", {}, boxes),
  );
  return row;
}

/** @returns {import("./types.d.ts").Payload} */
const unloaded = () => ({ mass: 0, center: [0, 0, 0], inertia: [0, 0, 0] });
const none = () => [0, 0, 0, 0, 0, 0];

export class PosePanel extends Emitter {
  constructor() {
    super();
    this.pose = { position: [0, 0, 0], angles: [0, 0, 0], ...structuredClone(WORLD) };
    this.payload = unloaded();
    this.external = none();
    this.velocity = none();
    this.acceleration = none();
    /** @type {import("./types.d.ts").Range | null} how far the sliders reach, once there is a machine */
    this.range = null;
    /** @type {Record<string, string>} what each convention of angles means */
    this.conventions = {};
    /** @type {HTMLInputElement[]} */
    this.sliders = [];
    /** @type {HTMLInputElement[]} */
    this.boxes = [];
    this.pivotRow = h("div");
    this.rows = h("div.pose-rows");
    /** @type {HTMLSelectElement} */
    this.convention = h("select", {
      "aria-label": "Rotation convention",
      onchange: () => this.renumber({ convention: this.convention.value }),
    });
    this.explain = h("p.hint");
    /** @type {HTMLInputElement} */
    this.framed = h("input", {
      type: "checkbox",
      onchange: () => this.renumber({ framed: this.framed.checked }),
    });
    this.frames = h(
      "label.inline",
      {
        hidden: true,
        title: "Work and tool frame of the machine file; off: reference point, world",
      },
      this.framed,
      "tool seen from the work frame",
    );
    this.home = h(
      "button.text",
      { onclick: () => this.emit("home"), title: "Back to the home pose" },
      "home",
    );
    this.el = h(
      "div",
      {},
      h("div.section-head", {}, h("h2", {}, "Pose"), this.home),
      this.rows,
      h("label.field", {}, "rotation", this.convention),
      this.explain,
      this.frames,
    );
    this.more = h("div");
    this.resetLoads();
  }

  /** Another machine: nothing of the payload, loads and rates of the last one stays. */
  resetLoads() {
    this.payload = unloaded();
    this.external = none();
    this.velocity = none();
    this.acceleration = none();
    const open = [...this.more.querySelectorAll("details")].map((part) => part.open);
    clear(this.more);
    this.buildMore();
    this.more.querySelectorAll("details").forEach((part, i) => (part.open = open[i]));
  }

  /** @param {Record<string, string>} conventions */
  setConventions(conventions) {
    this.conventions = conventions;
    clear(
      this.convention,
      Object.keys(conventions)
        .filter((c) => c !== "quaternion")
        .map((c) => h("option", { value: c }, c)),
    );
    this.convention.value = this.pose.convention;
    this.explain.textContent = conventions[this.pose.convention] ?? "";
  }

  /** In which numbers poses are said. */
  get numbering() {
    const { convention, pivot, framed } = this.pose;
    return { convention, pivot: [...pivot], framed };
  }

  /**
   * Ask for other numbers; the pose stays. What is not named keeps its value.
   * @param {Partial<import("./types.d.ts").Numbering>} change
   */
  renumber(change) {
    this.emit("numbering", { ...this.numbering, ...change });
  }

  /**
   * Begin with the frames of a machine file.
   * @param {import("./types.d.ts").FramesDocument} frames
   */
  setFrames({ work, tool, pivot, convention }) {
    const framed = !(still(work) && still(tool));
    this.frames.hidden = !framed;
    const known = convention === "quaternion" ? this.pose.convention : convention;
    const about = pivot ?? (framed ? tool.position : [0, 0, 0]);
    this.setNumbers([0, 0, 0, 0, 0, 0], { convention: known, pivot: about, framed });
  }

  /**
   * The numbers of the pose, and what they mean where that changes.
   * @param {number[]} row
   * @param {import("./types.d.ts").Numbering | null} [numbering]
   */
  setNumbers(row, numbering = null) {
    const meaning = structuredClone(numbering ?? this.numbering);
    this.pose = { position: row.slice(0, 3), angles: row.slice(3), ...meaning };
    if (!numbering) return;
    this.framed.checked = numbering.framed;
    this.showPivot();
  }

  /**
   * Sliders reach this far about the numbers `middle` of home.
   * @param {import("./types.d.ts").Range} range
   * @param {number[]} [middle]
   */
  setRange(range, middle = [...range.middle, 0, 0, 0]) {
    this.range = { ...range, middle };
    this.build();
  }

  build() {
    const { range } = this;
    if (!range) return;
    const names = ["x", "y", "z", ...poseFields(this.pose.convention)];
    this.sliders = [];
    this.boxes = [];
    clear(
      this.rows,
      names.map((name, i) => this.row(range, name, i)),
    );
    this.convention.value = this.pose.convention;
    this.explain.textContent = this.conventions[this.pose.convention] ?? "";
    this.show();
    this.emit("built");
  }

  /**
   * @param {import("./types.d.ts").Range} range
   * @param {string} name
   * @param {number} i
   */
  row({ middle, travel, turn }, name, i) {
    const linear = i < 3;
    const { convention } = this.pose; // a sequence such as ZXZ needs all angles near its zero
    const wide = /^([XYZ]).\1/.test(convention) ? Math.PI : turn;
    const about = this.pose.framed ? middle[i] : 0;
    const [lo, hi] = linear
      ? [(middle[i] - travel) * 1000, (middle[i] + travel) * 1000]
      : [(about - wide) / DEG, (about + wide) / DEG];
    const step = linear ? (travel < 0.02 ? 0.01 : 0.1) : 0.1;
    /** @param {number} value */
    const set = (value) => this.change(i, value);
    /** @type {HTMLInputElement} */
    const slider = h("input", {
      type: "range",
      min: lo,
      max: hi,
      step,
      "aria-label": `${name} ${linear ? "millimeters" : "degrees"}`,
      oninput: () => set(Number(slider.value)),
    });
    const box = h("input.number", {
      type: "number",
      step,
      "aria-label": `${name} ${linear ? "mm" : "°"}`,
      onchange: () => {
        if (Number.isFinite(box.valueAsNumber)) set(box.valueAsNumber);
      },
    });
    this.sliders.push(slider);
    this.boxes.push(box);
    return h(
      "div.pose-row",
      {},
      h("span.label", {}, name, h("small", {}, linear ? " mm" : " °")),
      slider,
      box,
    );
  }

  /**
   * @param {number} i
   * @param {number} shown
   */
  change(i, shown) {
    if (i < 3) this.pose.position[i] = shown / 1000;
    else this.pose.angles[i - 3] = shown * DEG;
    this.show();
    this.emit("change");
  }

  /** Fill sliders and boxes from the pose. */
  show() {
    if (!this.range) return;
    const digits = this.range.travel < 0.02 ? 3 : 2;
    for (let i = 0; i < 6; i++) {
      const value = i < 3 ? this.pose.position[i] * 1000 : this.pose.angles[i - 3] / DEG;
      if (
        this.sliders[i] !== document.activeElement ||
        Math.abs(this.sliders[i].valueAsNumber - value) > 0.06
      )
        this.sliders[i].valueAsNumber = value;
      fill(this.sliders[i], value);
      if (this.boxes[i] !== document.activeElement)
        this.boxes[i].valueAsNumber = round(value, digits);
    }
  }

  /** The pivot, platform axes, m. */
  showPivot() {
    /** @param {number[]} pivot */
    const changed = (pivot) => this.renumber({ pivot });
    const names = { names: ["x", "y", "z"] };
    clear(this.pivotRow, numberRow("pivot", "mm", this.pose.pivot, 0.001, changed, names));
  }

  buildMore() {
    const changed = () => this.emit("change");
    /**
     * @param {"external" | "velocity" | "acceleration"} name
     * @param {number[]} values
     */
    const set = (name, values) => {
      this[name] = values;
      changed();
    };
    this.showPivot();
    this.more.append(
      section(
        "Pivot and payload",
        false,
        h(
          "p.hint",
          {},
          "Turns are about the pivot, given in platform axes from the reference point. A new pivot moves nothing.",
        ),
        this.pivotRow,
        numberRow("payload", "kg", [0], 1, ([v], [box]) => {
          const mass = Math.max(0, v);
          if (mass !== v) box.valueAsNumber = mass;
          this.payload = { ...this.payload, mass };
          changed();
        }),
        numberRow(
          "its center",
          "mm",
          [0, 0, 0],
          0.001,
          (v) => {
            this.payload = { ...this.payload, center: v };
            changed();
          },
          { names: ["x", "y", "z"] },
        ),
        numberRow(
          "its inertia",
          "kg·m²",
          [0, 0, 0],
          1,
          (v) => {
            this.payload = { ...this.payload, inertia: v };
            changed();
          },
          { names: ["xx", "yy", "zz"] },
        ),
      ),
      section(
        "Outer load, platform axes",
        false,
        numberRow(
          "force",
          "N",
          [0, 0, 0],
          1,
          (v) => set("external", [...v, ...this.external.slice(3)]),
          { names: ["x", "y", "z"] },
        ),
        numberRow(
          "moment",
          "N·m",
          [0, 0, 0],
          1,
          (v) => set("external", [...this.external.slice(0, 3), ...v]),
          { names: ["x", "y", "z"] },
        ),
      ),
      section(
        "Twist and acceleration",
        false,
        h("p.hint", {}, "Of the reference point, world axes. Zero: the machine stands still."),
        numberRow(
          "velocity",
          "mm/s",
          [0, 0, 0],
          0.001,
          (v) => set("velocity", [...v, ...this.velocity.slice(3)]),
          { names: ["x", "y", "z"] },
        ),
        numberRow(
          "turning",
          "°/s",
          [0, 0, 0],
          DEG,
          (v) => set("velocity", [...this.velocity.slice(0, 3), ...v]),
          { names: ["x", "y", "z"] },
        ),
        numberRow(
          "acceleration",
          "mm/s²",
          [0, 0, 0],
          0.001,
          (v) => set("acceleration", [...v, ...this.acceleration.slice(3)]),
          { names: ["x", "y", "z"] },
        ),
        numberRow(
          "turning",
          "°/s²",
          [0, 0, 0],
          DEG,
          (v) => set("acceleration", [...this.acceleration.slice(0, 3), ...v]),
          { names: ["x", "y", "z"] },
        ),
      ),
    );
  }

  /**
   * Move one coordinate by a keyboard step: mm or degrees.
   * @param {number} i
   * @param {number} amount
   */
  nudge(i, amount) {
    const now = i < 3 ? this.pose.position[i] * 1000 : this.pose.angles[i - 3] / DEG;
    this.change(i, round(now + amount, 6));
  }
}

/**
 * Whether a pose of a machine file is the identity.
 * @param {import("./types.d.ts").Place} place
 */
const still = ({ position, rotation }) =>
  position.every((x) => x === 0) && rotation.flat().every((x, i) => x === (i % 4 ? 0 : 1));

/**
 * Orange part of a slider, left of the thumb.
 * @param {HTMLInputElement} slider
 * @param {number} value
 */
export function fill(slider, value) {
  const [low, high] = [Number(slider.min), Number(slider.max)];
  const share = (100 * (value - low)) / (high - low || 1);
  slider.style.setProperty("--fill", `${Math.min(Math.max(share, 0), 100)}%`);
}
