import { samples } from '../../src/image/samples.js';
import { defaults, type Settings } from '../../src/settings/settings.js';
import type { KeptMask } from '../../src/state/kept-image.js';
import { Studio } from '../../src/state/studio.svelte.js';
import type { Layer } from '../../src/worker/layer.js';
import type {
  Denoised,
  Event,
  Failure,
  FromWorker,
  Opened,
  Readings,
  RequestKind,
  Requests,
  Restored,
  ToWorker,
} from '../../src/worker/protocol.js';

/** A request from the page, to be answered by a test. */
export class FakeRequest<K extends RequestKind = RequestKind> {
  cancelled = false;

  constructor(
    readonly id: number,
    readonly kind: K,
    readonly ask: Requests[K]['ask'],
    private readonly send: (message: FromWorker) => Promise<void>,
  ) {}

  tell(event: Event): Promise<void> {
    return this.send({ id: this.id, event });
  }
  reply(reply: Requests[K]['reply']): Promise<void> {
    return this.send({ id: this.id, reply });
  }
  fail(message: string, more: Partial<Failure> = {}): Promise<void> {
    return this.send({ id: this.id, failure: { message, aborted: this.cancelled, ...more } });
  }
}

/** A worker that holds requests until a test answers them. */
export class FakeWorker {
  onmessage: ((event: { data: FromWorker }) => void) | undefined;
  onerror: ((event: { message: string }) => void) | undefined;
  readonly #requests: FakeRequest[] = [];

  postMessage(message: ToWorker): void {
    if ('cancel' in message) {
      const request = this.#requests.find(({ id }) => id === message.cancel);
      if (request) request.cancelled = true;
      return;
    }
    const { id, kind, ask } = message;
    const send = async (answer: FromWorker) => {
      this.onmessage?.({ data: answer });
      await idle();
    };
    this.#requests.push(new FakeRequest(id, kind, ask as never, send));
  }

  terminate(): void {}

  async crash(message: string): Promise<void> {
    this.onerror?.({ message });
    await idle();
  }

  all<K extends RequestKind>(kind: K): FakeRequest<K>[] {
    return this.#requests.filter((each): each is FakeRequest<K> => each.kind === kind);
  }

  /** The latest request of a kind. */
  last<K extends RequestKind>(kind: K): FakeRequest<K> {
    const request = this.all(kind).at(-1);
    if (!request) throw new Error(`the page has not asked for ${kind}`);
    return request;
  }
}

/** Waits until the page is idle. */
export function idle(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 0));
}

/** A picture of one pixel, identified by its grey value. */
export function layer(grey: number): Layer {
  return { width: 1, height: 1, pixels: Uint8ClampedArray.of(grey, grey, grey, 255) };
}

/** An image of the size of a small photograph. */
export function opened(change: Partial<Opened> = {}): Opened {
  const format = {
    channels: 1,
    depth: 8,
    sample: 'uint',
    format: 'PNG',
    peak: 255,
    alpha: false,
    pages: 1,
    page: 0,
    colours: 'srgb',
  } as const;
  return { width: 320, height: 240, ...format, picture: layer(0), ...change };
}

/** The engine of a test. */
const engine = { name: 'reference', threads: 1 } as const;

/** The measurements of a run with this PSNR. */
export function readings(psnr: number, change: Partial<Readings> = {}): Readings {
  const sizes = { nonzeros: 100, patches: 20, mostAtoms: 9, seconds: 1 };
  const errors = { rmse: 8, rmsePixel: 1, psnr };
  return { solver: 'admm', ...errors, ...sizes, stopReason: 'converged', engine, history: [], ...change };
}

export const shown = (slot: 'result' | 'qpm' | 'admm', psnr: number): Event => ({
  kind: 'shown',
  slot,
  picture: layer(psnr),
  readings: readings(psnr),
});

export const preview = (psnr: number, coarse = false): Event => ({
  kind: 'preview',
  picture: layer(psnr),
  readings: readings(psnr),
  coarse,
});

export const denoised = (psnr: number): Denoised => ({
  picture: layer(psnr),
  looks: ['Fine grain, equally strong everywhere.'],
  messages: ['noise: white, σ = 20'],
  changed: true,
  engine,
  seconds: 1,
  psnr,
  noisyPsnr: 22,
});

export const restored = (grey: number): Restored => ({
  messages: [],
  picture: layer(grey),
  sigma: 0,
  engine,
  seconds: 1,
  psnr: null,
});

/** The settings of a page that was opened with its tab Represent. */
export const usual: Settings = { ...defaults, tab: 'represent' };

/** A page without a browser: its worker answers as the test says, and the content of a sample is its name. */
export function startPage(
  settings: Partial<Settings> = {},
  fetchSample: (file: string) => Promise<Blob> = async (file) => {
    if (!samples.some((each) => each.file === file || each.mask === file)) throw new Error('404 Not Found');
    return new Blob([file]);
  },
) {
  const workers: FakeWorker[] = [];
  const hashes: string[] = [];
  /** Whether each was a step of the history. */
  const steps: boolean[] = [];
  const kept: { file?: File; mask?: KeptMask } = {};
  const studio = new Studio(
    { ...usual, ...settings },
    {
      startWorker: () => {
        workers.push(new FakeWorker());
        return workers[workers.length - 1] as unknown as Worker;
      },
      fetchSample,
      writeHash(hash, step) {
        hashes.push(hash);
        steps.push(step);
      },
      kept: {
        load: async () => kept.file,
        async save(file) {
          kept.file = file;
        },
        async erase() {
          delete kept.file;
        },
        loadMask: async () => kept.mask,
        async saveMask(mask) {
          kept.mask = mask;
        },
      },
    },
  );
  return {
    studio,
    hashes,
    steps,
    kept,
    /** The current worker. */
    get worker(): FakeWorker {
      return workers[workers.length - 1];
    },
  };
}

/** A page with an open image, whose tab has started its first task. */
export async function openPage(settings: Partial<Settings> = {}, image = opened()) {
  const page = startPage(settings);
  void page.studio.image.openSample(page.studio.settings.image);
  await idle();
  await page.worker.last('open').reply(image);
  return page;
}

/** A page that shows the result of its settings, with 30 dB. */
export async function solvedPage(settings: Partial<Settings> = {}) {
  const page = await openPage(settings);
  const run = page.worker.last('represent');
  await run.tell(shown('result', 30));
  await run.reply(null);
  return page;
}
