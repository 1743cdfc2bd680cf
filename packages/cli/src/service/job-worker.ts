/** The program of a thread of `ght serve`: it runs one job after the other, and stops one on request. */
import { parentPort } from 'node:worker_threads';
import { listenToProgress } from '../output/progress.js';
import { failureOf } from './failure.js';
import { runJob } from './job.js';
import type { FromThread, ToThread } from './protocol.js';

/** Milliseconds between two reports of progress. */
const PAUSE_MS = 100;

let running: AbortController | undefined;
let reported = 0;
const send = (answer: FromThread, transfer: ArrayBuffer[] = []) => parentPort?.postMessage(answer, transfer);

listenToProgress(({ fraction, doing }) => {
  const now = performance.now();
  if (now - reported < PAUSE_MS) return;
  reported = now;
  send({ progress: { fraction, doing } });
});

parentPort?.on('message', async (message: ToThread) => {
  if (message === 'stop') {
    running?.abort();
    return;
  }
  running = new AbortController();
  try {
    const result = await runJob(message, running.signal);
    send({ result }, result.image ? [result.image.bytes.buffer] : []);
  } catch (error) {
    send({ failure: failureOf(error) });
  }
});
