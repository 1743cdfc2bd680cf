/** What the page shows, as a command and as a program with the same result. */
import { type SolverName, solverCatalogue, solverNames } from 'ght';
import type { DictionaryName, Settings } from './settings.js';

/** What the settings do not say about the result that is shown. */
export interface ShownResult {
  /** The name of the image file. */
  readonly file: string;
  /** The number of its pages. @default 1 */
  readonly pages?: number;
  readonly channels: number;
  /** Of one step of an 8-bit image, in the units of the image. */
  readonly unit: number;
  /** The atoms of the result; the budget, if that was found by a target. */
  readonly nonzeros: number | undefined;
}

/** Why something cannot be copied, in a sentence. */
export interface NotCopied {
  readonly reason: string;
}

/** How the dictionaries of the page are given to the command, and made in a program. */
const dictionaryTexts: Readonly<Record<DictionaryName, { readonly flags?: readonly string[]; readonly code: string }>> =
  {
    learned: { flags: ['--dictionary learned'], code: 'learnedDictionary' },
    'dct-100': { flags: ['--dictionary paper'], code: 'overcompleteDct(8, 10)' },
    'dct-64': { code: 'completeDct(8)' },
    'dct-196': { flags: ['--atoms 14'], code: 'overcompleteDct(8, 14)' },
    'gaussian-100': { code: 'gaussianDictionary(64, 100, 1)' },
  };

/** The command line, or several lines for a comparison. */
export function asCommand(settings: Settings, shown: ShownResult): string | NotCopied {
  const { tab } = settings;
  if (isStack(shown) && tab !== 'denoise') return ONE_PAGE;
  if (tab === 'restore') return restoreCommand(settings, shown);
  if (tab === 'denoise') return denoiseCommand(settings, shown);
  const { flags } = dictionaryTexts[settings.dictionary];
  if (!flags) return { reason: 'The command has no name for this dictionary: copy as code instead.' };
  if (settings.goal === 'psnr' && settings.dictionary === 'learned') {
    return {
      reason: 'The command would choose the learned dictionary by the budget that was found: copy as code instead.',
    };
  }
  const solvers = tab === 'compare' ? solverNames : [settings.solver];
  const { goal, s, stride } = settings;
  const budget = goal === 'psnr' ? `--total-budget ${shown.nonzeros ?? 0}` : `--budget ${s}`;
  const line = (solver: SolverName) =>
    [
      `ght represent ${quoted(shown.file)} -o ${quoted(outputOf(shown.file, solver))} --solver ${solver} ${budget}`,
      ...flags,
      ...(stride === 8 ? [] : [`--stride ${stride}`]),
      ...(solverCatalogue[solver].joint ? [] : ['--spread']),
      ...(tab === 'compare' || settings.rho === null || solverCatalogue[solver].rho === null
        ? []
        : [`--rho ${settings.rho}`]),
      ...(refits(settings, solver) ? ['--refit'] : []),
      ...engineFlag(settings),
    ].join(' ');
  return solvers.map(line).join('\n');
}

function denoiseCommand(settings: Settings, shown: ShownResult): string | NotCopied {
  const { file, channels, unit } = shown;
  if (settings.noise > 0) return { reason: 'No command adds noise: copy the experiment as code.' };
  const { sigma, strength, strengthChroma, quality } = settings;
  return [
    `ght denoise ${quoted(file)} -o ${quoted(outputOf(file, 'denoised', isStack(shown) ? 'tif' : 'png'))}`,
    ...(quality === 'balanced' ? [] : [`--quality ${quality}`]),
    ...(sigma === 'auto' ? [] : [`--sigma ${sigma * unit}`]),
    ...(strength === 1 ? [] : [`--strength ${strength}`]),
    ...(strengthChroma === 1 || channels !== 3 ? [] : [`--strength-chroma ${strengthChroma}`]),
    ...engineFlag(settings),
  ].join(' ');
}

