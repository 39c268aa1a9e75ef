// The live studio: joins the connection, the panels, the view and the timeline.

import { Builder } from "./builder.js";
import { Connection } from "./connection.js";
import { clear, dialog, download, h, section, toast } from "./dom.js";
import { machineView } from "./drawings.js";
import { Editor, History } from "./editor.js";
import { LegTable } from "./legtable.js";
import * as M from "./messages.js";
import { PosePanel } from "./posepanel.js";
import { Timeline, poseAt, sampleAt } from "./timeline.js";
import { quat, v3 } from "./shapes.js";
import { Viewer } from "./viewer.js";
import { help, sliceLegend } from "./help.js";
import { icon } from "./icons.js";

export class Studio {
  constructor(root) {
    this.machine = null;
    this.edited = false;
    this.mode = "pose";
    this.formulation = "exact";
    this.history = new History();
    this.panel = new PosePanel();
    this.table = new LegTable();
    this.editor = new Editor();
    this.builder = new Builder();
    this.timeline = new Timeline();
    this.layout(root);
    this.viewer = new Viewer(this.stage);
    this.wire();
    const url = new URL("ws", location.href);
    url.protocol = "ws:";
    url.search = location.search;
    if (location.search) history.replaceState(null, "", location.pathname); // the token stays in a cookie, not in the address
    this.connection = new Connection(url.href);
    this.connect();
    this.setTheme(readTheme());
  }

  layout(root) {
    const button = (text, title, onclick, more = {}) =>
      h("button.text", { title, onclick, ...more }, text);
    this.chip = h(
      "button.chip.machine",
      { title: "Choose a machine", onclick: () => this.gallery() },
      "…",
    );
    this.status = h("span.status", { role: "status" }, "connecting");
    this.undo = button(icon("undo"), "Undo (Ctrl+Z)", () => this.step("undo"), {
      disabled: true,
      "aria-label": "Undo",
    });
    this.redo = button(icon("redo"), "Redo (Ctrl+Shift+Z)", () => this.step("redo"), {
      disabled: true,
      "aria-label": "Redo",
    });
    this.tabs = {
      edit: button("Edit", "Change the machine (E)", () => this.drawer("edit")),
      motion: button("Motion", "Build a trajectory, simulate (M)", () => this.drawer("motion")),
      code: button("Code", "Python and command line for what is on screen (C)", () =>
        this.drawer("code"),
      ),
    };
    this.themeButton = button(
      icon("theme"),
      "Dark or light",
      () => this.setTheme(document.documentElement.dataset.theme === "dark" ? "light" : "dark"),
      { "aria-label": "Dark or light theme" },
    );
    const top = h(
      "header.top",
      {},
      h("span.brand", {}, "gough", h("em", {}, "studio")),
      this.chip,
      h(
        "nav",
        { "aria-label": "Studio" },
        button("Open", "Presets and files (O)", () => this.gallery()),
        button("Save", "Save as TOML (S)", () => this.save()),
        this.undo,
        this.redo,
        h("span.gap"),
        this.tabs.edit,
        this.tabs.motion,
        this.tabs.code,
      ),
      h("span.grow"),
      button("?", "Keys and help", () => help(), { "aria-label": "Help" }),
      this.themeButton,
      this.status,
    );
    this.warnings = h("div.warnings", { hidden: true });
    this.formulationChoice = h("select", {
      "aria-label": "Formulation of the live forces",
      onchange: () => {
        this.formulation = this.formulationChoice.value;
        this.ask();
      },
    });
    const side = h(
      "aside.side",
      { "aria-label": "Pose and legs" },
      this.panel.el,
      this.table.el,
      h("label.field", {}, "formulation", this.formulationChoice),
      this.warnings,
      this.panel.more,
      this.viewSection(),
    );
    this.stage = h("div.stage", {
      tabIndex: 0,
      role: "application",
      "aria-label":
        "3D view. Arrow keys move the platform, Page Up and Down raise and lower it, with Shift they turn it.",
    });
    this.overlay = h("div.overlay", {});
    this.drawerBody = h("div.drawer-body");
    this.drawerEl = h(
      "aside.drawer",
      { hidden: true, "aria-label": "Tools" },
      h(
        "header",
        {},
        (this.drawerTitle = h("h2")),
        h("button.icon", { "aria-label": "Close", onclick: () => this.drawer(null) }, "✕"),
      ),
      this.drawerBody,
    );
    root.append(
      top,
      h(
        "main.body",
        {},
        side,
        h(
          "div.center",
          {},
          h("div.view", {}, this.stage, this.toolbar(), this.overlay, this.drawerEl),
          this.timeline.row,
          this.timeline.bar,
        ),
      ),
    );
  }

