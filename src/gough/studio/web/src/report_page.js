// A report with its data inside the page: one script, the 3D view in it.

import { needed } from "./dom.js";
import { Report } from "./report.js";

globalThis.goughReport = new Report(
  needed(document.getElementById("app"), "the element app"),
  JSON.parse(
    needed(document.getElementById("gough-report")?.textContent, "the data of the report"),
  ),
);
