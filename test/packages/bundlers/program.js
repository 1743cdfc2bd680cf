// A user's program: denoises with `balanced` on two threads and with `learned`, and reports in the title of the page or in a line.
import { denoise } from 'ght';
import { options } from './options.js';

const plane = Float32Array.from({ length: 64 * 64 }, (_, i) => 128 + 90 * Math.sin(i / 7) + 20 * Math.sin(i * i));
const image = { width: 64, height: 64, planes: [plane], peak: 255 };

async function run() {
  const { engine } = await denoise(image, { sigma: 15, threads: 2, ...options });
  const report = { threads: engine.threads, reason: engine.threadsReason.message };
  try {
    report.learned = (await denoise(image, { sigma: 15, quality: 'learned', ...options })).quality;
  } catch (error) {
    report.learned = error.message;
  }
  if (globalThis.document) globalThis.document.title = JSON.stringify(report);
  else console.log(JSON.stringify(report));
}
run();
