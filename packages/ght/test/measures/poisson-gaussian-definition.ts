/** Gain and σ of a plane by the method of noise/signal-dependent/poisson-gaussian.ts, step by step on plain arrays. */
type Block = { readonly mean: number; readonly texture: number; readonly variance: number };
type Line = { readonly slope: number; readonly level: number };

const sumOf = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0);
const wave = (k: number, n: number) => (k === 0 ? Math.SQRT1_2 : Math.cos((Math.PI * k * (n + 0.5)) / 8)) / 2;

/** The frequencies of the orthonormal DCT of 8×8 samples. */
const frequencies = Array.from({ length: 64 }, (_, f) => {
  const [i, j] = [Math.floor(f / 8), f % 8];
  return { i, j, basis: Array.from({ length: 64 }, (_, n) => wave(i, Math.floor(n / 8)) * wave(j, n % 8)) };
});
const high = frequencies.filter(({ i, j }) => i >= 4 && j >= 4);
const low = frequencies.filter(({ i, j }) => i + j > 0 && i + j <= 6 && !(i >= 4 && j >= 4));

function energyIn(some: typeof frequencies, samples: readonly number[]): number {
  let sum = 0;
  for (const { basis } of some) {
    let coefficient = 0;
    for (let n = 0; n < 64; n++) coefficient += basis[n] * samples[n];
    sum += coefficient ** 2;
  }
  return sum;
}

const blockOf = (samples: readonly number[]): Block => ({
  mean: sumOf(samples) / 64,
  texture: energyIn(low, samples),
  variance: energyIn(high, samples) / high.length,
});

const lineAt = ({ slope, level }: Line, x: number) => slope * Math.max(0, x) + level;

/** The least-squares line with weights 1/v²; neither coefficient may be negative. */
function fitted(blocks: readonly Block[], start: Line): Line {
  let line = start;
  const floor = 1e-9 * Math.max(...blocks.map(({ variance }) => variance));
  for (let repeat = 0; repeat < 6; repeat++) {
    const points = blocks.map(({ mean, variance }) => ({
      x: mean,
      y: variance,
      w: (lineAt(line, mean) + floor) ** -2,
    }));
    const total = sumOf(points.map(({ w }) => w));
    const average = (f: (x: number, y: number) => number) => sumOf(points.map(({ x, y, w }) => w * f(x, y))) / total;
    const [mx, my] = [average((x) => x), average((_, y) => y)];
    const slope = average((x, y) => (x - mx) * (y - my)) / average((x) => (x - mx) ** 2);
    const level = my - slope * mx;
    if (slope <= 0) line = { slope: 0, level: my };
    else if (level < 0) line = { slope: average((x, y) => x * y) / average((x) => x * x), level: 0 };
    else line = { slope, level };
  }
  return line;
}

/** Gain and σ; `spacing` is that of the blocks, `free` selects the samples that are not clipped. */
export function poissonGaussianByDefinition(
  samples: Float64Array,
  width: number,
  height: number,
  { offset = 0, spacing = 1, free = (_: number): boolean => true } = {},
) {
  const blocks: Block[] = [];
  for (let y = 0; y + 8 <= height; y += spacing) {
    for (let x = 0; x + 8 <= width; x += spacing) {
      const values = Array.from({ length: 64 }, (_, n) => samples[(y + Math.floor(n / 8)) * width + x + (n % 8)]);
      if (values.every(free)) blocks.push(blockOf(values.map((value) => value - offset)));
    }
  }
  // The least textured tenth of each of 24 brightness classes.
  const sorted = [...blocks].sort((a, b) => a.mean - b.mean);
  const size = Math.ceil(sorted.length / 24);
  const calmest = Array.from({ length: Math.ceil(sorted.length / size) }, (_, c) =>
    sorted.slice(c * size, (c + 1) * size).sort((a, b) => a.texture - b.texture),
  ).flatMap((some) => some.slice(0, Math.ceil(0.1 * some.length)));
  // The blocks in 24 equal parts of the range of brightness.
  const [dark, bright] = [sorted[0].mean, sorted[sorted.length - 1].mean];
  const parts = Array.from({ length: 24 }, (_, c) =>
    blocks
      .filter(({ mean }) => Math.min(23, Math.floor((24 * (mean - dark)) / (bright - dark))) === c)
      .sort((a, b) => a.texture - b.texture),
  );
  let line = fitted(calmest, { slope: 0, level: 1 });
  let taken = 0;
  for (let round = 0; round < 8; round++) {
    // 27 low frequencies: their energy has mean 27 and deviation √54 in units of the noise.
    const calm = blocks.filter(({ mean, texture, variance }) => {
      const noise = lineAt(line, mean);
      return texture <= (27 + Math.sqrt(54)) * noise && variance <= 2.4 * noise;
    });
    if (calm.length < 64) break;
    // If half of the blocks are flat, the parts with few of these have 16 blocks or a quarter of theirs.
    const others = parts.flatMap((part) => {
      const some = part.slice(0, Math.min(16, Math.ceil(part.length / 4)));
      return part.filter((block) => calm.includes(block)).length < some.length ? some : [];
    });
    line = fitted(calm.length < blocks.length / 2 ? calm : [...calm, ...others], line);
    if (calm.length === taken) break;
    taken = calm.length;
  }
  return { gain: line.slope, sigma: Math.sqrt(line.level), blocks: blocks.length };
}