const isStack = ({ pages = 1 }: ShownResult) => pages > 1;
const ONE_PAGE: NotCopied = { reason: 'This is one page of a stack: save it, and open that file.' };
const ALL_PAGES: NotCopied = { reason: 'Copy as command, which takes all pages of the stack.' };

/** Masks and kernels that were drawn are in the page only. */
const DRAWN: NotCopied = { reason: 'What was drawn on this page cannot be named in a text: save the picture instead.' };

function restoreCommand(settings: Settings, { file, unit }: ShownResult): string | NotCopied {
  const { restore, kernel, factor, blurNoise, restoreQuality } = settings;
  if (restore === 'inpaint' || (restore === 'deblur' && kernel === 'drawn')) return DRAWN;
  return [
    `ght ${restore} ${quoted(file)} -o ${quoted(outputOf(file, restore === 'upscale' ? 'enlarged' : 'deblurred'))}`,
    restore === 'upscale'
      ? `--factor ${factor}`
      : `--kernel ${kernel === 'auto' ? kernel : `${kernel}:${kernelSizes(settings).join(',')}`}`,
    ...(restore === 'deblur' && blurNoise !== 'auto' ? [`--sigma ${blurNoise * unit}`] : []),
    ...(restoreQuality === 'balanced' ? [] : [`--quality ${restoreQuality}`]),
    ...engineFlag(settings),
  ].join(' ');
}

function restoreCode(settings: Settings, { file, unit }: ShownResult): string | NotCopied {
  const { restore, kernel, factor, blurNoise, restoreQuality } = settings;
  if (restore === 'inpaint' || (restore === 'deblur' && kernel === 'drawn')) return DRAWN;
  const options = [
    `quality: '${restoreQuality}'`,
    ...(restore === 'deblur' && blurNoise !== 'auto' ? [`sigma: ${blurNoise * unit}`] : []),
    ...engineOption(settings),
  ].join(', ');
  const shape = kernel === 'auto' ? `'auto'` : `${kernel}Kernel(${kernelSizes(settings).join(', ')})`;
  const names = restore === 'upscale' ? 'upscale' : kernel === 'auto' ? 'deblur' : `deblur, ${kernel}Kernel`;
  return lines(
    `import { ${names} } from 'ght';`,
    ...reading(file, 'image'),
    `const result = await ${restore}(image, ${restore === 'upscale' ? factor : shape}, { ${options} });`,
    writing(outputOf(file, restore === 'upscale' ? 'enlarged' : 'deblurred')),
    'console.log(result.image.width, result.image.height, result.sigma);',
  );
}

function kernelSizes({ kernel, blur, radius, length, angle }: Settings): readonly number[] {
  return kernel === 'disk' ? [radius] : kernel === 'motion' ? [length, angle] : [blur];
}

/** A program for Node. */
export function asCode(settings: Settings, shown: ShownResult): string | NotCopied {
  if (isStack(shown)) return settings.tab === 'denoise' ? ALL_PAGES : ONE_PAGE;
  if (settings.tab === 'restore') return restoreCode(settings, shown);
  return settings.tab === 'denoise' ? denoiseCode(settings, shown) : representCode(settings, shown);
}

