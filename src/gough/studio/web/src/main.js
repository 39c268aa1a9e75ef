// Two homes, one bundle: the live studio, or a report with its data inside the page.

import "./style.css";
import { Report } from "./report.js";
import { Studio } from "./studio.js";

const root = document.getElementById("app");
const inside = document.getElementById("gough-report");
if (inside) globalThis.goughReport = new Report(root, JSON.parse(inside.textContent));
else globalThis.goughStudio = new Studio(root);
