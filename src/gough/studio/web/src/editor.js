// The machine editor: every number of the document in a form, one change at a time, undo and redo.

/**
 * @typedef {import("./types.d.ts").Version} Version
 * @typedef {"undo" | "redo"} Step
 * @typedef {(string | number)[]} Path where a number stands in a document
 */

import { Emitter, clear, h, section } from "./dom.js";
import { turns } from "./units.js";

/** @type {Record<string, [string, number]>} */
const UNITS = {
  mass: ["kg", 1],
  slider_mass: ["kg", 1],
  center: ["mm", 0.001],
  slider_center: ["mm", 0.001],
  base: ["mm", 0.001],
  joint: ["mm", 0.001],
  arm: ["mm", 0.001],
  length: ["mm", 0.001],
  inertia: ["kg·m²", 1],
  gravity: ["m/s²", 1],
  force: ["N", 1],
  speed: ["m/s", 1],
  base_cone: ["°", Math.PI / 180],
  platform_cone: ["°", Math.PI / 180],
  radius: ["mm", 0.001],
  universal: ["N·m·s", 1],
  prismatic: ["N·s/m", 1],
  spherical: ["N·m·s", 1],
  cylindrical: ["N·m·s", 1],
  universal_dry: ["mm", 0.001],
  spherical_dry: ["mm", 0.001],
  torsion: ["N·m/rad", 1],
  torsion_rest: ["°", Math.PI / 180],
  lead: ["mm", 0.001],
  zero: ["°", Math.PI / 180],
  rotor_inertia: ["kg·m²", 1],
  ratio: ["rad/m", 1],
  efficiency: ["", 1],
  viscous: ["N·m·s", 1],
  coulomb: ["N·m", 1],
  static: ["N·m", 1],
  stribeck_rate: ["rad/s", 1],
  torque_constant: ["N·m/A", 1],
  resistance: ["Ω", 1],
  max_current: ["A", 1],
  max_voltage: ["V", 1],
  backlash: ["mm", 0.001],
};
/** @type {Record<string, [string, number]>} */
const TURNING = {
  // of cranks, whose coordinate is an angle
  force: ["N·m", 1],
  speed: ["rad/s", 1],
  prismatic: ["N·m·s", 1],
  ratio: ["rad/rad", 1],
  backlash: ["°", Math.PI / 180],
};
const GEOMETRY = [
  "base",
  "rail",
  "shaft",
  "arm",
  "joint",
  "axis",
  "platform_axis",
  "reference",
  "length",
];
const NUMBERS = ["slider_mass", "slider_center", "torsion", "torsion_rest"];
const PARTS = ["lower", "upper", "link", "crank", "screw", "friction", "limits", "drive"];
/** @type {Record<string, string>} */
const TITLES = {
  lower: "Lower body",
  upper: "Upper body",
  link: "Link body",
  crank: "Crank body",
  screw: "Screw",
  friction: "Friction",
  limits: "Limits",
  drive: "Drive",
};

const SINGLE = /** @type {const} */ (["force", "speed", "base_cone", "platform_cone", "radius"]);

/** @type {import("./types.d.ts").MachineDocument} before the first machine is there */
const EMPTY = {
  name: "",
  gravity: [0, 0, 0],
  frames: {
    work: { position: [], rotation: [] },
    tool: { position: [], rotation: [] },
    pivot: null,
    convention: "rpy",
  },
  body: { mass: 0, center: [], inertia: [] },
  legs: [],
};

/** Versions of the document; the newest is what the server has accepted. */
export class History extends Emitter {
  constructor() {
    super();
    /** @type {Version[]} */
    this.past = [];
    /** @type {Version[]} */
    this.future = [];
    /** @type {Version | null} */
    this.now = null;
  }
  /**
   * @param {Version} entry
   * @param {Version[]} [past]
   * @param {Version[]} [future]
   */
  start(entry, past = [], future = []) {
    this.past = past;
    this.future = future;
    this.now = entry;
    this.emit("change");
  }
  /** @param {Version} entry */
  push(entry) {
    if (this.now) this.past.push(this.now);
    if (this.past.length > 200) this.past.shift();
    this.now = entry;
    this.future = [];
    this.emit("change");
  }
  /**
   * The version that undo or redo would bring, or null.
   * @param {Step} which
   * @returns {Version | null}
   */
  peek(which) {
    return (which === "undo" ? this.past : this.future).at(-1) ?? null;
  }
  /**
   * Undo or redo, once the server has taken that version; nothing where another machine was opened meanwhile.
   * @param {Step} which
   */
  move(which) {
    const [from, to] = which === "undo" ? [this.past, this.future] : [this.future, this.past];
    const next = from.pop();
    if (!next) return;
    if (this.now) to.push(this.now);
    this.now = next;
    this.emit("change");
  }
}

/**
 * @template T
 * @param {T} document
 * @param {Path} path
 * @param {unknown} value
 * @returns {T}
 */
export function setAt(document, path, value) {
  const copy = structuredClone(document);
  /** @type {any} a part of the document, by its path */
  let at = copy;
  for (const key of path.slice(0, -1)) at = at[key];
  at[path[path.length - 1]] = value;
  return copy;
}