  viewSection() {
    const check = (name, label, title) =>
      h(
        "label.inline",
        { title },
        h("input", {
          type: "checkbox",
          checked: this.defaults(name),
          onchange: (event) => this.viewer.toggle(name, event.target.checked),
        }),
        label,
      );
    return section(
      "Show",
      true,
      h(
        "div.checks",
        {},
        check("forces", "joint forces", "force of each leg on the platform"),
        check("frames", "frames", "world and platform axes"),
        check("centers", "mass centers", "of platform and leg bodies"),
        check("cones", "joint cones", "what the joint cones allow"),
      ),
    );
  }

  defaults(name) {
    return { frames: true, forces: true }[name] ?? false;
  }

  toolbar() {
    const tool = (text, title, onclick, more = {}) =>
      h("button.tool", { title, onclick, "aria-label": title, ...more }, text);
    const modes = { translate: "move", rotate: "turn", off: "none" };
    this.gizmoButtons = Object.entries(modes).map(([mode, name]) =>
      tool(
        icon(name),
        { translate: "Drag to move (G)", rotate: "Drag to turn (R)", off: "No drag handle" }[mode],
        () => this.gizmo(mode),
        { dataset: { mode } },
      ),
    );
    this.plane = h(
      "select.mini",
      {
        "aria-label": "Plane of the workspace slice",
        onchange: () => this.sliceOn && this.slice(true),
      },
      ["xy", "xz", "yz"].map((p) => h("option", {}, p)),
    );
    return h(
      "div.toolbar",
      { role: "toolbar", "aria-label": "View" },
      this.gizmoButtons,
      tool(icon("fit"), "Fit the view (F)", () => this.viewer.fit()),
      (this.sliceButton = tool(
        [icon("slice"), "slice"],
        "Workspace slice at this orientation (W)",
        () => this.slice(!this.sliceOn),
      )),
      this.plane,
      (this.ghostButton = tool(
        [icon("modes"), "modes"],
        "All assembly modes with these leg lengths (A)",
        () => this.ghosts(!this.ghostsOn),
      )),
      tool(
        icon("camera"),
        "Save the view as PNG",
        async () => this.viewer.alive && download("view.png", await this.viewer.picture()),
      ),
    );
  }

  wire() {
    this.panel.on("change", () => {
      this.toPose();
      this.ask();
    });
    this.panel.on("home", () => {
      this.toPose();
      this.goHome();
    });
    this.panel.on("convention", (name) => this.ask(name));
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
      this.panel.pose.pivot = [0, 0, 0];
      this.panel.setRange(machine.drawing.range);
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
    const pivot = [...this.panel.pose.pivot];
    this.panel.pose.position = this.toEnter(position, quaternion);
    this.ask(this.panel.pose.convention, {
      convention: "quaternion",
      angles: quaternion,
      position: this.panel.pose.position,
      pivot,
    });
  }

  /** The position to enter, with the pivot of the panel, for the reference point to be at `position`. */
  toEnter(position, quaternion) {
    const { pivot } = this.panel.pose;
    const turned = v3(pivot).applyQuaternion(quat(quaternion)).toArray();
    return position.map((x, i) => x - pivot[i] + turned[i]);
  }

  /** Ask for the pose on screen; `show` is the convention for the answer's angles. */
  ask(show = this.panel.pose.convention, pose = null) {
    if (!this.machine) return;
    const p = this.panel;
    const entered = pose ?? structuredClone(p.pose);
    const more = structuredClone({
      payload: p.payload,
      velocity: p.velocity,
      acceleration: p.acceleration,
      external: p.external,
    });
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
    if (
      newest &&
      this.mode === "pose" &&
      sent &&
      (sent.pose.convention !== answer.convention || sent.show !== this.panel.pose.convention)
    ) {
      const changed = this.panel.pose.convention !== answer.convention; // from the handle, home, or another convention
      this.panel.pose.angles = [...answer.angles];
      this.panel.pose.convention = answer.convention;
      this.panel.pose.position = [...answer.entered];
      if (changed) {
        this.builder.clearPoints();
        this.panel.build();
      }
      this.panel.show();
    }
    if (this.mode === "pose") this.draw(answer);
    this.liveMode();
  }

  /** Show a pose answer everywhere. */
  draw(state) {
    this.viewer.place(state.position, state.quaternion, state.coordinate);
    const handle = state.entered.map((x, i) => x + (this.sent?.pose.pivot[i] ?? 0));
    this.viewer.placeHandle(handle, state.quaternion);
    this.viewer.setForces(state.spherical_force);
    this.viewer.setMargins(state.margin);
    this.table.update(state, "pose");
  }

