// Calibration: the machine as it was built, from readings or a synthetic trial; where to measure; taking it over.

import { turned } from "./arrows.js";
import { numbersTable, planCsv, residualsPlot, residualsTable, unseenList } from "./calibrated.js";
import { CalibrationForm } from "./calibrationform.js";
import { clear, download, h } from "./dom.js";
import * as M from "./messages.js";
import { words } from "./refusals.js";
import { Derived, OnDemand } from "./screen.js";

const STALE = "Of another machine or of other inputs than those above: compute it again.";

export class CalibrationPanel {
  /** @param {import("./studio.js").Studio} studio */
  constructor(studio) {
    this.studio = studio;
    this.name = "calibration";
    this.title = "Calibration";
    /** @type {M.Calibrated | null} */
    this.answer = null;
    /** @type {M.PosesPlanned | null} */
    this.planned = null;
    this.chosen = 0; // pose of the plan
    /** @type {number | null} document of the machine that was taken over, while that is told */
    this.takenAs = null;
    this.busy = this.arrived = this.open = false;
    this.told = h("p.hint", { role: "status" });
    this.out = h("div.calibrated");
    this.planOut = h("div.calibrated");
    this.form = new CalibrationForm(() => this.changed());
    this.go = h("button.primary", { onclick: () => this.compute(this.found) }, "Calibrate");
    this.goPlan = h("button.text", { onclick: () => this.compute(this.plan) }, "plan poses");
    this.stop = h("button.text", { hidden: true, onclick: () => this.cancel() }, "stop");
    this.bar = h("progress", { hidden: true, "aria-label": "Computing" });
    this.el = h(
      "div.calibration",
      {},
      this.form.el,
      h("div.buttons", {}, this.go, this.goPlan, this.stop, this.bar),
      this.told,
      this.out,
      this.planOut,
    );
    const { screen } = studio;
    /** @type {Derived<M.UnknownsListed>} */
    this.unknowns = new Derived(screen, {
      key: () => String(screen.document),
      ask: () => studio.connection.request((id) => M.listUnknowns({ id })),
      show: (answer) => this.form.setUnknowns(answer),
      fail: (error) => {
        this.form.setUnknowns(null);
        this.told.textContent = words(error);
      },
      clear: () => {},
      mark: () => {},
    });
    /** @type {OnDemand<M.Calibrated>} */
    this.found = new OnDemand(screen, {
      key: () => `${screen.document} ${this.form.key}`,
      ask: () => this.ask(),
      show: (answer) => this.show(answer),
      fail: (error) => this.fail(error, this.out),
      clear: () => this.forget(),
      mark: (stale) => this.mark(stale),
    });
    /** @type {OnDemand<M.PosesPlanned>} */
    this.plan = new OnDemand(screen, {
      key: () => `${screen.document} ${this.form.planKey}`,
      ask: () => this.askPlan(),
      show: (answer) => this.showPlan(answer),
      fail: (error) => this.fail(error, this.planOut),
      clear: () => this.forgetPlan(),
      mark: (stale) => this.markPlan(stale),
    });
    this.found.set(true);
    this.plan.set(true);
    this.derived = [this.unknowns];
  }

  /** @param {boolean} on whether the panel is seen */
  shown(on) {
    this.open = on;
    if (on !== this.unknowns.on) this.unknowns.set(on);
    if (on) this.listFiles();
    this.drawPlan();
  }

  /** The view was built anew. */
  redraw() {
    this.drawPlan();
  }

  async listFiles() {
    try {
      const { files } = await this.studio.connection.request((id) => M.listFiles({ id }));
      const names = files.filter(({ kind }) => kind === "readings").map(({ name }) => name);
      if (JSON.stringify(names) !== JSON.stringify(this.form.files)) this.form.setFiles(names);
    } catch {
      return; // not connected: the status says so
    }
  }

  /** Something was entered: what is shown may belong to something else now. */
  changed() {
    this.found?.check();
    this.plan?.check();
  }

