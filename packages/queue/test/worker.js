/**
 * A worker in a process of its own. Argument: options as JSON, with `url`; `images`: it knows plans of real images instead of toys;
 * `full`: its disk is full.
 */
import { denoiseTask, restoreTask } from 'ght-tiles';
import { queueWorker } from '../dist/index.js';
import { toyFiles, toyTask } from './toy.js';

const { url, full, images, ...options } = JSON.parse(process.argv[2]);
const files = toyFiles(() => {
  if (full) throw Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
});
const known = images ? { tasks: [denoiseTask(), restoreTask()] } : { tasks: [toyTask], files };
const watch = { onWarning: (warning) => console.log(warning), onTile: (line) => console.log(line) };
const worker = await queueWorker(url, { ...known, ...watch, patience: 3000, ...options });
process.once('SIGTERM', async () => {
  await worker.close();
  console.log('closed');
  process.exit(0);
});
console.log('ready');
