// The first pages of a report: verdict, used shares of the limits as bars, load cases, the motion and its run.

import { h, table } from "./dom.js";
import { coordinateUnit, effort, num, sig, turns } from "./units.js";
import { SHARES_TOLD, bars, percent } from "./usedbars.js";

const BODIES = /** @type {const} */ (["lower", "upper", "link", "crank"]);

/**
 * The bodies that any of the legs has: they need not be of one type.
 * @param {Pick<import("./types.d.ts").LegDocument, "lower" | "upper" | "link" | "crank">[]} legs
 */
export const bodiesOf = (legs) => BODIES.filter((name) => legs.some((leg) => leg[name]));

/**
 * Verdict, who and when, warnings.
 * @param {import("./types.d.ts").ReportData} data
 */
export function executive(data) {
  const { verdict, timeline } = data;
  const facts = [
    ["Machine", data.machine.document.name || data.title],
    ["Motion", timeline ? timeline.label : "none given"],
    ["Author", data.author || "not given"],
    ["Date", data.date],
    ["Computed by", data.versions.map((pair) => pair.join(" ")).join(", ")],
  ];
  const said = [...data.machine.warnings, ...(timeline?.refused ?? [])];
  return h(
    "section.card-section.executive",
    {},
    h("h2", {}, "Result"),
    h(`p.verdict.${verdict.kind}`, {}, verdict.text),
    h(
      "dl.facts",
      {},
      facts.map(([k, v]) => [h("dt", {}, k), h("dd", {}, v)]),
    ),
    timeline ? utilisation(timeline, data.machine) : null,
    said.length
      ? h(
          "div.warn-box",
          {},
          h("strong", {}, "Warnings"),
          h(
            "ul",
            {},
            said.map((w) => h("li", {}, w)),
          ),
        )
      : null,
  );
}

/**
 * @param {import("./types.d.ts").ReportTimeline} timeline
 * @param {import("./types.d.ts").Machine} machine
 */
function utilisation(timeline, machine) {
  const rows = timeline.summary.utilisation;
  if (!rows.length) return h("p.hint", {}, "No limits given.");
  const { names } = machine.drawing;
  return h(
    "div",
    {},
    h("h3", {}, "Used share of every limit"),
    h("p.hint", {}, `Largest at ${timeline.summary.samples} samples; ${SHARES_TOLD}`),
    bars(rows, machine.drawing),
    table(
      ["share of", ...names],
      rows.map(({ kind, legs }) =>
        h(
          "tr",
          {},
          h("th", {}, kind),
          legs.map((leg) =>
            h("td", { className: leg?.broken ? "bad" : "" }, leg ? percent(leg.share) : "–"),
          ),
        ),
      ),
    ),
  );
}

/**
 * What acts, and the instants that ask most of the actuators.
 * @param {import("./types.d.ts").ReportTimeline} timeline
 * @param {import("./types.d.ts").Machine} machine
 */
export function loads(timeline, machine) {
  const { names, kinds } = machine.drawing;
  const { gravity } = machine.document;
  const load = timeline.external;
  const constant = load && load.every((x) => typeof x === "number");
  const unit = new Set(kinds.map((kind) => coordinateUnit(kind).effort));
  return h(
    "section.card-section",
    {},
    h("h2", {}, "Loads and load cases"),
    h(
      "dl.facts",
      {},
      h("dt", {}, "Gravity"),
      h("dd", {}, `${gravity.map((g) => sig(g, 4)).join(", ")} m/s²`),
      h("dt", {}, "Outer load"),
      h(
        "dd",
        {},
        !load
          ? "none"
          : constant
            ? `${load.map((x) => sig(x)).join(", ")} (force N, moment N·m, platform axes)`
            : "changes along the motion",
      ),
    ),
    h("p.hint", {}, "The samples at which an actuator works hardest, with the efforts of all."),
    table(
      ["t s", "largest of", "x, y, z mm", ...names.map((n, i) => `${n} ${effortUnit(kinds, i)}`)],
      timeline.summary.load_cases.map((item) =>
        h(
          "tr",
          {},
          [
            sig(item.time, 5),
            item.legs.map((i) => names[i]).join(", "),
            item.position.map((x) => num(x * 1000, 1)).join(", "),
            ...item.force.map(effort),
          ].map((t) => h("td", {}, t)),
        ),
      ),
    ),
    unit.size > 1 ? h("p.hint", {}, "Forces in N, torques of cranks in N·m.") : null,
  );
}

/**
 * @param {string[]} kinds
 * @param {number} i
 */
const effortUnit = (kinds, i) => (turns(kinds[i]) ? "N·m" : "N");

/**
 * The motion as defined, and the run it was recorded in.
 * @param {import("./types.d.ts").ReportTimeline} timeline
 */
export function source(timeline) {
  const { definition, provenance, summary, notes } = timeline;
  return h(
    "section.card-section",
    {},
    h("h2", {}, "Motion"),
    h("p", {}, `${timeline.label}: ${sig(summary.duration, 5)} s, ${summary.samples} samples.`),
    notes.length
      ? h(
          "ul.notes-list",
          {},
          notes.map((note) => h("li", {}, note)),
        )
      : null,
    definition ? h("pre", { tabIndex: 0 }, definition) : null,
    provenance.length
      ? [
          h("h3", {}, "The run it was recorded in"),
          h(
            "dl.facts",
            {},
            provenance.map(([k, v]) => [h("dt", {}, k), h("dd", {}, v)]),
          ),
        ]
      : null,
  );
}
