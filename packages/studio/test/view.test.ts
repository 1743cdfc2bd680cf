import { readJpegInfo } from 'ght';
import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { historyCsv } from '../src/state/history.js';
import { atomsAt, positionOf, SLIDER_STEPS } from '../src/view/budget-scale.js';
import { engineTitle, sentence, speedLine } from '../src/view/engine-text.js';
import {
  dividerKey,
  fitted,
  moved,
  pixelAt,
  placed,
  pointAt,
  viewOf,
  visible,
  wheelZoom,
  zoomed,
} from '../src/view/geometry.js';
import { cellAt, kernelLayer } from '../src/view/kernel-pad.js';
import { count, duration, fixed, measure, setting } from '../src/view/numbers.js';
import { overlayScale } from '../src/view/overlay-scale.js';
import { logTicks, pathOf, scalesOf, wholeTicks } from '../src/view/plot.js';
import { patchMeaning, timeLeft } from '../src/view/text.js';
import { type NoiseFound, noiseLooks } from '../src/worker/noise-looks.js';

const image = { width: 400, height: 200 };
const stage = { width: 800, height: 600 };

describe('the stage', () => {
  it('shows the whole picture in its middle first', () => {
    expect(fitted(image, stage)).toEqual({ scale: 2, x: 0, y: 100 });
    expect(fitted({ width: 1, height: 1 }, stage).scale).toBe(32);
  });

  it('zooms around the point under the pointer', () => {
    const before = fitted(image, stage);
    const after = zoomed(before, 1.7, 300, 250, before.scale);
    expect(pixelAt(after, 300, 250, image)).toEqual(pixelAt(before, 300, 250, image));
    expect(zoomed(before, 1e9, 0, 0, 2).scale).toBe(64);
    expect(zoomed(before, 1e-9, 0, 0, 2).scale).toBe(0.5);
  });

  it('never moves the picture out of its frame', () => {
    const fit = fitted(image, stage);
    expect(moved(fit, 1e6, -1e6, image, stage)).toEqual(fit);
    const large = zoomed(fit, 4, 400, 300, fit.scale);
    expect(moved(large, 1e6, -1e6, image, stage)).toEqual({ scale: 8, x: 0, y: -1000 });
  });

  it('finds the pixel under a point, if there is one', () => {
    expect(pixelAt({ scale: 2, x: 0, y: 100 }, 799, 499, image)).toEqual({ x: 399, y: 199 });
    expect(pixelAt({ scale: 2, x: 0, y: 100 }, 10, 99, image)).toBeUndefined();
  });

  it('paints where the pointer is, also between pixels and outside', () => {
    expect(pointAt({ scale: 2, x: 0, y: 100 }, { x: 5, y: 90 })).toEqual({ x: 2.5, y: -5 });
  });

  it('moves the divider by keys, from end to end', () => {
    expect(dividerKey('ArrowRight', 0.5)).toBeCloseTo(0.52);
    expect(dividerKey('PageDown', 0.05)).toBe(0);
    expect([dividerKey('Home', 0.3), dividerKey('End', 0.3), dividerKey('a', 0.3)]).toEqual([0, 1, undefined]);
  });
});

describe('the view', () => {
  it('is the same after it was written into a link', () => {
    const place = zoomed(fitted(image, stage), 3.3, 120, 80, 2);
    const view = viewOf(place, stage);
    const again = placed(view.zoom, view, stage);
    expect(again.scale).toBeCloseTo(place.scale, 2);
    expect([again.x, again.y].map(Math.round)).toEqual([place.x, place.y].map(Math.round));
  });

  it('is zoomed by a wheel or a pinch, and moved by two fingers on a touchpad', () => {
    const zoom = (deltaX: number, deltaY: number, deltaMode = 0, ctrlKey = false) =>
      wheelZoom({ deltaX, deltaY, deltaMode, ctrlKey });
    expect([zoom(0, -240), zoom(0, 8, 1), zoom(0, -60, 0, true)]).toEqual([2, 0.5, 0.5 ** (-60 / 240)]);
    expect([zoom(0, 12), zoom(3, 90)]).toEqual([undefined, undefined]);
    expect(zoom(0, -6, 0, true)).toBeGreaterThan(1);
  });

  it('knows which pixels are visible', () => {
    expect(visible(fitted(image, stage), image, stage)).toEqual({ left: 0, top: 0, width: 400, height: 200 });
    expect(visible({ scale: 8, x: -800, y: -400 }, image, stage)).toEqual({
      left: 100,
      top: 50,
      width: 100,
      height: 75,
    });
    expect(visible({ scale: 2, x: 900, y: 0 }, image, stage)).toBeUndefined();
  });
});

