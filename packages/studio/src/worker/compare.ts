import { type Budget, solverCatalogue, solverNames } from 'ght';
import type { Settings } from '../settings/settings.js';
import { checkMemory } from './memoryLimit.js';
import { optionsOf } from './options.js';
import { ssimOf } from './readings.js';
import { runKept, runRepresent } from './represent.js';
import type { Call, Session } from './session.js';

/**
 * Runs every solver under the same budget; the patch-wise ones use the same number for every patch, as in the paper's Figures
 * 5 and 6. Each has its default ρ and no refit, since these options are chosen for a single solver.
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

/** Every solver would reach a PSNR with another budget, so all get the budget that the chosen solver needs for it. */
async function commonBudget(session: Session, settings: Settings, call: Call): Promise<Budget> {
  if (settings.goal === 'atoms') return { perPatch: settings.s };
  await runRepresent(session, settings, false, call);
  return { total: session.result('result').nonzeros };
}
