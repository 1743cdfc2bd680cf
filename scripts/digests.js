// Prints a digest of every task's result, on every engine and for several numbers of threads, one per line, so that two
// versions of the library can be compared bit for bit.
//
//     node scripts/digests.js > before.txt        (then change something, build)
//     node scripts/digests.js > after.txt; diff before.txt after.txt
//     node scripts/digests.js OTHER/packages/ght  digests of another checkout
//
// Digests depend on the machine (fused multiply-add, the host's Math), so they are not stored in the repository.
import { createHash } from 'node:crypto';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

const ght = await import(pathToFileURL(resolve(process.argv[2] ?? 'packages/ght', 'dist/browser.js')));
const engines = ['reference', 'portable', 'wasm'];

/** Digest of arrays, numbers and plain data; times are left out. */
function digest(value) {
  const hash = createHash('sha256');
  const take = (each) => {
    if (ArrayBuffer.isView(each)) hash.update(each.constructor.name).update(each);
    else if (Array.isArray(each)) each.forEach(take);
    else if (each !== null && typeof each === 'object') {
      for (const key of Object.keys(each).sort()) {
        if (key === 'ms' || key === 'threads' || key === 'threadsReason') continue;
        hash.update(key);
        take(each[key]);
      }
    } else hash.update(`${typeof each} ${each};`);
  };
  take(value);
  return hash.digest('hex').slice(0, 16);
}

async function line(name, compute) {
  try {
    console.log(`${name}  ${digest(await compute())}`);
  } catch (error) {
    console.log(`${name}  ${error.message}`);
  }
}

/** A synthetic picture with flat, shaded, edged and textured parts. */
function picture(side, channels) {
  const random = ght.randomSource(1);
  const planes = Array.from({ length: channels }, (_, c) =>
    Float32Array.from({ length: side * side }, (_, i) => {
      const [x, y] = [i % side, Math.floor(i / side)];
      const disc = Math.hypot(x - side * 0.6, y - side * 0.4) < side / 4 ? 70 - 10 * c : 0;
      const texture = y > side * 0.7 ? 25 * Math.sin(x * 0.9 + y * 0.35) + 12 * random.normal() : 0;
      return Math.round(60 + 20 * c + (80 * x) / side + disc + texture);
    }),
  );
  return { width: side, height: side, planes, peak: 255 };
}
function noisy(image, sigma, seed) {
  const random = ght.randomSource(seed);
  return { ...image, planes: image.planes.map((plane) => plane.map((value) => value + sigma * random.normal())) };
}

const grey = picture(96, 1);
const colour = picture(64, 3);
const small = picture(40, 1);

// Selection, including ties.
const random = ght.randomSource(7);
const values = Float64Array.from({ length: 5000 }, () => Math.round(20 * random.normal()) / 4);
for (const S of [0, 1, 17, 500, 1024, 4000, 5000, 9000]) {
  await line(`hardThreshold ${S}`, () => {
    const Z = new Float64Array(values.length);
    return [ght.hardThreshold(values, S, Z), Z, ght.selectLargest(values.subarray(0, 700), Math.min(S, 700))];
  });
}

