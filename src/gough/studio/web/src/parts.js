// The named parts of the page of the live studio: its buttons, and the places where things are shown.
import { download, h, toast } from "./dom.js";
import { icon } from "./icons.js";
import { words } from "./refusals.js";

/**
 * @param {import("./types.d.ts").Child} text
 * @param {string} title
 * @param {() => void} onclick
 * @param {import("./types.d.ts").Props} [more]
 */
export const button = (text, title, onclick, more = {}) =>
  h("button.text", { title, onclick, ...more }, text);

/**
 * A button of the toolbar in the view.
 * @param {import("./types.d.ts").Child} text
 * @param {string} title
 * @param {() => void} onclick
 * @param {import("./types.d.ts").Props} [more]
 */
const tool = (text, title, onclick, more = {}) =>
  h("button.tool", { title, onclick, "aria-label": title, ...more }, text);

const HANDLES = /** @type {const} */ ([
  ["translate", "move", "Drag to move (G)"],
  ["rotate", "turn", "Drag to turn (R)"],
  ["off", "none", "No drag handle"],
]);

export class PageParts {
  constructor() {
    // who acts when a button is pressed: by then it is whole
    const studio = /** @type {import("./studio.js").Studio} */ (/** @type {unknown} */ (this));
    this.tool = tool;
    this.chip = h(
      "button.chip.machine",
      { title: "Choose a machine", onclick: () => studio.gallery() },
      "…",
    );
    this.status = h("span.status", { role: "status" }, "connecting");
    this.undo = button(icon("undo"), "Undo (Ctrl+Z)", () => studio.step("undo"), {
      disabled: true,
      "aria-label": "Undo",
    });
    this.redo = button(icon("redo"), "Redo (Ctrl+Shift+Z)", () => studio.step("redo"), {
      disabled: true,
      "aria-label": "Redo",
    });
    this.tabs = {
      edit: button("Edit", "Change the machine (E)", () => studio.drawer("edit")),
      motion: button("Motion", "Build a trajectory, simulate (M)", () => studio.drawer("motion")),
      code: button("Code", "Python and command line for what is on screen (C)", () =>
        studio.drawer("code"),
      ),
      tools: button("Tools", "Modes, comparison, measuring, export and more (T)", () =>
        studio.drawer("tools"),
      ),
    };
    this.themeButton = button(
      icon("theme"),
      "Dark or light",
      () => studio.setTheme(document.documentElement.dataset.theme === "dark" ? "light" : "dark"),
      { "aria-label": "Dark or light theme" },
    );
    this.warnings = h("div.warnings", { hidden: true });
    /** @type {HTMLSelectElement} */
    this.formulationChoice = h("select", {
      "aria-label": "Formulation of the live forces",
      onchange: () => {
        studio.formulation = this.formulationChoice.value;
        if (studio.mode === "pose") studio.ask();
        else studio.timeline.seek(studio.timeline.time);
      },
    });
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
    this.codeBody = h("div");
    this.drawerTitle = h("h2");
    this.drawerBody = h("div.drawer-body");
    this.drawerEl = h(
      "aside.drawer",
      { hidden: true, "aria-label": "Tools" },
      h(
        "header",
        {},
        this.drawerTitle,
        h("button.icon", { "aria-label": "Close", onclick: () => studio.drawer(null) }, "✕"),
      ),
      this.drawerBody,
    );
    this.gizmoButtons = HANDLES.map(([mode, name, title]) =>
      tool(icon(name), title, () => studio.gizmo(mode), { dataset: { mode } }),
    );
    this.plane = h(
      "select.mini",
      {
        "aria-label": "Plane of the workspace slice",
        onchange: () => studio.slices.redraw(),
      },
      ["xy", "xz", "yz"].map((p) => h("option", {}, p)),
    );
    this.sliceButton = tool(
      [icon("slice"), "slice"],
      "Workspace slice at this orientation (W)",
      () => studio.slice(!studio.slices.on),
    );
    this.ghostButton = tool(
      [icon("modes"), "modes"],
      "All assembly modes with these leg lengths (A)",
      () => studio.ghosts(!studio.modes.on),
    );
    this.viewTools = h(
      "div.toolbar",
      { role: "toolbar", "aria-label": "View" },
      this.gizmoButtons,
      tool(icon("fit"), "Fit the view (F)", () => studio.viewer.fit()),
      this.sliceButton,
      this.plane,
      this.ghostButton,
      tool(icon("camera"), "Save the view as PNG", () => savePicture(studio.viewer)),
    );
  }
}

/** @param {import("./viewer.js").Viewer} viewer */
async function savePicture(viewer) {
  if (!viewer.alive) return;
  try {
    download("view.png", await viewer.picture());
  } catch (error) {
    toast(words(error), "error");
  }
}
