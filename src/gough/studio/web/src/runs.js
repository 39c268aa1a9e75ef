// Motions and simulations on the timeline: asked for, shown, stale when the screen no longer is what they are of.

import { largest } from "./arrows.js";
import { toast } from "./dom.js";
import { brokenWords } from "./legtable.js";
import { WORLD, sameNumbers } from "./posepanel.js";
import { poseAt, sampleAt } from "./samples.js";
import * as M from "./messages.js";
import { isLost, words } from "./refusals.js";
import { Page } from "./page.js";

export class Runs extends Page {
  /**
   * Keep the plots in step with the screen: a trajectory is computed again, a simulation waits to be run again.
   * @this {import("./studio.js").Studio}
   */
  freshenRun() {
    const { screen, timeline } = this;
    const { run } = screen;
    if (!run || !screen.runStale) {
      timeline.setStale(null);
      return;
    }
    const simulated = run.kind === "simulation";
    const { payload, external } = this.panel;
    const key = JSON.stringify([screen.document, payload, external, run.number]);
    const refused = this.notRemade === key;
    timeline.setStale(
      simulated
        ? "simulated before the last change; run it again"
        : refused
          ? "of an earlier machine or load; refused for this one"
          : "of an earlier machine or load; being computed again",
    );
    if (simulated) {
      if (screen.mode === "time") this.leaveTime();
      return;
    }
    const { remaking } = this;
    if (remaking || refused) return;
    this.remaking = true;
    this.makeMotion(true, { ...run.motion, payload, external }).then((made) => {
      this.remaking = false;
      this.notRemade = made === "refused" ? key : null;
      if (made === "refused" && screen.mode === "time") this.leaveTime();
      if (made !== "lost") this.freshenRun();
    });
  }

  /**
   * Pose the platform by hand where the timeline stood.
   * @this {import("./studio.js").Studio}
   */
  leaveTime() {
    const { pose } = this.screen;
    this.toPose();
    if (pose) this.askAt(pose.position, pose.angles);
  }

  /**
   * "shown", "refused", "outdated" (the machine changed meanwhile) or "lost" (the connection).
   * @this {import("./studio.js").Studio}
   * @param {boolean} [quiet]
   * @param {import("./types.d.ts").MotionAsked | null} [message]
   */
  async makeMotion(quiet = false, message = null) {
    const motion = structuredClone(message ?? this.builder.message(this.panel));
    this.builder.go.disabled = true;
    try {
      const answer = await this.connection.request((id) => M.makeMotion({ id, ...motion }));
      if (answer.machine !== this.screen.machine?.machine) return "outdated";
      this.showTimeline(answer, { kind: "trajectory", motion, simulate: null }, Boolean(message));
      return "shown";
    } catch (error) {
      if (isLost(error)) return "lost";
      this.builder.report(null, [words(error)]);
      if (!quiet) toast(words(error), "error", 10);
      return "refused";
    } finally {
      this.builder.go.disabled = false;
    }
  }

  /**
   * @this {import("./studio.js").Studio}
   * @param {import("./messages.js").Timeline} answer
   * @param {Pick<import("./types.d.ts").Run, "kind" | "motion" | "simulate">} run
   * @param {boolean} keep
   */
  showTimeline(answer, run, keep) {
    this.timelineKind = answer.kind;
    const { data } = answer;
    this.screen.setRun({ ...run, data, most: largest(data.spherical_vector) });
    this.timeline.setStale(null);
    const { machine } = this;
    if (keep) this.timeline.replaceData(data, machine);
    else this.timeline.setData(data, machine, answer.label);
    this.runLabel = answer.refused.length
      ? `${answer.label}: ${answer.refused.length} limits broken`
      : answer.label;
    this.timeline.label.textContent = this.runLabel;
    this.timeline.label.classList.toggle("bad", answer.refused.length > 0);
    this.runTitle = answer.refused.join("\n") || answer.label;
    this.timeline.label.title = this.runTitle;
    this.viewer.setTrail(data.position);
    this.builder.report(answer.summary, answer.refused, answer.notes);
    if (this.screen.mode === "time") this.timeline.seek(this.timeline.time);
  }

  /** @this {import("./studio.js").Studio} */
  async simulate() {
    const motion = structuredClone(this.builder.message(this.panel));
    const message = {
      controller: this.builder.controller.value,
      bandwidth: Number(this.builder.bandwidth.value),
      integrator: "",
      step: Number(this.builder.step.value),
    };
    this.builder.progress(0);
    try {
      const answer = await this.connection.request(
        (id) => M.simulate({ id, motion: { id, ...motion }, ...message }),
        (p) => this.builder.progress(p.fraction),
      );
      if (answer.machine === this.screen.machine?.machine)
        this.showTimeline(answer, { kind: "simulation", motion, simulate: message }, false);
      else
        this.builder.report(null, [
          "The machine was changed while it was simulated; run it again.",
        ]);
    } catch (error) {
      this.builder.report(null, [words(error)]);
    } finally {
      this.builder.progress(null);
    }
  }

  /**
   * Stand at a sample of the run, or, while it plays, between two.
   * @this {import("./studio.js").Studio}
   * @param {number} time
   * @param {number} index
   */
  showTime(time, index) {
    const { screen, timeline, machine } = this;
    if (!screen.run || !machine) return;
    const { data, most } = screen.run;
    screen.set({ mode: "time", index, moving: timeline.playing });
    const pose = poseAt(data, time);
    this.followSliders(pose);
    const sample = sampleAt(data, index);
    this.viewer.place(pose.position, pose.quaternion, pose.coordinate);
    this.placeHandle(pose.position, pose.quaternion);
    this.viewer.setForces(sample.spherical_force, most);
    this.viewer.setMarks(sample.broken, sample.near);
    const refused = brokenWords(sample.broken, machine.drawing);
    const by = this.formulation === "exact" ? "" : ", exact";
    const heading = "Beyond the limits here";
    this.table.update({ ...sample, refused, heading }, `t = ${data.t[index].toFixed(2)} s${by}`);
    this.liveMode();
  }

  /**
   * Sliders show the pose of the motion: what would have to be entered to stand there. The newest pose wins.
   * @this {import("./studio.js").Studio}
   * @param {{ position: number[], quaternion: number[] }} pose
   */
  async followSliders(pose) {
    const { position, quaternion } = pose;
    const { following } = this;
    this.followed = [...position, ...quaternion];
    if (following) return;
    this.following = true;
    try {
      while (this.followed) {
        /** @type {number[]} */
        const row = this.followed;
        this.followed = null;
        const to = this.panel.numbering;
        const [numbers] = await this.restate([row], { ...WORLD, convention: "quaternion" }, to);
        if (this.screen.mode !== "time") break;
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
}
