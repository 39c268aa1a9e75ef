// Unsaved edits of the live studio: kept while they are made, put back after a reload, offered after a closed tab.
import { h, toast } from "./dom.js";
import { dropDraft, keepDraft, leftDraft } from "./drafts.js";
import * as M from "./messages.js";
import { words } from "./refusals.js";
import { Runs } from "./runs.js";

export class Kept extends Runs {
  /**
   * Put a kept machine on screen, with its history and pose.
   * @this {import("./studio.js").Studio}
   * @param {import("./types.d.ts").Draft} draft
   */
  async takeDraft(draft) {
    const { document, label, past, future, at } = draft;
    try {
      const machine = await this.connection.request((id) => M.setMachine({ id, document, label }));
      this.connection.setRestored();
      this.edited = true;
      this.useMachine(machine, true);
      this.history.start({ document: machine.document }, past, future);
      this.panel.resetLoads();
      if (at) this.askAt(at.position, at.quaternion);
      else this.goHome();
      toast(`Your edits of ${label || "the machine"} were kept.`);
      return true;
    } catch (error) {
      toast(`The kept edits cannot be opened: ${words(error)}`, "error", 12);
      return false;
    }
  }

  /** @this {import("./studio.js").Studio} */
  offerDraft() {
    const draft = leftDraft();
    if (!draft) return;
    const when = draft.saved ? new Date(draft.saved).toLocaleString() : "an earlier day";
    const box = toast(
      `Edits of ${draft.label || "a machine"} of ${when} were not saved.`,
      "info",
      60,
    );
    /**
     * @param {string} text
     * @param {() => void} todo
     */
    const act = (text, todo) => h("button.text", { onclick: () => (box.remove(), todo()) }, text);
    box.append(
      act("open them", async () => {
        if (await this.takeDraft(draft)) this.makeMotion(true);
      }),
      act("forget them", dropDraft),
    );
  }

  /**
   * Remember unsaved edits; `document` is newer than the accepted one while the server is away.
   * @this {import("./studio.js").Studio}
   * @param {import("./types.d.ts").MachineDocument} [document]
   */
  keep(document = this.machine?.document) {
    const { machine } = this;
    if (!machine || !document) return;
    if (!this.edited && document === machine.document) {
      dropDraft();
      return;
    }
    const { past, future } = this.history;
    const at = this.state && {
      position: this.state.position,
      quaternion: this.state.quaternion,
    };
    keepDraft({ document, label: machine.label, past, future, at });
  }
}
