// Many images in one process, several at once: the digest of each result, and the memory in use after it. At the end, how many
// threads more than at its beginning the process has.
// node many.js FIRST COUNT THREADS AT-ONCE
import { createHash } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { denoise, qualities, randomSource, represent, solverNames } from 'ght';

const threadCount = () => (process.platform === 'linux' ? readdirSync('/proc/self/task').length : 0);
const before = threadCount();
const [first, count, threads, atOnce] = process.argv.slice(2).map(Number);

/** Image n: its size, content and task depend on n alone. */
async function digestOf(n) {
  const { normal } = randomSource(n);
  const [width, height] = [120 + (n % 5) * 8, 104];
  const plane = Float64Array.from({ length: width * height }, (_, i) => {
    return 128 + 60 * Math.sin((i % width) / (5 + (n % 7))) + 15 * normal();
  });
  const image = { width, height, planes: [plane], peak: 255 };
  const solver = solverNames[n % solverNames.length];
  const { codes } = await represent(image, { solver, budget: { perPatch: 4 }, maxIterations: 8, threads });
  // `best` takes ten times as long as the others, so it is rare.
  const quality = n % 20 === 19 ? 'best' : qualities[n % 2];
  const { image: clean } = await denoise(image, { quality, threads });
  const hash = createHash('sha256');
  for (const values of [codes.indptr, codes.indices, codes.values, clean.planes[0]]) hash.update(values);
  return hash.digest('hex').slice(0, 16);
}

const digests = [];
const rss = [];
for (let n = first; n < first + count; n += atOnce) {
  const numbers = Array.from({ length: Math.min(atOnce, first + count - n) }, (_, i) => n + i);
  digests.push(...(await Promise.all(numbers.map(digestOf))));
  rss.push(process.memoryUsage.rss());
}
// Released threads end when they get a core: their number is final once it has not changed for a while.
let left = threadCount();
for (let calm = 0; calm < 10; ) {
  await new Promise((resolve) => setTimeout(resolve, 50));
  const now = threadCount();
  calm = now === left ? calm + 1 : 0;
  left = now;
}
console.log(JSON.stringify({ digests, rss, left: left - before }));
