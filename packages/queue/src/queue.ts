/** The queues of BullMQ: one per fingerprint. */
import { Queue, QueueEvents } from 'bullmq';
import { redisOptions, type ServerOptions, tellOnce } from './connection.js';
import { PREFIX, queueName } from './keys.js';

/** The queue that the jobs of runs with this fingerprint wait in. */
export function openQueue(fingerprint: string, url: string, options: ServerOptions): Queue {
  const queue = new Queue(queueName(fingerprint), {
    connection: redisOptions(url, options),
    prefix: PREFIX,
    skipVersionCheck: true,
    // Events only say when to check, so that few of them need be kept.
    streams: { events: { maxLen: 1000 } },
  });
  tellOnce(queue, url, options.onWarning);
  return queue;
}

/** The events of that queue. */
export function openEvents(fingerprint: string, url: string, options: ServerOptions): QueueEvents {
  const settings = { connection: redisOptions(url, options), prefix: PREFIX, skipVersionCheck: true };
  const events = new QueueEvents(queueName(fingerprint), settings);
  tellOnce(events, url, options.onWarning);
  return events;
}

/** Removes the jobs whose names begin with a prefix, except those that a worker has. */
export async function removeJobs(queue: Queue, prefix: string): Promise<void> {
  const ids = await queue.getRanges(['wait', 'delayed', 'prioritized', 'failed'], 0, -1);
  const own = ids.filter((id) => id.startsWith(prefix));
  // A job that was taken meanwhile cannot be removed; its worker sees that the run has ended.
  for (let i = 0; i < own.length; i += 500)
    await Promise.all(own.slice(i, i + 500).map((id) => queue.remove(id).catch(() => 0)));
}
