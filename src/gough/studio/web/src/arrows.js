// How long force arrows are, and turning by a quaternion: numbers of the view that need no 3D.

/**
 * The largest of the forces in a row of vectors, three numbers each; what is not known counts as zero.
 * @param {ArrayLike<number | null> | null | undefined} vectors
 */
export function largest(vectors) {
  let most = 0;
  for (let i = 0; vectors && i + 2 < vectors.length; i += 3)
    most = Math.max(most, Math.hypot(vectors[i] || 0, vectors[i + 1] || 0, vectors[i + 2] || 0));
  return most;
}

/**
 * The next of 1, 2, 5, 10, 20, ... that is not smaller.
 * @param {number} x
 */
export function roundUp(x) {
  if (!(x > 0) || !Number.isFinite(x)) return 0;
  const mag = 10 ** Math.floor(Math.log10(x));
  return mag * ([1, 2, 5, 10].find((k) => k * mag >= x) ?? 10);
}

/**
 * A vector turned by a unit quaternion (w x y z): v + 2 w (u x v) + 2 u x (u x v).
 * @param {ArrayLike<number>} quaternion
 * @param {ArrayLike<number>} vector
 */
export function turned(quaternion, vector) {
  const [w, ...u] = Array.from(quaternion);
  const v = Array.from(vector);
  const once = cross(u, v);
  const twice = cross(u, once);
  return v.map((x, i) => x + 2 * w * once[i] + 2 * twice[i]);
}

/**
 * @param {ArrayLike<number>} a
 * @param {ArrayLike<number>} b
 */
export function cross(a, b) {
  return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
}
