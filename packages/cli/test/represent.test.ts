import { atomsPerPatch, nonzeros, solverNames } from 'ght';
import { loadCodes, readNpy, writeNpy } from 'ght/npy';
import { beforeAll, describe, expect, it } from 'vitest';
import { tiff } from '../../images/test/fixtures.js';
import { height, pixels, png, psnr, smooth, textured, width, workplace } from './command.js';

const { ght, json, save, read } = workplace();
const grey = textured();
const patches = (width / 8) * (height / 8);

beforeAll(async () => {
  await save('grey.png', await png(grey));
});

describe('ght represent', () => {
  it.each(solverNames)('--solver %s reports what it did in one JSON object', async (solver) => {
    const result = await json('represent', 'grey.png', '--solver', solver, '--budget', '6');
    const atoms = solver === 'joint-omp' ? 256 : 100;
    const keys = ['task', 'solver', 'engine', 'image', 'patches', 'atoms', 'budget', 'nonzeros', 'rmse', 'rmsePixel'];
    expect(Object.keys(result)).toEqual(
      expect.arrayContaining([...keys, 'psnr', 'iterations', 'stopReason', 'seconds']),
    );
    expect(result).toMatchObject({
      ...{ task: 'represent', solver, patches, atoms, budget: 6 * patches, nonzeros: 6 * patches },
      image: { width, height, channels: 1, depth: 8 },
      engine: { name: expect.stringMatching(/./), threads: expect.any(Number) },
      stopReason: expect.stringMatching(/^(converged|max-iterations|complete)$/),
    });
    // The patches tile the picture, so the error per patch of 64 pixels is 8 times that per pixel.
    expect((8 * result.rmsePixel) / result.rmse).toBeCloseTo(1, 5);
    expect(result.psnr).toBeCloseTo(20 * Math.log10(255 / result.rmsePixel), 9);
    expect(result.psnr).toBeGreaterThan(22);
    expect(result.iterations).toBeGreaterThan(0);
    expect(result.seconds).toBeGreaterThan(0);
  });

  it('prints a short table for people, and says what it wrote', async () => {
    const { code, stdout } = await ght('represent', 'grey.png', '-o', 'table.png');
    expect(code).toBe(0);
    for (const fact of ['grey.png: 48×40, 1 channel, 8 bit', 'joint OMP', 'over 256 atoms', 'PSNR', 'table.png']) {
      expect(stdout).toContain(fact);
    }
    expect((await pixels(await read('table.png'))).width).toBe(width);
  });

  it('--history writes one entry per iteration, and --tolerance 0 runs to --max-iterations', async () => {
    const flags = ['represent', 'grey.png', '--solver', 'admm', '--tolerance', '0', '--max-iterations', '7'];
    const result = await json(...flags, '--history', 'h.json');
    expect(result).toMatchObject({ iterations: 7, stopReason: 'max-iterations' });
    const history: Record<string, number>[] = JSON.parse(String(await read('h.json')));
    expect(history.map(({ k }) => k)).toEqual([1, 2, 3, 4, 5, 6, 7]);
    for (const entry of history) {
      expect(Object.keys(entry)).toEqual(['k', 'rmse', 'threshold', 'kept', 'ms']);
      expect(entry.threshold).toBeGreaterThan(0);
    }
    // The budget grows.
    expect(history.map(({ kept }) => kept)).toEqual(
      [0.02, 0.216, 0.412, 0.608, 0.804, 1, 1].map((share) => Math.ceil(share * 10 * patches)),
    );
    expect(result.rmse).toBeCloseTo(Math.min(...history.map(({ rmse }) => rmse)), 9);
    expect(history.map(({ ms }) => ms)).toEqual(history.map(({ ms }) => ms).toSorted((a, b) => a - b));

    await json(...flags, '--history', 'h.csv');
    const [header, ...lines] = String(await read('h.csv'))
      .trimEnd()
      .split('\n');
    expect(header).toBe('k,rmse,threshold,kept,ms');
    const known = lines.map((line) => line.split(',').map(Number).slice(0, 4));
    expect(known).toEqual(history.map(({ k, rmse, threshold, kept }) => [k, rmse, threshold, kept]));
  });

  it('--heatmap is as large as the image and brightest where the atoms are', async () => {
    // All texture is in the left half, so the right half needs hardly any atoms.
    const [rough, plain] = [textured(), smooth().map(Math.round)];
    await save('half.png', await png(rough.map((value, i) => (i % width < 24 ? value : plain[i]))));
    await json('represent', 'half.png', '--heatmap', 'heat.png', '--budget', '8');
    const heat = await pixels(await read('heat.png'));
    expect(heat).toMatchObject({ width, height, channels: 3 });
    const brightness = (left: boolean) =>
      heat.samples.reduce((sum, value, i) => sum + (Math.floor(i / 3) % width < 24 === left ? value : 0), 0);
    expect(brightness(true)).toBeGreaterThan(2 * brightness(false));
  });

  it('--codes writes the codes of the reconstruction, all patches and all nonzeros', async () => {
    const result = await json('represent', 'grey.png', '--codes', 'z.npz', '--budget', '4.5');
    const codes = await loadCodes(await read('z.npz'));
    expect([codes.L, codes.P, nonzeros(codes)]).toEqual([256, patches, 4.5 * patches]);
    expect(atomsPerPatch(codes).reduce((a, b) => a + b)).toBe(result.nonzeros);
    expect(codes.values.every((value) => value !== 0)).toBe(true);
  });

  it('--total-budget spends exactly that number of atoms', async () => {
    const result = await json('represent', 'grey.png', '--total-budget', '77');
    expect(result).toMatchObject({ budget: 77, nonzeros: 77 });
  });

  it('a budget of 0 is an ordinary case: a black picture', async () => {
    const result = await json('represent', 'grey.png', '--budget', '0', '-o', 'black.png', '--heatmap', 'none.png');
    expect(result).toMatchObject({ budget: 0, nonzeros: 0 });
    expect(new Set((await pixels(await read('black.png'))).samples)).toEqual(new Set([0]));
  });

  it('--refit never makes the error larger', async () => {
    const flags = ['represent', 'grey.png', '--solver', 'qpm'];
    expect((await json(...flags, '--refit')).rmse).toBeLessThan((await json(...flags)).rmse);
  });

  it('--effort lowers the error of joint OMP at the same budget', async () => {
    const flags = ['represent', 'grey.png', '--solver', 'joint-omp', '--budget', '8', '--effort'];
    const [one, two, three] = [await json(...flags, '1'), await json(...flags, '2'), await json(...flags, '3')];
    expect(two.rmse).toBeLessThan(one.rmse);
    expect(three.rmse).toBeLessThan(two.rmse);
    expect([two.nonzeros, three.nonzeros]).toEqual([one.nonzeros, one.nonzeros]);
  });

  it('--preset paper is ρ = 0.1 as the formulas have it', async () => {
    const flags = ['represent', 'grey.png', '--solver', 'qpm'];
    const paper = await json(...flags, '--preset', 'paper', '--max-iterations', '3');
    const spelt = await json(...flags, '--rho-absolute', '0.1', '--growth', 'off', '--max-iterations', '3');
    expect([paper.rho, paper.rmse, paper.iterations]).toEqual([0.1, spelt.rmse, 3]);
  });

  it('--rho from..to rises between the two', async () => {
    const flags = ['represent', 'grey.png', '--solver', 'admm', '--rho'];
    const [rising, low, high] = [
      await json(...flags, '0.01..0.3'),
      await json(...flags, '0.01'),
      await json(...flags, '0.3'),
    ];
    expect(rising.rho).toEqual({ from: low.rho, to: high.rho });
    expect(rising.rmse).toBeLessThan(Math.min(low.rmse, high.rmse));
    const { stdout } = await ght(...flags, '0.01..0.3');
    expect(stdout).toMatch(/ρ = [\d.]+\.\.[\d.]+ absolute/);
  });

  it.each(['qpm', 'admm'])('--engine reference and auto agree for %s', async (solver) => {
    const flags = ['represent', 'grey.png', '--solver', solver, '--tolerance', '0', '--max-iterations', '5'];
    const reference = await json(...flags, '--engine', 'reference');
    const auto = await json(...flags, '--engine', 'auto');
    expect(reference.engine.name).toBe('reference');
    expect(auto.engine.name).not.toBe('reference');
    expect(auto.rmse / reference.rmse).toBeCloseTo(1, 5);
  });

  it('a stride below the patch gives more patches, and still every pixel', async () => {
    const flags = ['represent', 'grey.png', '--solver', 'omp', '--budget', '64', '--stride', '5', '-o', 'overlap.png'];
    expect((await json(...flags)).patches).toBe(9 * 8);
    expect((await pixels(await read('overlap.png'))).samples).toEqual(grey);
  });

  it('--patch and --atoms choose the dictionary', async () => {
    const result = await json('represent', 'grey.png', '--patch', '5', '--atoms', '6', '--budget', '3');
    expect(result).toMatchObject({ patches: 10 * 8, atoms: 36, nonzeros: 3 * 80 });
  });

  it.each([
    [1, 1],
    [3, 5],
  ])('an image of %i×%i pixels keeps its size', async (w, h) => {
    const samples = textured(w, h);
    await save('small.png', await png(samples, 1, w));
    await json('represent', 'small.png', '--solver', 'joint-omp', '--budget', '64', '-o', 'small-out.png');
    expect(await pixels(await read('small-out.png'))).toMatchObject({ width: w, height: h, samples });
  });

  it('a constant image takes one atom per patch', async () => {
    await save('flat.png', await png(new Array(width * height).fill(90)));
    const result = await json('represent', 'flat.png', '--solver', 'joint-omp', '-o', 'flat-out.png');
    expect(result.nonzeros).toBe(patches);
    expect(new Set((await pixels(await read('flat-out.png'))).samples)).toEqual(new Set([90]));
  });
});

