// The live studio: joins the connection, the panels, the view and the timeline; files, dialogs and keys.
/** @typedef {"edit" | "motion" | "code" | "tools"} Drawer */
/** @typedef {M.Code & { more: { title: string, code: M.Code }[] }} ShownCode */

import { clear, dialog, download, h, needed, toast } from "./dom.js";
import { machineView } from "./drawings.js";
import { Features } from "./features.js";
import { help, sliceLegend } from "./help.js";
import * as M from "./messages.js";
import { isLost, words } from "./refusals.js";
import { Live } from "./live.js";
import { readTheme } from "./page.js";
import { Derived } from "./screen.js";

export class Studio extends Live {
  /** @param {HTMLElement} root */
  constructor(root) {
    super(root);
    /** @type {import("./messages.js").SliceShown | null} */
    this.sliceShown = null;
    /** @type {import("./messages.js").ModesFound | null} */
    this.modesShown = null;
    const place = () => this.screen.placeKey;
    /**
     * @template {keyof import("./types.d.ts").Answers} K
     * @param {(id: number) => import("./types.d.ts").Message<K>} build
     * @returns {Promise<import("./types.d.ts").Answers[K]>}
     */
    const request = (build) => this.connection.request(build);
    /** @type {Derived<import("./messages.js").SliceShown>} */
    this.slices = new Derived(this.screen, {
      key: () => `${this.plane.value} ${place()}`,
      ask: (pose) =>
        request((id) =>
          M.sliceWorkspace({
            id,
            pose,
            plane: this.plane.value,
            points: 121,
            width: 0,
          }),
        ),
      show: (answer) => {
        this.sliceShown = answer;
        this.viewer.setSlice(answer);
        this.legend("slice-legend", sliceLegend(answer));
      },
      fail: (error) => {
        this.viewer.clearSlice();
        this.legend("slice-legend", h("div.slice-legend", {}, `no slice: ${words(error)}`));
      },
      clear: () => {
        this.viewer.clearSlice();
        this.legend("slice-legend", null);
      },
      mark: (stale) => this.markOverlay("slice-legend", stale, this.viewer.slice),
    });
    /** @type {Derived<import("./messages.js").ModesFound>} */
    this.modes = new Derived(this.screen, {
      key: place,
      ask: (pose) => request((id) => M.findModes({ id, pose })),
      show: (answer) => {
        this.modesShown = answer;
        this.viewer.setGhosts(answer.poses);
        this.legend("modes-legend", h("div.modes-legend", {}, answer.text));
      },
      fail: (error) => {
        this.viewer.clearGhosts();
        this.legend("modes-legend", h("div.modes-legend", {}, `no modes: ${words(error)}`));
      },
      clear: () => {
        this.viewer.clearGhosts();
        this.legend("modes-legend", null);
      },
      mark: (stale) => this.markOverlay("modes-legend", stale, this.viewer.ghosts),
    });
    /** @type {Derived<ShownCode>} */
    this.code = new Derived(this.screen, {
      key: () => JSON.stringify([this.screen.wholeKey, this.features?.calibration.code]),
      ask: () => this.askCode(),
      show: (answer) => this.showCode(answer),
      fail: (error) => clear(this.codeBody, h("p.error-text", {}, words(error))),
      clear: () => clear(this.codeBody),
      mark: (stale) => this.codeBody.classList.toggle("stale", stale),
    });
    this.features = new Features(this);
    this.wire();
    this.connect();
    this.setTheme(readTheme());
  }

  /** @param {"translate" | "rotate" | "off"} mode */
  gizmo(mode) {
    this.viewer.setGizmo(mode);
    for (const b of this.gizmoButtons) b.classList.toggle("on", b.dataset.mode === mode);
  }

  /**
   * A legend in the corner of the view; null removes it.
   * @param {string} name
   * @param {HTMLElement | null} el
   */
  legend(name, el) {
    this.overlay.querySelector(`.${name}`)?.remove();
    if (el) this.overlay.append(el);
  }

