// The live studio in motion: the connection, the machine, the pose asked for and the timeline shown.
/**
 * A change of the machine: the document to send, and what to do once the server has taken it.
 * @typedef {object} Change
 * @property {import("./types.d.ts").MachineDocument} document
 * @property {(machine: import("./messages.js").MachineOpened) => void} taken
 */

import { turned } from "./arrows.js";
import { clear, h, needed, section, toast } from "./dom.js";
import { dropDraft, ownDraft } from "./drafts.js";
import { WORLD, sameNumbers } from "./posepanel.js";
import { sig } from "./units.js";
import * as M from "./messages.js";
import { isLost, words } from "./refusals.js";
import { Kept } from "./kept.js";

export class Live extends Kept {
  /** Machine, mode: read of the one screen. */
  get machine() {
    return this.screen.machine;
  }
  get mode() {
    return this.screen.mode;
  }
  get solve() {
    return this.screen.solve;
  }

  /** @this {import("./studio.js").Studio} */
  wire() {
    this.panel.on("change", () => {
      this.toPose();
      this.ask();
    });
    this.panel.on("home", () => {
      this.toPose();
      this.goHome();
    });
    this.panel.on("numbering", (numbering) => this.renumber(numbering));
    this.editor.on("edit", ({ document }) => this.edit(document));
    this.history.on("change", () => {
      this.undo.disabled = !this.history.past.length;
      this.redo.disabled = !this.history.future.length;
    });
    this.viewer.on("drag", ({ position, quaternion }) => this.dragged(position, quaternion));
    this.timeline.on("time", ({ time, index }) => this.showTime(time, index));
    this.builder.on("build", () => this.makeMotion());
    this.builder.on("here", () => this.builder.addPoint(this.panel.pose));
    this.builder.on("simulate", () => this.simulate());
    this.builder.on("cancel", () =>
      this.connection.request((id) => M.cancel({ id })).catch(() => {}),
    );
    this.timeline.on("stale", (why) => {
      this.timeline.label.textContent = why ?? this.runLabel ?? "";
      this.timeline.label.title = why ?? this.runTitle ?? "";
      this.builder.setStale(why);
    });
    this.viewer.on("arrows", (arrows) => this.forceLegend(arrows));
    this.screen.on("change", () => this.mark());
    document.addEventListener("keydown", (event) => this.keys(event));
    this.stage.addEventListener("keydown", (event) => this.stageKeys(event));
  }

  /** @this {import("./studio.js").Studio} */
  connect() {
    const c = this.connection;
    c.on("status", (text) => {
      this.status.textContent = text;
      this.status.dataset.state = text;
    });
    c.on("failure", (error) => toast(words(error), "error"));
    c.on("pose", ({ answer, newest, asked }) => this.gotPose(answer, newest, asked));
    c.on("poseFailure", (error) => toast(words(error), "error"));
    c.on("welcome", (welcome) => this.welcomed(welcome));
  }

  /**
   * @this {import("./studio.js").Studio}
   * @param {import("./messages.js").Welcome} welcome
   */
  async welcomed(welcome) {
    this.welcome = welcome;
    this.panel.setConventions(welcome.conventions);
    this.builder.setWelcome(welcome);
    clear(
      this.formulationChoice,
      welcome.formulations.map((name) =>
        h("option", { value: name, selected: name === this.formulation }, name),
      ),
    );
    if (this.machine) await this.restore(welcome, this.machine);
    else await this.begin(welcome);
  }

  /**
   * Back after a restart: the page still holds the machine and its edits.
   * @this {import("./studio.js").Studio}
   * @param {import("./messages.js").Welcome} welcome
   * @param {import("./messages.js").MachineOpened} held
   */
  async restore(welcome, held) {
    const { document, label } = held;
    const preset = !this.edited && welcome.gallery.some((card) => card.name === label);
    try {
      const machine = await this.connection.request((id) =>
        preset
          ? M.openMachine({ id, source: "preset", name: label, text: "" })
          : M.setMachine({ id, document, label }),
      );
      this.connection.setRestored();
      this.useMachine(machine, false);
      toast("Connected again; nothing was lost.");
      if (this.mode === "pose") this.ask();
    } catch (error) {
      if (!isLost(error)) toast(words(error), "error");
    }
  }

