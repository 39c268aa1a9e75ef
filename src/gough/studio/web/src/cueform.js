// What to cue and how: telemetry, method, scale, and the parameters of the method with their units and defaults.

import { Emitter, clear, h } from "./dom.js";
import { sig } from "./units.js";

/** @typedef {import("./types.d.ts").CueKnob} CueKnob */

const TRIPLES = [
  ["surge", "sway", "heave"],
  ["roll", "pitch", "yaw"],
];
const TURNS = new Set(["rate_scale", "rotation"]); // their three numbers are of the turns

export class CueForm extends Emitter {
  constructor() {
    super();
    /** @type {import("./messages.js").CuesOffered | null} */
    this.offered = null;
    this.offer = ""; // the same as text
    this.file = ""; // empty: the example
    this.method = "";
    this.auto = true;
    this.scale = "1";
    this.unfolded = false; // whether the parameters are seen
    /** @type {Record<string, string[]>} what stands in the boxes that were changed, by method and parameter */
    this.entered = {};
    this.el = h("div.cue-form");
  }

  /** The example by the first method, with all defaults. */
  reset() {
    const method = this.offered?.methods[0].name ?? "";
    Object.assign(this, { file: "", method, auto: true, scale: "1", unfolded: false, entered: {} });
    this.build();
  }

  /**
   * The same offer again changes nothing: who is typing is not disturbed.
   * @param {import("./messages.js").CuesOffered} offered
   */
  setOffered(offered) {
    const text = JSON.stringify({ ...offered, id: 0 });
    if (text === this.offer) return;
    this.offer = text;
    this.offered = offered;
    if (!offered.files.includes(this.file)) this.file = "";
    if (!this.chosen) this.method = offered.methods[0].name;
    this.build();
    this.emit("change");
  }

  get chosen() {
    return this.offered?.methods.find(({ name }) => name === this.method);
  }

  /** The CueInput of what is entered; parameters that were not changed are left to the library. */
  get settings() {
    return {
      file: this.file,
      method: this.method,
      scale: this.auto ? null : Number(this.scale),
      parameters: (this.chosen?.knobs ?? []).flatMap((knob) => {
        const texts = this.entered[`${this.method} ${knob.name}`];
        if (!texts || this.asDefault(knob, texts)) return [];
        const values = texts.map((text, i) =>
          text === shown(knob, i) ? knob.default[i] : Number(text) * knob.factor,
        );
        return [{ name: knob.name, values }];
      }),
      fingerprint: "",
    };
  }

  /**
   * @param {CueKnob} knob
   * @param {string[]} texts
   */
  asDefault(knob, texts) {
    return texts.every((text, i) => text === shown(knob, i));
  }

  changed() {
    this.emit("change");
  }

  build() {
    const { offered, chosen } = this;
    if (!offered || !chosen) return;
    const hint = h("p.hint", { hidden: Boolean(this.file) }, offered.example);
    const file = h(
      "select",
      {
        "aria-label": "Telemetry",
        onchange: () => {
          this.file = file.value;
          hint.hidden = Boolean(this.file);
          this.changed();
        },
      },
      h("option", { value: "", selected: !this.file }, "example: made-up drive"),
      offered.files.length
        ? h(
            "optgroup",
            { label: "CSV files of the work folder" },
            offered.files.map((name) =>
              h("option", { value: name, selected: name === this.file }, name),
            ),
          )
        : null,
    );
    const method = h(
      "select",
      {
        "aria-label": "Method",
        onchange: () => {
          this.method = method.value;
          this.build();
          this.changed();
          /** @type {HTMLElement | null} */
          const again = this.el.querySelector("[aria-label=Method]");
          again?.focus();
        },
      },
      offered.methods.map(({ name }) =>
        h("option", { value: name, selected: name === this.method }, name),
      ),
    );
    clear(
      this.el,
      h("label.field", {}, "telemetry", file),
      hint,
      h("label.field", {}, "method", method),
      h("p.hint", {}, chosen.about),
      this.scaleRow(),
      h(
        "details.section",
        {
          open: this.unfolded,
          ontoggle: (event) => {
            this.unfolded = isOpen(event.target);
          },
        },
        h("summary", {}, "Parameters"),
        chosen.knobs.map((knob) => this.knobRow(knob)),
        h(
          "button.text",
          {
            onclick: () => {
              this.entered = {};
              this.build();
              this.changed();
            },
          },
          "back to the defaults",
        ),
      ),
    );
  }

  scaleRow() {
    const box = h("input.number", {
      type: "number",
      step: "any",
      min: 0,
      value: this.scale,
      disabled: this.auto,
      "aria-label": "scale",
      oninput: () => {
        this.scale = box.value;
        this.changed();
      },
    });
    const auto = h("input", {
      type: "checkbox",
      checked: this.auto,
      onchange: () => {
        this.auto = box.disabled = auto.checked;
        this.changed();
      },
    });
    return h(
      "div.cue-scale",
      {},
      h("span.label", {}, "scale"),
      h(
        "label.inline",
        { title: "The largest factor up to 1 that is found inside the limits of the machine" },
        auto,
        "auto",
      ),
      box,
    );
  }

  /** @param {CueKnob} knob */
  knobRow(knob) {
    const key = `${this.method} ${knob.name}`;
    const texts = this.entered[key] ?? knob.default.map((_, i) => shown(knob, i));
    const names = knob.default.length > 1 ? TRIPLES[TURNS.has(knob.name) ? 1 : 0] : [""];
    const boxes = names.map((name, i) => {
      const box = h("input.number.tiny", {
        type: "number",
        step: "any",
        value: texts[i],
        title: `${name ? `${name}, ` : ""}default ${shown(knob, i)}`,
        "aria-label": [knob.label, name, knob.unit].filter(Boolean).join(" "),
        oninput: () => {
          texts[i] = box.value === "" ? shown(knob, i) : box.value;
          this.entered[key] = texts;
          this.changed();
        },
      });
      return box;
    });
    const unit = knob.unit ? ` ${knob.unit}` : "";
    const all = knob.default.map((_, i) => shown(knob, i));
    const plain = new Set(all).size > 1 ? all.join(", ") : all[0];
    const axes = names.length > 1 ? `${names.join(", ")}; ` : "";
    return h(
      "div.cue-knob",
      { dataset: { knob: knob.name } },
      h("span", {}, knob.label, h("small", {}, unit)),
      h("div.boxes", {}, boxes),
      h("small.cue-default", {}, `${axes}default ${plain}`),
    );
  }
}

/**
 * A default as its box shows it.
 * @param {CueKnob} knob
 * @param {number} i
 */
const shown = (knob, i) => sig(knob.default[i] / knob.factor, 6);

/** @param {Element} target */
const isOpen = (target) => /** @type {HTMLDetailsElement} */ (target).open;