/**
 * @param {unknown} document
 * @param {Path} path
 * @returns {any} whatever stands there: a document is read by its paths
 */
const getAt = (document, path) => path.reduce((/** @type {any} */ at, key) => at?.[key], document);
/** @param {Path} path */
const spell = (path) =>
  path.map((key, i) => (typeof key === "number" ? `[${key}]` : i ? `.${key}` : key)).join("");

export class Editor extends Emitter {
  constructor() {
    super();
    /** @type {import("./types.d.ts").MachineDocument} what the form shows, with changes not answered yet */
    this.document = EMPTY;
    this.leg = 0;
    this.all = true;
    this.openSections = new Set(["Platform body", "Leg geometry"]);
    this.error = h("div.error-text", { role: "alert", hidden: true });
    this.form = h("div.editor-form");
    this.el = h("div.editor", {}, this.error, this.form);
  }

  /** @param {import("./types.d.ts").MachineDocument} document */
  setDocument(document) {
    this.document = document;
    this.error.hidden = true;
    const { activeElement: active } = globalThis.document;
    const inside = active instanceof HTMLElement && this.el.contains(active);
    const focus = inside ? active.dataset.path : null;
    this.build();
    if (focus) {
      /** @type {HTMLElement | null} */
      const again = this.form.querySelector(`[data-path="${CSS.escape(focus)}"]`);
      again?.focus();
    }
  }

  /**
   * A change that was refused: the form keeps what was typed, the next change starts from `document`.
   * @param {import("./types.d.ts").Refusal} failure
   * @param {import("./types.d.ts").MachineDocument} document
   */
  fail(failure, document) {
    this.document = document;
    this.error.hidden = false;
    this.error.textContent = failure.text ?? failure.message;
    const field = failure.field?.replace(/\.(x|y|z)$/, "");
    /** @type {NodeListOf<HTMLInputElement>} */
    const all = this.form.querySelectorAll("input[data-path]");
    for (const box of all) {
      const { path } = box.dataset;
      const mine =
        field &&
        path &&
        (path === field ||
          path.startsWith(`${field}[`) ||
          field.startsWith(path.replace(/\[\d+\]$/, "")));
      box.classList.toggle("invalid", Boolean(mine));
    }
  }

  /**
   * @param {string} title
   * @param {...import("./types.d.ts").Child} children
   */
  fold(title, ...children) {
    const el = section(title, this.openSections.has(title), ...children);
    el.addEventListener("toggle", () =>
      el.open ? this.openSections.add(title) : this.openSections.delete(title),
    );
    return el;
  }

  build() {
    const d = this.document;
    const leg = d.legs[this.leg];
    const at = ["legs", this.leg];
    const parts = PARTS.filter((name) => name in leg);
    const scalars = [...GEOMETRY, ...NUMBERS].filter((name) => name in leg);
    clear(
      this.form,
      this.fold("Machine", this.text(["name"], "name"), this.field(["gravity"], "gravity")),
      this.fold("Platform body", this.body(["body"])),
      h(
        "div.leg-choice",
        { role: "radiogroup", "aria-label": "Leg to edit" },
        d.legs.map((_, i) =>
          h(
            "button.chip",
            {
              role: "radio",
              "aria-checked": String(i === this.leg),
              className: i === this.leg ? "chip on" : "chip",
              onclick: () => {
                this.leg = i;
                this.build();
              },
            },
            `L${i + 1}`,
          ),
        ),
        h(
          "label.inline",
          { title: "Bodies, friction, limits and drive change on all six legs of this type" },
          h("input", {
            type: "checkbox",
            checked: this.all,
            onchange: (event) => {
              this.all = event.target.checked;
            },
          }),
          "all alike",
        ),
      ),
      this.fold(
        "Leg geometry",
        h("p.hint", {}, `${leg.type} leg; geometry changes this leg only.`),
        scalars.map((name) => this.field([...at, name], name)),
      ),
      parts.map((name) => this.fold(TITLES[name], this.part([...at, name], name))),
    );
  }

  /**
   * @param {Path} path
   * @param {string} name
   * @returns {import("./types.d.ts").Child}
   */
  part(path, name) {
    const value = getAt(this.document, path);
    if (value === null) return h("p.hint", {}, "none; add it in the TOML file");
    if (name === "limits") return this.limits(path, value);
    if ("mass" in value) return this.body(path);
    /** @param {unknown} x */
    const whole = (x) => x === null || Array.isArray(x) || typeof x !== "object";
    return Object.keys(value)
      .filter((key) => key !== "rotor_axis" && whole(value[key]))
      .map((key) => this.field([...path, key], key, value[key] === null));
  }

  /**
   * @param {Path} path
   * @param {import("./types.d.ts").Limits} value
   */
  limits(path, value) {
    const crank = turns(this.document.legs[this.leg].type);
    return [
      this.nullable(
        [...path, "stroke"],
        "stroke",
        value.stroke,
        crank ? ["°", Math.PI / 180] : ["mm", 0.001],
        2,
      ),
      SINGLE.map((key) => this.nullable([...path, key], key, value[key], this.unit(key), 1)),
    ];
  }

