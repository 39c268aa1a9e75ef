// Why a request was not answered, of what a promise was rejected with.

/**
 * In words: what the server said, or what went wrong here.
 * @param {unknown} caught
 */
export function words(caught) {
  const { text, message } = /** @type {import("./types.d.ts").Refusal} */ (caught);
  return text ?? message;
}

/**
 * Whether there was no connection: then it may be asked again.
 * @param {unknown} caught
 */
export const isLost = (caught) =>
  Boolean(/** @type {import("./types.d.ts").Refusal} */ (caught).lost);