  /**
   * Dim what belongs to another pose or machine, in the view and in its legend.
   * @param {string} name
   * @param {boolean} stale
   * @param {import("three").Group | undefined} group
   */
  markOverlay(name, stale, group) {
    const el = this.overlay.querySelector(`.${name}`);
    el?.classList.toggle("stale", stale);
    if (group) {
      group.visible = !stale;
      this.viewer.draw();
    }
  }

  /** @param {boolean} on */
  slice(on) {
    this.sliceButton.classList.toggle("on", on);
    this.slices.set(on);
  }

  /** @param {boolean} on */
  ghosts(on) {
    this.ghostButton.classList.toggle("on", on);
    this.modes.set(on);
  }

  /** @param {Drawer | null} which */
  async drawer(which) {
    const { drawerOpen } = this;
    this.drawerOpen = which === drawerOpen ? null : which;
    this.drawerEl.hidden = !this.drawerOpen;
    this.drawerEl.parentElement?.classList.toggle("with-drawer", Boolean(this.drawerOpen));
    for (const [name, tab] of Object.entries(this.tabs)) {
      tab.classList.toggle("on", name === this.drawerOpen);
      tab.setAttribute("aria-expanded", String(name === this.drawerOpen));
    }
    if (!this.drawerOpen || !which) {
      this.code.set(false);
      this.features.opened(false);
      return;
    }
    const titles = { edit: "Machine", motion: "Motion", code: "Code", tools: "Tools" };
    this.drawerTitle.textContent = titles[which];
    this.drawerEl.dataset.of = which;
    if (which === "tools") window.scrollTo(0, 0); // a phone shows the view above them
    clear(
      this.drawerBody,
      {
        edit: () => this.editor.el,
        motion: () => this.builder.el,
        code: () => this.codeBody,
        tools: () => this.features.el,
      }[which](),
    );
    this.code.set(which === "code");
    this.features.opened(which === "tools");
    /** @type {HTMLElement | null} */
    const first = this.drawerEl.querySelector("button, input, select");
    first?.focus();
  }

  /**
   * The code of the pose or motion, and of the calibration and the plan that belong to the screen.
   * @returns {Promise<ShownCode>}
   */
  async askCode() {
    const asked = this.features.calibration.code;
    const code = await this.connection.request((id) => this.codeMessage(id));
    const more = [];
    for (const one of asked) {
      try {
        const found = await this.connection.request((id) => M.showCalibration({ id, ...one }));
        more.push({ title: one.plan ? "Plan" : "Calibration", code: found });
      } catch (error) {
        if (isLost(error)) throw error; // else its file is gone: no code repeats it now
      }
    }
    return { ...code, more };
  }

  /** @param {number} id */
  codeMessage(id) {
    const { screen } = this;
    const run = screen.runStale ? null : screen.run;
    const motion = run && { id, ...run.motion };
    return M.showCode({
      id,
      solve: { id, ...needed(screen.solve, "the pose that was asked for") },
      motion: run?.simulate ? null : motion,
      run: motion && run?.simulate ? { id, motion, ...run.simulate } : null,
      time: run && screen.time,
    });
  }

