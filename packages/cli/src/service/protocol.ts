/** What the server and its threads send each other: plain data. */
import type { JobFailure } from './failure.js';

/** A request, as plain data for another thread. */
export interface JobRequest {
  readonly operation: string;
  readonly query: readonly (readonly [string, string])[];
  /** The headers Content-Type and Accept. */
  readonly type: string;
  readonly accept: string;
  readonly body: Uint8Array<ArrayBuffer>;
  /** The most pixels of an image, before and after. */
  readonly mostPixels: number;
  readonly threads: number;
}

/** What comes back. */
export interface JobResult {
  /** The object of `--json`. */
  readonly report: string;
  /** The image; absent if the operation has none. */
  readonly image?: { readonly type: string; readonly bytes: Uint8Array<ArrayBuffer> };
}

/** What a thread is asked. */
export type ToThread = JobRequest | 'stop';

/** What a thread answers. */
export type FromThread =
  | { readonly progress: { readonly fraction: number; readonly doing?: string } }
  | { readonly result: JobResult }
  | { readonly failure: JobFailure };
