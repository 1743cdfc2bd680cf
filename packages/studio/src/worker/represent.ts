import { type Image, type Progress, type Representation, type RepresentOptions, represent, solverCatalogue } from 'ght';
import type { Settings } from '../settings/settings.js';
import { pictureOf } from './layers.js';
import { checkMemory } from './memory-limit.js';
import { optionsOf } from './options.js';
import type { ResultSlot } from './protocol.js';
import { readingsOf } from './readings.js';
import { reduced } from './reduce.js';
import type { Call, Session } from './session.js';

/** A result should appear within a second; drawing and messages take the rest of it. */
const LIVE_MS = 750;
/** The whole image at full size may take slightly more of that second than a reduced one. */
const WARM_MS = 1000;
/** Iterations from the last codes that almost converge at a similar budget. */
const WARM_ITERATIONS = 4;
/** The assumed ratio of a whole run to the solver alone, before any measurement: cutting, rebuilding and drawing. */
const WHOLE_RUN = 2;
/** The assumed atoms per patch for a target, and the assumed number of budgets tried. */
const EXPECTED = { s: 10, tries: 6 };

/**
 * Represents the open image. If the whole run would delay a moving slider, a preview comes first (a few iterations from the
 * last codes, or the image reduced). Then follows the run itself, from zero, so that its numbers are those of the command.
 */
export async function runRepresent(session: Session, settings: Settings, live: boolean, call: Call): Promise<void> {
  const { image } = session.opened;
  const options = optionsOf(settings);
  checkMemory({ ...image, channels: image.planes.length }, options);
  if (live) await preview(session, image, settings, options, call);
  await timed(session, keyOf(settings, 'full'), () => runKept(session, 'result', image, options, call));
}

/** A run whose result is stored under a name and shown. */
export async function runKept(
  session: Session,
  slot: ResultSlot,
  image: Image,
  options: RepresentOptions,
  { signal, tell }: Call,
): Promise<Representation> {
  const start = performance.now();
  const result = await represent(image, { ...options, signal, onProgress: progressTeller(tell) });
  signal.throwIfAborted();
  session.keep(slot, result);
  const readings = readingsOf(result, (performance.now() - start) / 1000);
  tell({ kind: 'shown', slot, picture: pictureOf(result.image, session.floor), readings });
  return result;
}

async function preview(
  session: Session,
  image: Image,
  settings: Settings,
  options: RepresentOptions,
  { signal, tell }: Call,
): Promise<void> {
  const full = session.pace.get(keyOf(settings, 'full')) ?? guess(image, settings);
  if (full <= LIVE_MS) return;
  const start = performance.now();
  const last = session.results.get('result');
  const { dictionary } = options;
  const fits =
    last &&
    last.grid.stride === settings.stride &&
    last.dictionary === dictionary &&
    solverCatalogue[last.solver].joint;
  const warm = session.pace.get(keyOf(settings, 'warm')) ?? full / 2;
  if (fits && solverCatalogue[settings.solver].startsFromCodes && settings.goal === 'atoms' && warm <= WARM_MS) {
    // A rising ρ would begin by forgetting those codes.
    const usual = solverCatalogue[settings.solver].rho;
    const rho = options.rho ?? (typeof usual === 'object' ? usual?.to : usual);
    const limits = { initial: last.codes, maxIterations: WARM_ITERATIONS, rho };
    const result = await timed(session, keyOf(settings, 'warm'), () =>
      represent(image, { ...options, ...limits, signal }),
    );
    // Stored, so that the next position of the slider starts from here; the full run starts from zero.
    session.keep('result', result);
    const readings = readingsOf(result, (performance.now() - start) / 1000);
    tell({ kind: 'preview', picture: pictureOf(result.image, session.floor), readings, coarse: false });
    return;
  }
  const small = reduced(image, Math.ceil(Math.sqrt(full / (0.6 * LIVE_MS))));
  const result = await represent(small, { ...options, signal });
  const readings = readingsOf(result, (performance.now() - start) / 1000);
  tell({ kind: 'preview', picture: pictureOf(result.image, session.floor), readings, coarse: true });
}

/** Runs with the same key take about the same time. */
function keyOf({ engine, solver, stride, dictionary, goal }: Settings, kind: 'full' | 'warm'): string {
  return [kind, engine, solver, stride, dictionary, goal].join(' ');
}

async function timed<T>(session: Session, key: string, run: () => Promise<T>): Promise<T> {
  const start = performance.now();
  const result = await run();
  session.pace.set(key, performance.now() - start);
  return result;
}

/** The approximate time of a run, in milliseconds. */
function guess({ width, height, planes }: Image, { solver, stride, goal, s }: Settings): number {
  const patches = (width * height * planes.length) / stride ** 2;
  const { base, perAtom } = solverCatalogue[solver].effort;
  const [atoms, tries] = goal === 'psnr' ? [EXPECTED.s, EXPECTED.tries] : [s, 1];
  return (tries * WHOLE_RUN * patches * (base + perAtom * atoms)) / 1000;
}

/** Reports every iteration, and in between at most as often as the screen is redrawn. */
function progressTeller(tell: Call['tell'], doing?: string): (progress: Progress) => void {
  let [lastK, lastTime] = [0, 0];
  return ({ fraction, k, rmse }) => {
    const now = performance.now();
    if (k === lastK && now - lastTime < 50) return;
    [lastK, lastTime] = [k ?? 0, now];
    tell({ kind: 'progress', fraction, k, rmse, doing });
  };
}
