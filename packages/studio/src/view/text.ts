/** What "atoms per patch" counts, for images with this many planes; the same everywhere on the page. */
export function patchMeaning(planes: number): string {
  const patch = 'A patch is 8×8 pixels of one plane.';
  if (planes === 1) return `${patch} A grey image has one plane.`;
  const what = planes === 3 ? 'three planes, luma and two chromas' : `${planes} planes`;
  return `${patch} This image has ${what}, so every position has ${planes} patches; atoms per patch is the mean over them.`;
}

/** A duration that is still to come, roughly. */
export function timeLeft(seconds: number): string {
  if (seconds < 1.5) return 'about a second left';
  if (seconds < 90) return `about ${Math.round(seconds)}\u00a0s left`;
  return `about ${Math.round(seconds / 60)}\u00a0min left`;
}
