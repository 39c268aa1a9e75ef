// The workspace volume in the view: coarse while the platform moves, finer once it rests.

import { scaleColor, scaleGradient } from "./colors.js";
import { h } from "./dom.js";
import { icon } from "./icons.js";
import * as M from "./messages.js";
import { words } from "./refusals.js";
import { Derived } from "./screen.js";
import { sig } from "./units.js";

const COARSE = 4; // 2^4 cells along each side
const FINE = 6;
const REST = 300; // ms without a change before a finer grid is asked for
const QUICK = 900; // ms: a finer grid costs about eight times as much as the last one

/**
 * How each quantity is shown.
 * @type {Record<string, { name: string, unit: string, scale: number, log: boolean }>}
 */
const QUANTITIES = {
  margin: { name: "margin to the nearest limit", unit: "% of its range", scale: 100, log: false },
  condition: { name: "condition number of H", unit: "", scale: 1, log: true },
  stiffness: { name: "stiffness, softest direction", unit: "N/µm", scale: 1e-6, log: true },
};

export class VolumeView {
  /** @param {import("./studio.js").Studio} studio */
  constructor(studio) {
    this.studio = studio;
    this.on = false;
    this.quantity = "margin";
    this.stiffness = 1e8;
    this.proved = false;
    this.cut = "y"; // the colors of a limit are all dark on its surface: what is inside is seen on a cut
    this.depth = COARSE;
    const title = "Workspace volume at this orientation, colored (V)";
    this.button = studio.tool([icon("volume"), "volume"], title, () => this.set(!this.on));
    studio.plane.after(this.button);
    /** @type {M.VolumeShown | null} */
    this.answer = null;
    this.began = 0; // when it was asked for, ms
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.timer = undefined;
    this.told = false; // whether the words below the scale are unfolded
    this.derived = [
      new Derived(studio.screen, {
        key: () =>
          `${this.quantity} ${this.stiffness} ${this.proved} ${this.cut} ${studio.screen.placeKey}`,
        ask: (pose) => this.ask(pose),
        show: (answer) => this.show(answer),
        fail: (error) => this.fail(error),
        clear: () => this.clear(),
        mark: (stale) => this.mark(stale),
      }),
    ];
  }

  /** @param {boolean} on */
  set(on) {
    this.on = on;
    this.button.classList.toggle("on", on);
    this.button.setAttribute("aria-pressed", String(on));
    this.depth = COARSE;
    this.derived[0].set(on);
    if (on && !this.answer) this.legend("asking for the volume …");
  }

  /** Another quantity or kind of cells: asked for at once. */
  again() {
    this.depth = COARSE;
    this.derived[0].redraw();
  }

  /** @param {import("./types.d.ts").Pose} pose */
  ask(pose) {
    this.began = performance.now();
    const { quantity, stiffness, depth, proved, cut } = this;
    return this.studio.connection.request((id) =>
      M.mapVolume({ id, pose, quantity, stiffness, depth, proved, cut }),
    );
  }

  /** @param {M.VolumeShown} answer */
  show(answer) {
    this.answer = answer;
    this.took = performance.now() - this.began;
    this.draw(answer);
    this.legend(null);
    clearTimeout(this.timer);
    if (answer.depth === COARSE || (answer.depth < FINE && this.took < QUICK)) {
      const key = this.derived[0].parts.key();
      this.timer = setTimeout(() => this.refine(key, answer.depth + 1), REST);
    }
  }

  /**
   * The same with smaller cells, where nothing changed meanwhile.
   * @param {string} key
   * @param {number} depth
   */
  refine(key, depth) {
    const part = this.derived[0];
    const { pose, moving } = this.studio.screen;
    if (!pose || !this.on || part.busy || part.parts.key() !== key || moving) return;
    this.depth = depth;
    part.run(pose);
  }

  /** @param {unknown} error */
  fail(error) {
    this.answer = null;
    this.studio.viewer.clearVolume();
    this.legend(`no volume: ${words(error)}`);
  }

  clear() {
    clearTimeout(this.timer);
    this.answer = null;
    this.studio.viewer.clearVolume();
    this.studio.legend("volume-legend", null);
  }

  /** @param {boolean} stale */
  mark(stale) {
    if (stale) {
      this.depth = COARSE;
      clearTimeout(this.timer);
    }
    this.studio.overlay.querySelector(".volume-legend")?.classList.toggle("stale", stale);
    this.studio.viewer.dimVolume(stale);
  }

