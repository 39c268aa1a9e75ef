// The live studio in motion: the connection, the machine, the pose asked for and the timeline shown.
import { clear, h, section, toast } from "./dom.js";
import { poseAt, sampleAt } from "./timeline.js";
import { WORLD, sameNumbers } from "./posepanel.js";
import { quat, v3 } from "./shapes.js";
import * as M from "./messages.js";
import { Page } from "./page.js";

export class Live extends Page {
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
    document.addEventListener("keydown", (event) => this.keys(event));
    this.stage.addEventListener("keydown", (event) => this.stageKeys(event));
  }

  connect() {
    const c = this.connection;
    c.on("status", (text) => {
      this.status.textContent = text;
      this.status.dataset.state = text;
    });
    c.on("failure", (error) => toast(error.text ?? error.message, "error"));
    c.on("pose", ({ answer, newest }) => this.gotPose(answer, newest));
    c.on("poseFailure", (error) => toast(error.text ?? error.message, "error"));
    c.on("welcome", (welcome) => this.welcomed(welcome));
  }

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
    if (this.machine) {
      // back after a restart: the page still holds the machine and its edits
      try {
        const preset =
          !this.edited && welcome.gallery.some((card) => card.name === this.machine.label);
        await this.connection.request((id) =>
          preset
            ? M.openMachine({ id, source: "preset", name: this.machine.label, text: "" })
            : M.setMachine({ id, document: this.machine.document, label: this.machine.label }),
        );
        toast("Connected again; nothing was lost.");
        this.ask();
      } catch (error) {
        toast(error.message, "error");
      }
      return;
    }
    await this.open("start", "");
    if (welcome.scenario) {
      this.builder.kind = "file";
      this.builder.values.file = welcome.scenario;
      this.builder.build();
    }
    await this.makeMotion(true);
  }

  async open(source, name, text = "") {
    try {
      const machine = await this.connection.request((id) =>
        M.openMachine({ id, source, name, text }),
      );
      this.edited = false;
      this.history.start({ document: machine.document, label: machine.label });
      this.useMachine(machine, true);
      this.timeline.setData(null);
      this.viewer.setTrail(null);
      this.builder.clearPoints();
      this.toPose();
      this.goHome();
      return true;
    } catch (error) {
      toast(error.text ?? error.message, "error", 12);
      return false;
    }
  }

  useMachine(machine, fresh) {
    this.machine = machine;
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
    if (this.sliceOn) this.slice(true);
    this.ghosts(false);
    if (this.state && !fresh) this.draw(this.state);
  }

  /** Send an edited document; what the machine refuses is shown and not kept. */
  async edit(document, record = true) {
    try {
      const machine = await this.connection.request((id) =>
        M.setMachine({ id, document, label: this.machine.label }),
      );
      this.edited = true;
      if (record) this.history.push({ document: machine.document, label: machine.label });
      this.useMachine(machine, false);
      this.ask();
      if (this.timeline.data && this.lastMotion && this.timelineKind === "trajectory")
        this.makeMotion(true, this.lastMotion);
    } catch (error) {
      error.lost
        ? toast("Not connected; the change was not taken.", "error")
        : this.editor.fail(error);
    }
  }

  step(which) {
    const entry = this.history[which]();
    if (entry) this.edit(entry.document, false);
  }

  goHome() {
    const { position, quaternion } = this.machine.drawing.home;
    this.askAt(position, quaternion);
  }

  /** Rows of poses in other numbers, by the server. */
  async restate(rows, of, to) {
    return (await this.connection.request((id) => M.restate({ id, rows, of, to }))).rows;
  }

  /** Ranges of the sliders about home. */
  async center(to) {
    const { home, range } = this.machine.drawing;
    const row = [...home.position, ...home.quaternion];
    const [middle] = await this.restate([row], { ...WORLD, convention: "quaternion" }, to);
    if (sameNumbers(to, this.panel.numbering)) this.panel.setRange(range, middle);
  }

  /** Say pose, waypoints and ranges in other numbers; nothing moves. */
  async renumber(to) {
    const { panel, machine } = this;
    try {
      for (;;) {
        const before = JSON.stringify([panel.pose, this.builder.points]);
        const here = [...panel.pose.position, ...panel.pose.angles];
        const rows = await this.restate([here, ...this.builder.points], panel.numbering, to);
        if (machine.label !== this.machine.label) return;
        if (before !== JSON.stringify([panel.pose, this.builder.points])) continue;
        panel.setNumbers(rows[0], to);
        this.builder.setPoints(rows.slice(1));
        break;
      }
      await this.center(to);
      if (this.mode === "pose") this.ask();
    } catch (error) {
      toast(error.text ?? error.message, "error");
      panel.setNumbers([...panel.pose.position, ...panel.pose.angles], panel.numbering);
      panel.build();
    }
  }

  /** Ask for a pose of the reference point in the world; the panel then shows its numbers. */
  askAt(position, quaternion) {
    this.ask({ position, angles: quaternion, ...WORLD, convention: "quaternion" });
  }

  /** Ask for the pose on screen. */
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
    this.solve = { pose: entered, ...more, formulation: this.formulation, show };
    const solve = this.solve;
    this.connection.pose((id) => {
      this.sent = solve;
      return M.solvePose({ id, ...solve });
    });
  }

  gotPose(answer, newest) {
    const sent = this.sent;
    this.state = answer;
    if (newest && this.mode === "pose" && sent && !sameNumbers(sent.pose, answer.show)) {
      if (sameNumbers(answer.show, this.panel.numbering)) {
        this.panel.setNumbers([...answer.entered, ...answer.angles]);
        this.panel.show();
      } else this.askAt(answer.position, answer.quaternion); // other numbers were chosen meanwhile
    }
    if (this.mode === "pose") this.draw(answer);
    this.liveMode();
  }

  /** Show a pose answer everywhere. */
  draw(state) {
    this.viewer.place(state.position, state.quaternion, state.coordinate);
    this.placeHandle(state.position, state.quaternion);
    this.viewer.setForces(state.spherical_force);
    this.viewer.setMargins(state.margin);
    this.table.update(state, "pose");
  }

  /** The handle sits on the pivot, which turns with the platform. */
  placeHandle(position, quaternion) {
    const arm = this.arm(quaternion);
    this.viewer.placeHandle(
      position.map((x, i) => x + arm[i]),
      quaternion,
    );
  }

  dragged(position, quaternion) {
    this.toPose();
    const arm = this.arm(quaternion);
    this.askAt(
      position.map((x, i) => x - arm[i]),
      quaternion,
    );
  }

  /** From the reference point to the pivot, world axes. */
  arm(quaternion) {
    return v3(this.panel.pose.pivot).applyQuaternion(quat(quaternion)).toArray();
  }

  liveMode() {
    this.stage.classList.toggle(
      "refused-pose",
      this.mode === "pose" && Boolean(this.state?.refused.length),
    );
  }

  /** From playing back to posing: the panel already stands where the motion stood. */
  toPose() {
    if (this.mode === "pose") return;
    this.mode = "pose";
    this.timeline.pause();
  }

  /** Sliders show the pose of the motion: what would have to be entered to stand there. The newest pose wins. */
  async followSliders({ position, quaternion }) {
    this.followed = [...position, ...quaternion];
    if (this.following) return;
    this.following = true;
    try {
      while (this.followed) {
        const row = this.followed;
        this.followed = null;
        const to = this.panel.numbering;
        const [numbers] = await this.restate([row], { ...WORLD, convention: "quaternion" }, to);
        if (this.mode !== "time") break;
        if (!sameNumbers(to, this.panel.numbering)) this.followed ??= row;
        else {
          this.panel.setNumbers(numbers);
          this.panel.show();
        }
      }
    } catch {
      this.followed = null; // not connected: the status says so
    } finally {
      this.following = false;
    }
  }

  async makeMotion(quiet = false, message = null) {
    const motion = message ?? this.builder.message(this.panel);
    this.builder.go.disabled = true;
    try {
      const answer = await this.connection.request((id) => M.makeMotion({ id, ...motion }));
      this.lastMotion = motion;
      this.showTimeline(answer, quiet && Boolean(message));
    } catch (error) {
      this.builder.report(null, [error.text ?? error.message]);
      if (!quiet) toast(error.text ?? error.message, "error", 10);
    } finally {
      this.builder.go.disabled = false;
    }
  }

  showTimeline(answer, keep) {
    this.timelineKind = answer.kind;
    if (keep) this.timeline.replaceData(answer.data, this.machine);
    else this.timeline.setData(answer.data, this.machine, answer.label);
    this.timeline.label.textContent = answer.refused.length
      ? `${answer.label}: ${answer.refused.length} limits broken`
      : answer.label;
    this.timeline.label.classList.toggle("bad", answer.refused.length > 0);
    this.timeline.label.title = answer.refused.join("\n") || answer.label;
    this.viewer.setTrail(answer.data.position);
    this.builder.report(answer.summary, [...answer.refused, ...answer.notes]);
    if (this.mode === "time") this.timeline.seek(this.timeline.time);
  }

  async simulate() {
    const motion = this.builder.message(this.panel);
    const controller = this.builder.controller.value;
    const step = Number(this.builder.step.value);
    const bandwidth = Number(this.builder.bandwidth.value);
    this.builder.progress(0);
    try {
      const answer = await this.connection.request(
        (id) =>
          M.simulate({
            id,
            motion: { id, ...motion },
            controller,
            bandwidth,
            integrator: "",
            step,
          }),
        (p) => this.builder.progress(p.fraction),
      );
      this.showTimeline(answer, false);
    } catch (error) {
      this.builder.report(null, [error.text ?? error.message]);
    } finally {
      this.builder.progress(null);
    }
  }

  showTime(time, index) {
    const data = this.timeline.data;
    this.mode = "time";
    const pose = poseAt(data, time);
    this.followSliders(pose);
    const sample = sampleAt(data, index);
    sample.margin = data.leg_margin
      ? Array.from(data.leg_margin.slice(6 * index, 6 * index + 6))
      : null;
    this.viewer.place(pose.position, pose.quaternion, pose.coordinate);
    this.placeHandle(pose.position, pose.quaternion);
    this.viewer.setForces(sample.spherical_force);
    this.viewer.setMargins(sample.margin);
    this.table.update({ ...sample, refused: [] }, `t = ${data.t[index].toFixed(2)} s`);
    this.liveMode();
  }
}
