/** The summary of a result, for `--json` and for people. */
import type { EngineInfo, Solution, SolverName } from 'ght';
import { atomsPerPatch, describeBySubject, solverCatalogue } from 'ght';
import type { Picture } from 'ght-tiles';
import { penaltyText, type RelativePenalty } from '../flags.js';
import type { ImageFile } from '../io/index.js';
import { oneLine } from './line.js';
import { count, decibels, facts, measure } from './table.js';

/** The facts about a run that every task reports, in the order of the JSON object. */
export interface Summary {
  readonly task: string;
  readonly solver: SolverName;
  readonly engine: EngineInfo;
  readonly patches: number;
  readonly atoms: number;
  readonly budget: number;
  readonly nonzeros: number;
  /** The largest number of atoms per patch, if a patch-wise solver has one limit for all patches; null otherwise. */
  readonly limit: number | null;
  /** The RMSE per patch, as defined in the paper. */
  readonly rmse: number;
  readonly rmsePixel: number;
  /** Null if there is nothing to compare with, or no difference. */
  readonly psnr: number | null;
  readonly rho: RelativePenalty | null;
  readonly iterations: number;
  readonly stopReason: string;
  readonly seconds: number;
}

/** The summary of a solve. `psnr` is in dB; Infinity becomes null, since JSON has no infinity. */
export function summarise(
  task: string,
  solution: Solution,
  measured: {
    readonly rmsePixel: number;
    readonly psnr: number | null;
    readonly seconds: number;
    /** Whether `--spread` was given, to spend all of the budget. */
    readonly spread: boolean | undefined;
  },
): Summary {
  const { solver, engine, budget, nonzeros, rmse, rho, iterations, stopReason, codes } = solution;
  return {
    task,
    solver,
    engine,
    patches: codes.P,
    atoms: codes.L,
    budget,
    nonzeros,
    limit: solverCatalogue[solver].method === 'patchwise' && !measured.spread ? Math.floor(budget / codes.P) : null,
    rmse,
    rmsePixel: measured.rmsePixel,
    psnr: measured.psnr !== null && Number.isFinite(measured.psnr) ? measured.psnr : null,
    rho,
    iterations,
    stopReason,
    seconds: measured.seconds,
  };
}

/** The `image` entry of the JSON object. */
export function imageSummary({ image, depth, sample }: ImageFile) {
  const { width, height, planes, alpha, peak } = image;
  return { width, height, channels: planes.length + (alpha ? 1 : 0), depth, sample, peak };
}

/** `photo.png: 512×410, 3 channels, 8 bit`. */
export function imageLine(path: string, file: ImageFile): string {
  return pictureLine(path, imageSummary(file));
}

/** The same for an image that is not in memory. */
export function pictureLine(
  path: string,
  { width, height, channels, depth, sample }: Pick<Picture, 'width' | 'height' | 'channels' | 'depth' | 'sample'>,
): string {
  const kind = { float: `${depth}-bit float`, int: `${depth} bit, signed`, uint: `${depth} bit` }[sample];
  return `${oneLine(path)}: ${width}×${height}, ${channels} channel${channels === 1 ? '' : 's'}, ${kind}`;
}

/** The facts about one run, for people. */
export function runFacts(summary: Summary, extra: readonly (readonly [string, string])[] = []): string {
  const { patches, atoms, budget, nonzeros, rmse, rmsePixel, psnr, rho, iterations, stopReason, seconds, engine } =
    summary;
  const noisy = summary.task === 'denoise';
  const [one, many, sample] =
    summary.task === 'solve' ? ['signal', 'signals', 'sample'] : ['patch', 'patches', 'pixel'];
  const average = (n: number) => `${count(n)} (${(n / patches).toFixed(2)} per ${one})`;
  const unspent = unspentMessage(summary, one);
  return facts([
    [
      'solver',
      `${solverCatalogue[summary.solver].title}${rho === null ? '' : `, ρ = ${penaltyText(rho, measure)} absolute`}`,
    ],
    [many, `${count(patches)}, over ${atoms} atoms`],
    ['budget', average(budget)],
    ...(unspent === undefined ? [] : [['limit', unspent] as const]),
    ['nonzeros', average(nonzeros)],
    [
      'RMSE',
      `${measure(rmse)} per ${one}, ${measure(rmsePixel)} per ${sample}${noisy ? ', against the noisy image' : ''}`,
    ],
    ...(psnr === null ? [] : [['PSNR', `${decibels(psnr)}${noisy ? ', against the reference' : ''}`] as const]),
    ['iterations', `${iterations}, ${stopReason}`],
    ['time', `${seconds.toFixed(2)} s on ${engineText(engine)}`],
    ...extra,
  ]);
}

/** The engine that ran, and why not the requested one. */
export function engineText(info: EngineInfo): string {
  const { name, threads } = info;
  const { engine, fallback } = describeBySubject(info);
  const ran =
    name === 'webgpu' ? `a GPU (${engine})` : `the ${name} engine, ${threads} thread${threads === 1 ? '' : 's'}`;
  return fallback ? `${ran}; ${fallback}` : ran;
}

/**
 * The minimum, maximum and median of the atoms per patch. In colour, every plane has its own patches, as in the mean per patch.
 */
export function range({ codes }: Pick<Solution, 'codes'>): string {
  const sorted = atomsPerPatch(codes).sort();
  return `${sorted[0]} to ${sorted[sorted.length - 1]} atoms per patch, median ${sorted[Math.floor(sorted.length / 2)]}`;
}

/** How much of a budget a patch-wise solver cannot spend, if it does not divide evenly; undefined if it spends everything. */
export function unspentMessage({ budget, patches, limit }: Summary, one = 'patch'): string | undefined {
  if (limit === null || limit * patches === budget) return undefined;
  const each = `at most ${limit} atom${limit === 1 ? '' : 's'} in every ${one}, S/P rounded down`;
  return `${each}: ${count(budget - limit * patches)} of the budget cannot be spent; --spread spends them`;
}

/** The names of the channels of an image. */
export function channelNames(channels: number): string[] {
  if (channels === 1) return ['grey'];
  if (channels === 3) return ['red', 'green', 'blue'];
  return Array.from({ length: channels }, (_, c) => `channel ${c}`);
}