describe('ght represent --target-psnr', () => {
  const fine = textured(width, height, 65535);

  it.each([
    ['admm', 30],
    ['omp', 34],
  ])('%s reaches %d dB, measured on the 16-bit file it wrote', async (solver, target) => {
    await save('fine.png', await png(fine, 1, width, 16));
    const flags = ['--solver', solver, '--target-psnr', String(target), '-o', 'target.png'];
    const result = await json('represent', 'fine.png', ...flags);
    const written = await pixels(await read('target.png'));
    expect(written.depth).toBe('ushort');
    expect(psnr(written.samples, fine, 65535)).toBeGreaterThan(target - 1e-4);
    expect(psnr(written.samples, fine, 65535)).toBeCloseTo(result.psnr, 1);
    expect(result.nonzeros).toBeGreaterThan(0);
  });

  it('spends the fewest atoms: one step of the search less misses the target', async () => {
    const flags = ['represent', 'grey.png', '--dictionary', 'paper'];
    const { budget } = await json(...flags, '--target-psnr', '33');
    expect((await json(...flags, '--total-budget', String(budget - 1))).psnr).toBeLessThan(33);
  });

  it('accounts for the border and the overlap of patches', async () => {
    await save('odd.png', await png(textured(45, 37), 1, 45));
    const flags = ['--stride', '4', '--solver', 'joint-omp', '--target-psnr', '33'];
    const reached = (await json('represent', 'odd.png', ...flags)).psnr;
    expect(reached).toBeGreaterThanOrEqual(33);
    // The mean of overlapping patches is better than each of them: with their errors, the search would spend too much.
    expect(reached).toBeLessThan(33.1);
  });
});