describe('words', () => {
  it('explain what a patch is', () => {
    expect(patchMeaning(1)).toContain('A grey image has one plane');
    expect(patchMeaning(3)).toContain('every position has 3 patches');
  });

  it('tell the time left roughly', () => {
    expect([1, 12.4, 100, 1500].map(timeLeft)).toEqual([
      'about a second left',
      'about 12\u00a0s left',
      'about 2\u00a0min left',
      'about 25\u00a0min left',
    ]);
  });

  it('describe noise for people', () => {
    const white = (sigma: number[], peak = 255) => noiseLooks({ noise: { kind: 'white', sigma } }, peak);
    expect(white([0])).toEqual([]);
    expect([white([2]), white([3]), white([9, 9, 9]), white([2570], 65535)]).toEqual([
      ['Faint grain.'],
      ['Moderate grain.'],
      ['Strong grain.'],
      ['Strong grain.'],
    ]);
    const coloured = (found: Omit<NoiseFound, 'noise'>, dark = 1, bright = 1) => {
      const rows = [dark, bright].map((level) => new Float64Array(64).fill(level));
      return noiseLooks({ noise: { kind: 'coloured', brightness: [20, 200], deviations: [rows] }, ...found }, 255);
    };
    const level = (middle: number, finest = middle) => ({ middle, finest, coarsest: middle, confidence: 1 });
    expect(coloured({ levels: [level(16.1, 0.82)] }, 3, 6)).toEqual([
      'Strong coarse grain.',
      'It grows with brightness.',
    ]);
    expect(coloured({ levels: [level(4), level(2), level(1)] })).toEqual([
      'Moderate fine grain, mostly in brightness.',
    ]);
    expect(coloured({ levels: [level(4), level(2), level(9)] })).toEqual(['Strong fine grain, mostly in colour.']);
    expect(coloured({ levels: [level(4), level(4), level(4)] })).toEqual([
      'Moderate fine grain, in brightness and colour.',
    ]);
    expect(coloured({}, 9, 3)).toEqual(['It is strongest in the dark parts.']);
  });

  it('tell the quality of a JPEG as its encoder counts it', async () => {
    for (const quality of [30, 50, 85, 95]) {
      const file = await sharp({ create: { width: 16, height: 16, channels: 3, background: '#888' } })
        .jpeg({ quality })
        .toBuffer();
      const jpeg = readJpegInfo(file);
      const [text] = noiseLooks({ noise: { kind: 'white', sigma: [0] }, jpeg }, 255);
      const found = Number(/^JPEG of quality (\d+)\.$/.exec(text)?.[1]);
      expect(Math.abs(found - quality)).toBeLessThanOrEqual(1);
    }
  });
});

describe('an engine', () => {
  it('is named by the adapter of a GPU, also one with commas, or by the threads on the CPU', () => {
    const gpu = (name: string) =>
      engineTitle({ name: 'webgpu', threads: 1, adapter: { name, bindingBytes: 2 ** 27, software: false } });
    expect(gpu('ANGLE (Intel, Iris)')).toBe('GPU · ANGLE (Intel, Iris)');
    expect(engineTitle({ name: 'wasm', threads: 1, instructions: 'simd' })).toBe('WASM SIMD · 1 thread');
    expect(engineTitle({ name: 'wasm', threads: 8, instructions: 'simd-fma' })).toBe('WASM SIMD relaxed · 8 threads');
    expect(engineTitle({ name: 'portable', threads: 1 })).toBe('Plain TypeScript · 1 thread');
  });

  it('is described in a sentence, with a full stop unless it is a question', () => {
    expect(sentence('the GPU is not used: AIHT runs on the CPU')).toBe('The GPU is not used: AIHT runs on the CPU.');
    expect(sentence('the GPU is not used: is there a GPU?')).toBe('The GPU is not used: is there a GPU?');
  });

  it('has its speed in a line', () => {
    const speed = { threads: 1, patchesPerSecond: 1234 };
    expect(speedLine({ ...speed, engine: 'webgpu' })).toBe('webgpu, the GPU: 1\u2009200 patches per second');
    expect(speedLine({ ...speed, engine: 'portable' })).toBe('portable, 1 thread: 1\u2009200 patches per second');
  });
});

