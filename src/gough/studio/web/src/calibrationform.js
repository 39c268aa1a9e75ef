// What a calibration is asked with: a readings file or a synthetic trial, and what is unknown.

import { clear, h } from "./dom.js";
import { sig } from "./units.js";
import { UnknownTicks, usualWords } from "./unknownticks.js";

/** @typedef {import("./messages.js").UnknownsListed} UnknownsListed */
/** @typedef {keyof typeof FIELDS} FieldName */

/** Numbers of a trial and of a plan as they are entered: name, unit, size of the unit in SI. */
const FIELDS = {
  sigma: { label: "encoders", unit: "µm", scale: 1e-6, value: 5 },
  turn_sigma: { label: "encoders of cranks", unit: "µrad", scale: 1e-6, value: 20 },
  position_sigma: { label: "sensor, position", unit: "µm", scale: 1e-6, value: 20 },
  rotation_sigma: { label: "sensor, angle", unit: "µrad", scale: 1e-6, value: 20 },
  error: { label: "planted errors", unit: "mm", scale: 1e-3, value: 0.5 },
  count: { label: "poses", unit: "", scale: 1, value: 40 },
  seed: { label: "seed", unit: "", scale: 1, value: 1 },
};
const SENSORS = {
  pose: "whole poses (tracker, 6D)",
  point: "one point (tracker, 3D)",
  tilt: "two inclinations",
};
const POSES = { random: "random", planned: "planned (slower)" };
const ERROR = 5e-4; // of the machine's size: planted unless something else is entered

export class CalibrationForm {
  /** @param {() => void} changed is told of every change */
  constructor(changed) {
    this.changed = changed;
    /** @type {UnknownsListed | null} */
    this.unknowns = null;
    /** @type {string[]} readings files of the work folder */
    this.files = [];
    this.file = "";
    this.own = false; // unknowns are chosen below
    this.ownError = false; // the planted errors were entered, not taken from the machine's size
    this.source = h("select", { "aria-label": "Measurements", onchange: () => this.choose() });
    this.sensor = this.select("Sensor of the trial", SENSORS);
    this.poses = this.select("Poses of the trial", POSES);
    this.find = this.select("Looked for", { usual: "", own: "chosen below" });
    this.find.addEventListener("change", () => this.list());
    /** @type {Record<FieldName, HTMLInputElement>} */
    this.boxes = /** @type {any} */ (
      Object.fromEntries(
        /** @type {FieldName[]} */ (Object.keys(FIELDS)).map((name) => [name, this.box(name)]),
      )
    );
    this.trial = h("div.trial");
    this.common = h("div");
    this.ticks = new UnknownTicks(() => this.changed());
    this.usual = h("p.hint");
    this.el = h(
      "div.calibration-form",
      {},
      h("label.field", {}, "measured", this.source),
      this.trial,
      h("label.field", {}, "looked for", this.find),
      this.usual,
      this.ticks.el,
      this.common,
    );
    this.setFiles([]);
    this.list();
  }

  /**
   * @param {string} label
   * @param {Record<string, string>} options
   */
  select(label, options) {
    return h(
      "select",
      { "aria-label": label, onchange: () => this.choose() },
      Object.entries(options).map(([value, text]) => h("option", { value }, text)),
    );
  }

  /** @param {FieldName} name */
  box(name) {
    const { label, unit, value } = FIELDS[name];
    return h("input.number", {
      type: "number",
      step: "any",
      min: 0,
      value,
      "aria-label": unit ? `${label}, ${unit}` : label,
      dataset: { field: name },
      onchange: () => {
        if (name === "error") this.ownError = true;
        this.changed();
      },
    });
  }

  /** @param {FieldName} name */
  row(name) {
    const { unit } = FIELDS[name];
    const of = this.file && (name === "count" || name === "seed") ? " of a plan" : "";
    const label = `${FIELDS[name].label}${of}`;
    return h(
      "div.number-row",
      {},
      h("span.label", {}, label, unit ? h("small", {}, ` ${unit}`) : null),
      h("div.boxes", {}, this.boxes[name]),
    );
  }

