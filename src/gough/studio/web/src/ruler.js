// The distance between two points of the view: chosen from lists, typed, or clicked; it follows the machine as drawn.

import { clear, h } from "./dom.js";
import { apart, clickedPoint, clickedWords, mm, namedPoints, typedPoint } from "./points.js";

const NEAR = 12; // px: a click so near to a joint means it
const FAR = 26; // px: where no surface is under the pointer
const STILL = 4; // px: a click that moved farther turned the view
const [TYPED, CLICKED] = ["typed", "clicked"];
const DRAWN =
  "A clicked point is a point of the drawing. Plates, struts and joints are drawn, they are not the true parts: " +
  "the distance is only as exact as the drawing.";

/**
 * One end of the distance.
 * @typedef {object} End
 * @property {string} chosen name of a point, "typed", "clicked", or nothing
 * @property {import("./points.js").Typed} typed
 * @property {import("./points.js").Clicked | null} clicked
 * @property {HTMLSelectElement} list
 * @property {HTMLElement} numbers
 */

export class Ruler {
  /** @param {import("./studio.js").Studio} studio */
  constructor(studio) {
    this.studio = studio;
    this.open = false;
    this.next = 0; // which end the next click is, where both are chosen
    /** @type {number | null} m */
    this.distance = null;
    /** @type {number[] | null} dx, dy, dz, m */
    this.parts = null;
    /** @type {{ at: number[], text: string } | null} what is written in the view */
    this.label = null;
    /** @type {unknown} the drawn machine whose points are in the lists */
    this.listed = null;
    this.document = 0; // whose drawing was clicked on
    /** @type {[number, number]} */
    this.pressed = [0, 0];
    /** @type {[End, End]} */
    this.ends = [this.end("from", 0), this.end("to", 1)];
    this.told = h("p.measured", { role: "status" });
    this.notes = h("div.hint");
    this.el = this.build();
    studio.stage.addEventListener("pointerdown", (event) => {
      this.pressed = [event.clientX, event.clientY];
    });
    studio.stage.addEventListener("click", (event) => this.click(event));
  }

  /**
   * @param {"from" | "to"} name
   * @param {number} i
   * @returns {End}
   */
  end(name, i) {
    const list = h("select", {
      "aria-label": `Measure ${name}`,
      onchange: () => {
        this.ends[i].chosen = list.value;
        this.changed();
      },
    });
    /** @type {End} */
    const end = {
      chosen: "",
      typed: { axes: "world", mm: [0, 0, 0] },
      clicked: null,
      list,
      numbers: h("div.typed-point", { hidden: true }),
    };
    const boxes = ["x", "y", "z"].map((axis, k) =>
      h(
        "label",
        {},
        axis,
        h("input.number", {
          type: "number",
          step: "any",
          value: "0",
          "aria-label": `Measure ${name}, ${axis} in millimeters`,
          oninput: (event) => {
            const { value } = event.target;
            end.typed.mm[k] = value.trim() === "" ? null : Number(value);
            this.changed();
          },
        }),
      ),
    );
    const axes = h(
      "select",
      {
        "aria-label": `Measure ${name}, axes of these numbers`,
        onchange: () => {
          end.typed.axes = axes.value === "platform" ? "platform" : "world";
          this.changed();
        },
      },
      h("option", { value: "world" }, "mm, world axes"),
      h("option", { value: "platform" }, "mm, platform axes"),
    );
    end.numbers.append(...boxes, axes);
    return end;
  }

  build() {
    const [from, to] = this.ends;
    return h(
      "div.ruler",
      {},
      h(
        "div.section-head",
        {},
        h("h3", {}, "Distance"),
        h("button.text", { onclick: () => this.swap() }, "swap"),
        h("button.text", { onclick: () => this.forget() }, "clear"),
      ),
      h(
        "p.hint",
        {},
        "Choose two points, or click twice in the view while this panel is open: on a joint, or on a surface ",
        "(with Shift always the surface).",
      ),
      h("label.field", {}, "from", from.list),
      from.numbers,
      h("label.field", {}, "to", to.list),
      to.numbers,
      this.told,
      this.notes,
    );
  }

  /** The machine as the view holds it; nothing is read of a view that is not there yet. */
  get drawn() {
    const { viewer } = this.studio;
    return viewer.alive ? viewer.machine : null;
  }

  swap() {
    const [from, to] = this.ends.map(({ chosen, clicked, typed }) => ({ chosen, clicked, typed }));
    this.ends.forEach((end, i) => {
      Object.assign(end, [to, from][i]);
      this.write(end);
    });
    this.changed();
  }

  /**
   * The boxes of typed numbers, as they are held.
   * @param {End} end
   */
  write(end) {
    const boxes = end.numbers.querySelectorAll("input");
    boxes.forEach((box, k) => (box.value = String(end.typed.mm[k] ?? "")));
    const axes = end.numbers.querySelector("select");
    if (axes) axes.value = end.typed.axes;
  }

  forget() {
    for (const end of this.ends) Object.assign(end, { chosen: "", clicked: null });
    this.next = 0;
    this.changed();
  }

  /** Another choice: written and drawn again. */
  changed() {
    this.list();
    this.measure();
    this.studio.features.measure.relabel();
  }