  /**
   * A new page: what this tab had before it was reloaded, or the machine the studio was started with.
   * @this {import("./studio.js").Studio}
   * @param {import("./messages.js").Welcome} welcome
   */
  async begin(welcome) {
    const draft = ownDraft();
    if (!(draft && (await this.takeDraft(draft)))) {
      await this.open("start", "", "", false);
      this.offerDraft();
    }
    if (welcome.scenario) {
      this.builder.kind = "file";
      this.builder.values.file = welcome.scenario;
      this.builder.build();
    }
    await this.makeMotion(true);
  }

  /**
   * @this {import("./studio.js").Studio}
   * @param {string} source
   * @param {string} name
   * @param {string} [text]
   * @param {boolean} [forget]
   */
  async open(source, name, text = "", forget = true) {
    try {
      const machine = await this.connection.request((id) =>
        M.openMachine({ id, source, name, text }),
      );
      this.connection.setRestored();
      this.edited = false;
      this.history.start({ document: machine.document });
      this.screen.set({ mode: "pose", solve: null, moving: false });
      this.timeline.pause(true);
      this.screen.setRun(null);
      this.runLabel = "no motion yet";
      this.timeline.setStale(null);
      this.timeline.setData(null, null, this.runLabel);
      this.runTitle = "";
      this.builder.report(null, []); // what was told of the machine before
      this.viewer.setTrail(null);
      this.useMachine(machine, true);
      if (forget) dropDraft();
      this.builder.clearPoints();
      this.panel.resetLoads();
      this.goHome();
      return true;
    } catch (error) {
      toast(words(error), "error", 12);
      return false;
    }
  }

  /**
   * @this {import("./studio.js").Studio}
   * @param {import("./messages.js").MachineOpened} machine
   * @param {boolean} fresh
   */
  useMachine(machine, fresh) {
    this.screen.setMachine(machine);
    const label = machine.label || machine.document.name || "machine";
    this.chip.replaceChildren(label, this.edited ? h("i.dot", { title: "edited" }) : "");
    document.title = `${label} · gough studio`;
    this.viewer.setMachine(machine.document, machine.drawing, fresh);
    this.table.setMachine(machine);
    this.editor.setDocument(machine.document);
    if (fresh) {
      this.panel.setFrames(machine.document.frames);
      this.panel.setRange(machine.drawing.range);
      this.center(this.panel.numbering).catch(() => {}); // not connected: the status says so
    }
    this.warnings.hidden = !machine.warnings.length;
    clear(
      this.warnings,
      machine.warnings.length
        ? section(
            `${machine.warnings.length} note${machine.warnings.length > 1 ? "s" : ""} on this machine`,
            false,
            h(
              "ul",
              {},
              machine.warnings.map((w) => h("li", {}, w)),
            ),
          )
        : [],
    );
    this.slices.redraw();
    this.modes.redraw();
    this.features.redraw();
    if (fresh) return;
    if (this.mode === "time") this.showTime(this.timeline.time, this.screen.index);
    else if (this.state) this.draw(this.state);
  }

  /**
   * Send an edited document; what the machine refuses is shown and not kept.
   * @this {import("./studio.js").Studio}
   * @param {import("./types.d.ts").MachineDocument} document
   */
  edit(document) {
    this.keep(document);
    return this.queue(() => ({
      document,
      taken: (machine) => this.history.push({ document: machine.document }),
    }));
  }

  /**
   * @this {import("./studio.js").Studio}
   * @param {import("./editor.js").Step} which
   */
  step(which) {
    return this.queue(() => {
      const entry = this.history.peek(which);
      return entry && { document: entry.document, taken: () => this.history.move(which) };
    });
  }

  /**
   * Changes of the machine, one after the other; while the server is away they wait.
   * @this {import("./studio.js").Studio}
   * @param {() => Change | null} next
   */
  queue(next) {
    this.changes += 1;
    this.mark();
    const { lastChange } = this;
    this.lastChange = lastChange.then(async () => {
      const change = next();
      if (change) await this.change(change);
      this.changes -= 1;
      this.mark();
    });
    return this.lastChange;
  }