  /** @param {M.VolumeShown} answer */
  draw(answer) {
    const { log } = QUANTITIES[answer.quantity];
    /** @param {number} x */
    const place = (x) => (log ? Math.log(x) : x);
    const [low, high] = rangeOf(answer).map(place);
    this.studio.viewer.setVolume(answer, (x) => {
      const at = (place(x) - low) / (high - low);
      return scaleColor(answer.quantity === "condition" ? 1 - at : at);
    });
  }

  /**
   * The legend in the corner, with the choices.
   * @param {string | null} instead said where there is nothing to explain
   */
  legend(instead) {
    /** @type {HTMLElement | null} */
    const focus = this.studio.overlay.querySelector(".volume-legend :focus");
    const box = h("div.volume-legend", { role: "group", "aria-label": "Workspace volume" });
    box.append(this.choices());
    if (instead) box.append(h("p", {}, instead));
    else if (this.answer) box.append(...this.explained(this.answer));
    this.studio.legend("volume-legend", box);
    const field = focus?.dataset.field;
    /** @type {HTMLElement | null} */
    const again = field ? box.querySelector(`[data-field=${field}]`) : null;
    again?.focus();
  }

  choices() {
    const quantity = h(
      "select.mini",
      {
        "aria-label": "Quantity of the colors",
        dataset: { field: "quantity" },
        onchange: () => {
          this.quantity = quantity.value;
          this.again();
        },
      },
      Object.keys(QUANTITIES).map((name) =>
        h("option", { value: name, selected: name === this.quantity }, name),
      ),
    );
    const cells = h(
      "select.mini",
      {
        "aria-label": "Cells drawn",
        dataset: { field: "cells" },
        onchange: () => {
          this.proved = cells.value === "proved";
          this.again();
        },
      },
      ["sampled", "proved"].map((name) =>
        h("option", { value: name, selected: (name === "proved") === this.proved }, name),
      ),
    );
    const cut = h(
      "select.mini",
      {
        "aria-label": "Cut through this pose",
        dataset: { field: "cut" },
        onchange: () => {
          this.cut = cut.value;
          this.again();
        },
      },
      [["", "none"], ..."xyz"].map((one) =>
        h("option", { value: one[0], selected: one[0] === this.cut }, one.at(-1)),
      ),
    );
    const soft = h("input.number", {
      type: "number",
      min: 0.001,
      step: "any",
      value: this.stiffness * 1e-6,
      "aria-label": "Stiffness of every leg, N/µm",
      dataset: { field: "stiffness" },
      onchange: () => {
        if (!(soft.valueAsNumber > 0)) return;
        this.stiffness = soft.valueAsNumber * 1e6;
        this.again();
      },
    });
    const leg = h("label", {}, "leg ", soft, " N/µm");
    return h(
      "div.choices",
      {},
      h("label", {}, "color ", quantity),
      h("label", {}, "cells ", cells),
      h("label", {}, "cut ", cut),
      this.quantity === "stiffness" ? leg : null,
    );
  }

  /** @param {M.VolumeShown} answer */
  explained(answer) {
    const { name, unit, scale, log } = QUANTITIES[answer.quantity];
    const [low, high] = rangeOf(answer);
    const middle = log ? Math.sqrt(low * high) : (low + high) / 2;
    const ends = answer.quantity === "condition" ? [high, middle, low] : [low, middle, high];
    const [value, least, most] = answer.volume;
    const size = [0, 1, 2].map((k) => (1000 * (answer.box[3 + k] - answer.box[k])) / answer.cells);
    const proved = answer.why
      ? `no bound is proved: ${answer.why}`
      : `proved: at least ${sig(least, 3)} m³, at most ${sig(most, 3)} m³`;
    /** @type {HTMLDetailsElement} */
    const more = h(
      "details",
      { open: this.told, ontoggle: () => (this.told = more.open) },
      h(
        "summary",
        {},
        `${sig(value, 3)} m³, sampled in cells of ${size.map((x) => sig(x, 2)).join(" × ")} mm`,
      ),
      h("p", {}, `Joined with this pose without turning, by the centers of the cells; ${proved}.`),
      answer.text.slice(1).map((said) => h("p", {}, said)),
    );
    return [
      h("strong", {}, `${name}${unit ? `, ${unit}` : ""}`),
      h("div.scale", { style: { background: scaleGradient() } }),
      h(
        "div.scale-ends",
        {},
        ends.map((x) => h("span", {}, sig(x * scale, 3))),
      ),
      more,
    ];
  }
}

/**
 * Ends of the color scale, SI.
 * @param {M.VolumeShown} answer
 */
function rangeOf({ values, worst, best }) {
  const [low, high] = [Math.min(worst, best), Math.max(worst, best)];
  return values.some((x) => x !== null) ? [low, high > low ? high : low + 1e-12] : [0, 1];
}
