// The live studio; a report has its own bundle (report_page.js).

import "./style.css";
import "./features.css";
import "./cueing.css";
import { Studio } from "./studio.js";

globalThis.goughStudio = new Studio(document.getElementById("app"));
