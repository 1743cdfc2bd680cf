/** The studio's worker: it owns the image, the results and all calls of the library, so that the page never blocks. */
import { probeEngines } from 'ght';
import { saveCodes } from 'ght/npy';
import { isDisplayP3 } from '../image/display-p3.js';
import type { Size } from '../image/header.js';
import { openImage } from '../image/open.js';
import { runCompare } from './compare.js';
import { addNoise, checkDenoising, runDenoise, runDenoiseWindow } from './denoise.js';
import { probeEngine } from './engine.js';
import { applyResult, readCodes } from './files.js';
import { runInspect } from './inspect.js';
import { kernelOf } from './kernels.js';
import { errorOf, heatmapOf, pictureOf, removedOf } from './layers.js';
import { lazily } from './lazy.js';
import { learnHandlers } from './learn-handlers.js';
import type { LearnKind } from './learn-protocol.js';
import { maskOf } from './masks.js';
import { checkMemory, checkOpeningMemory, checkRestorationMemory, enlarged, TooLargeError } from './memory-limit.js';
import { optionsOf } from './options.js';
import type { Failure, FromWorker, Opened, RequestKind, Requests, ToWorker } from './protocol.js';
import { ssimOf } from './readings.js';
import { runRepresent } from './represent.js';
import { type Call, Session } from './session.js';
import { measureEngines } from './speed.js';
import { openPage, stackOf } from './stack.js';

const session = new Session();
const learn = learnHandlers(session);
const restoration = lazily(() => import('./restore.js'));
const blurring = lazily(() => import('./blur.js'));
const series = lazily(() => import('./series.js'));
const saving = lazily(() => import('./save.js'));

type Handlers = {
  readonly [K in RequestKind]: (
    ask: Requests[K]['ask'],
    call: Call,
  ) => Promise<Requests[K]['reply']> | Requests[K]['reply'];
};

const handlers: Handlers = {
  ...learn,
  async open({ file, reduce }, { signal }) {
    const bytes = new Uint8Array(await file.arrayBuffer());
    const fit = (size: Size) => {
      const [width, height] = [Math.floor(size.width / reduce), Math.floor(size.height / reduce)];
      // Each task has its own limit, which is checked when it is asked for.
      checkOpeningMemory({ ...size, width: Math.max(1, width), height: Math.max(1, height) });
      return reduce;
    };
    const read = (page: number) => openImage(bytes, fit, file instanceof File ? file.name : undefined, page);
    const opened = await read(0);
    // Decoding delays messages: a cancel is received here, and leaves everything unchanged. From here to the answer nothing waits.
    await new Promise((resolve) => setTimeout(resolve, 0));
    signal.throwIfAborted();
    session.open(opened, stackOf(opened, read));
    return shownImage();
  },
  apply({ slot }) {
    applyResult(session, slot);
    return { opened: shownImage(), count: session.versions };
  },
  async blur({ kernel }) {
    (await blurring()).blurFirst(session, kernel);
    return { opened: shownImage(), count: session.versions };
  },
  version({ at }) {
    session.goTo(at);
    return { opened: shownImage(), count: session.versions };
  },
  async represent({ settings, live }, call) {
    await runRepresent(session, settings, live, call);
    return null;
  },
  async compare({ settings }, call) {
    await runCompare(session, settings, call);
    return null;
  },
  inspect: ({ x, y, slot }, call) => runInspect(session, x, y, slot, call),
  noise(ask) {
    checkDenoising(session, ask);
    return addNoise(session, ask.noise);
  },
  denoise: (ask, call) => runDenoise(session, ask, call),
  async page({ at }) {
    await openPage(session, at);
    return shownImage();
  },
  async denoiseSeries(ask, call) {
    await (await series()).runDenoiseSeries(session, ask, call);
    return null;
  },
  denoiseWindow: (ask, call) => runDenoiseWindow(session, ask, call),
  ssim: ({ slot }, { signal }) => ssimOf(session.opened.image, session.image(slot), signal),
  mask: ({ from }) => maskOf(session.opened.image, from),
  kernel: ({ from }) => kernelOf(from),
  restore: async (ask, call) => (await restoration()).runRestore(session, ask, call),
  restoreWindow: async (ask, call) => (await restoration()).runRestoreWindow(session, ask, call),
  heatmap: ({ slot, most }) => heatmapOf(session.result(slot), most),
  error: ({ slot, range }) => errorOf(session.image(slot), session.opened.image, range),
  removed({ slot }) {
    const before = slot === 'denoised' && session.images.has('noisy') ? 'noisy' : 'original';
    return removedOf(session.image(before), session.image(slot));
  },
  picture: ({ slot }) => pictureOf(session.image(slot), session.floor),
  async file({ slot, format, stack }) {
    const { imageFile, stackFile } = await saving();
    if (stack && session.stack) return stackFile(session.stack, session.opened);
    return imageFile(session.image(slot), session.opened, format);
  },
  codes: ({ slot }) => saveCodes(session.result(slot).codes),
  async readCodes({ file, settings }, call) {
    await readCodes(session, file, settings, call);
    return null;
  },
  engine: () => probeEngine(),
  engines: () => probeEngines(),
  measureEngines: (_, call) => measureEngines(call),
  estimate({ settings }) {
    const { image } = session.opened;
    const size = { ...image, channels: image.planes.length };
    if (settings.tab === 'denoise') return { bytes: checkDenoising(session, settings) };
    if (settings.tab !== 'restore') return { bytes: checkMemory(size, optionsOf(settings)) };
    // The most that missing pixels may need, as it is not known yet where they will be.
    const loop = settings.restore === 'upscale' ? enlarged(size, settings.factor) : size;
    return { bytes: checkRestorationMemory(size, loop, settings.restoreQuality) };
  },
};

