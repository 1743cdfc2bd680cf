/** The program of a worker thread: it is told a problem, then does its share of one job after the other. */
import { answer } from '#threads';
import { finish } from '../../solvers/work.js';
import type { Job, Workplace } from './jobs.js';
import { share } from './jobs.js';
import type { Layout } from './memory.js';
import type { Kernels } from './module.js';

interface Problem {
  readonly module: WebAssembly.Module;
  readonly memory: WebAssembly.Memory;
  readonly layout: Layout;
  readonly thread: number;
}

let place: Workplace | undefined;

answer(async (message: Problem | { readonly job: Job }) => {
  if ('job' in message) {
    if (!place) throw new Error('a job came before its problem');
    return finish(share(message.job, place));
  }
  const { module, memory, layout, thread } = message;
  const instance = await WebAssembly.instantiate(module, { env: { memory } });
  place = { layout, memory, thread, kernels: instance.exports as unknown as Kernels };
});
