/** The program of a worker thread: it says that it is up, is told an undertaking, then does its share of one job after the other. */
import { answer } from '#threads';
import { finish, type Work } from '../../work.js';
import type { GroupJob, GroupKernels, GroupLayout } from './groups/jobs.js';
import { shareOfGroups } from './groups/jobs.js';
import type { Job } from './jobs.js';
import { share } from './jobs.js';
import type { Layout } from './memory.js';
import type { Kernels } from './module.js';
import type { Undertaking } from './team.js';

type Told = Undertaking & { readonly thread: number };

let doShare: ((job: unknown) => Work<unknown>) | undefined;

answer(async (message: 'up' | Told | { readonly job: unknown }) => {
  if (message === 'up') return undefined;
  if ('job' in message) {
    if (!doShare) throw new Error('a job came before its undertaking');
    return finish(doShare(message.job));
  }
  const { kind, module, memory, layout, thread } = message;
  const { exports } = await WebAssembly.instantiate(module, { env: { memory } });
  if (kind === 'patches') {
    const place = { layout: layout as Layout, memory, thread, kernels: exports as unknown as Kernels };
    doShare = (job) => share(job as Job, place);
  } else {
    const place = { layout: layout as GroupLayout, memory, thread, kernels: exports as unknown as GroupKernels };
    doShare = (job) => shareOfGroups(job as GroupJob, place);
  }
});