/** The open image, for the page. */
function shownImage(): Opened {
  const { image, format, depth, sample, metadata } = session.opened;
  const { width, height, planes, peak, alpha } = image;
  return {
    ...{ width, height, channels: planes.length, depth, sample, format, peak, alpha: alpha !== undefined },
    ...{ pages: session.stack?.pages ?? 1, page: session.stack?.at ?? 0 },
    colours: isDisplayP3(metadata?.icc) ? 'display-p3' : 'srgb',
    picture: pictureOf(image, session.floor),
  };
}

/** Long requests run one after the other, so that two runs never need memory at the same time. */
const slow: ReadonlySet<RequestKind> = new Set([
  'open',
  'apply',
  'blur',
  'version',
  'represent',
  'compare',
  'inspect',
  'denoise',
  'denoiseSeries',
  'denoiseWindow',
  'restore',
  'restoreWindow',
  'readCodes',
  'measureEngines',
  ...(Object.keys(learn) as LearnKind[]),
]);
let queue: Promise<unknown> = Promise.resolve();
const running = new Map<number, AbortController>();

addEventListener('message', ({ data }: MessageEvent<ToWorker>) => {
  if ('cancel' in data) {
    running.get(data.cancel)?.abort();
    return;
  }
  const { id, kind, ask } = data;
  const stop = new AbortController();
  running.set(id, stop);
  const serve = () => answer(id, kind, ask, stop.signal).finally(() => running.delete(id));
  if (slow.has(kind)) queue = queue.then(serve);
  else void serve();
});

async function answer(id: number, kind: RequestKind, ask: unknown, signal: AbortSignal): Promise<void> {
  try {
    signal.throwIfAborted();
    const call: Call = { signal, tell: (event) => signal.aborted || send({ id, event }) };
    const reply = await (handlers[kind] as (ask: unknown, call: Call) => unknown)(ask, call);
    send({ id, reply });
  } catch (error) {
    send({ id, failure: failureOf(error, signal) });
  }
}

function failureOf(error: unknown, signal: AbortSignal): Failure {
  const message = error instanceof Error ? error.message : String(error);
  if (error instanceof TooLargeError) return { message, aborted: false, reduce: error.reduce };
  if (error instanceof RangeError && /array length|allocation|memory/i.test(message)) {
    return { message: `This did not fit into the browser's memory (${message}). Use a smaller image.`, aborted: false };
  }
  return { message, aborted: signal.aborted };
}

/** Pixels are transferred, not copied. */
function send(message: FromWorker): void {
  postMessage(message, { transfer: buffersIn(message) });
}

function buffersIn(value: unknown, found: Transferable[] = []): Transferable[] {
  if (value instanceof Uint8ClampedArray && value.buffer instanceof ArrayBuffer) found.push(value.buffer);
  else if (Array.isArray(value)) for (const each of value) buffersIn(each, found);
  else if (value && typeof value === 'object' && !ArrayBuffer.isView(value)) {
    for (const each of Object.values(value)) buffersIn(each, found);
  }
  return found;
}