  /** The points to choose from; a point of another drawing is none of this one. */
  list() {
    const { drawn } = this;
    this.listed = drawn;
    if (this.document !== this.studio.screen.document)
      for (const end of this.ends) {
        end.clicked = null;
        if (end.chosen === CLICKED) end.chosen = "";
      }
    this.document = this.studio.screen.document;
    const points = drawn ? namedPoints(drawn) : [];
    const groups = [...new Set(points.map((point) => point.group))];
    for (const end of this.ends) {
      const names = [...points.map((point) => point.name), TYPED, end.clicked ? CLICKED : ""];
      if (!names.includes(end.chosen)) end.chosen = "";
      /**
       * @param {string} value
       * @param {string} text
       */
      const option = (value, text) => h("option", { value, selected: value === end.chosen }, text);
      clear(
        end.list,
        option("", "–"),
        end.clicked && drawn ? option(CLICKED, clickedWords(end.clicked, drawn)) : null,
        option(TYPED, "typed coordinates"),
        groups.map((group) =>
          h(
            "optgroup",
            { label: group },
            points.filter((p) => p.group === group).map(({ name }) => option(name, name)),
          ),
        ),
      );
      end.numbers.hidden = end.chosen !== TYPED;
    }
  }

  /**
   * Where an end is now.
   * @param {End} end
   * @param {import("./machine3d.js").Machine3D} drawn
   * @returns {import("./points.js").Found | null}
   */
  found(end, drawn) {
    if (!end.chosen) return null;
    if (end.chosen === CLICKED) return end.clicked && clickedPoint(end.clicked, drawn);
    if (end.chosen === TYPED) {
      const { position, quaternion } = drawn.platform;
      const { x, y, z, w } = quaternion;
      return typedPoint(end.typed, { position: position.toArray(), quaternion: [w, x, y, z] });
    }
    return namedPoints(drawn).find((point) => point.name === end.chosen) ?? null;
  }

  /** Said and drawn for the machine as it is drawn now; dimmed with the view while that is computed anew. */
  measure() {
    const { drawn } = this;
    if (this.listed !== drawn) this.list();
    const [a, b] = this.ends.map((end) => (drawn ? this.found(end, drawn) : null));
    const ends = /** @type {[number[], number[]] | null} */ (a?.at && b?.at ? [a.at, b.at] : null);
    const moving = this.studio.screen.moving;
    this.told.setAttribute("aria-live", moving ? "off" : "polite");
    this.studio.viewer.setRule(ends);
    this.distance = null;
    this.parts = null;
    this.label = null;
    const lines = [];
    if (ends) {
      const { distance, parts } = apart(...ends);
      Object.assign(this, { distance, parts });
      const middle = ends[0].map((x, i) => (x + ends[1][i]) / 2);
      this.label = { at: middle, text: `${mm(distance)} mm` };
      const along = parts.map((x, i) => `${["dx", "dy", "dz"][i]} ${mm(x)}`).join("  ");
      clear(this.told, h("strong", {}, `${mm(distance)} mm`), h("span", {}, `${along} mm`));
      lines.push("dx, dy, dz: to minus from, world axes.");
      if (moving) lines.push("While it plays the view goes between samples, and so does this.");
    } else {
      const why = new Set([a, b].map((point) => (point?.at ? "" : (point?.why ?? ""))));
      why.delete("");
      clear(this.told, why.size ? `no distance: ${[...why].join("; ")}` : null);
    }
    if (this.ends.some((end) => end.chosen === CLICKED)) lines.push(DRAWN);
    clear(
      this.notes,
      lines.map((line) => h("p", {}, line)),
    );
  }

  /**
   * A click chooses a joint, or a point of the surface under it, for one end after the other.
   * @param {MouseEvent} event
   */
  click(event) {
    const { viewer, stage } = this.studio;
    const { drawn } = this;
    if (!this.open || !drawn) return;
    const moved = Math.hypot(event.clientX - this.pressed[0], event.clientY - this.pressed[1]);
    if (moved > STILL || viewer.gizmo.axis) return;
    const box = stage.getBoundingClientRect();
    const [x, y] = [event.clientX - box.left, event.clientY - box.top];
    const hit = viewer.surface(x, y);
    const joint = event.shiftKey ? null : this.jointAt(x, y, hit?.world ?? null);
    if (!joint && !hit) return;
    const empty = this.ends.findIndex(({ chosen }) => !chosen);
    const i = empty < 0 ? this.next : empty;
    const end = this.ends[i];
    end.chosen = joint ?? CLICKED;
    if (!joint && hit) end.clicked = { body: hit.body, local: hit.local };
    this.next = 1 - i;
    this.changed();
  }

  /**
   * The joint at a place of the view; one behind the surface that is seen there is not meant.
   * @param {number} x
   * @param {number} y
   * @param {number[] | null} surface
   */
  jointAt(x, y, surface) {
    const { drawn } = this;
    if (!drawn) return null;
    let best = surface ? NEAR : FAR;
    let found = null;
    for (const { name, at, joint } of namedPoints(drawn)) {
      const seen = joint && at ? this.studio.viewer.seen(at) : null;
      if (!seen || !at) continue;
      if (surface && apart(at, surface).distance > 3 * drawn.r) continue;
      const away = Math.hypot(x - seen[0], y - seen[1]);
      if (away < best) [best, found] = [away, name];
    }
    return found;
  }
}
