// Compare: another machine at the same pose, or a kept run at the same time, side by side with what differs.

import { clear, h, needed, table } from "./dom.js";
import { differences } from "./differences.js";
import * as M from "./messages.js";
import { words } from "./refusals.js";
import { Derived } from "./screen.js";
import { SecondView } from "./secondview.js";
import { nearest } from "./plotsvg.js";
import { sampleAt } from "./samples.js";
import { num } from "./units.js";

/** @typedef {import("./types.d.ts").Machine & { label: string, data: import("./types.d.ts").TimelineData }} KeptRun */
/** @typedef {import("./differences.js").Side} Side */

export class CompareView {
  /** @param {import("./studio.js").Studio} studio */
  constructor(studio) {
    this.studio = studio;
    this.name = "compare";
    this.title = "Compare";
    /** @type {{ source: string, name: string } | null} of machine B; source "run": the kept run */
    this.other = null;
    /** @type {KeptRun | null} */
    this.kept = null;
    /** @type {import("./differences.js").Row[] | null} */
    this.rows = null;
    this.relative = true;
    this.second = new SecondView(studio);
    /** @type {HTMLSelectElement} */
    this.choice = h("select", {
      "aria-label": "Compare with",
      onchange: () => this.choose(this.choice.value),
    });
    this.alike = h("input", {
      type: "checkbox",
      checked: this.relative,
      onchange: () => {
        this.relative = this.alike.checked;
        this.machines.redraw();
      },
    });
    this.alikeRow = h(
      "label.inline",
      { title: "B is moved from its home as A is from its own; off: both at the same numbers" },
      this.alike,
      "displaced from home alike",
    );
    this.keepButton = h("button.text", { onclick: () => this.keepRun() }, "Keep this run as B");
    this.out = h("div.compared");
    this.el = h(
      "div",
      {},
      h("label.field", {}, "B is", this.choice),
      this.alikeRow,
      h("div.buttons", {}, this.keepButton),
      this.out,
    );
    this.machines = new Derived(studio.screen, {
      key: () => JSON.stringify([this.other, this.relative, studio.screen.document, this.solve]),
      ask: () => this.ask(),
      show: (answer) => this.showMachines(answer),
      fail: (error) => this.fail(error),
      clear: () => this.close(),
      mark: (stale) => this.out.classList.toggle("stale", stale),
    });
    this.derived = [this.machines];
    studio.screen.on("change", () => this.showRuns());
  }

  /** @param {boolean} on */
  shown(on) {
    if (on) this.list();
  }

  redraw() {
    this.second.place();
    this.showRuns();
  }

  /** What B can be. */
  list() {
    const { welcome } = this.studio;
    const value = this.other ? `${this.other.source}:${this.other.name}` : "";
    /**
     * @param {string} source
     * @param {string} name
     * @param {string} [text]
     */
    const option = (source, name, text = name) =>
      h("option", { value: `${source}:${name}`, selected: `${source}:${name}` === value }, text);
    clear(
      this.choice,
      h("option", { value: "", selected: !value }, "nothing"),
      this.kept ? option("run", "", `kept run: ${this.kept.label}`) : null,
      h(
        "optgroup",
        { label: "presets" },
        (welcome?.gallery ?? []).map((card) => option("preset", card.name)),
      ),
      h(
        "optgroup",
        { label: "files" },
        (welcome?.files ?? [])
          .filter((file) => file.kind === "machine")
          .map((file) => option("file", file.name)),
      ),
    );
    if (!this.other)
      clear(this.out, h("p.hint", {}, "Choose a machine, or keep a run and make another."));
  }

  /** @param {string} value "source:name", or nothing */
  choose(value) {
    const at = value.indexOf(":");
    this.other = value ? { source: value.slice(0, at), name: value.slice(at + 1) } : null;
    const machine = this.other !== null && this.other.source !== "run";
    this.alikeRow.hidden = this.other?.source === "run";
    this.machines.set(machine);
    if (!this.other) this.close();
    this.list();
    this.showRuns();
  }

  /** Hold on to the run on the plots. */
  keepRun() {
    const { screen, machine, runLabel } = this.studio;
    if (!screen.run || screen.runStale || !machine) return;
    this.kept = {
      label: `${machine.label || "machine"}, ${runLabel}`,
      data: screen.run.data,
      document: machine.document,
      drawing: machine.drawing,
    };
    this.choose("run:");
  }

  /**
   * At rest at the shown pose, with its loads: along a motion too.
   * @returns {import("./types.d.ts").SolveAsked | null}
   */
  get solve() {
    const { mode, run, solve, pose } = this.studio.screen;
    if (mode !== "time" || !run || !pose) return solve;
    const zero = [0, 0, 0, 0, 0, 0];
    const { payload, external } = run.motion;
    const show = { convention: "quaternion", pivot: [0, 0, 0], framed: false };
    const loads = { payload, external, velocity: zero, acceleration: zero };
    return { pose, ...loads, formulation: this.studio.formulation, show };
  }

