import { solverCatalogue } from 'ght';
import { restoredTitles, type Settings } from '../settings/settings.js';
import type { ResultStage } from '../state/representing.svelte.js';
import type { Readings, Slot } from '../worker/protocol.js';

/** What is shown on either side of the divider. */
export interface Sides {
  readonly left: Slot;
  readonly right: Slot;
}

/** The sides that a tab shows; the original replaces pictures that do not exist yet. */
export function sidesOf(settings: Settings, against: 'noisy' | 'original', has: (slot: Slot) => boolean): Sides {
  const or = (slot: Slot): Slot => (has(slot) ? slot : 'original');
  if (settings.tab === 'restore') return { left: 'original', right: or('restored') };
  if (settings.tab === 'denoise') return { left: or(against), right: or('denoised') };
  if (settings.tab === 'represent') return { left: 'original', right: or('result') };
  return { left: or(settings.left), right: or(settings.right) };
}

/** The label of a side. */
export function titleOf(
  slot: Slot,
  { tab, noise, solver, restore }: Settings,
  result: { readonly readings: Readings; readonly codesFile?: string } | undefined,
  stage: ResultStage,
  /** Whether the picture of a denoised or restored image is of older settings. */
  stale: boolean,
): string {
  if (slot === 'original') return tab === 'denoise' && noise > 0 ? 'Clean' : 'Original';
  if (slot === 'noisy') return noise > 0 ? `Noisy, σ = ${noise}` : 'Before';
  const older = stale ? ', older settings' : '';
  if (slot === 'denoised') return `Denoised${older}`;
  if (slot === 'restored') return `${restoredTitles[restore]}${older}`;
  if (slot !== 'result') return solverCatalogue[slot].title;
  if (result?.codesFile) return result.codesFile;
  const name = solverCatalogue[result?.readings.solver ?? solver].title;
  return stage === 'coarse' ? `${name}, coarse preview` : stage === 'preview' ? `${name}, preview` : name;
}
