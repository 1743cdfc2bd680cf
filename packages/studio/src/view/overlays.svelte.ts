import type { Studio } from '../state/studio.svelte.js';
import type { Layer, Slot } from '../worker/protocol.js';
import { overlayScale } from './overlayScale.js';
import type { Sides } from './sides.js';

/** What is laid over the sides, drawn by the worker whenever a side or the choice changes; both share one scale. */
export class Overlays {
  layers = $state.raw<Partial<Record<Slot, Layer>>>({});
  readonly plan = $derived.by(() => this.#plan());

  constructor(
    private readonly studio: Studio,
    private readonly sides: () => Sides,
  ) {
    $effect(() => {
      void studio.version;
      const { plan } = this;
      if (!plan) {
        this.layers = {};
        return;
      }
      let current = true;
      const { kind, slots, scale } = plan;
      const draw = (slot: Slot) =>
        kind === 'heatmap' ? studio.ask('heatmap', { slot, most: scale }) : studio.ask('error', { slot, range: scale });
      Promise.all(slots.map(async (slot) => [slot, await draw(slot)] as const)).then(
        (found) => {
          if (current) this.layers = Object.fromEntries(found);
        },
        // A result that has just been replaced: the next version draws it.
        () => {},
      );
      return () => {
        current = false;
      };
    });
  }

  #plan() {
    const { settings, opened, readings, stage, noisyPsnr, denoised } = this.studio;
    const { overlay: kind, tab } = settings;
    if (kind === 'none' || !opened) return undefined;
    if (tab === 'represent' && stage === 'coarse') return undefined;
    if (tab === 'denoise' && kind === 'heatmap') return undefined;
    const { left, right } = this.sides();
    const known = [...new Set([left, right])].flatMap((slot) => {
      const psnr = slot === 'noisy' ? noisyPsnr : slot === 'denoised' ? denoised?.psnr : undefined;
      if (tab === 'denoise') {
        return typeof psnr === 'number' ? [{ slot, mostAtoms: 0, rmsePixel: opened.peak * 10 ** (-psnr / 20) }] : [];
      }
      const of = readings[slot];
      return of ? [{ slot, mostAtoms: of.mostAtoms, rmsePixel: of.rmsePixel }] : [];
    });
    if (known.length === 0) return undefined;
    return { kind, slots: known.map(({ slot }) => slot), scale: overlayScale(kind, known, opened.peak) };
  }
}
