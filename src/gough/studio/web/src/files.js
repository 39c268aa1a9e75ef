// The machine at the shown pose as a file for other programs, written by the server.

import { download, h, needed } from "./dom.js";
import * as M from "./messages.js";
import { words } from "./refusals.js";

export class FilesPanel {
  /** @param {import("./studio.js").Studio} studio */
  constructor(studio) {
    this.studio = studio;
    this.name = "files";
    this.title = "Export";
    this.told = h("p.hint", { role: "status" });
    /**
     * @param {string} form
     * @param {string} text
     */
    const button = (form, text) =>
      h("button.primary", { dataset: { form }, onclick: () => this.write(form) }, text);
    this.el = h(
      "div",
      {},
      h(
        "p.hint",
        {},
        "The machine at the shown pose: plates, struts and joints as triangles, in meters. " +
          "A drawing, not its true parts; glTF also has a named node at every joint.",
      ),
      h("div.buttons", {}, button("glb", "glTF (.glb)"), button("stl", "STL")),
      this.told,
    );
  }

  shown() {}

  /** @param {string} form glb or stl */
  async write(form) {
    const { connection, screen } = this.studio;
    try {
      const pose = needed(screen.pose, "a pose");
      const answer = await connection.request((id) => M.exportMachine({ id, pose, form }));
      const bytes = Uint8Array.from(atob(answer.data), (c) => c.charCodeAt(0));
      download(answer.name, new Blob([bytes], { type: "application/octet-stream" }));
      this.told.textContent = `${answer.name}: ${answer.text}.`;
    } catch (error) {
      this.told.textContent = words(error);
    }
  }
}