  /** @param {OnDemand<any>} part */
  async compute(part) {
    const { pose } = this.studio.screen;
    if (this.busy || !pose) return;
    const { missing } = this.form;
    this.told.textContent = missing || "computing …";
    if (missing) return;
    this.setBusy(true);
    this.arrived = false;
    await part.run(pose);
    this.setBusy(false);
    this.told.textContent = this.arrived
      ? ""
      : "The machine or the connection changed while this was computed; ask again.";
  }

  /** As on a fresh page. */
  reset() {
    for (const part of [this.found, this.plan]) {
      part.set(false);
      part.set(true);
    }
    this.told.textContent = "";
    this.form.reset();
  }

  /** @param {boolean} on */
  setBusy(on) {
    this.busy = on;
    this.stop.hidden = this.bar.hidden = !on;
    this.go.disabled = this.goPlan.disabled = on;
    this.el.setAttribute("aria-busy", String(on));
  }

  cancel() {
    this.studio.connection.request((id) => M.cancel({ id })).catch(() => {});
  }

  ask() {
    const { given } = this.form;
    return this.studio.connection.request((id) => M.calibrate({ id, given }));
  }

  askPlan() {
    const { given } = this.form;
    const { count, seed } = given.trial;
    return this.studio.connection.request((id) => M.planPoses({ id, given, count, seed }));
  }

  /** What *Code* shows of this panel, where that belongs to the screen. */
  get code() {
    const { answer, planned, found, plan, form } = this;
    const { given } = form;
    const { count, seed } = given.trial;
    /**
     * @param {boolean} of whether of the plan
     * @param {string} fingerprint
     */
    const asked = (of, fingerprint) => ({ given, plan: of, count, seed, fingerprint });
    return [
      answer && !found.stale ? asked(false, answer.fingerprint) : null,
      planned && !plan.stale ? asked(true, planned.fingerprint) : null,
    ].filter((one) => one !== null);
  }

  /**
   * @param {unknown} error
   * @param {HTMLElement} where
   */
  fail(error, where) {
    this.arrived = true;
    if (where === this.out) this.answer = null;
    else {
      this.planned = null;
      this.drawPlan();
    }
    clear(where, h("p.error-text", { role: "alert" }, words(error)));
  }

  forget() {
    this.answer = null;
    clear(this.out);
  }

  forgetPlan() {
    this.planned = null;
    clear(this.planOut);
    this.drawPlan();
  }

  /** @param {M.Calibrated} answer */
  show(answer) {
    this.answer = answer;
    this.arrived = true;
    this.take = h(
      "button.primary",
      { dataset: { act: "take" }, onclick: () => this.takeOver() },
      answer.synthetic ? "Take over (synthetic)" : "Take over",
    );
    this.staleNote = h("p.stale-note", { hidden: true }, STALE);
    const state = answer.settled
      ? `settled after ${answer.steps} steps`
      : `not settled after ${answer.steps} steps`;
    clear(
      this.out,
      this.staleNote,
      h(
        "h3",
        {},
        `Calibration: ${answer.source} `,
        answer.synthetic ? h("b.synthetic", {}, "synthetic") : null,
      ),
      h(
        "p",
        { dataset: { told: "state" } },
        `${answer.poses} poses, ${answer.numbers.length} unknowns, ${answer.seen} combinations seen; ${state}`,
      ),
      answer.warnings.map((text) => h("p.warning", {}, sentence(text))),
      answer.notes.map((text) => h("p.hint", {}, sentence(text))),
      h("div.buttons", {}, this.take),
      residualsTable(answer),
      residualsPlot(answer),
      unseenList(answer),
      numbersTable(answer),
    );
  }