  /**
   * @param {string} name
   * @returns {[string, number]}
   */
  unit(name) {
    const crank = turns(this.document.legs[this.leg]?.type ?? "");
    return (crank && TURNING[name]) || UNITS[name] || ["", 1];
  }

  /**
   * @param {Path} path
   * @param {string} name
   * @param {number | number[] | null} value
   * @param {[string, number]} unit
   * @param {number} count
   */
  nullable(path, name, value, [unit, scale], count) {
    const boxes = Array.from({ length: count }, (_, i) =>
      this.box(
        count > 1 ? [...path, i] : path,
        Array.isArray(value) ? value[i] : value,
        scale,
        () => {
          const values = boxes.map((box) => (box.value === "" ? null : Number(box.value) * scale));
          if (count === 1) this.commit(path, values[0]);
          else if (values.every((x) => x === null)) this.commit(path, null);
          else if (values.every((x) => x !== null)) this.commit(path, values);
        },
      ),
    );
    for (const box of boxes) box.placeholder = "none";
    return row(name, unit, boxes);
  }

  /** @param {Path} path */
  body(path) {
    const body = getAt(this.document, path);
    const tensor = [...path, "inertia"];
    const pairs = [
      [0, 0],
      [1, 1],
      [2, 2],
      [0, 1],
      [0, 2],
      [1, 2],
    ];
    const names = ["xx", "yy", "zz", "xy", "xz", "yz"];
    const boxes = pairs.map(([i, j], n) =>
      this.box(
        [...tensor, i, j],
        body.inertia[i][j],
        1,
        () => {
          const next = structuredClone(body.inertia);
          next[i][j] = next[j][i] = Number(boxes[n].value);
          this.commit(tensor, next);
        },
        names[n],
      ),
    );
    return [
      this.field([...path, "mass"], "mass"),
      this.field([...path, "center"], "center"),
      row("inertia", "kg·m²", boxes.slice(0, 3)),
      row("  xy xz yz", "kg·m²", boxes.slice(3)),
    ];
  }

  /**
   * @param {Path} path
   * @param {string} name
   * @param {boolean} [empty]
   */
  field(path, name, empty = false) {
    const value = getAt(this.document, path);
    const [unit, scale] = this.unit(name);
    if (empty) return this.nullable(path, name, null, [unit, scale], 1);
    if (typeof value === "string") return this.text(path, name);
    if (typeof value === "number") {
      const box = this.box(path, value, scale, () => this.commit(path, Number(box.value) * scale));
      return row(name, unit, [box]);
    }
    const values = /** @type {number[]} */ (value);
    /** @type {HTMLInputElement[]} */
    const boxes = values.map((x, i) =>
      this.box(
        [...path, i],
        x,
        scale,
        () => {
          this.commit(
            path,
            boxes.map((b, k) => (k === i ? Number(b.value) * scale : values[k])),
          );
        },
        "xyz"[i],
      ),
    );
    return row(name, unit, boxes);
  }

  /**
   * @param {Path} path
   * @param {string} name
   */
  text(path, name) {
    /** @type {HTMLInputElement} */
    const box = h("input.number.wide", {
      type: "text",
      value: getAt(this.document, path),
      dataset: { path: spell(path) },
      "aria-label": name,
      onchange: () => this.commit(path, box.value),
    });
    return row(name, "", [box]);
  }

  /**
   * @param {Path} path
   * @param {number | null} value
   * @param {number} scale
   * @param {() => void} onchange
   * @param {string} [name]
   */
  box(path, value, scale, onchange, name = "") {
    return h("input.number", {
      type: "number",
      step: "any",
      value: value === null ? "" : Number((value / scale).toPrecision(12)),
      "aria-label": `${path.at(-1)} ${name}`,
      dataset: { path: spell(path) },
      onchange,
    });
  }

  /**
   * One change; parts of legs go to all six when they are alike.
   * @param {Path} path
   * @param {unknown} value
   */
  commit(path, value) {
    const shared = this.all && path[0] === "legs" && !GEOMETRY.includes(String(path[2]));
    let next = this.document;
    const type = this.document.legs[this.leg].type;
    if (shared)
      this.document.legs.forEach((leg, i) => {
        if (leg.type === type && getAt(this.document, ["legs", i, ...path.slice(2, -1)]))
          next = setAt(next, ["legs", i, ...path.slice(2)], value);
      });
    else next = setAt(next, path, value);
    this.document = next; // a second change before the first is answered must not lose it
    this.emit("edit", { document: next, path: spell(path) });
  }
}

/**
 * @param {string} name
 * @param {string} unit
 * @param {HTMLElement[]} boxes
 */
function row(name, unit, boxes) {
  return h(
    "div.number-row",
    {},
    h("span.label", {}, name.replaceAll("_", " "), unit ? h("small", {}, ` ${unit}`) : null),
    h("div.boxes", {}, boxes),
  );
}