describe('the budget slider', () => {
  it('goes from half an atom to forty, and always increases', () => {
    const all = Array.from({ length: SLIDER_STEPS + 1 }, (_, i) => atomsAt(i));
    expect([all[0], all.at(-1)]).toEqual([0.5, 40]);
    expect(all.every((s, i) => i === 0 || s > all[i - 1])).toBe(true);
  });

  it('maps a budget back to its position', () => {
    for (let i = 0; i <= SLIDER_STEPS; i++) expect(positionOf(atomsAt(i))).toBe(i);
    for (const s of [0.5, 1, 1.3, 5, 10, 12.5, 20, 33, 40]) expect(atomsAt(positionOf(s))).toBe(s);
    expect(atomsAt(positionOf(Math.PI))).toBe(3.1);
  });
});

describe('a kernel', () => {
  const kernel = { width: 3, height: 2, data: [0, 3, 6, 0, 0, 1.5] };
  it('is shown with its heaviest weight in white', () => {
    const { pixels } = kernelLayer(kernel);
    expect(Array.from({ length: 6 }, (_, i) => pixels[4 * i])).toEqual([0, 128, 255, 0, 0, 64]);
    expect(kernelLayer({ width: 1, height: 1, data: [0] }).pixels).toEqual(Uint8ClampedArray.of(0, 0, 0, 255));
  });

  it('is drawn in the cell under the pointer', () => {
    expect(cellAt(kernel, 0.5, 0.9)).toEqual({ x: 1, y: 1 });
    expect([cellAt(kernel, 1, 0.5), cellAt(kernel, 0.5, -0.01)]).toEqual([undefined, undefined]);
  });
});

describe('the convergence plot', () => {
  const frame = { width: 300, height: 200, left: 40, right: 10, top: 10, bottom: 30 };

  it('keeps every point inside its frame, zero errors included', () => {
    const points = [100, 10, 1, 0].map((rmse, i) => ({ k: i + 1, rmse }));
    const { x, y } = scalesOf(points, frame);
    for (const { k, rmse } of points) {
      expect(x(k)).toBeGreaterThanOrEqual(40);
      expect(x(k)).toBeLessThanOrEqual(290);
      expect(y(rmse)).toBeGreaterThanOrEqual(10);
      expect(y(rmse)).toBeLessThanOrEqual(170.001);
    }
    expect(pathOf(points, { x, y })).toMatch(/^M40\.0 [\d.]+L[\d. L]+$/);
  });

  it('has a few round ticks, wide or narrow', () => {
    expect(logTicks(0.9, 2000)).toEqual([1, 10, 100, 1000]);
    for (const [low, high] of [
      [14, 300],
      [40, 50],
      [40.2, 40.9],
      [3e-4, 2],
    ]) {
      const ticks = logTicks(low, high);
      expect(ticks.length).toBeGreaterThanOrEqual(2);
      expect(ticks.length).toBeLessThanOrEqual(7);
      expect(ticks.every((tick) => tick >= low && tick <= high)).toBe(true);
    }
    expect(wholeTicks(52)).toEqual([1, 20, 40]);
  });
});

describe('the scale of an overlay', () => {
  const readings = [
    { mostAtoms: 31, rmsePixel: 5 },
    { mostAtoms: 5, rmsePixel: 8.4 },
  ];
  it('is the same for both sides', () => {
    expect(overlayScale('heatmap', readings, 255)).toBe(31);
    expect(overlayScale('error', readings, 255)).toBe(50);
    expect(overlayScale('error', [{ mostAtoms: 1, rmsePixel: 0 }], 255)).toBeGreaterThan(0);
  });
});

describe('numbers', () => {
  it('are formatted for people', () => {
    expect([fixed(34.037, 2), fixed(Number.POSITIVE_INFINITY, 2), fixed(null, 2)]).toEqual(['34.04', '∞', '–']);
    expect([count(36960), measure(15.5), measure(0.00002), measure(0)]).toEqual(['36\u2009960', '15.5', '2.0e-5', '0']);
    expect([setting(5), setting(12.5), setting(Math.PI)]).toEqual(['5', '12.5', '3.14']);
    expect([duration(0.332), duration(1.234), duration(12.34)]).toEqual(['332 ms', '1.23 s', '12.3 s']);
  });
});

describe('the history', () => {
  const entry = { k: 1, rmse: 2.5, threshold: null, kept: 10, ms: 3 };
  it('is a table that names the solver only when there are several', () => {
    expect(historyCsv([{ name: 'omp', history: [entry] }])).toBe('k,rmse,threshold,kept,ms\n1,2.5,,10,3\n');
    const two = historyCsv(['omp', 'aiht'].map((name) => ({ name, history: [entry] })));
    expect(two).toBe('solver,k,rmse,threshold,kept,ms\nomp,1,2.5,,10,3\naiht,1,2.5,,10,3\n');
  });
});
