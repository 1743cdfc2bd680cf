import { mkdir } from 'node:fs/promises';
import { writeNpy } from 'ght/npy';
import { beforeAll, describe, expect, it } from 'vitest';
import { height, png, textured, width, workplace } from './command.js';

const { ght, path, save, contents } = workplace();
const grey = textured();

beforeAll(async () => {
  const file = await png(grey);
  await save('grey.png', file);
  await save('cut.png', file.subarray(0, file.length >> 1));
  await save('empty.png', '');
  await save('text.png', 'hello, this is not a picture\n');
  await save('wide.png', await png(textured(49, 40), 1, 49));
  await save(
    'rgb.png',
    await png(
      grey.flatMap((value) => [value, value, value]),
      3,
    ),
  );
  await save('deep.png', await png(textured(width, height, 65535), 1, width, 16));
  const broken = Float64Array.from(grey);
  const units = broken.map((value) => value / 255);
  await save('units.npy', writeNpy({ type: 'f8', shape: [height, width], data: units }));
  broken[3 * width + 5] = Number.NaN;
  await save('nan.npy', writeNpy({ type: 'f8', shape: [height, width], data: broken }));
  broken[3 * width + 5] = Number.NEGATIVE_INFINITY;
  await save('infinite.npy', writeNpy({ type: 'f8', shape: [height, width], data: broken }));
  await save('Y.npy', writeNpy({ type: 'f8', shape: [4, 3], data: Float64Array.from(grey.slice(0, 12)) }));
  await save('D.npy', writeNpy({ type: 'f8', shape: [4, 6], data: Float64Array.from(grey.slice(0, 24)) }));
  await save('D5.npy', writeNpy({ type: 'f8', shape: [5, 6], data: Float64Array.from(grey.slice(0, 30)) }));
  await save('vector.npy', writeNpy({ type: 'f8', shape: [4], data: Float64Array.of(1, 2, 3, 4) }));
  await save('none.npy', writeNpy({ type: 'f8', shape: [4, 0], data: new Float64Array(0) }));
  await save('large.png', await png(new Array(1500 * 1500).fill(9), 1, 1500));
  // Files that an error must not change.
  for (const name of ['out.png', 'out.npz', 'out.json']) await save(name, 'precious');
  await mkdir(path('folder/cosamp-heatmap.png'), { recursive: true });
  await mkdir(path('folder.png'));
});

/** Runs a command that must be refused: exit code 2, one line on stderr with all of `parts`, no file made or changed. */
async function refused(args: readonly string[], parts: readonly string[]): Promise<void> {
  const before = await contents();
  const { code, stdout, stderr } = await ght(...args);
  expect(stderr).toMatch(/^ght: [^\n]+: [^\n]+\n$/);
  for (const part of parts) expect(stderr).toContain(part);
  expect(stderr).not.toContain('internal error');
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(await contents()).toEqual(before);
}

/** A case: the arguments as typed, then what the line must contain: the parameter, the rule, the value, the remedy. */
type Case = readonly [args: string, ...parts: string[]];

const check = (start: string, cases: readonly Case[]) =>
  it.concurrent.each(cases.map(([args, ...parts]) => [args, parts] as const))('%s', (args, parts) =>
    refused(`${start} ${args}`.trim().split(' '), parts),
  );

describe('arguments that are refused', () => {
  check('', [
    ['represnt grey.png', "unknown command 'represnt'", 'Did you mean represent?', 'see ght --help'],
    ['frobnicate', "unknown command 'frobnicate'", 'see ght --help'],
    ['help frobnicate', "unknown command 'frobnicate'", 'see ght --help'],
    ['represent', "missing required argument 'IMAGE'", 'see ght represent --help'],
    ['represent grey.png -o out.png --bugdet 4', "'--bugdet'", 'Did you mean --budget?', 'ght represent --help'],
    ['represent grey.png -o out.png --qwerty', "unknown option '--qwerty'", 'see ght represent --help'],
    ['represent grey.png rgb.png -o out.png', 'IMAGE must be one image without --joint', 'got 2', 'add --joint'],
    ['represent grey.png -o out.png --budget', "'--budget <s>' argument missing", 'see ght represent --help'],
    ['denoise grey.png', "'-o, --output <file>' not specified", 'see ght denoise --help'],
    ['solve --signals Y.npy -o out.npz', "'--dictionary <D>' not specified", 'see ght solve --help'],
  ]);
});

