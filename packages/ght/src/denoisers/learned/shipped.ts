/** The model that comes with the package, loaded when it is needed first. */
import { place, readColour, readWeights } from '#weights';
import { EnvironmentError, kindOf, OptionError } from '../../errors.js';
import { type ColourModel, readColourModel } from './colour-model.js';
import { type LearnedModel, readModel } from './model.js';

/** The atoms of the shipped model, for estimates that do not wait for its file. */
export const SHIPPED_ATOMS = 128;

/** The address of the weights, or their bytes. */
export type Weights = string | URL | Uint8Array;

/** The model that was read last: the shipped one, or one that was given. */
let loaded: { readonly from: string | Uint8Array; readonly model: Promise<LearnedModel> } | undefined;

/** The shipped model. Its file is read once per process or page; a failed read is tried again by the next call. */
export function shippedModel(weights: Weights = ''): Promise<LearnedModel> {
  const from = weights instanceof Uint8Array ? weights : String(weights);
  if (loaded?.from === from) return loaded.model;
  const model = load(from).catch((error) => {
    loaded = undefined;
    throw error;
  });
  loaded = { from, model };
  return model;
}

/** Checks the option `weights`. */
export function checkWeights(weights: unknown): void {
  if (weights === undefined || weights instanceof URL || weights instanceof Uint8Array) return;
  if (typeof weights === 'string' && weights !== '') return;
  throw new OptionError(
    'weights',
    'must be an address or the bytes of the file',
    kindOf(weights),
    'give a URL or leave it out',
  );
}

async function load(from: string | Uint8Array): Promise<LearnedModel> {
  let bytes = from;
  let address: string | URL | undefined;
  try {
    if (typeof bytes === 'string') {
      address = bytes || place();
      bytes = await readWeights(address);
      // Many hosts answer with a page, and with success, if they do not have a file.
      if (String.fromCharCode(...bytes.subarray(0, 2)) !== 'PK') throw new Error('it is another file');
    }
  } catch (cause) {
    const rule = `needs the file weights/grey.npz of the package, which could not be read${address ? ` from ${address}` : ''}`;
    const remedy = 'give its address or its bytes as the option weights, or use the quality best';
    throw new EnvironmentError('quality', rule, (cause as Error).message, remedy, { cause });
  }
  return readModel(bytes);
}

let colour: Promise<ColourModel | undefined> | undefined;

/** The model for colour pictures of the package ght-colour, read once; undefined if the package is not installed. */
export function installedColourModel(): Promise<ColourModel | undefined> {
  colour ??= readColour()
    .then((bytes) => bytes && readColourModel(bytes))
    .catch((error) => {
      colour = undefined;
      throw error;
    });
  return colour;
}

/** The same where a run has begun with it, so that it must be there. */
export async function requiredColourModel(): Promise<ColourModel> {
  const model = await installedColourModel();
  if (model) return model;
  const rule = 'needs the package ght-colour, which the process that began this run has';
  throw new EnvironmentError('quality', rule, 'not installed', 'install ght-colour here too');
}
