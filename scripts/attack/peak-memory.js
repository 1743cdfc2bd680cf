// Loaded before a program: writes the highest resident memory of its process in KiB when it ends.
import { writeFileSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';

const path = process.env.GHT_PEAK_MEMORY;
if (isMainThread && path) process.on('exit', () => writeFileSync(path, String(process.resourceUsage().maxRSS)));
