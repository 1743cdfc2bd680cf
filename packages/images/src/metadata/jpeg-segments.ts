/** How the segments of a JPEG begin that hold metadata, and how much fits in one. */
export const EXIF = 'Exif\0\0';
export const PROFILE = 'ICC_PROFILE\0';
export const XMP = 'http://ns.adobe.com/xap/1.0/\0';
export const PHOTOSHOP = 'Photoshop 3.0\0';
/** The most bytes of a segment after its length, which has 16 bits. */
export const MOST_SEGMENT = 65_533;
/** The most bytes that fit in the only segment of their kind. */
export const mostInJpeg = { exif: MOST_SEGMENT - EXIF.length, xmp: MOST_SEGMENT - XMP.length } as const;