  ask() {
    const { source, name } = needed(this.other, "a machine to compare with");
    const solve = needed(this.solve, "the pose that was asked for");
    return this.studio.connection.request((id) =>
      M.solveOther({ id, solve: { id, ...solve }, source, name, relative: this.relative }),
    );
  }

  /** @param {M.OtherSolved} answer */
  showMachines(answer) {
    const { own, other, drawing, document } = answer;
    const machine = needed(this.studio.machine, "a machine");
    const kinds = machine.drawing.kinds;
    const rows = differences(side(own, kinds), side(other, drawing.kinds));
    this.second.show({ document, drawing, at: other });
    const label = machine.label || "this machine";
    this.second.label(label, answer.label);
    const still = this.studio.screen.mode === "time" ? "both at rest at the shown pose" : "";
    const where = this.relative ? "both displaced from home alike" : "both at the same pose";
    this.draw(
      rows,
      label,
      answer.label,
      [where, still],
      [
        ["A", own.refused],
        ["B", other.refused],
      ],
    );
  }

  /** The kept run at the time on screen. */
  showRuns() {
    const { kept } = this;
    const { screen, machine } = this.studio;
    const { run, time } = screen;
    if (this.other?.source !== "run" || !kept || !machine) return;
    this.out.classList.toggle("stale", screen.runStale);
    if (!run || time === null) {
      clear(
        this.out,
        h("p.hint", {}, "Go to a time of the run on the plots: both runs are compared there."),
      );
      return;
    }
    const k = nearest(kept.data.t, time);
    const [a, b] = [runSide(run.data, screen.index), runSide(kept.data, k)];
    const rows = differences(
      { ...a, kinds: machine.drawing.kinds },
      { ...b, kinds: kept.drawing.kinds },
    );
    this.second.show({ document: kept.document, drawing: kept.drawing, at: b });
    const label = `${machine.label || "machine"}, ${this.studio.runLabel}`;
    this.second.label(label, kept.label);
    const times = `A at ${num(time, 3)} s, B at ${num(kept.data.t[k], 3)} s`;
    this.draw(rows, label, kept.label, [times], []);
  }

  /**
   * The table, and what is refused.
   * @param {import("./differences.js").Row[]} rows
   * @param {string} own
   * @param {string} other
   * @param {string[]} notes
   * @param {[string, string[]][]} refused
   */
  draw(rows, own, other, notes, refused) {
    /**
     * @param {import("./differences.js").Row} row
     * @param {number | null} x
     */
    const shown = (row, x) => (x === null ? "–" : num(x * row.scale, row.digits));
    clear(
      this.out,
      h("p", {}, h("b.side-a", {}, "A"), ` ${own}`),
      h("p", {}, h("b.side-b", {}, "B"), ` ${other}`),
      h("p.hint", {}, notes.filter(Boolean).join("; ")),
      h(
        "div.scroll-x",
        {},
        table(
          ["quantity", "A", "B", "B − A", "of A"],
          rows.map((row) =>
            h(
              "tr",
              { dataset: { row: row.name } },
              h("th", { scope: "row" }, row.name, row.unit ? h("small", {}, ` ${row.unit}`) : null),
              h("td", {}, shown(row, row.a)),
              h("td", {}, shown(row, row.b)),
              h("td", {}, shown(row, row.difference)),
              h("td", {}, row.share === null ? "–" : `${num(100 * row.share, 1)} %`),
            ),
          ),
        ),
      ),
      refused
        .filter(([, lines]) => lines.length)
        .map(([name, lines]) => h("p.error-text", {}, `${name}: ${lines[0]}`)),
    );
    this.rows = rows;
  }

  /** @param {unknown} error */
  fail(error) {
    this.second.close();
    clear(this.out, h("p.error-text", {}, words(error)));
  }

  close() {
    this.second.close();
    this.rows = null;
    clear(this.out);
  }
}

/**
 * What is compared of a PoseState.
 * @param {import("./types.d.ts").ComparedPose} state
 * @param {string[]} kinds
 * @returns {Side}
 */
function side({ coordinate, force, margin, condition_scaled: condition }, kinds) {
  return { coordinate, force, margin, condition, kinds };
}

/**
 * What is compared of sample k of a run.
 * @param {import("./types.d.ts").TimelineData} data
 * @param {number} k
 */
function runSide(data, k) {
  const sample = sampleAt(data, k);
  const margin = Array.from(data.leg_margin.slice(6 * k, 6 * k + 6));
  return { ...sample, margin, condition: sample.condition_scaled };
}
