// The live studio; a report has its own bundle (report_page.js).

import "./style.css";
import "./features.css";
import "./cueing.css";
import { needed } from "./dom.js";
import { Studio } from "./studio.js";

globalThis.goughStudio = new Studio(needed(document.getElementById("app"), "the element app"));
