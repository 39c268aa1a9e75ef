// Under each slider: how far its number goes from the pose on screen while the others stay; hatched: not reachable.

import { h, needed } from "./dom.js";
import * as M from "./messages.js";
import { words } from "./refusals.js";
import { Derived } from "./screen.js";
import { DEG, num } from "./units.js";

const REST = 400; // ms without a change before the ranges are asked for
const THUMB = 15; // px, of a slider's handle: its middle does not reach the ends of the track

export class Tracks {
  /** @param {import("./studio.js").Studio} studio */
  constructor(studio) {
    this.studio = studio;
    /** @type {M.TravelShown | null} */
    this.answer = null;
    this.asked = ""; // what the newest ranges were asked for
    this.note = h("p.hint.reach-note", { role: "status" });
    studio.panel.rows.after(this.note);
    this.derived = [
      new Derived(studio.screen, {
        key: () => `${JSON.stringify(studio.panel.numbering)} ${studio.screen.placeKey}`,
        ask: () => this.ask(),
        show: (answer) => this.show(answer),
        fail: (error) => this.fail(error),
        clear: () => this.clear(),
        mark: (stale) => this.mark(stale),
      }),
    ];
    studio.panel.on("built", () => this.draw());
    this.derived[0].set(true);
  }

  /** Ask once the platform rests: while it is dragged the ranges are marked. */
  async ask() {
    const { screen, connection, panel } = this.studio;
    const part = this.derived[0];
    for (let key = null; key !== part.parts.key(); await new Promise((go) => setTimeout(go, REST)))
      key = part.parts.key();
    this.asked = part.parts.key();
    const pose = needed(screen.pose, "a pose"); // the newest, not that of the change that began it
    return connection.request((id) => M.findTravel({ id, pose, show: panel.numbering }));
  }

  /** @param {M.TravelShown} answer */
  show(answer) {
    const part = this.derived[0];
    part.shown = this.asked; // asked for later than the change that began it
    this.answer = answer;
    this.draw();
    const turns = answer.axes ? "" : "; the angles of this rotation are no turns: not shown";
    const proved = answer.proved
      ? "each end proved, the others held"
      : "not every end is proved; see the sliders' hints";
    this.note.textContent = `Bars: how far each goes from here (${proved})${turns}.`;
    this.note.title = answer.unchecked.join("\n");
  }

  /** @param {unknown} error */
  fail(error) {
    this.derived[0].shown = this.asked;
    this.answer = null;
    this.draw();
    this.note.textContent = `No ranges: ${words(error)}`;
  }

  clear() {
    this.answer = null;
    this.draw();
    this.note.textContent = "";
  }

  /** @param {boolean} stale */
  mark(stale) {
    this.studio.panel.rows.classList.toggle("reach-stale", stale);
    this.note.classList.toggle("stale", stale);
  }

  /** Bars below the sliders, and what ends them as hint of each slider. */
  draw() {
    const { panel } = this.studio;
    for (const [i, slider] of panel.sliders.entries()) {
      slider.parentElement?.querySelector(".reach-bar")?.remove();
      slider.removeAttribute("title");
      slider.removeAttribute("aria-description");
      if (!this.answer || (i >= 3 && !this.answer.axes)) continue;
      this.bar(this.answer, slider, i);
    }
  }

  /**
   * @param {M.TravelShown} answer
   * @param {HTMLInputElement} slider
   * @param {number} i
   */
  bar(answer, slider, i) {
    const { low, high, why_low: down, why_high: up } = answer;
    const unit = i < 3 ? "mm" : "°";
    /** @param {number} x */
    const shown = (x) => (i < 3 ? 1000 * x : x / DEG);
    const [from, to] = [shown(low[i]), shown(high[i])];
    const [least, most] = [Number(slider.min), Number(slider.max)];
    /** @param {number} x */
    const share = (x) => Math.min(Math.max((x - least) / (most - least || 1), 0), 1);
    /** @param {number} x */
    const place = (x) => `calc(${THUMB / 2}px + (100% - ${THUMB}px) * ${share(x)})`;
    const text =
      `from ${num(from, 2)} ${unit} (${down[i]}) ` + `to ${num(to, 2)} ${unit} (${up[i]})`;
    slider.title = text;
    slider.setAttribute("aria-description", `reachable ${text}`);
    slider.after(
      h(
        "div.reach-bar",
        { "aria-hidden": "true", dataset: { low: low[i], high: high[i] } },
        h("i", { style: { left: place(from), right: `calc(100% - ${place(to)})` } }),
      ),
    );
  }
}