  dragged(position, quaternion) {
    this.toPose();
    const pivot = [...this.panel.pose.pivot];
    this.ask(this.panel.pose.convention, {
      position: position.map((x, i) => x - pivot[i]),
      convention: "quaternion",
      angles: quaternion,
      pivot,
    });
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

  /** Sliders show the pose of the motion: what would have to be entered to stand there. */
  followSliders(data, pose, index) {
    const { panel } = this;
    if (data.angles?.length !== 3 * data.t.length) return;
    panel.pose.angles = Array.from(data.angles.slice(3 * index, 3 * index + 3));
    panel.pose.position = this.toEnter(pose.position, pose.quaternion);
    panel.show();
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
    this.followSliders(data, pose, index);
    const sample = sampleAt(data, index);
    sample.margin = data.leg_margin
      ? Array.from(data.leg_margin.slice(6 * index, 6 * index + 6))
      : null;
    this.viewer.place(pose.position, pose.quaternion, pose.coordinate);
    this.viewer.placeHandle(pose.position, pose.quaternion);
    this.viewer.setForces(sample.spherical_force);
    this.viewer.setMargins(sample.margin);
    this.table.update({ ...sample, refused: [] }, `t = ${data.t[index].toFixed(2)} s`);
    this.liveMode();
  }

  gizmo(mode) {
    this.viewer.setGizmo(mode);
    for (const b of this.gizmoButtons) b.classList.toggle("on", b.dataset.mode === mode);
  }

  async slice(on) {
    this.sliceOn = on;
    this.sliceButton.classList.toggle("on", on);
    if (!on) {
      this.viewer.clearSlice();
      this.overlay.querySelector(".slice-legend")?.remove();
      return;
    }
    try {
      const answer = await this.connection.request((id) =>
        M.sliceWorkspace({
          id,
          pose: this.solve.pose,
          plane: this.plane.value,
          points: 121,
          width: 0,
        }),
      );
      this.viewer.setSlice(answer);
      this.overlay.querySelector(".slice-legend")?.remove();
      this.overlay.append(sliceLegend(answer));
    } catch (error) {
      toast(error.text ?? error.message, "error");
      this.slice(false);
    }
  }

  async ghosts(on) {
    this.ghostsOn = on;
    this.ghostButton.classList.toggle("on", on);
    if (!on) {
      this.viewer.clearGhosts();
      return;
    }
    try {
      const answer = await this.connection.request((id) =>
        M.findModes({ id, pose: this.solve.pose }),
      );
      this.viewer.setGhosts(answer.poses);
      toast(answer.text, "info", 10);
    } catch (error) {
      toast(error.text ?? error.message, "error", 10);
      this.ghosts(false);
    }
  }

  async drawer(which) {
    const same = which === this.drawerOpen;
    this.drawerOpen = same ? null : which;
    this.drawerEl.hidden = !this.drawerOpen;
    this.drawerEl.parentElement.classList.toggle("with-drawer", Boolean(this.drawerOpen));
    for (const [name, tab] of Object.entries(this.tabs)) {
      tab.classList.toggle("on", name === this.drawerOpen);
      tab.setAttribute("aria-expanded", String(name === this.drawerOpen));
    }
    if (!this.drawerOpen) return;
    this.drawerTitle.textContent = { edit: "Machine", motion: "Motion", code: "Code" }[which];
    clear(
      this.drawerBody,
      {
        edit: () => this.editor.el,
        motion: () => this.builder.el,
        code: () => h("p.hint", {}, "…"),
      }[which](),
    );
    if (which === "code") this.showCode();
    this.drawerEl.querySelector("button, input, select")?.focus();
  }

  async showCode() {
    try {
      const code = await this.connection.request((id) =>
        M.showCode({
          id,
          solve: { id, ...this.solve },
          motion: this.lastMotion ? { id, ...this.lastMotion } : null,
        }),
      );
      const block = (title, text) => [
        h(
          "div.section-head",
          {},
          h("h3", {}, title),
          h(
            "button.text",
            { onclick: () => navigator.clipboard?.writeText(text).then(() => toast("Copied.")) },
            "copy",
          ),
        ),
        h("pre", { tabIndex: 0 }, text),
      ];
      clear(
        this.drawerBody,
        block("Python", code.python),
        block("Command line", code.command),
        h("button.text", { onclick: () => this.showCode() }, "refresh"),
      );
    } catch (error) {
      clear(this.drawerBody, h("p.error-text", {}, error.message));
    }
  }

  async gallery() {
    const files = await this.connection
      .request((id) => M.listFiles({ id }))
      .catch(() => ({ files: [], folder: "" }));
    const choose = async (source, name) => {
      if (await this.open(source, name)) {
        box.close();
        this.makeMotion(true);
      }
    };
    const pick = h("input", {
      type: "file",
      accept: ".toml",
      hidden: true,
      onchange: async () => {
        const file = pick.files[0];
        if (file && (await this.open("text", file.name, await file.text()))) {
          box.close();
          this.makeMotion(true);
        }
      },
    });
    const box = dialog(
      "Open a machine",
      h(
        "div.gallery",
        {},
        this.welcome.gallery.map((item) =>
          h(
            "button.card",
            {
              dataset: { preset: item.name },
              onclick: () => choose("preset", item.name),
              title: item.title,
            },
            machineView(item, "oblique"),
            h("strong", {}, item.name),
            h("small", {}, item.kind),
          ),
        ),
      ),
      h("h3", {}, `Files in ${files.folder}`),
      h(
        "div.files",
        {},
        files.files
          .filter((f) => f.kind === "machine")
          .map((f) => h("button.chip", { onclick: () => choose("file", f.name) }, f.name)),
        pick,
        h("button.chip", { onclick: () => pick.click() }, "choose a file of this computer…"),
      ),
    );
  }

  save() {
    const name = h("input.number.wide", {
      type: "text",
      value: `${(this.machine.label || "machine").replace(/\.toml$/, "")}${this.machine.label.endsWith(".toml") ? "" : "-edited"}.toml`,
      "aria-label": "File name",
    });
    const over = h("input", { type: "checkbox" });
    const error = h("p.error-text", { hidden: true });
    const box = dialog(
      "Save as TOML",
      h("label.field", {}, "name", name),
      h("label.inline", {}, over, "replace an existing file"),
      error,
      h(
        "div.buttons",
        {},
        h(
          "button.primary",
          {
            onclick: async () => {
              try {
                const answer = await this.connection.request((id) =>
                  M.saveMachine({ id, name: name.value, overwrite: over.checked }),
                );
                this.edited = false;
                this.machine.label = answer.name;
                this.chip.replaceChildren(answer.name);
                toast(`Saved ${answer.name}.`);
                box.close();
              } catch (failure) {
                error.hidden = false;
                error.textContent = failure.text ?? failure.message;
              }
            },
          },
          "Save in the work folder",
        ),
        h(
          "button.text",
          {
            onclick: async () =>
              download(
                name.value.split("/").at(-1),
                (await this.connection.request((id) => M.getToml({ id }))).text,
                "application/toml",
              ),
          },
          "download",
        ),
      ),
    );
  }

  setTheme(name) {
    document.documentElement.dataset.theme = name;
    try {
      localStorage.setItem("gough-theme", name);
    } catch {
      /* private window: not remembered */
    }
    this.viewer.restyle(name);
    this.timeline.restyle();
    this.table.restyle();
    if (this.machine) this.viewer.setMachine(this.machine.document, this.machine.drawing, false);
    if (this.state && this.mode === "pose") this.draw(this.state);
    else if (this.timeline.data) this.timeline.seek(this.timeline.time);
  }

  keys(event) {
    const typing =
      event.target.matches?.("input:not([type=range]):not([type=checkbox]), select, textarea") ||
      document.querySelector("dialog[open]");
    if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "z" && !typing) {
      event.preventDefault();
      this.step(event.shiftKey ? "redo" : "undo");
      return;
    }
    if (typing || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === " " && event.target.matches?.("button, summary, input[type=checkbox]"))
      return;
    const act = {
      " ": () => this.timeline.toggle(),
      e: () => this.drawer("edit"),
      m: () => this.drawer("motion"),
      c: () => this.drawer("code"),
      o: () => this.gallery(),
      s: () => this.save(),
      g: () => this.gizmo("translate"),
      r: () => this.gizmo("rotate"),
      f: () => this.viewer.alive && this.viewer.fit(),
      w: () => this.slice(!this.sliceOn),
      a: () => this.ghosts(!this.ghostsOn),
      h: () => {
        this.toPose();
        this.goHome();
      },
      "?": () => help(),
      Escape: () => this.drawerOpen && this.drawer(null),
    }[event.key];
    if (act) {
      event.preventDefault();
      act();
    }
  }

  stageKeys(event) {
    const fine = event.altKey ? 0.1 : 1;
    const [along, turn] = [fine * Math.max(this.machine?.drawing.range.travel * 20, 0.1), fine];
    const moves = {
      ArrowLeft: [0, -1],
      ArrowRight: [0, 1],
      ArrowDown: [1, -1],
      ArrowUp: [1, 1],
      PageDown: [2, -1],
      PageUp: [2, 1],
    };
    if (event.key === "Home") {
      event.preventDefault();
      this.toPose();
      this.goHome();
      return;
    }
    const move = moves[event.key];
    if (!move) return;
    event.preventDefault();
    event.stopPropagation();
    this.toPose();
    this.panel.nudge(move[0] + (event.shiftKey ? 3 : 0), move[1] * (event.shiftKey ? turn : along));
  }
}

function readTheme() {
  try {
    return localStorage.getItem("gough-theme") ?? "dark";
  } catch {
    return "dark";
  }
}
