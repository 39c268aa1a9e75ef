// Motion cueing: a vehicle's telemetry as a motion of the machine, with its judgement and its score; onto the timeline.

import { AXES, shownUnit } from "./cuecurves.js";
import { CueForm } from "./cueform.js";
import { KINDS, cuePlots } from "./cueplots.js";
import { clear, h, table } from "./dom.js";
import * as M from "./messages.js";
import { words } from "./refusals.js";
import { OnDemand } from "./screen.js";
import { num, sig } from "./units.js";
import { SHARES_TOLD, bars } from "./usedbars.js";

/** @type {Record<string, string>} how a verdict is colored */
const LOOKS = { "proved at every instant": "ok", broken: "bad" };

export class CueingPanel {
  /** @param {import("./studio.js").Studio} studio */
  constructor(studio) {
    this.studio = studio;
    this.name = "cueing";
    this.title = "Cueing";
    /** @type {M.CueMade | null} what is shown */
    this.answer = null;
    this.document = 0; // of the machine it is of
    this.kind = "felt";
    this.form = new CueForm();
    this.go = h("button.primary", { onclick: () => this.compute() }, "Compute cue");
    this.halt = h("button.text", { hidden: true, onclick: () => this.stop() }, "stop");
    this.bar = h("progress", { hidden: true, "aria-label": "The cue is being computed" });
    this.error = h("div.error-text", { role: "alert", hidden: true });
    this.marked = h("p.cue-stale", { role: "status", hidden: true });
    this.putButton = h("button.primary", { onclick: () => this.put() }, "Put on the timeline");
    this.told = h("p.hint", { role: "status" });
    this.out = h("div.cue-out");
    this.result = h(
      "div.cue-result",
      { hidden: true },
      this.marked,
      h("div.buttons", {}, this.putButton),
      this.told,
      this.out,
    );
    this.el = h(
      "div.cueing",
      {},
      h("p.hint", {}, "What a vehicle's driver feels, as a motion of this machine about its home."),
      this.form.el,
      h("div.buttons", {}, this.go, this.halt, this.bar),
      this.error,
      this.result,
    );
    /** @type {OnDemand<M.CueMade>} */
    this.cues = new OnDemand(studio.screen, {
      key: () => JSON.stringify([studio.screen.document, this.form.settings]),
      ask: () => this.ask(),
      show: (answer) => this.show(answer),
      fail: (error) => this.fail(error),
      clear: () => this.empty(),
      mark: (stale) => this.mark(stale),
    });
    this.derived = [this.cues];
    this.form.on("change", () => this.cues.check());
  }

  /** @param {boolean} on whether the panel is seen */
  shown(on) {
    if (on) this.list();
  }

  /** What can be chosen: files may have come since. */
  async list() {
    try {
      this.form.setOffered(await this.studio.connection.request((id) => M.offerCues({ id })));
      if (!this.cues.busy) this.go.disabled = false;
    } catch (error) {
      this.go.disabled = !this.form.offered;
      this.say(words(error));
    }
  }

  /** @param {string} text of what is refused; empty: nothing */
  say(text) {
    this.error.hidden = !text;
    this.error.textContent = text;
  }

  async compute() {
    const { pose } = this.studio.screen;
    if (this.cues.busy || !this.form.offered || !pose) return;
    this.say("");
    this.told.textContent = "";
    if (!this.cues.on) this.cues.set(true);
    await this.cues.run(pose);
    if (!this.answer && this.cues.on) {
      this.cues.set(false);
      this.say("The machine was changed, or the connection lost, meanwhile: compute it again.");
    }
  }

  async ask() {
    const cue = this.form.settings;
    this.busy(true);
    try {
      return await this.studio.connection.request((id) => M.makeCue({ id, cue }));
    } finally {
      this.busy(false);
    }
  }

  /** @param {boolean} on */
  busy(on) {
    this.go.disabled = on;
    this.halt.hidden = this.bar.hidden = !on;
    this.putButton.disabled = on || this.cues.stale || !this.answer;
    if (on) this.marked.hidden = true;
  }

  stop() {
    this.studio.connection.request((id) => M.cancel({ id })).catch(() => {});
  }

