// A report with its data inside the page: one script, the 3D view in it.

import { Report } from "./report.js";

globalThis.goughReport = new Report(
  document.getElementById("app"),
  JSON.parse(document.getElementById("gough-report").textContent),
);
