/** What a file chooser for pictures offers; the browser may have decoders for more than these extensions. */
export const accepted = 'image/*,.png,.jpg,.jpeg,.webp,.tif,.tiff,.ppm,.pgm,.pnm,.pfm,.fits,.fit,.fts,.npy';
