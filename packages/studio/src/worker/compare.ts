import { type Budget, solverCatalogue, solverNames } from 'ght';
import type { Settings } from '../settings/settings.js';
import { checkMemory } from './memoryLimit.js';
import { optionsOf } from './options.js';
import { ssimOf } from './readings.js';
import { runKept, runRepresent } from './represent.js';
import type { Call, Session } from './session.js';

/**
 * Every solver under the same budget, the patch-wise ones with the same for every patch: the paper's Figures 5 and 6. Each has
 * its own ρ and none a refit: those are chosen for one solver, elsewhere.
 */
export async function runCompare(session: Session, settings: Settings, call: Call): Promise<void> {
  const { image } = session.opened;
  checkMemory({ ...image, channels: image.planes.length }, optionsOf(settings, 'admm'));
  const budget = await commonBudget(session, settings, call);
  for (const [i, solver] of solverNames.entries()) {
    const tell: Call['tell'] = (event) => {
      if (event.kind !== 'progress') return call.tell(event);
      const fraction = (i + event.fraction) / solverNames.length;
      call.tell({ kind: 'progress', fraction, doing: solverCatalogue[solver].title });
    };
    const options = optionsOf({ ...settings, rho: null, refit: false }, solver);
    await runKept(session, solver, image, { ...options, budget }, { signal: call.signal, tell });
  }
  for (const solver of solverNames) {
    call.tell({ kind: 'ssim', slot: solver, ssim: await ssimOf(image, session.image(solver), call.signal) });
  }
}

/** A PSNR would be reached by every solver with another budget, so all get what the chosen solver needed for it. */
async function commonBudget(session: Session, settings: Settings, call: Call): Promise<Budget> {
  if (settings.goal === 'atoms') return { perPatch: settings.s };
  await runRepresent(session, settings, false, call);
  return { total: session.result('result').nonzeros };
}