const budgets = [{ perPatch: 3 }, { perPatch: 0.4 }, { total: 777 }, { total: 0 }, { psnr: 30 }, { rmse: 60 }];
const noiseBudgets = [{ sigma: 10 }, { sigma: 10, rule: 'residual' }, { sigma: 10, rule: 'threshold' }];
for (const engine of engines) {
  for (const solver of ght.solverNames) {
    const common = { engine, solver, threads: 1, maxIterations: 30 };
    for (const budget of [...budgets, ...noiseBudgets]) {
      await line(`represent small ${engine} ${solver} ${JSON.stringify(budget)}`, () =>
        ght.represent(noisy(small, 10, 3), { ...common, budget }),
      );
    }
    await line(`represent stride 4 refit ${engine} ${solver}`, () =>
      ght.represent(small, { ...common, stride: 4, refit: true, budget: { perPatch: 2 } }),
    );
    await line(`represent patch 5 atoms 7 ${engine} ${solver}`, () =>
      ght.represent(small, { ...common, patch: 5, atoms: 7, budget: { perPatch: 2 } }),
    );
    await line(`represent colour ${engine} ${solver}`, () =>
      ght.represent(colour, { ...common, budget: { perPatch: 2.5 } }),
    );
    await line(`represent paper ${engine} ${solver}`, () => ght.represent(small, { ...common, preset: 'paper' }));
    await line(`denoisePaper ${engine} ${solver}`, () =>
      ght.denoisePaper(noisy(small, 20, 5), { ...common, stride: 2, budget: { sigma: 20 } }),
    );
    await line(`solve gaussian ${engine} ${solver}`, () =>
      ght.solve(
        ght.gaussianDictionary(20, 45, 9),
        Float64Array.from({ length: 20 * 300 }, (_, i) => Math.sin(i * i)),
        { ...common, budget: { perPatch: 4 } },
      ),
    );
    await line(`solve 300 atoms, 1e-30 ${engine} ${solver}`, () =>
      ght.solve(
        ght.gaussianDictionary(16, 300, 2),
        Float64Array.from({ length: 16 * 70 }, (_, i) => 1e-30 * Math.sin(i * i)),
        { ...common, budget: { perPatch: 3 } },
      ),
    );
    await line(`solve ties ${engine} ${solver}`, () => {
      const Y = Float64Array.from({ length: 64 * 600 }, (_, i) => [0, 10, 20, 10][(i >> 2) % 4]);
      return ght.solve(ght.completeDct(8), Y, { ...common, budget: { total: 1500 }, peak: 255 });
    });
  }
}
for (const threads of [1, 2, 3]) {
  for (const solver of ght.solverNames) {
    for (const perPatch of [2, 5, 20]) {
      await line(`represent grey wasm ${solver} ${perPatch} threads ${threads}`, () =>
        ght.represent(grey, { solver, engine: 'wasm', threads, stride: 2, budget: { perPatch }, maxIterations: 40 }),
      );
    }
    await line(`represent grey wasm ${solver} sigma threads ${threads}`, () =>
      ght.represent(noisy(grey, 12, 1), { solver, engine: 'wasm', threads, stride: 3, budget: { sigma: 12 } }),
    );
  }
}
await line('continued', async () => {
  const first = await ght.represent(small, { solver: 'qpm', maxIterations: 5, budget: { perPatch: 3 } });
  return ght.represent(small, { solver: 'qpm', initial: first.codes, maxIterations: 5, budget: { perPatch: 3 } });
});

const pg = { gain: 2, sigma: 3, offset: 5 };
for (const quality of ght.qualities) {
  for (const threads of [1, 2, 3]) {
    const options = { engine: 'wasm', quality, threads };
    await line(`denoise grey told ${quality} threads ${threads}`, () =>
      ght.denoise(noisy(grey, 25, 2), { ...options, sigma: 25 }),
    );
    await line(`denoise colour auto ${quality} threads ${threads}`, () => ght.denoise(noisy(colour, 15, 4), options));
    await line(`denoise poisson ${quality} threads ${threads}`, () =>
      ght.denoise(noisy(grey, 9, 2), { ...options, noise: pg }),
    );
  }
  await line(`denoise far ${quality}`, () =>
    ght.denoise(
      { ...grey, planes: [Float64Array.from(noisy(grey, 25, 2).planes[0], (v) => 1e9 + v)] },
      { quality, sigma: 25 },
    ),
  );
  await line(`denoise tiny ${quality}`, () =>
    ght.denoise(
      { width: 5, height: 3, peak: 1, planes: [Float32Array.from({ length: 15 }, (_, i) => Math.sin(i))] },
      { quality, sigma: 0.2 },
    ),
  );
  await line(`denoise reference ${quality}`, () =>
    ght.denoise(noisy({ ...small, width: 40, height: 24, planes: [small.planes[0].slice(0, 960)] }, 20, 8), {
      ...{ quality, engine: 'reference', sigma: 20 },
    }),
  );
  await line(`memory ${quality}`, () => [
    ght.estimateMemory('denoise', { width: 512, height: 512, channels: 1 }, { quality }),
    ght.estimateMemory('denoise', { width: 9000, height: 9000, channels: 3 }, { quality }),
  ]);
}
await line('noise', async () => [
  (await ght.diagnose(noisy(grey, 7, 3), { kind: 'white', impulses: 'off', banding: 'off' })).model.sigma,
  (await ght.diagnose(noisy(colour, 3, 3), { kind: 'white', impulses: 'off', banding: 'off' })).model.sigma,
  (await ght.diagnose(noisy(grey, 7, 3), { kind: 'signal-dependent' })).model.planes,
]);
await line('measures', () => [
  ght.ssim(grey.planes[0], noisy(grey, 7, 3).planes[0], grey.width, grey.height, 255),
  ght.psnr(grey.planes[0], noisy(grey, 7, 3).planes[0], 255),
  ght.estimateMemory('represent', { width: 512, height: 512, channels: 3 }),
]);