describe('ght represent grey.png -o out.png refuses', () => {
  check('represent grey.png -o out.png', [
    ['--budget -3', '--budget must be from 0 to the 256 atoms', 'got -3', 'such as'],
    ['--budget NaN', '--budget must be a finite number', '"NaN"', '--budget 10'],
    ['--budget abc', '--budget must be a finite number', '"abc"', '--budget 10'],
    ['--budget --json', '--budget must be a finite number', '"--json"', '--budget 10'],
    ['--budget 256.5', '--budget must be from 0 to the 256 atoms', 'got 256.5'],
    ['--total-budget 1.5', '--total-budget must be a whole number from 0 to 7680', 'got 1.5', '256 atoms × 30 patches'],
    ['--total-budget -1', '--total-budget must be a whole number from 0 to 7680', 'got -1'],
    ['--total-budget 1e15', '--total-budget must be a whole number from 0 to 7680', 'got 1000000000000000'],
    ['--budget 3 --total-budget 40', '--budget and --total-budget exclude each other', '3 and 40', 'only one'],
    ['--budget 3 --target-psnr 40', '--budget and --target-psnr exclude each other', '3 and 40', 'only one'],
    ['--rho 0 --solver admm', '--rho must be a finite number above 0', 'got 0', 'such as 0.1'],
    ['--rho-absolute -2 --solver qpm', '--rho-absolute must be a finite number above 0', 'got -2', 'such as 0.1'],
    ['--rho 1 --rho-absolute 2', '--rho and --rho-absolute exclude each other', '1 and 2', 'only one'],
    ['--rho 0.1..', '--rho must be a finite number, or two with .. between them', '"0.1.."', '--rho 0.002..0.2'],
    ['--rho 0.3..0.1 --solver admm', '--rho must not be below', 'got 0.1', 'exchange'],
    ['--growth 2 --solver admm', '--growth must be above 0 and at most 1', 'got 2', 'such as 0.02'],
    ['--growth on --solver admm', '--growth must be a finite number, or off', '"on"', '--growth 0.02'],
    ['--growth off', '--growth must be left out for', 'got false', 'choose the solver qpm or admm'],
    ['--rho 1..2 --rho-absolute 2', '--rho and --rho-absolute exclude each other', '1..2 and 2', 'only one'],
    ['--rho 0.1', '--rho must be left out for joint-omp', 'got 0.1', 'choose the solver qpm or admm'],
    ['--rho 0.1 --solver omp', '--rho must be left out for omp', 'got 0.1', 'remove it'],
    ['--rho-absolute=0.1 --solver omp', '--rho-absolute must be left out for omp', 'got 0.1', 'remove it'],
    ['--max-iterations 0', '--max-iterations must be a whole number from 1', 'got 0', 'such as 100'],
    ['--tolerance -1', '--tolerance must be a finite number of at least 0', 'got -1', 'such as 1e-5'],
    ['--patch 0', '--patch must be a whole number from 1 to 32', 'got 0', 'such as 8'],
    ['--patch 8 --stride 9', '--stride must be a whole number from 1 to 8', 'got 9', 'no larger than the patch'],
    ['--atoms 0', '--atoms must be a whole number from 1', 'got 0', 'such as 10'],
    ['--solver best', '--solver must be one of qpm, admm, joint-omp', '"best"', 'choose'],
    ['--target-psnr -4', '--target-psnr must be a finite number above 0', 'got -4', 'such as 35'],
    [
      '--target-psnr 400 --solver admm --max-iterations 3 --json',
      '--target-psnr must be reachable',
      '"400',
      'ask for less',
    ],
    ['--heatmap heat.jpg', '--heatmap must end in .png', '"heat.jpg"', 'extension'],
    ['--history rmse.txt', '--history must end in .csv, .json', '"rmse.txt"', 'extension'],
    ['--heatmap ./out.png', '--heatmap must not be the file of -o', '"./out.png"', 'another name'],
    ['--heatmap=', '--heatmap must end in .png', '""'],
  ]);
});