describe('ght represent keeps what it read', () => {
  it('colour, with one budget over the channels', async () => {
    const [r, g, b] = [textured(), smooth(), textured(width, height, 255, 2)];
    const rgb = r.flatMap((value, i) => [value, Math.round(g[i]), b[i]]);
    await save('rgb.png', await png(rgb, 3));
    const result = await json('represent', 'rgb.png', '-o', 'rgb-out.png', '--solver', 'joint-omp', '--budget', '12');
    expect(result).toMatchObject({ image: { channels: 3, depth: 8 }, patches: 3 * patches, nonzeros: 36 * patches });
    const written = await pixels(await read('rgb-out.png'));
    expect(written.channels).toBe(3);
    expect(psnr(written.samples, rgb, 255)).toBeCloseTo(result.psnr, 1);
  });

  it('prints the range over the same patches as the mean', async () => {
    const flat = textured().flatMap((value) => [value, 90, 90]);
    await save('spread.png', await png(flat, 3));
    const { stdout } = await ght(
      'represent',
      'spread.png',
      '--solver',
      'joint-omp',
      '--budget',
      '6',
      '--codes',
      's.npz',
    );
    const counts = Array.from(atomsPerPatch(await loadCodes(await read('s.npz')))).sort((a, b) => a - b);
    expect(counts).toHaveLength(3 * patches);
    const [, least, most, median] = stdout.match(/range +(\d+) to (\d+) atoms per patch, median (\d+)/) ?? [];
    expect([least, most, median].map(Number)).toEqual([counts[0], counts.at(-1), counts[counts.length >> 1]]);
  });

  it('shows a name with line breaks and escape sequences in one plain line', async () => {
    const [name, out] = ['a\nb\u001b[31m.png', 'c\u009b\n.png'];
    await save(name, await png(grey));
    for (const args of [
      ['info', name],
      ['noise', name],
      ['represent', name, '-o', out, '--budget', '1'],
      ['compare', name, '--budget', '1'],
      ['denoise', name, '-o', out, '--quality', 'fast'],
    ]) {
      const { code, stdout } = await ght(...args);
      expect(code).toBe(0);
      expect(stdout).toMatch(/^a\\u000ab\\u001b\[31m\.png: 48×40/);
      expect(stdout.replaceAll('\n', '')).not.toMatch(/\p{Cc}/u);
      if (args.includes('-o')) expect(stdout).toMatch(/ {2}wrote +c\\u009b\\u000a\.png\n/);
    }
  });

  it('alpha, untouched', async () => {
    const alpha = textured(width, height, 255, 3);
    await save(
      'rgba.png',
      await png(
        grey.flatMap((value, i) => [value, 255 - value, value >> 1, alpha[i]]),
        4,
      ),
    );
    const result = await json('represent', 'rgba.png', '-o', 'rgba-out.png', '--budget', '2');
    expect(result.image.channels).toBe(4);
    const { samples, channels } = await pixels(await read('rgba-out.png'));
    expect(channels).toBe(4);
    expect(samples.filter((_, i) => i % 4 === 3)).toEqual(alpha);
  });

  it('16 bits, to the last one', async () => {
    const deep = textured(width, height, 65535);
    await save('deep.png', await png(deep, 1, width, 16));
    const result = await json('represent', 'deep.png', '-o', 'deep-out.png', '--solver', 'omp', '--budget', '64');
    expect(result.image.depth).toBe(16);
    expect(await pixels(await read('deep-out.png'))).toMatchObject({ depth: 'ushort', channels: 1, samples: deep });
  });

  it.each([
    ['u2', Uint16Array, 16],
    ['f8', Float64Array, 64],
  ] as const)('.npy of type %s, in its own units', async (type, Samples, depth) => {
    const data = Samples.from(textured(20, 12));
    await save('array.npy', writeNpy({ type, shape: [12, 20], data }));
    const result = await json('represent', 'array.npy', '-o', 'array-out.npy', '--solver', 'omp', '--budget', '64');
    expect(result.image).toMatchObject({ width: 20, height: 12, channels: 1, depth });
    const out = readNpy(await read('array-out.npy'));
    expect([out.type, out.shape]).toEqual([type, [12, 20]]);
    for (let i = 0; i < data.length; i++) expect(out.data[i]).toBeCloseTo(data[i], 3);
  });

  it('float TIFF, with values far from 0 … 255', async () => {
    const data = Float32Array.from(smooth(20, 12), (value) => value / 1000 - 3);
    await save('float.tiff', tiff(20, 12, data, { 258: [32], 262: [1], 277: [1], 339: [3] }));
    const flags = ['--solver', 'omp', '--budget', '64'];
    expect((await json('represent', 'float.tiff', '-o', 'float-out.tiff', ...flags)).image.depth).toBe(32);
    // Read back through an array, again without loss.
    await json('represent', 'float-out.tiff', '-o', 'float-out.npy', ...flags);
    const out = readNpy(await read('float-out.npy'));
    expect([out.type, out.shape]).toEqual(['f4', [12, 20]]);
    for (let i = 0; i < data.length; i++) expect(out.data[i]).toBeCloseTo(data[i], 3);
  });
});

describe('budgets of ght represent', () => {
  it('--target-psnr is that of the file that is written, rounded and clipped', async () => {
    for (const [name, channels] of [
      ['grey.png', 1],
      ['rgb.png', 3],
    ] as const) {
      const samples = channels === 1 ? grey : grey.flatMap((value) => [value, 255 - value, Math.round(value / 2)]);
      await save(name, await png(samples, channels));
      const flags = ['represent', name, '-o', 'target.png', '--dictionary', 'paper', '--target-psnr', '50'];
      const result = await json(...flags);
      const written = psnr((await pixels(await read('target.png'))).samples, samples, 255);
      expect(written).toBeGreaterThanOrEqual(50);
      expect(result.psnrWritten).toBeCloseTo(written, 9);
      expect((await ght(...flags)).stdout).toContain(
        `written     ${written.toFixed(2)} dB, rounded and clipped to 8 bits`,
      );
      // One atom per patch fewer is not enough.
      const less = ['represent', name, '--dictionary', 'paper', '--total-budget', String(result.budget - 30)];
      expect((await json(...less)).psnrWritten).toBeLessThan(50);
    }
  });

  it('--target-rmse and --sigma', async () => {
    const flags = ['represent', 'grey.png', '--solver', 'joint-omp'];
    const near = await json(...flags, '--target-rmse', '60');
    expect(near.rmse).toBeLessThanOrEqual(60);
    expect(near.rmse).toBeGreaterThan(55);
    const few = await json(...flags, '--sigma', '30');
    const many = await json(...flags, '--sigma', '3');
    expect(few.nonzeros).toBeLessThan(many.nonzeros / 2);
    const { code, stderr } = await ght(...flags, '--sigma', '3', '--target-rmse', '60');
    expect(code).toBe(2);
    expect(stderr).toContain('--sigma and --target-rmse exclude each other, but got "3 and 60"');
    expect((await ght(...flags, '--target-rmse', '-1')).stderr).toContain(
      '--target-rmse must be a finite number of at',
    );
  });

  it('says what a patch-wise solver cannot spend, and spends it with --spread', async () => {
    const flags = ['represent', 'grey.png', '--solver', 'omp', '--budget', '0.5'];
    const { stdout } = await ght(...flags);
    expect(stdout).toMatch(
      /^ {2}limit +at most 0 atoms in every patch, S\/P rounded down: 15 of the budget cannot be spent; --spread spends them$/m,
    );
    expect(await json(...flags)).toMatchObject({ budget: 15, nonzeros: 0, limit: 0 });
    expect(await json(...flags, '--spread')).toMatchObject({ budget: 15, nonzeros: 15, limit: null });
    expect((await ght(...flags, '--spread')).stdout).not.toContain('limit');
    const { code, stderr } = await ght('represent', 'grey.png', '--spread');
    expect(code).toBe(2);
    expect(stderr).toContain('--spread must be left out for joint-omp, which spends the whole budget');
  });

  it('--dictionary takes atoms of your own, in grey and in colour', async () => {
    const side = 4;
    const hadamard = (i: number, j: number) =>
      [...(i & j).toString(2)].filter((bit) => bit === '1').length % 2 ? -1 : 1;
    const entries = (scale: number) => Float64Array.from({ length: 256 }, (_, n) => scale * hadamard(n >> 4, n & 15));
    const dictionary = (data: Float64Array, shape = [16, 16]) => writeNpy({ type: 'f8', shape, data });
    await save('H.npy', dictionary(entries(1 / side)));
    await save(
      'rgb.png',
      await png(
        grey.flatMap((value) => [value, 255 - value, 99]),
        3,
      ),
    );
    const result = await json('represent', 'grey.png', '--dictionary', 'H.npy', '--budget', '16', '-o', 'own.png');
    expect(result).toMatchObject({ patches: (width / side) * (height / side), atoms: 16 });
    // The atoms are a basis, so all of them represent the image exactly.
    expect((await pixels(await read('own.png'))).samples).toEqual(grey);
    const colour = await json('represent', 'rgb.png', '--dictionary', 'H.npy', '--budget', '5');
    expect(colour).toMatchObject({ patches: 3 * (width / side) * (height / side), nonzeros: 5 * 3 * 120 });

    await save('long.npy', dictionary(entries(1)));
    await save('odd.npy', dictionary(entries(1).slice(0, 30), [15, 2]));
    for (const [flags, message] of [
      [['long.npy'], '--dictionary must have atoms of length 1, but got "lengths from 4.000 to 4.000": divide each'],
      [['odd.npy'], '--dictionary must have as many rows as a square patch has pixels, such as 64, but got "15×2"'],
      [['H.npy', '--patch', '8'], '--patch must be 4, as the dictionary has 16 rows, but got 8'],
      [['H.npy', '--atoms', '8'], '--atoms must be left out when a dictionary is given, but got 8'],
      [['none.npy'], '--dictionary must be an existing file'],
    ] as const) {
      const { code, stderr } = await ght('represent', 'grey.png', '--dictionary', ...flags);
      expect(code).toBe(2);
      expect(stderr).toContain(message);
    }
  });

  it('--jpeg-quality is that of the file', async () => {
    const sizes = [];
    for (const quality of ['30', '99']) {
      await json('represent', 'grey.png', '-o', 'q.jpg', '--jpeg-quality', quality);
      sizes.push((await read('q.jpg')).length);
    }
    expect(sizes[0]).toBeLessThan(sizes[1]);
    expect((await ght('represent', 'grey.png', '--jpeg-quality', '90')).stderr).toContain('must come with an output');
  });
});
