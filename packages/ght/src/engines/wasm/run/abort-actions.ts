/** The actions for an aborted signal. One listener serves all runs that share the signal: hosts warn about many listeners. */
const actionsBySignal = new WeakMap<AbortSignal, Set<() => void>>();

/** The actions that an abort of this signal takes; add and delete them. */
export function abortActions(signal: AbortSignal): Set<() => void> {
  const known = actionsBySignal.get(signal);
  if (known) return known;
  const made = new Set<() => void>();
  actionsBySignal.set(signal, made);
  // Created in a function that has no action in scope: a listener lives as long as its signal, with everything its closure holds.
  signal.addEventListener('abort', () => made.forEach((act) => void act()), { once: true });
  return made;
}