describe('files that are refused', () => {
  check('represent', [
    ['missing.png -o out.png', 'IMAGE must be an existing file', '"missing.png"', 'check the path'],
    ['folder -o out.png', 'IMAGE must be a file', '"folder"', 'this is a folder'],
    ['empty.png -o out.png', 'IMAGE must not be empty', '"empty.png"', 'zero bytes'],
    [
      'text.png -o out.png',
      'IMAGE must be a PNG, JPEG, TIFF, WebP, AVIF, GIF, BMP, PPM, PFM, FITS, EXR or .npy file',
      '"text.png"',
      'convert',
    ],
    ['cut.png -o out.png', 'IMAGE must be an intact PNG file', '"cut.png"', 'again'],
    ['nan.npy -o out.png', '-o must name a format that holds floats', '"out.png"', '.tiff or .npy'],
    ['nan.npy', 'IMAGE pixel (x 5, y 3, channel 0) must be a finite number', 'got NaN', 'replace'],
    ['infinite.npy', 'IMAGE pixel (x 5, y 3, channel 0) must be a finite number', 'got -Infinity', 'replace'],
    ['grey.png -o nowhere/new.png', '-o must lie in an existing folder', '"nowhere/new.png"', 'create the folder'],
    ['grey.png --heatmap folder.png', '--heatmap must be a file', '"folder.png"', 'this is a folder'],
    ['grey.png -o new.gif', '-o must end in .png, .jpg', '"new.gif"', 'choose'],
    ['deep.png -o new.jpg', '-o must name a format that holds 16 bits', '"new.jpg"', 'use .png or .tiff'],
  ]);
  check('denoise grey.png -o out.png', [
    ['--reference wide.png', '--reference must have the size', '48×40', '49×40', 'same picture'],
    ['--reference rgb.png', '--reference must have the size', '48×40×1', '48×40×3', 'same picture'],
    ['--reference deep.png', '--reference must be in the units of the noisy image', '(8 bit)', '(16 bit) in deep.png'],
    ['--reference units.npy', '--reference must be in the units of the noisy image', '(8 bit)', '(float) in units.npy'],
    ['--reference nan.npy', '--reference pixel (x 5, y 3, channel 0) must be a finite number', 'got NaN'],
    ['--method paper --sigma 20 --budget 5', '--budget and --sigma exclude each other', '5 and 20', 'only one'],
    ['--sigma -1', '--sigma must be a finite number of at least 0', 'got -1', 'deviation of the noise'],
    ['--method paper --sigma -1', '--sigma must be a finite number of at least 0', 'got -1', 'noise level'],
  ]);
  check('compare grey.png', [
    ['-o nowhere', '-o must be an existing folder', '"nowhere"', 'create it first'],
    ['-o out.png', '-o must be an existing folder', '"out.png"', 'this is a file'],
  ]);
  check('solve --total-budget 5 -o out.npz', [
    [
      '--signals Y.npy --dictionary D5.npy',
      '--signals must have as many rows as the dictionary, 5',
      '4×3',
      'transpose',
    ],
    [
      '--signals vector.npy --dictionary D.npy',
      '--signals must be a 2-D array',
      'shape (4)',
      'one signal or atom per column',
    ],
    [
      '--signals Y.npy --dictionary none.npy',
      '--dictionary must be a 2-D array',
      'shape (4, 0)',
      'one signal or atom per column',
    ],
    ['--signals nan.npy --dictionary nan.npy', '--dictionary entry (row 3, atom 5) must be a finite number', 'NaN'],
    [
      '--signals Y.npy --dictionary D.npy --total-budget 19',
      '--total-budget must be a whole number from 0 to 18',
      '19',
    ],
    ['--signals Y.npy --dictionary D.npy -o out.json', '-o must end in .npz', '"out.json"'],
  ]);
  check('info', [['missing.png', 'IMAGE must be an existing file', '"missing.png"', 'check the path']]);

  it('a name with a line break still gives one line', async () => {
    await refused(['represent', 'no\nsuch\u001b[31m.png'], ['"no\\u000asuch\\u001b[31m.png"']);
    await refused(['represent', '--no\nsuch'], ["'--no\\u000asuch'"]);
  });

  it('compare checks before the work whether something is in the way of its files', async () => {
    await refused(['compare', 'grey.png', '-o', 'folder'], ['-o must be a file', 'cosamp-heatmap.png']);
  });

  it('an image whose run would not fit into memory, with the estimate', async () => {
    const args = ['represent', 'large.png', '-o', 'out.png', '--stride', '1', '--atoms', '256'];
    await refused(args, ['IMAGE must need less memory', '1500×1500, about ', 'GiB', '--stride']);
  });
});