  /** @param {boolean} stale whether it is of another machine, or of other settings, than what is on screen */
  mark(stale) {
    const old = stale && this.answer !== null;
    this.out.classList.toggle("stale", old);
    this.putButton.disabled = stale || !this.answer;
    this.marked.hidden = !old || this.go.disabled;
    this.marked.textContent =
      this.document === this.studio.screen.document
        ? "Of other settings than those above: compute it again."
        : "Of another machine than the one on screen: compute it again.";
    if (old) this.told.textContent = "";
  }

  /** @param {unknown} error */
  fail(error) {
    this.cues.set(false);
    this.say(words(error));
  }

  empty() {
    this.answer = null;
    this.result.hidden = true;
    clear(this.out);
    this.told.textContent = "";
  }

  /** As on a fresh page. */
  reset() {
    this.cues.set(false);
    this.say("");
    this.form.reset();
  }

  /** @param {M.CueMade} answer */
  show(answer) {
    this.answer = answer;
    this.document = this.studio.screen.document;
    this.result.hidden = false;
    const look = LOOKS[answer.word];
    const kind = h(
      "select",
      {
        "aria-label": "What the plots show",
        onchange: () => {
          this.kind = kind.value;
          clear(plots, cuePlots(answer, this.kind));
        },
      },
      Object.entries(KINDS).map(([name, { title }]) =>
        h("option", { value: name, selected: name === this.kind }, title),
      ),
    );
    const plots = h("div.cue-plots", {}, cuePlots(answer, this.kind));
    clear(
      this.out,
      h("h3", {}, answer.label),
      h(
        "p.cue-verdict",
        { className: `cue-verdict ${look ?? "open"}` },
        h("strong", {}, answer.word),
        `: ${answer.verdict}`,
      ),
      h(
        "p",
        {},
        h("strong", { dataset: { value: answer.scale } }, `scale ${sig(answer.scale, 4)}`),
        `, ${answer.scale_text}; ${sig(answer.duration, 4)} s`,
      ),
      answer.notes.map((note) => h("p.hint", {}, note)),
      this.usedLimits(answer),
      scoreTable(answer),
      h("label.field", {}, "over time", kind),
      plots,
    );
  }

  /**
   * How much of each limit the cue uses; the machine is the one on screen while this is made.
   * @param {M.CueMade} answer
   */
  usedLimits({ used, looked }) {
    const { machine } = this.studio;
    if (!machine) return null;
    return h(
      "div.cue-used",
      {},
      h("h3", {}, "Used share of every limit"),
      bars(used, machine.drawing),
      h("p.hint", {}, `Largest at ${looked} even times; ${SHARES_TOLD}`),
    );
  }

  /** The motion on screen is this cue from now on: plots, simulation and code follow. */
  async put() {
    if (!this.answer || this.cues.stale) return;
    const { cue, label } = this.answer;
    this.studio.builder.setCue(cue, label);
    this.putButton.disabled = true;
    this.told.textContent = "computing everything along it …";
    const made = await this.studio.makeMotion();
    this.told.textContent =
      made === "shown"
        ? "On the timeline: plots, simulation and code are of this motion."
        : "Not on the timeline: see the message, or compute it again.";
    this.cues.check();
  }
}

/**
 * What is missed, noticed and felt the wrong way round.
 * @param {M.CueMade} made
 */
function scoreTable({ missed, noticed, false_cue: wrong }) {
  return [
    h(
      "div.scroll-x",
      {},
      table(
        ["felt", "missed", "noticed", "false cue"],
        AXES.map((name, axis) => {
          const { unit, scale } = shownUnit(axis);
          return h(
            "tr",
            { dataset: { axis: name } },
            h("th", { scope: "row" }, name),
            h(
              "td",
              { dataset: { value: missed[axis] } },
              `${sig(missed[axis] * scale, 3)} ${unit}`,
            ),
            h("td", { dataset: { value: noticed[axis] } }, `${num(100 * noticed[axis], 1)} %`),
            h("td", { dataset: { value: wrong[axis] } }, `${num(100 * wrong[axis], 1)} %`),
          );
        }),
      ),
    ),
    h(
      "p.hint",
      {},
      "Missed: root mean square of the sensed error against the scaled vehicle. Noticed: share of the time in " +
        "which it exceeds the threshold. False cue: share of the time felt in the opposite direction. Sensed by " +
        "models of an average person's inner ear at the reference point; nothing here measures one.",
    ),
  ];
}