  /**
   * @this {import("./studio.js").Studio}
   * @param {Change} change
   */
  async change(change) {
    const { document, taken } = change;
    let machine = null;
    while (!machine) {
      await this.connection.whenRestored();
      try {
        const { label } = needed(this.machine, "a machine to change");
        machine = await this.connection.request((id) => M.setMachine({ id, document, label }));
      } catch (error) {
        if (isLost(error)) continue;
        this.editor.fail(
          /** @type {import("./types.d.ts").Refusal} */ (error),
          this.machine?.document ?? document,
        );
        this.keep();
        return;
      }
    }
    this.edited = true;
    taken(machine);
    this.useMachine(machine, false);
    this.keep();
    if (this.mode === "pose") this.ask();
  }

  /** @this {import("./studio.js").Studio} */
  goHome() {
    if (!this.machine) return;
    const { position, quaternion } = this.machine.drawing.home;
    this.askAt(position, quaternion);
  }

  /**
   * Rows of poses in other numbers, by the server.
   * @this {import("./studio.js").Studio}
   * @param {number[][]} rows
   * @param {import("./types.d.ts").Numbering} of
   * @param {import("./types.d.ts").Numbering} to
   */
  async restate(rows, of, to) {
    return (await this.connection.request((id) => M.restate({ id, rows, of, to }))).rows;
  }

  /**
   * Ranges of the sliders about home.
   * @this {import("./studio.js").Studio}
   * @param {import("./types.d.ts").Numbering} to
   */
  async center(to) {
    if (!this.machine) return;
    const { home, range } = this.machine.drawing;
    const row = [...home.position, ...home.quaternion];
    const [middle] = await this.restate([row], { ...WORLD, convention: "quaternion" }, to);
    if (sameNumbers(to, this.panel.numbering)) this.panel.setRange(range, middle);
  }

  /**
   * Say pose, waypoints and ranges in other numbers; nothing moves.
   * @this {import("./studio.js").Studio}
   * @param {import("./types.d.ts").Numbering} to
   */
  async renumber(to) {
    const { panel, machine } = this;
    try {
      for (;;) {
        const before = JSON.stringify([panel.pose, this.builder.points]);
        const here = [...panel.pose.position, ...panel.pose.angles];
        const rows = await this.restate([here, ...this.builder.points], panel.numbering, to);
        if (machine?.label !== this.machine?.label) return;
        if (before !== JSON.stringify([panel.pose, this.builder.points])) continue;
        panel.setNumbers(rows[0], to);
        this.builder.setPoints(rows.slice(1));
        break;
      }
      await this.center(to);
      if (this.mode === "pose") this.ask();
    } catch (error) {
      toast(words(error), "error");
      panel.setNumbers([...panel.pose.position, ...panel.pose.angles], panel.numbering);
      panel.build();
    }
  }

  /**
   * Ask for a pose of the reference point in the world; the panel then shows its numbers.
   * @this {import("./studio.js").Studio}
   * @param {number[]} position
   * @param {number[]} quaternion
   */
  askAt(position, quaternion) {
    this.ask({ position, angles: quaternion, ...WORLD, convention: "quaternion" });
  }

  /**
   * Ask for the pose on screen.
   * @this {import("./studio.js").Studio}
   * @param {import("./types.d.ts").Pose | null} [pose]
   */
  ask(pose = null) {
    if (!this.machine) return;
    const p = this.panel;
    const entered = pose ?? structuredClone(p.pose);
    const more = structuredClone({
      payload: p.payload,
      velocity: p.velocity,
      acceleration: p.acceleration,
      external: p.external,
    });
    const show = p.numbering;
    const solve = { pose: entered, ...more, formulation: this.formulation, show };
    this.screen.set({ mode: "pose", solve, moving: false });
    this.connection.pose((id) => M.solvePose({ id, ...solve }), solve);
  }

