import { type Budget, solverCatalogue, solverNames } from 'ght';
import type { Settings } from '../settings/settings.js';
import { checkComparisonMemory } from './memory-limit.js';
import { optionsOf } from './options.js';
import { runKept, runRepresent } from './represent.js';
import type { Call, Session } from './session.js';

/**
 * Runs every solver with the same number of atoms. The patch-wise ones use the same number for every patch, as in the paper's
 * Figures 5 and 6; what does not divide evenly goes to the patches with the largest error, one atom each. Each solver has its
 * default ρ and no refit, since these options are chosen for a single solver.
 */
export async function runCompare(session: Session, settings: Settings, call: Call): Promise<void> {
  const { image } = session.opened;
  checkComparisonMemory(image, optionsOf(settings, 'admm'), solverNames.length);
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
}

/** Every solver would reach a PSNR with another budget, so all get the budget that the chosen solver needs for it. */
async function commonBudget(session: Session, settings: Settings, call: Call): Promise<Budget> {
  if (settings.goal === 'atoms') return { perPatch: settings.s };
  await runRepresent(session, settings, false, call);
  return { total: session.result('result').nonzeros };
}
