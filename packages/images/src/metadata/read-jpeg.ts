/** Reads the metadata of a JPEG: segments before its samples. */
import { joined, startsWith } from '../bytes.js';
import { segmentsOf } from '../chunks.js';
import { uprightExif } from '../exif.js';
import type { ImageMetadata } from '../image-file.js';
import { resourcesIn } from './iptc.js';
import { PHOTOSHOP, PROFILE, XMP } from './jpeg-segments.js';

const EXTENDED_XMP = 'http://ns.adobe.com/xmp/extension/\0';

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