  /**
   * @this {import("./studio.js").Studio}
   * @param {import("./messages.js").PoseState} answer
   * @param {boolean} newest
   * @param {import("./types.d.ts").SolveAsked} asked
   */
  gotPose(answer, newest, asked) {
    const show = /** @type {import("./types.d.ts").Numbering} */ (answer.show); // sent whole
    this.state = answer;
    this.stateOf = asked;
    if (!this.viewerAsked) this.buildViewer();
    if (newest && this.mode === "pose" && !sameNumbers(asked.pose, show)) {
      if (sameNumbers(show, this.panel.numbering)) {
        this.panel.setNumbers([...answer.entered, ...answer.angles]);
        this.panel.show();
      } else this.askAt(answer.position, answer.quaternion); // other numbers were chosen meanwhile
    }
    if (this.mode === "pose") this.draw(answer);
    this.liveMode();
    this.mark();
  }

  /**
   * Mark what does not belong to what is on screen yet.
   * @this {import("./studio.js").Studio}
   */
  mark() {
    const { screen, state } = this;
    const fresh =
      screen.mode === "time"
        ? !screen.runStale
        : this.stateOf === screen.solve && state?.machine === screen.machine?.machine;
    this.stale = !fresh || this.changes > 0;
    this.stage.classList.toggle("stale", this.stale);
    this.table.el.classList.toggle("stale", this.stale);
    this.timeline.setHere(screen.mode === "time");
    this.freshenRun();
  }

  /** Everything shown belongs to the machine, pose, time and run on screen. */
  get settled() {
    const { slices, modes, code, features } = /** @type {import("./studio.js").Studio} */ (
      /** @type {unknown} */ (this)
    );
    const waiting = [slices, modes, code, ...features.derived].some((part) => part.stale);
    return !this.stale && !this.screen.runStale && !this.remaking && !waiting;
  }

  /**
   * Show a pose answer everywhere.
   * @this {import("./studio.js").Studio}
   * @param {import("./messages.js").PoseState} state
   */
  draw(state) {
    this.viewer.place(state.position, state.quaternion, state.coordinate);
    this.placeHandle(state.position, state.quaternion);
    this.viewer.setForces(state.spherical_force);
    this.viewer.setMarks(state.broken, state.near);
    this.table.update(state, "pose");
  }

  /**
   * The handle sits on the pivot, which turns with the platform.
   * @this {import("./studio.js").Studio}
   * @param {number[]} position
   * @param {number[]} quaternion
   */
  placeHandle(position, quaternion) {
    const arm = this.arm(quaternion);
    this.viewer.placeHandle(
      position.map((x, i) => x + arm[i]),
      quaternion,
    );
  }

  /**
   * @this {import("./studio.js").Studio}
   * @param {number[]} position
   * @param {number[]} quaternion
   */
  dragged(position, quaternion) {
    this.toPose();
    const arm = this.arm(quaternion);
    this.askAt(
      position.map((x, i) => x - arm[i]),
      quaternion,
    );
  }

  /**
   * From the reference point to the pivot, world axes.
   * @this {import("./studio.js").Studio}
   * @param {number[]} quaternion
   */
  arm(quaternion) {
    return turned(quaternion, this.panel.pose.pivot);
  }

  /**
   * How long the arrows are: the same for the same pose, or all along a run.
   * @this {import("./studio.js").Studio}
   * @param {{ length: number, force: number } | null} arrows
   */
  forceLegend(arrows) {
    this.overlay.querySelector(".force-legend")?.remove();
    if (!arrows) return;
    const text = `joint forces: ${sig(arrows.length * 1000, 3)} mm of arrow = ${sig(arrows.force)} N`;
    this.overlay.prepend(h("div.force-legend", { dataset: { force: arrows.force } }, text));
  }

  /** @this {import("./studio.js").Studio} */
  liveMode() {
    const { run, mode, index } = this.screen;
    const broken = run?.data.broken.slice(6 * index, 6 * index + 6) ?? [];
    this.stage.classList.toggle(
      "refused-pose",
      mode === "time"
        ? Array.from(broken).some((bits) => Number(bits) > 0)
        : Boolean(this.state?.refused.length),
    );
  }

  /**
   * From playing back to posing: the panel already stands where the motion stood; `ask` says where it goes.
   * @this {import("./studio.js").Studio}
   */
  toPose() {
    this.timeline.pause(true);
  }
}
