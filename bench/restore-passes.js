// The part of a restoration's time that its prior takes, which is what tiles and workers share (docs/scale.md).
//
//     node bench/restore-passes.js
import { gaussianKernel, randomSource } from 'ght';
import { memorySink, memorySource, pictureOf, restoredPicture, restoreLarge } from 'ght-tiles';

const random = randomSource(1);
const picture = (side) => ({
  ...{ width: side, height: side, peak: 255 },
  planes: [
    Float32Array.from({ length: side * side }, (_, i) => {
      const [x, y] = [i % side, Math.floor(i / side)];
      return 100 + 50 * Math.sin(x / 7) * Math.cos(y / 21) + 2 * random.normal();
    }),
  ],
});
const [image, small] = [picture(512), picture(256)];
const holes = { ...image, planes: [Float32Array.from(image.planes[0], () => Number(random.uniform() < 0.3))] };
const tasks = [
  [image, { task: 'inpaint', mask: memorySource(holes) }],
  [image, { task: 'deblur', kernel: gaussianKernel(1.6) }],
  [small, { task: 'upscale', factor: 2 }],
];

for (const [data, what] of tasks) {
  for (const quality of ['fast', 'balanced', 'best']) {
    const spent = { prior: 0, rest: 0 };
    let [kind, since] = ['rest', process.cpuUsage()];
    const onProgress = ({ pass }) => {
      const { user, system } = process.cpuUsage(since);
      spent[kind] += (user + system) / 1e6;
      [kind, since] = [pass.startsWith('prior') ? 'prior' : 'rest', process.cpuUsage()];
    };
    const sink = memorySink({ ...restoredPicture(pictureOf(data), what), sample: 'float', depth: 64 });
    await restoreLarge(
      memorySource(data),
      sink,
      { ...what, tile: 512, options: { quality, threads: 1 } },
      { onProgress },
    );
    const share = (100 * spent.prior) / (spent.prior + spent.rest);
    console.log(
      `${what.task} ${quality}: ${share.toFixed(0)} % of ${(spent.prior + spent.rest).toFixed(1)} s on one core`,
    );
  }
}
