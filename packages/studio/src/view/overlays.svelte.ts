import type { Studio } from '../state/studio.svelte.js';
import type { Layer } from '../worker/layer.js';
import type { Applicable, Slot } from '../worker/protocol.js';
import { overlayScale } from './overlay-scale.js';
import type { Sides } from './sides.js';

/** The overlays of both sides, drawn by the worker whenever a side or the choice changes. Both share one scale. */
export class Overlays {
  layers = $state.raw<Partial<Record<Slot, Layer>>>({});
  /** How much what was removed is amplified. */
  gain = $state(1);
  readonly plan = $derived.by(() => this.#plan());

  constructor(
    private readonly studio: Studio,
    private readonly sides: () => Sides,
  ) {
    $effect(() => {
      const { plan } = this;
      if (!plan) {
        this.layers = {};
        return;
      }
      let current = true;
      const { kind, slots, scale } = plan;
      const draw = async (slot: Slot) => {
        if (kind === 'heatmap') return studio.client.ask('heatmap', { slot, most: scale });
        if (kind === 'error') return studio.client.ask('error', { slot, range: scale });
        const { layer, gain } = await studio.client.ask('removed', { slot: slot as Applicable });
        if (current) this.gain = gain;
        return layer;
      };
      Promise.all(slots.map(async (slot) => [slot, await draw(slot)] as const)).then(
        (found) => {
          if (current) this.layers = Object.fromEntries(found);
        },
        // The result has just been replaced: the new one is drawn next.
        () => {},
      );
      return () => {
        current = false;
      };
    });
  }

  /** What the result has removed; an enlarged picture has other pixels. The plan is another one for every result. */
  #removed() {
    const { settings, denoising, restoring } = this.studio;
    const [slot, result] =
      settings.tab === 'denoise'
        ? (['denoised', denoising.denoised] as const)
        : (['restored', settings.restore === 'upscale' ? undefined : restoring.restored] as const);
    const retouching = settings.tab === 'denoise' || settings.tab === 'restore';
    return retouching && result ? { kind: 'removed' as const, slots: [slot], scale: 0, result } : undefined;
  }

  #plan() {
    const { settings, representing, denoising, restoring } = this.studio;
    const { opened } = this.studio.image;
    const { overlay: kind, tab } = settings;
    if (kind === 'none' || !opened) return undefined;
    if (tab === 'represent' && representing.stage === 'coarse') return undefined;
    const compared = tab === 'denoise' || tab === 'restore';
    if (kind === 'removed') return this.#removed();
    if (compared && kind === 'heatmap') return undefined;
    const { left, right } = this.sides();
    const known = [...new Set([left, right])].flatMap((slot) => {
      const psnr =
        slot === 'noisy' || slot === 'denoised'
          ? denoising[slot]?.psnr
          : slot === 'restored'
            ? restoring.restored?.psnr
            : undefined;
      if (compared) {
        return typeof psnr === 'number' ? [{ slot, mostAtoms: 0, rmsePixel: opened.peak * 10 ** (-psnr / 20) }] : [];
      }
      const of = this.studio.readings(slot);
      return of ? [{ slot, mostAtoms: of.mostAtoms, rmsePixel: of.rmsePixel }] : [];
    });
    if (known.length === 0) return undefined;
    return { kind, slots: known.map(({ slot }) => slot), scale: overlayScale(kind, known, opened.peak) };
  }
}
