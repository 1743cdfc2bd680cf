// A worker of bench/scale.js in its own process: it knows denoising, and a stub without work. Prints its CPU seconds at the end.
// usage: node bench/scale-worker.js ADDRESS FOLDER FINGERPRINT
import { queueWorker } from 'ght-queue';
import { denoisePlan } from 'ght-tiles';
import { stubPlan } from './scale-stub.js';

const [url, data, fingerprint] = process.argv.slice(2);
const worker = await queueWorker(url, { roots: { data }, plans: [stubPlan, denoisePlan()], fingerprint });
const started = process.cpuUsage();
process.once('SIGTERM', async () => {
  const { user, system } = process.cpuUsage(started);
  await worker.close();
  console.log(`cpu ${(user + system) / 1e6}`);
  process.exit(0);
});
console.log('ready');