  /** @param {ShownCode} code */
  showCode(code) {
    /**
     * @param {string} title
     * @param {string} text
     */
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
      this.codeBody,
      block("Python", code.python),
      block("Command line", code.command),
      code.more.map(({ title, code: { python, command } }) => [
        block(`${title}: Python`, python),
        block(`${title}: command line`, command),
      ]),
    );
  }

  async gallery() {
    const { welcome } = this;
    if (!welcome) {
      toast("Not connected yet: the machines are not known.");
      return;
    }
    const files = await this.connection
      .request((id) => M.listFiles({ id }))
      .catch(() => /** @type {Pick<M.Files, "files" | "folder">} */ ({ files: [], folder: "" }));
    /**
     * @param {string} source
     * @param {string} name
     * @param {string} [text]
     */
    const choose = async (source, name, text = "") => {
      if (!(await this.mayLeave())) return;
      if (await this.open(source, name, text)) {
        box.close();
        this.makeMotion(true);
      }
    };
    const pick = h("input", {
      type: "file",
      accept: ".toml",
      hidden: true,
      onchange: async () => {
        const file = pick.files?.[0];
        if (file) await choose("text", file.name, await file.text());
      },
    });
    const box = dialog(
      "Open a machine",
      h(
        "div.gallery",
        {},
        welcome.gallery.map((item) =>
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

  /**
   * Ask before edits that are not saved are given up.
   * @returns {Promise<boolean>}
   */
  mayLeave() {
    if (!this.edited) return Promise.resolve(true);
    return new Promise((answer) => {
      const box = dialog(
        "Edits not saved",
        h("p", {}, `The changes of ${this.machine?.label || "this machine"} are not saved.`),
        h(
          "div.buttons",
          {},
          h("button.primary", { onclick: () => box.close("keep") }, "Keep editing"),
          h("button.text", { onclick: () => box.close("leave") }, "Open without saving"),
        ),
      );
      box.addEventListener("close", () => answer(box.returnValue === "leave"));
    });
  }

  save() {
    const { machine } = this;
    if (!machine) return;
    const name = h("input.number.wide", {
      type: "text",
      value: suggested(machine.label || "machine"),
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
                this.screen.setMachine({ ...(this.machine ?? machine), label: answer.name });
                this.keep();
                this.chip.replaceChildren(answer.name);
                toast(`Saved ${answer.name}.`);
                box.close();
              } catch (failure) {
                error.hidden = false;
                error.textContent = words(failure);
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
                name.value.split("/").at(-1) ?? "machine.toml",
                (await this.connection.request((id) => M.getToml({ id }))).text,
                "application/toml",
              ),
          },
          "download",
        ),
      ),
    );
  }

  /** @param {string} name */
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
    if (!this.machine) return;
    this.viewer.setMachine(this.machine.document, this.machine.drawing, false);
    this.slices.redraw();
    this.modes.redraw();
    this.features.redraw();
    if (this.mode === "time") this.timeline.seek(this.timeline.time);
    else if (this.state) this.draw(this.state);
  }

  /** @param {KeyboardEvent} event */
  keys(event) {
    const at = event.target instanceof Element ? event.target : null;
    const typing =
      at?.matches("input:not([type=range]):not([type=checkbox]), select, textarea") ||
      document.querySelector("dialog[open]");
    if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "z" && !typing) {
      event.preventDefault();
      this.step(event.shiftKey ? "redo" : "undo");
      return;
    }
    if (typing || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === " " && at?.matches("button, summary, input[type=checkbox]")) return;
    /** @type {Record<string, () => unknown>} */
    const acts = {
      " ": () => this.timeline.toggle(),
      e: () => this.drawer("edit"),
      m: () => this.drawer("motion"),
      c: () => this.drawer("code"),
      t: () => this.drawer("tools"),
      o: () => this.gallery(),
      s: () => this.save(),
      g: () => this.gizmo("translate"),
      r: () => this.gizmo("rotate"),
      f: () => this.viewer.alive && this.viewer.fit(),
      w: () => this.slice(!this.slices.on),
      a: () => this.ghosts(!this.modes.on),
      h: () => {
        this.toPose();
        this.goHome();
      },
      "?": () => help(() => this.features.tour.start()),
      Escape: () => this.drawerOpen && this.drawer(null),
    };
    const act = acts[event.key] ?? this.features.keys[event.key];
    if (act) {
      event.preventDefault();
      act();
    }
  }

  /** @param {KeyboardEvent} event */
  stageKeys(event) {
    const fine = event.altKey ? 0.1 : 1;
    const { machine } = this;
    if (!machine) return;
    const [along, turn] = [fine * Math.max(machine.drawing.range.travel * 20, 0.1), fine];
    /** @type {Record<string, [number, number]>} */
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

/**
 * A file name for a machine: its own, or that of what it was made from.
 * @param {string} label
 */
function suggested(label) {
  return label.endsWith(".toml") ? label : `${label}-edited.toml`;
}
