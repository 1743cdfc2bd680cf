/** A worker in a process of its own. Argument: options as JSON, with `url` and `full`: the first byte of windows that do not fit on the disk. */
import { queueWorker } from '../dist/index.js';
import { toyFiles, toyPlan } from './toy.js';

const { url, full, ...options } = JSON.parse(process.argv[2]);
const files = toyFiles((left) => {
  if (left === full) throw Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
});
const onWarning = (warning) => console.log(warning);
const worker = await queueWorker(url, {
  plans: [toyPlan],
  files,
  onWarning,
  onTile: console.log,
  patience: 3000,
  ...options,
});
process.once('SIGTERM', async () => {
  await worker.close();
  console.log('closed');
  process.exit(0);
});
console.log('ready');
