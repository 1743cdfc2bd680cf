/** The model that comes with the package, loaded when it is needed first. */
import { place, readShipped } from '#weights';
import { EnvironmentError } from '../../errors.js';
import { type LearnedModel, readModel } from './model.js';

/** The atoms of the shipped model, for estimates that do not wait for its file. */
export const SHIPPED_ATOMS = 128;

let loaded: Promise<LearnedModel> | undefined;

/** The shipped model. Its file is read once per process or page; a failed read is tried again by the next call. */
export function shippedModel(): Promise<LearnedModel> {
  loaded ??= load().catch((error) => {
    loaded = undefined;
    throw error;
  });
  return loaded;
}

async function load(): Promise<LearnedModel> {
  let bytes: Uint8Array;
  try {
    bytes = await readShipped();
  } catch (cause) {
    const rule = 'needs the file weights/grey.npz of the package, which could not be read';
    const remedy = `make it available at ${place.href}, or use the quality best`;
    throw new EnvironmentError('quality', rule, (cause as Error).message, remedy, { cause });
  }
  return readModel(bytes);
}
