// The page of the live studio: its panels, buttons and the places where things are shown.
import { Builder } from "./builder.js";
import { Connection } from "./connection.js";
import { h, section } from "./dom.js";
import { Editor, History } from "./editor.js";
import { later } from "./later.js";
import { LegTable } from "./legtable.js";
import { Screen } from "./screen.js";
import { PosePanel } from "./posepanel.js";
import { Timeline } from "./timeline.js";
import { help } from "./help.js";
import { PageParts, button } from "./parts.js";

export class Page extends PageParts {
  /** @param {HTMLElement} root */
  constructor(root) {
    super();
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
    /** @type {import("./messages.js").Welcome | null} what the server can do, once it has said so */
    this.welcome = null;
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
    this.runTitle = "";
    this.timelineKind = "";
    const studio = /** @type {import("./studio.js").Studio} */ (/** @type {unknown} */ (this));
    studio.layout(root);
    /** @type {ReturnType<typeof later<import("./viewer.js").Viewer>>} */
    const { standIn, handOver } = later();
    this.viewer = standIn; // until the 3D view is built
    this.handOver = handOver;
    this.viewerAsked = this.viewerBuilt = false;
    const url = new URL("ws", location.href);
    url.protocol = "ws:";
    url.search = location.search;
    // the token stays in a cookie, not in the address
    if (location.search) history.replaceState(null, "", location.pathname);
    this.connection = new Connection(url.href);
  }

  /**
   * Build the 3D view, once there is something to draw and its text is on screen.
   * @this {import("./studio.js").Studio}
   */
  async buildViewer() {
    this.viewerAsked = true;
    const { Viewer } = await import("./viewer.js");
    await new Promise((go) => requestAnimationFrame(() => setTimeout(go)));
    this.stage.querySelector(".building")?.remove();
    const viewer = new Viewer(this.stage);
    this.viewer = viewer;
    this.handOver(viewer);
    // legends in a corner of a wide view leave it free, across a narrow one they do not
    const covers = () => {
      const { children, clientHeight } = this.overlay;
      const widest = Math.max(0, ...[...children].map((legend) => legend.clientWidth));
      viewer.cover(widest > 0.6 * this.stage.clientWidth ? clientHeight + 10 : 0);
    };
    new ResizeObserver(covers).observe(this.overlay);
    this.viewerBuilt = true;
  }

  /**
   * @this {import("./studio.js").Studio}
   * @param {HTMLElement} root
   */
  layout(root) {
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
    root.append(
      top,
      h(
        "main.body",
        {},
        side,
        h(
          "div.center",
          {},
          h("div.view", {}, this.stage, this.viewTools, this.overlay, this.drawerEl),
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
}

/** The theme chosen before. */
export function readTheme() {
  try {
    return localStorage.getItem("gough-theme") ?? "dark";
  } catch {
    return "dark";
  }
}
