/** What the diagnosis of one image and of several share: their flags, their outputs, and what is printed. */
import type { DiagnoseOptions, Diagnosis } from 'ght';
import { describe, describeBySubject } from 'ght';
import type { Camera } from 'ght-images';
import type { InputFlags } from '../input-flags.js';
import { checkOutputs, type ImageFile } from '../io/index.js';
import { plotExtensions } from '../output/noise.js';
import { channelNames, imageSummary } from '../output/summary.js';
import { measure } from '../output/table.js';
import type { NoiseKind } from './denoise-flags.js';
import { modelExtensions, plainNoise } from './noise-model.js';

/** The flags of `ght diagnose`. */
export interface DiagnoseFlags extends InputFlags {
  readonly noise?: NoiseKind;
  readonly impulses?: 'auto' | 'off';
  readonly banding?: 'auto' | 'off';
  readonly missing?: 'keep' | 'fill';
  readonly output?: string;
  readonly plot?: string;
  readonly json?: true;
  readonly quiet?: true;
}

const kindOf = { auto: 'auto', white: 'white', 'poisson-gaussian': 'signal-dependent' } as const;

/** What the flags look for. */
export function soughtBy({ noise = 'auto', impulses, banding, missing }: DiagnoseFlags): DiagnoseOptions {
  return { kind: kindOf[noise], impulses, banding, missing };
}

/** Refuses a model or a plot that cannot be written, before any work is done. */
export function checkWritten(
  inputs: readonly string[],
  { plot, output }: Pick<DiagnoseFlags, 'plot' | 'output'>,
): Promise<void> {
  return checkOutputs(
    inputs.map((path) => ({ path, parameter: 'IMAGE' })),
    [
      { path: output, kinds: modelExtensions, parameter: '-o' },
      { path: plot, kinds: plotExtensions, parameter: '--plot' },
    ],
  );
}

/** Whether a file says nothing about its camera. */
export function isEmpty(camera: Camera | undefined): boolean {
  return camera === undefined || Object.keys(camera).length === 0;
}

/** What is printed about a diagnosis. */
interface DiagnosisSummary {
  readonly messages: readonly string[];
}

/** The diagnosis of a file for JSON. */
export function summaryOf(file: ImageFile, diagnosis: Diagnosis): DiagnosisSummary {
  return { ...{ format: file.format, image: imageSummary(file) }, ...noiseSummary(file.image.peak, diagnosis) };
}

/** A diagnosis of samples with this full scale, for JSON. */
export function noiseSummary(peak: number, diagnosis: Diagnosis): DiagnosisSummary {
  const { model, confidence, confidenceReason, levels, jpeg, jpegQuality, impulses, banding } = diagnosis;
  const white = model.kind === 'white' ? model.sigma : null;
  const summary = {
    ...{ messages: describe(diagnosis), confidence, confidenceReason },
    sigma: white,
    share: white?.map((level) => level / peak) ?? null,
    levels: levels ?? null,
    jpeg: jpeg ? { ...jpeg, luma: listOf(jpeg.luma), chroma: jpeg.chroma && listOf(jpeg.chroma) } : null,
    jpegQuality: jpegQuality ?? null,
    model: plainNoise(model),
    impulses,
    banding,
  };
  return summary;
}

function listOf(table: ArrayLike<number>): number[] {
  return Array.from(table);
}

/** A level below this share of the full scale is a rounding error, and is written as 0. */
const NEGLIGIBLE = 1e-9;

/** What was found, and the level of each plane in the units of the image. */
export function factsOf(peak: number, diagnosis: Diagnosis): [string, string][] {
  const { model, confidence, confidenceReason, levels } = diagnosis;
  const share = (level: number) => `${((100 * level) / peak).toFixed(2)}% of full scale`;
  const { impulses, banding, noise = '' } = describeBySubject(diagnosis);
  const rows: [string, string][] = [['noise', noise]];
  if (impulses !== undefined) rows.unshift(['impulses', impulses]);
  if (banding !== undefined) rows.unshift(['banding', banding]);
  if (model.kind === 'white') {
    const names = channelNames(model.sigma.length);
    for (const [c, level] of model.sigma.entries()) rows.push([names[c], `σ = ${measure(level)} (${share(level)})`]);
  }
  if (levels) {
    const names = levels.length === 3 ? ['luma', 'chroma 1', 'chroma 2'] : channelNames(levels.length);
    for (const [c, level] of levels.entries()) {
      const [middle, finest] = [level.middle, level.finest].map((value) => (value < NEGLIGIBLE * peak ? 0 : value));
      const middles = `σ = ${measure(middle)} at middle frequencies (${share(middle)})`;
      rows.push([names[c], `${middles}, ${measure(finest)} at the finest`]);
    }
  }
  const uncertain = confidenceReason === 'no-flat-area';
  const reason = uncertain ? ': no flat area shows the noise alone' : levels ? ': flat areas show the noise alone' : '';
  rows.push(['confidence', `${confidence.toFixed(2)} of 1${reason}`]);
  return rows;
}
