/** The metadata of a JPEG: segments before its samples. */
import { type Bytes, bytesOf, joined, startsWith } from '../bytes.js';
import { segmentsOf } from '../chunks.js';
import { uprightExif } from '../exif.js';
import type { ImageMetadata } from '../image-file.js';
import { CENTIMETRES_PER_INCH, perCentimetre, type Resolution } from '../resolution.js';
import { asResources, PHOTOSHOP, resourcesIn } from './iptc.js';

const EXIF = 'Exif\0\0';
const PROFILE = 'ICC_PROFILE\0';
const XMP = 'http://ns.adobe.com/xap/1.0/\0';
const EXTENDED_XMP = 'http://ns.adobe.com/xmp/extension/\0';
/** The most bytes of a segment after its length, which has 16 bits. */
const MOST_SEGMENT = 65_533;
const MOST_PROFILE = MOST_SEGMENT - PROFILE.length - 2;
/** The most bytes that fit in the only segment of their kind. */
export const mostInJpeg = { exif: MOST_SEGMENT - EXIF.length, xmp: MOST_SEGMENT - XMP.length } as const;

/** What the segments say, the resolution apart. */
export function readJpegMetadata(bytes: Uint8Array): ImageMetadata {
  const profile: { readonly part: number; readonly bytes: Uint8Array }[] = [];
  const resources: Uint8Array[] = [];
  const notRead = new Set<string>();
  let [exif, xmp]: (Uint8Array | undefined)[] = [];
  for (const { marker, content } of segmentsOf(bytes)) {
    const begins = (text: string) => startsWith(content, text);
    const after = (text: string) => content.slice(text.length);
    if (marker === 0xe1 && begins('Exif')) exif ??= uprightExif(content);
    else if (marker === 0xe1 && begins(XMP)) xmp ??= after(XMP);
    else if (marker === 0xe1 && begins(EXTENDED_XMP)) notRead.add('extended XMP');
    else if (marker === 0xe2 && begins(PROFILE)) {
      profile.push({ part: content[PROFILE.length], bytes: content.subarray(PROFILE.length + 2) });
    } else if (marker === 0xe2 && begins('MPF\0')) notRead.add('further pictures (MPF)');
    else if (marker === 0xed && begins(PHOTOSHOP)) resources.push(after(PHOTOSHOP));
    else if (marker === 0xfe) notRead.add('comment');
    // JFIF and Adobe say how the samples are stored.
    else if (marker > 0xe0 && marker < 0xee) notRead.add(`APP${marker - 0xe0} segment`);
  }
  const icc = joined(profile.sort((a, b) => a.part - b.part).map((each) => each.bytes));
  const { iptc, others } = resourcesIn(joined(resources));
  if (others > 0) notRead.add('Photoshop resources');
  return {
    ...(icc.length > 0 && { icc }),
    ...(exif && { exif }),
    ...(xmp && xmp.length > 0 && { xmp }),
    ...(iptc && { iptc }),
    ...(notRead.size > 0 && { notRead: [...notRead] }),
  };
}

/** Adds metadata to a JPEG that an encoder has made, in place of what that says of colours and resolution. */
export function describeJpeg(file: Bytes, { icc, exif, xmp, iptc, resolution }: ImageMetadata): Bytes {
  let rest = 2;
  for (const { marker, content } of segmentsOf(file)) {
    if (marker < 0xe0 || marker > 0xef) break;
    rest += 4 + content.length;
  }
  const profile = pieces(icc, MOST_PROFILE);
  return joined([
    file.subarray(0, 2),
    segment(0xe0, [bytesOf('JFIF\0'), Uint8Array.of(1, 1), density(resolution), new Uint8Array(2)]),
    ...(exif && exif.length <= mostInJpeg.exif ? [segment(0xe1, [bytesOf(EXIF), exif])] : []),
    ...(xmp && xmp.length <= mostInJpeg.xmp ? [segment(0xe1, [bytesOf(XMP), xmp])] : []),
    ...profile.map((piece, i) => segment(0xe2, [bytesOf(PROFILE), Uint8Array.of(i + 1, profile.length), piece])),
    ...pieces(iptc && asResources(iptc), MOST_SEGMENT - PHOTOSHOP.length).map((piece) =>
      segment(0xed, [bytesOf(PHOTOSHOP), piece]),
    ),
    file.subarray(rest),
  ]);
}

/** Bytes in pieces of at most this length; none of nothing. */
function pieces(bytes: Uint8Array | undefined, most: number): Uint8Array[] {
  const count = bytes ? Math.ceil(bytes.length / most) : 0;
  return Array.from({ length: count }, (_, i) => (bytes as Uint8Array).subarray(i * most, (i + 1) * most));
}

/** The unit of a JFIF segment and its two whole numbers: per inch or per centimetre, whichever is nearer. */
function density(resolution: Resolution | undefined): Uint8Array {
  const metric = resolution && perCentimetre(resolution);
  const imperial = metric && { x: metric.x * CENTIMETRES_PER_INCH, y: metric.y * CENTIMETRES_PER_INCH };
  const error = ({ x, y }: { readonly x: number; readonly y: number }) =>
    Math.max(Math.abs(Math.round(x) / x - 1), Math.abs(Math.round(y) / y - 1));
  const isImperial = metric && imperial && error(imperial) <= error(metric);
  const { x, y } = (isImperial ? imperial : metric) ?? resolution ?? { x: 1, y: 1 };
  const number = (value: number) => Math.max(1, Math.min(0xffff, Math.round(value)));
  const [across, down] = [number(x), number(y)];
  return Uint8Array.of(metric ? (isImperial ? 1 : 2) : 0, across >> 8, across & 255, down >> 8, down & 255);
}

function segment(marker: number, parts: readonly Uint8Array[]): Bytes {
  const content = joined(parts);
  const length = content.length + 2;
  return joined([Uint8Array.of(0xff, marker, length >> 8, length & 255), content]);
}
