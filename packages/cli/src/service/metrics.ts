/** Counts of a server, in the text format of Prometheus. */
import { monitorEventLoopDelay } from 'node:perf_hooks';

/** Upper bounds of the times of requests, in seconds. */
const BOUNDS = [0.1, 0.3, 1, 3, 10, 30, 100, 300] as const;
const RESOLUTION_MS = 5;

/** What is counted. */
export class Metrics {
  readonly #requests = new Map<string, number>();
  readonly #times = new Map<string, { readonly counts: number[]; sum: number }>();
  readonly #delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });

  constructor() {
    this.#delay.enable();
  }

  /** Counts an answer. The time counts for operations that succeeded. */
  count(operation: string, status: number, seconds: number): void {
    const key = `operation="${operation}",status="${status}"`;
    this.#requests.set(key, (this.#requests.get(key) ?? 0) + 1);
    if (status !== 200) return;
    const times = this.#times.get(operation) ?? { counts: BOUNDS.map(() => 0), sum: 0 };
    this.#times.set(operation, times);
    for (const [i, bound] of BOUNDS.entries()) if (seconds <= bound) times.counts[i]++;
    times.sum += seconds;
  }

  /** All metrics; the delay of the event loop is that since the last call. */
  text({ running, waiting }: { readonly running: number; readonly waiting: number }): string {
    const delay = Math.max(0, this.#delay.max / 1e6 - RESOLUTION_MS) / 1000;
    this.#delay.reset();
    const { user, system } = process.cpuUsage();
    const family = (name: string, type: string, help: string, lines: readonly string[]) => [
      `# HELP ${name} ${help}`,
      `# TYPE ${name} ${type}`,
      ...lines,
    ];
    const one = (name: string, type: string, help: string, value: number) =>
      family(name, type, help, [`${name} ${value}`]);
    const requests = [...this.#requests].map(([key, count]) => `ght_requests_total{${key}} ${count}`);
    const seconds = [...this.#times].flatMap(([operation, { counts, sum }]) => {
      const all = this.#requests.get(`operation="${operation}",status="200"`) ?? 0;
      const bucket = (bound: string, count: number) =>
        `ght_request_seconds_bucket{operation="${operation}",le="${bound}"} ${count}`;
      return [
        ...BOUNDS.map((bound, i) => bucket(String(bound), counts[i])),
        bucket('+Inf', all),
        `ght_request_seconds_sum{operation="${operation}"} ${sum}`,
        `ght_request_seconds_count{operation="${operation}"} ${all}`,
      ];
    });
    return `${[
      ...family('ght_requests_total', 'counter', 'Requests that were answered.', requests),
      ...family('ght_request_seconds', 'histogram', 'Time from a request to its result, waiting included.', seconds),
      ...one('ght_jobs_running', 'gauge', 'Jobs that run now.', running),
      ...one('ght_jobs_waiting', 'gauge', 'Jobs that wait for a thread.', waiting),
      ...one(
        'ght_event_loop_delay_max_seconds',
        'gauge',
        'How late a timer of the server was at most since this was last read.',
        delay,
      ),
      ...one(
        'process_cpu_seconds_total',
        'counter',
        'CPU time of the process, threads included.',
        (user + system) / 1e6,
      ),
      ...one('process_resident_memory_bytes', 'gauge', 'Resident memory of the process.', process.memoryUsage.rss()),
    ].join('\n')}\n`;
  }
}