  choose() {
    this.file = this.source.value;
    this.own = this.find.value === "own";
    this.list();
    this.changed();
  }

  /** @param {string[]} files */
  setFiles(files) {
    this.files = files;
    if (!files.includes(this.file)) this.file = "";
    clear(
      this.source,
      h("option", { value: "", selected: !this.file }, "try it: synthetic readings"),
      files.map((name) => h("option", { value: name, selected: name === this.file }, name)),
    );
    this.list();
    this.changed();
  }

  /** @param {UnknownsListed | null} unknowns of the machine on screen */
  setUnknowns(unknowns) {
    this.unknowns = unknowns;
    if (unknowns) {
      const { size } = unknowns;
      if (!this.ownError) this.boxes.error.value = sig((ERROR * size) / FIELDS.error.scale, 2);
    }
    this.ticks.set(unknowns);
    this.list();
    this.changed();
  }

  /** What there is to choose, for the file or the trial. */
  list() {
    const { unknowns, file } = this;
    const sensor = this.sensor.value;
    const first = this.find.options[0];
    first.textContent = file ? "as the file says" : "the usual";
    this.ticks.el.hidden = !this.own;
    this.usual.hidden = this.own || Boolean(file) || !unknowns;
    this.usual.textContent = unknowns ? `Looked for: ${usualWords(unknowns)}.` : "";
    clear(this.common, this.row("count"), this.row("seed"));
    clear(
      this.trial,
      file
        ? h("p.hint", {}, "Sensors, deviations and the table of what was read stand in this file.")
        : [
            h(
              "p.hint",
              {},
              h("b.synthetic", {}, "synthetic"),
              " Nothing is measured: errors are planted in the machine, and readings computed with noise. ",
              "All deviations are standard deviations.",
            ),
            h("label.field", {}, "sensor", this.sensor),
            h("label.field", {}, "poses", this.poses),
            unknowns?.pushing === false ? null : this.row("sigma"),
            unknowns?.turning ? this.row("turn_sigma") : null,
            sensor === "tilt" ? null : this.row("position_sigma"),
            sensor === "point" ? null : this.row("rotation_sigma"),
            this.row("error"),
          ],
    );
  }

  /** @param {FieldName} name */
  value(name) {
    return this.boxes[name].valueAsNumber * FIELDS[name].scale;
  }

  /** The CalibrationInput. */
  get given() {
    return {
      file: this.file,
      find: this.own ? this.ticks.names : null,
      trial: {
        sensor: this.sensor.value,
        poses: this.poses.value,
        count: this.value("count"),
        seed: this.value("seed"),
        sigma: this.value("sigma"),
        turn_sigma: this.value("turn_sigma"),
        position_sigma: this.value("position_sigma"),
        rotation_sigma: this.value("rotation_sigma"),
        error: this.value("error"),
      },
    };
  }

  /** What a calibration depends on; of a file nothing that only a trial or a plan has. */
  get key() {
    const { file, find, trial } = this.given;
    return JSON.stringify(file ? [file, find] : [find, trial]);
  }

  /** What a plan depends on. */
  get planKey() {
    const { file, find, trial } = this.given;
    const { count, seed } = trial;
    const drawn = { ...trial, error: 0, poses: "" }; // a plan has neither
    return JSON.stringify(file ? [file, find, count, seed] : [find, drawn]);
  }

  /** Nothing is chosen where something must be. */
  get missing() {
    if (!this.own || this.ticks.names.length) return "";
    return this.unknowns
      ? "Nothing is ticked: tick at least one number to look for."
      : "It is not known what can be looked for in this machine.";
  }

  /** As on a fresh page. */
  reset() {
    this.file = this.source.value = "";
    for (const list of [this.sensor, this.poses, this.find]) list.selectedIndex = 0;
    for (const name of /** @type {FieldName[]} */ (Object.keys(FIELDS)))
      this.boxes[name].value = String(FIELDS[name].value);
    this.own = this.ownError = false;
    this.ticks.reset();
    this.setUnknowns(this.unknowns);
  }
}
