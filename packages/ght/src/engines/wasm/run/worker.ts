/** The program of a worker thread. It answers that it has started, receives an assignment, then does its share of each job. */
import { answer } from '#threads';
import { finish, type Work } from '../../../work.js';
import type { Kernels } from '../kernels/module.js';
import type { GroupJob, GroupKernels, GroupLayout } from './group-jobs.js';
import { shareOfGroups } from './group-jobs.js';
import type { Job } from './patch-jobs.js';
import { share } from './patch-jobs.js';
import type { Layout } from './problem-memory.js';
import type { Assignment } from './team.js';

type ThreadAssignment = Assignment & { readonly thread: number };

let doShare: ((job: unknown) => Work<unknown>) | undefined;

answer(async (message: 'up' | ThreadAssignment | { readonly job: unknown }) => {
  if (message === 'up') return undefined;
  if ('job' in message) {
    if (!doShare) throw new Error('a job arrived before its assignment');
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