function representCode(settings: Settings, { file, nonzeros }: ShownResult): string {
  const comparing = settings.tab === 'compare';
  const { goal, s, stride, rho, solver } = settings;
  const { code } = dictionaryTexts[settings.dictionary];
  // As in the library, it depends on the budget.
  const made = settings.dictionary === 'learned' ? `${code}(${goal === 'psnr' ? '' : s})` : code;
  const options = [
    ...(comparing ? ['solver'] : [`solver: '${solver}'`]),
    'dictionary',
    ...(stride === 8 ? [] : [`stride: ${stride}`]),
    `budget: { ${goal === 'psnr' ? `total: ${nonzeros ?? 0}` : `perPatch: ${s}`} }`,
    ...(comparing ? ['spread: !solverCatalogue[solver].joint'] : solverCatalogue[solver].joint ? [] : ['spread: true']),
    ...(comparing || rho === null || solverCatalogue[solver].rho === null ? [] : [`rho: ${rho}`]),
    ...(refits(settings, solver) ? ['refit: true'] : []),
    ...engineOption(settings),
  ];
  const names = [code.split('(')[0], 'represent', ...(comparing ? ['solverCatalogue', 'solverNames'] : [])];
  const run = `const result = await represent(image, { ${options.join(', ')} });`;
  const body = comparing
    ? [
        'for (const solver of solverNames) {',
        `  ${run}`,
        `  await writeImage(${JSON.stringify(`${stemOf(file)}-`)} + solver + '.png', result.image, file);`,
        '  console.log(solver, result.psnr.toFixed(2), result.nonzeros);',
        '}',
      ]
    : [run, writing(outputOf(file, solver)), 'console.log(result.psnr.toFixed(2), result.nonzeros);'];
  return lines(
    `import { ${names.join(', ')} } from 'ght';`,
    ...reading(file, 'image'),
    `const dictionary = ${made};`,
    ...body,
  );
}

function denoiseCode(settings: Settings, { file, channels, unit }: ShownResult): string {
  const { noise, sigma, strength, strengthChroma, quality } = settings;
  const options = [
    `quality: '${quality}'`,
    ...(sigma === 'auto' ? [] : [`sigma: ${sigma * unit}`]),
    ...(strength === 1 ? [] : [`strength: ${strength}`]),
    ...(strengthChroma === 1 || channels !== 3 ? [] : [`strengthChroma: ${strengthChroma}`]),
    ...engineOption(settings),
  ];
  if (noise === 0) {
    return lines(
      "import { denoise, describe } from 'ght';",
      ...reading(file, 'image, jpeg'),
      `const result = await denoise(image, { ${[...options, 'jpeg'].join(', ')} });`,
      writing(outputOf(file, 'denoised')),
      "console.log(describe(result).join('\\n'));",
    );
  }
  return lines(
    "import { denoise, psnr, randomSource } from 'ght';",
    ...reading(file, 'image'),
    'const random = randomSource(1);',
    'const planes = image.planes.map((plane) =>',
    `  Float32Array.from(plane, (value) => value + ${noise * unit} * random.normal()));`,
    `const result = await denoise({ ...image, planes }, { ${[...options, "jpeg: 'off'"].join(', ')} });`,
    writing(outputOf(file, 'denoised')),
    'console.log(psnr(result.image, image).toFixed(2));',
  );
}

function reading(file: string, parts: string): string[] {
  return [
    "import { readImage, writeImage } from 'ght-images/node';",
    '',
    `const file = await readImage(${JSON.stringify(file)});`,
    `const { ${parts} } = file;`,
  ];
}

/** The result as a file, with the depth, profile, EXIF and resolution of the input. */
const writing = (output: string) => `await writeImage(${JSON.stringify(output)}, result.image, file);`;

const lines = (...all: readonly string[]) => `${all.join('\n')}\n`;

const engineFlag = ({ engine }: Settings) => (engine === 'auto' ? [] : [`--engine ${engine}`]);

const engineOption = ({ engine }: Settings) => (engine === 'auto' ? [] : [`engine: '${engine}'`]);

function refits({ tab, refit }: Settings, solver: SolverName): boolean {
  return tab === 'represent' && refit && solverCatalogue[solver].rho !== null;
}

/** A file next to the image, named after what was done. */
function outputOf(file: string, what: string, extension = 'png'): string {
  return `${stemOf(file)}-${what}.${extension}`;
}

const stemOf = (file: string) => file.replace(/\.[^.]*$/, '');

/** An argument of a shell, in quotes if that is needed. */
function quoted(text: string): string {
  return /^[\w./-]+$/.test(text) && !text.startsWith('-') ? text : `'./${text.replaceAll("'", "'\\''")}'`;
}
