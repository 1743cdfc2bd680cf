/** Writes the metadata of a JPEG: segments before its samples. */
import { type Bytes, bytesOf, joined } from '../bytes.js';
import { segmentsOf } from '../chunks.js';
import type { ImageMetadata } from '../image-file.js';
import { CENTIMETRES_PER_INCH, perCentimetre, type Resolution } from '../resolution.js';
import { asResources } from './iptc.js';
import { EXIF, MOST_SEGMENT, mostInJpeg, PHOTOSHOP, PROFILE, XMP } from './jpeg-segments.js';

const MOST_PROFILE = MOST_SEGMENT - PROFILE.length - 2;

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
