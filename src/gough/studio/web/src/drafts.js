// Edits that are not saved yet, kept by the browser: for this tab across reloads, and a copy for when it was closed.

const KEY = "gough-draft";
const MOST = 20; // versions kept for undo, each way

/**
 * draft: document, label, past, future, at. A private window keeps nothing.
 * @param {import("./types.d.ts").Draft} draft
 */
export function keepDraft(draft) {
  const past = draft.past.slice(-MOST);
  const future = draft.future.slice(-MOST);
  const text = JSON.stringify({ ...draft, past, future, saved: new Date().toISOString() });
  for (const store of stores()) write(store, text);
}

export function dropDraft() {
  for (const store of stores()) write(store, null);
}

/** What this tab had before it was reloaded, or null. */
export const ownDraft = () => read(stores()[0]);

/** What a tab that is gone had, or null. */
export const leftDraft = () => read(stores()[1]);

function stores() {
  const reach = [() => sessionStorage, () => localStorage];
  return reach.map((store) => {
    try {
      return store();
    } catch {
      return null;
    }
  });
}

/**
 * @param {Storage | null} store
 * @param {string | null} text
 */
function write(store, text) {
  try {
    text === null ? store?.removeItem(KEY) : store?.setItem(KEY, text);
  } catch {
    /* full or forbidden: not kept */
  }
}

/**
 * @param {Storage | null} store
 * @returns {import("./types.d.ts").Draft | null}
 */
function read(store) {
  try {
    const draft = JSON.parse(store?.getItem(KEY) ?? "null");
    return draft?.document?.legs?.length === 6 ? draft : null;
  } catch {
    return null;
  }
}