// Restoration: every task, quality and kind of data.
const holes = (image, share) => {
  const random = ght.randomSource(11);
  return Uint8Array.from(image.planes[0], () => Number(random.uniform() < share));
};
const tall = (image) => ({
  ...image,
  height: image.height - 9,
  planes: image.planes.map((plane) => plane.slice(0, image.width * (image.height - 9))),
});
const halves = (n) => ({
  ...{ width: n.width, height: n.height },
  apply: (x) => x.map((value) => value / 2),
  adjoint: (r) => r.map((value) => value / 2),
});
for (const quality of ['fast', 'balanced', 'best']) {
  const options = { engine: 'wasm', quality, threads: 2 };
  for (const [name, image] of Object.entries({ small, colour: tall(colour) })) {
    const alpha = Uint8Array.from(image.planes[0], (_, i) => i % 256);
    await line(`inpaint ${name} ${quality}`, () => ght.inpaint(image, holes(image, 0.4), options));
    await line(`inpaint ${name} noisy ${quality}`, () =>
      ght.inpaint(noisy(image, 9, 1), holes(image, 0.3), { ...options, sigma: 9 }),
    );
    await line(`inpaint ${name} transparent ${quality}`, () => ght.inpaint({ ...image, alpha }, 'auto', options));
    await line(`deblur ${name} ${quality}`, () => ght.deblur(noisy(image, 2, 1), ght.diskKernel(2), options));
    await line(`deblur ${name} without noise ${quality}`, () =>
      ght.deblur({ ...image, alpha }, ght.motionKernel(5, 30), { ...options, sigma: 0 }),
    );
    await line(`upscale ${name} ${quality}`, () => ght.upscale({ ...image, alpha }, 1.5, options));
    await line(`upscale ${name} noisy ${quality}`, () =>
      ght.upscale(noisy(image, 3, 1), 2, { ...options, sigma: 3, blur: 'area' }),
    );
    await line(`restore ${name} ${quality}`, () => ght.restore(image, halves(image), { ...options, start: image }));
    await line(`restore ${name} noisy ${quality}`, () => ght.restore(image, halves(image), { ...options, sigma: 2 }));
  }
}
await line('inpaint a hole in a large image', () => {
  const large = picture(420, 1);
  const mask = new Uint8Array(420 * 420).fill(0).map((_, i) => Number(Math.abs((i % 420) - 300) < 4 && i % 3 === 0));
  return ght.inpaint(large, mask, { quality: 'fast' });
});
await line('upscale a large image', () => ght.upscale(picture(330, 1), 2, { quality: 'fast' }));
await line('deblur a large image', () =>
  ght.deblur(noisy(picture(600, 3), 2, 1), ght.gaussianKernel(1.2), { quality: 'fast' }),
);
