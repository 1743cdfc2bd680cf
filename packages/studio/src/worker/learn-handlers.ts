import { lazily } from './lazy.js';
import type { LearnKind, LearnRequests } from './learn-protocol.js';
import type { Call, Session } from './session.js';

type LearnHandlers = {
  readonly [K in LearnKind]: (ask: LearnRequests[K]['ask'], call: Call) => Promise<LearnRequests[K]['reply']>;
};

/** The answers to the requests of the Learn tab. Their computations are loaded with the first request, because other tabs do not need them. */
export function learnHandlers(session: Session): LearnHandlers {
  const part = lazily(() => import('./learn.js'));
  const lesson = async () => (await part()).lessonOf(session);
  return {
    learnPicture: async () => (await lesson()).picture(),
    learnPatch: async (at, call) => (await lesson()).patch(at, call),
    learnShares: async ({ s }, call) => (await lesson()).shares(s, call),
    learnIteration: async ({ s, k }, call) => (await lesson()).iteration(s, k, call),
    learnCut: async ({ total, refit }, call) => (await lesson()).cut(total, refit, call),
    learnNoise: async (ask, call) => (await lesson()).noise(ask, call),
    learnVersus: async ({ s }, call) => (await lesson()).versus(s, call),
  };
}
