/** Whether a picture is in the colours of Display P3. */

/** The X of the red, green and blue of Display P3, in the space that profiles connect to. */
const P3_PRIMARIES = { rXYZ: 0.5151, gXYZ: 0.292, bXYZ: 0.1571 };

/** Whether a profile has the primaries of Display P3, in which screens can show the picture; its name may be any. */
export function isDisplayP3(icc: Uint8Array | undefined): boolean {
  if (!icc || icc.length < 132) return false;
  const view = new DataView(icc.buffer, icc.byteOffset, icc.byteLength);
  let alike = 0;
  for (let i = 0, at = 132; i < view.getUint32(128) && at + 12 <= icc.length; i++, at += 12) {
    const name = String.fromCharCode(...icc.subarray(at, at + 4)) as keyof typeof P3_PRIMARIES;
    const place = view.getUint32(at + 4) + 8;
    if (!Object.hasOwn(P3_PRIMARIES, name) || place + 4 > icc.length) continue;
    if (Math.abs(view.getInt32(place) / 65536 - P3_PRIMARIES[name]) < 0.002) alike++;
  }
  return alike === 3;
}
