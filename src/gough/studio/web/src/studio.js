// The live studio: joins the connection, the panels, the view and the timeline; files, dialogs and keys.
import { clear, dialog, download, h, toast } from "./dom.js";
import { machineView } from "./drawings.js";
import { help, sliceLegend } from "./help.js";
import * as M from "./messages.js";
import { Live } from "./live.js";

export class Studio extends Live {
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
