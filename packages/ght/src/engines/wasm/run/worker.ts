/** The program of a worker thread. It answers that it has started, receives an assignment, then does its share of each job. */
import { answer } from '#threads';
import { finish, type Work } from '../../../work.js';
import { callsOf, learnedKernels, problemKernels } from '../kernels/signatures.js';
import { shareOfGroups } from './group-jobs.js';
import type { GroupJob, GroupLayout } from './group-layout.js';
import { type LearnedLayout, shareOfBlocks } from './learned-jobs.js';
import { kernelsOf, type NetworkLayout, shareOfPictures } from './network-jobs.js';
import { type Job, share } from './patch-jobs.js';
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
  const { kind, module, places, thread } = message;
  const instances = await Promise.all(places.map(({ memory }) => WebAssembly.instantiate(module, { env: { memory } })));
  if (kind === 'patches') {
    const shards = places.map(({ memory, layout }, i) => {
      const kernels = callsOf(instances[i].exports, problemKernels);
      return { layout: layout as Layout, memory, thread, kernels };
    });
    doShare = (jobs) => share(jobs as readonly Job[], shards);
  } else if (kind === 'learned') {
    const [{ memory, layout }] = places;
    const kernels = callsOf(instances[0].exports, learnedKernels);
    const place = { layout: layout as LearnedLayout, memory, thread, kernels };
    doShare = () => shareOfBlocks(place);
  } else if (kind === 'network') {
    const [{ memory, layout }] = places;
    const kernels = kernelsOf(instances[0].exports, layout as NetworkLayout);
    const place = { layout: layout as NetworkLayout, memory, thread, kernels };
    doShare = () => shareOfPictures(place);
  } else {
    const [{ memory, layout }] = places;
    const place = { layout: layout as GroupLayout, memory, thread, kernels: instances[0].exports };
    doShare = (job) => shareOfGroups(job as GroupJob, place);
  }
});