  /** @param {boolean} stale */
  mark(stale) {
    this.out.classList.toggle("outdated", stale && this.found.shown !== null);
    if (this.takenAs !== null && this.takenAs !== this.studio.screen.document) {
      this.takenAs = null; // undone, or edited since
      this.told.textContent = "";
    }
    this.studio.code.check();
    if (!this.answer || !this.staleNote || !this.take) return;
    this.staleNote.hidden = !stale;
    this.take.disabled = !this.mayTake;
    this.take.title = this.answer.settled
      ? "The calibrated machine becomes the machine on screen; undo brings this one back"
      : "The search did not end: there is nothing to take over";
  }

  get mayTake() {
    const { answer, found } = this;
    return Boolean(answer?.settled && answer.document && !found.stale && !found.busy);
  }

  /** The calibrated machine becomes the machine on screen, as any edit does. */
  async takeOver() {
    const { studio, answer } = this;
    if (!answer?.document || !this.mayTake || studio.changes) return;
    const { synthetic } = answer;
    const before = studio.history.now;
    await studio.edit(answer.document);
    this.takenAs = studio.screen.document;
    this.told.textContent =
      studio.history.now === before
        ? `Not taken over: ${studio.editor.error.textContent}`
        : `Taken over${synthetic ? ", from synthetic readings" : ""}: ` +
          "undo brings the machine before back, Save writes it.";
  }

  /** @param {M.PosesPlanned} plan */
  showPlan(plan) {
    this.planned = plan;
    this.arrived = true;
    this.chosen = 0;
    this.planNote = h("p.stale-note", { hidden: true }, STALE);
    /** @type {HTMLInputElement} */
    const at = h("input", {
      type: "range",
      min: 0,
      max: plan.rows.length - 1,
      step: 1,
      value: 0,
      "aria-label": "Planned pose",
      oninput: () => {
        this.chosen = Number(at.value);
        this.drawPlan();
      },
    });
    this.planAt = h("p.way-told");
    this.planButtons = [
      h("button.primary", { dataset: { act: "csv" }, onclick: () => this.savePlan() }, "CSV"),
      h("button.text", { dataset: { act: "go" }, onclick: () => this.enter() }, "go there"),
    ];
    clear(
      this.planOut,
      this.planNote,
      h("h3", {}, `Plan: ${plan.rows.length} poses`),
      plan.notes.map((text) => h("p.hint", {}, sentence(text))),
      at,
      this.planAt,
      h("div.buttons", {}, this.planButtons),
    );
    this.drawPlan();
    this.planOut.scrollIntoView({ block: "nearest" });
  }

  /** @param {boolean} stale */
  markPlan(stale) {
    this.planOut.classList.toggle("outdated", stale && this.plan.shown !== null);
    if (this.planNote) this.planNote.hidden = !stale;
    for (const button of this.planButtons ?? []) button.disabled = stale;
    this.studio.code.check();
    this.drawPlan();
  }

  /** The poses of the plan in the view, while this panel is seen and they belong to the machine. */
  drawPlan() {
    const { planned, studio, chosen } = this;
    if (!planned || !this.open || this.plan.stale || !studio.machine) {
      studio.viewer.setPlan([], -1);
      return;
    }
    /** @type {import("./types.d.ts").Machine} */
    const { document: doc } = studio.machine;
    const joints = doc.legs.map((leg) => leg.joint);
    const loops = planned.rows.map((row) =>
      joints.map((joint) => turned(row.slice(3), joint).map((x, k) => x + row[k])),
    );
    studio.viewer.setPlan(loops, chosen);
    if (this.planAt)
      this.planAt.textContent = `pose ${chosen + 1} of ${planned.rows.length}, bright in the view`;
  }

  savePlan() {
    if (this.planned && !this.plan.stale) download("plan.csv", planCsv(this.planned), "text/csv");
  }

  enter() {
    const row = this.planned?.rows[this.chosen];
    if (!row || this.plan.stale) return;
    this.studio.toPose();
    this.studio.askAt(row.slice(0, 3), row.slice(3));
  }
}

/** @param {string} text */
const sentence = (text) => `${text[0].toUpperCase()}${text.slice(1)}.`;
