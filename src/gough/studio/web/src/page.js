// The page of the live studio: its panels, buttons and the places where things are shown.
import { Builder } from "./builder.js";
import { Connection } from "./connection.js";
import { download, h, section } from "./dom.js";
import { Editor, History } from "./editor.js";
import { later } from "./later.js";
import { LegTable } from "./legtable.js";
import { Screen } from "./screen.js";
import { PosePanel } from "./posepanel.js";
import { Timeline } from "./timeline.js";
import { help } from "./help.js";
import { icon } from "./icons.js";

export class Page {
  /** @param {HTMLElement} root */
  constructor(root) {
    this.screen = new Screen();
    this.edited = false;
    this.changes = 0; // of the machine, not taken by the server yet
    this.lastChange = Promise.resolve();
    this.formulation = "exact";
    this.history = new History();
    this.panel = new PosePanel();
    this.table = new LegTable();
    this.editor = new Editor();
    this.builder = new Builder();
    this.timeline = new Timeline();
    /** @type {import("./studio.js").Drawer | null} */
    this.drawerOpen = null;
    /** @type {import("./messages.js").PoseState | null} the newest answer, and what was asked for it */
    this.state = null;
    /** @type {import("./types.d.ts").SolveAsked | null} */
    this.stateOf = null;
    this.stale = this.remaking = this.following = false;
    /** @type {string | null} what could not be computed again */
    this.notRemade = null;
    /** @type {number[] | null} the newest pose that the sliders have to follow */
    this.followed = null;
    this.runLabel = "no motion yet";
    this.timelineKind = "";
    const studio = /** @type {import("./studio.js").Studio} */ (/** @type {unknown} */ (this));
    studio.layout(root);
    /** @type {ReturnType<typeof later<import("./viewer.js").Viewer>>} */
    const { standIn, handOver } = later();
    this.viewer = standIn; // until the 3D view is built
    this.handOver = handOver;
    this.viewerAsked = this.viewerBuilt = false;
    this.codeBody = h("div");
    studio.derive();
    studio.wire();
    const url = new URL("ws", location.href);
    url.protocol = "ws:";
    url.search = location.search;
    // the token stays in a cookie, not in the address
    if (location.search) history.replaceState(null, "", location.pathname);
    this.connection = new Connection(url.href);
    studio.connect();
    studio.setTheme(readTheme());
  }

  /**
   * Build the 3D view, once there is something to draw and its text is on screen.
   * @this {import("./studio.js").Studio}
   */
  async buildViewer() {
    this.viewerAsked = true;
    const { Viewer } = await import("./viewer.js");
    await new Promise((go) => requestAnimationFrame(() => setTimeout(go)));
    this.stage.querySelector(".building").remove();
    const viewer = new Viewer(this.stage);
    this.viewer = viewer;
    this.handOver(viewer);
    this.viewerBuilt = true;
  }

  /**
   * @this {import("./studio.js").Studio}
   * @param {HTMLElement} root
   */
  layout(root) {
    /**
     * @param {import("./types.d.ts").Child} text
     * @param {string} title
     * @param {() => void} onclick
     * @param {import("./types.d.ts").Props} [more]
     */
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
      tools: button("Tools", "Modes, comparison, measuring, export and more (T)", () =>
        this.drawer("tools"),
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
      h("h1.brand", {}, "gough", h("em", {}, "studio")),
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
        this.tabs.tools,
      ),
      h("span.grow"),
      button("?", "Keys and help", () => help(() => this.features.tour.start()), {
        "aria-label": "Help",
      }),
      this.themeButton,
      this.status,
    );
    this.warnings = h("div.warnings", { hidden: true });
    this.formulationChoice = h("select", {
      "aria-label": "Formulation of the live forces",
      onchange: () => {
        this.formulation = this.formulationChoice.value;
        if (this.mode === "pose") this.ask();
        else this.timeline.seek(this.timeline.time);
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
    this.stage = h(
      "div.stage",
      {
        tabIndex: 0,
        role: "application",
        "aria-label":
          "3D view. Arrow keys move the platform, Page Up and Down raise and lower it, with Shift they turn it.",
      },
      h("p.hint.building", {}, "The 3D view is being built."),
    );
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

  /** @this {import("./studio.js").Studio} */
  viewSection() {
    /**
     * @param {"forces" | "frames" | "centers" | "cones"} name
     * @param {string} label
     * @param {string} title
     */
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

  /** @param {string} name */
  defaults(name) {
    return { frames: true, forces: true }[name] ?? false;
  }

  /** @this {import("./studio.js").Studio} */
  toolbar() {
    /**
     * @param {import("./types.d.ts").Child} text
     * @param {string} title
     * @param {() => void} onclick
     * @param {import("./types.d.ts").Props} [more]
     */
    const tool = (text, title, onclick, more = {}) =>
      h("button.tool", { title, onclick, "aria-label": title, ...more }, text);
    const modes = /** @type {const} */ ([
      ["translate", "move"],
      ["rotate", "turn"],
      ["off", "none"],
    ]);
    this.gizmoButtons = modes.map(([mode, name]) =>
      tool(
        icon(name),
        { translate: "Drag to move (G)", rotate: "Drag to turn (R)", off: "No drag handle" }[mode],
        () => this.gizmo(mode),
        { dataset: { mode } },
      ),
    );
    /** @type {HTMLSelectElement} */
    this.plane = h(
      "select.mini",
      {
        "aria-label": "Plane of the workspace slice",
        onchange: () => this.slices.redraw(),
      },
      ["xy", "xz", "yz"].map((p) => h("option", {}, p)),
    );
    this.tool = tool;
    return (this.viewTools = h(
      "div.toolbar",
      { role: "toolbar", "aria-label": "View" },
      this.gizmoButtons,
      tool(icon("fit"), "Fit the view (F)", () => this.viewer.fit()),
      (this.sliceButton = tool(
        [icon("slice"), "slice"],
        "Workspace slice at this orientation (W)",
        () => this.slice(!this.slices.on),
      )),
      this.plane,
      (this.ghostButton = tool(
        [icon("modes"), "modes"],
        "All assembly modes with these leg lengths (A)",
        () => this.ghosts(!this.modes.on),
      )),
      tool(
        icon("camera"),
        "Save the view as PNG",
        async () => this.viewer.alive && download("view.png", await this.viewer.picture()),
      ),
    ));
  }
}

function readTheme() {
  try {
    return localStorage.getItem("gough-theme") ?? "dark";
  } catch {
    return "dark";
  }
}
