// Binary frames of the server: a JSON header, then arrays as they lie in memory (studio/frames.py says the layout).

const MAGIC = 0x31524647; // "GFR1", little-endian
const KINDS = { f8: Float64Array, f4: Float32Array, i4: Int32Array };
const DEEPEST = 12;

/**
 * The message in a frame, its arrays as typed arrays on the frame's own memory; a number that does not exist is NaN.
 * An Error says what is wrong with a frame that is not whole.
 * @param {ArrayBuffer} frame
 * @returns {Record<string, unknown>}
 */
export function unpack(frame) {
  const view = new DataView(frame);
  if (frame.byteLength < 8 || view.getUint32(0, true) !== MAGIC)
    throw new Error("a binary answer of the server does not begin as a frame");
  const length = view.getUint32(4, true);
  const start = 8 + length;
  if (length % 8 || start > frame.byteLength)
    throw new Error("the header of a binary answer is cut off");
  const header = read(new Uint8Array(frame, 8, length));
  return /** @type {Record<string, unknown>} */ (place(header, frame, start, 0));
}

/**
 * @param {Uint8Array} bytes
 * @returns {unknown}
 */
function read(bytes) {
  let header;
  try {
    header = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch {
    throw new Error("the header of a binary answer is not JSON");
  }
  if (header === null || typeof header !== "object" || Array.isArray(header))
    throw new Error("the header of a binary answer is not an object");
  return header;
}

/**
 * A value of the header with its arrays in place.
 * @param {unknown} value
 * @param {ArrayBuffer} frame
 * @param {number} start
 * @param {number} depth
 * @returns {unknown}
 */
function place(value, frame, start, depth) {
  if (depth > DEEPEST) throw new Error("the header of a binary answer is nested too deeply");
  if (value === null || typeof value !== "object") return value;
  if (Array.isArray(value)) return value.map((item) => place(item, frame, start, depth + 1));
  if ("array" in value) return numbers(/** @type {Said} */ (value), frame, start);
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, place(item, frame, start, depth + 1)]),
  );
}

/**
 * @typedef {{ array: unknown, at: unknown, count: unknown }} Said what a header says of an array, not yet believed
 */

/**
 * @param {Said} said
 * @param {ArrayBuffer} frame
 * @param {number} start
 */
function numbers({ array, at, count }, frame, start) {
  const kind = Object.entries(KINDS).find(([name]) => name === array)?.[1];
  if (!kind) throw new Error(`a binary answer has an array of unknown kind ${String(array)}`);
  if (!whole(at) || !whole(count) || at % 8)
    throw new Error("a binary answer does not say where an array is");
  if (start + at + count * kind.BYTES_PER_ELEMENT > frame.byteLength)
    throw new Error("an array of a binary answer is cut off");
  return new kind(frame, start + at, count);
}

/**
 * @param {unknown} x
 * @returns {x is number}
 */
const whole = (x) => Number.isSafeInteger(x) && /** @type {number} */ (x) >= 0;
