import type { FileFormat, Opened, SavedFile, Slot } from '../worker/protocol.js';
import type { Studio } from './studio.svelte.js';

/** The formats that can hold the samples of an image, first the one of its own file; a browser writes opacity exactly as PNG only. */
export function formatsFor({ sample, alpha, format, pages }: Opened): readonly FileFormat[] {
  // Only a TIFF has all pages of a stack.
  if (pages > 1) return ['tiff'];
  if (sample === 'float') return ['tiff', 'npy'];
  const all: readonly FileFormat[] = alpha ? ['png', 'webp', 'tiff'] : ['png', 'jpeg', 'webp', 'tiff'];
  const own = all.find((each) => each === format.toLowerCase() && !(alpha && each === 'webp')) ?? 'png';
  return [own, ...all.filter((each) => each !== own)];
}

/** The slot that a tab saves. */
export function savedSlot({ settings, inspected }: Studio): Slot {
  return settings.tab === 'denoise' ? 'denoised' : settings.tab === 'restore' ? 'restored' : inspected;
}

/** Whether the result of these settings is there. */
export function isCurrent(studio: Studio): boolean {
  const { tab } = studio.settings;
  if (tab === 'denoise') return studio.denoising.complete;
  if (tab === 'restore') return studio.restoring.current !== undefined;
  const slot = studio.inspected;
  return slot === 'result' ? studio.representing.stage === 'final' : studio.readings(slot) !== undefined;
}

/** The name of a file with the result, without its extension. */
export function resultName(studio: Studio): string {
  const { settings, image } = studio;
  return `${settings.image || image.title.replace(/\.[^.]*$/, '') || 'image'}-${savedSlot(studio)}`;
}

/** The result of these settings as a file; what is only previewed so far is computed first. Undefined if that was cancelled or failed. */
export async function savedFile(studio: Studio, format: FileFormat): Promise<SavedFile | undefined> {
  const { settings } = studio;
  if (!isCurrent(studio)) {
    if (settings.tab === 'denoise') await studio.denoise();
    else if (settings.tab === 'restore') await studio.restoreImage();
  }
  if (!isCurrent(studio)) return undefined;
  try {
    const stack = settings.tab === 'denoise' && studio.denoising.inSeries;
    return await studio.client.ask('file', { slot: savedSlot(studio), format, ...(stack && { stack }) });
  } catch (error) {
    studio.runner.report(error);
    return undefined;
  }
}
