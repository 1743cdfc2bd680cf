/** The trained models, loaded when they are needed first: that of the package, and that for colour pictures of the package ght-colour. */
import { place, readColour, readWeights } from '#weights';
import { EnvironmentError, kindOf, OptionError } from '../../errors.js';
import { type ColourModel, readColourModel } from './colour-model.js';
import { type LearnedModel, readModel } from './model.js';

/** The atoms of the shipped model, for estimates that do not wait for its file. */
export const SHIPPED_ATOMS = 128;

/** The address of the weights, or their bytes. */
export type Weights = string | URL | Uint8Array;

/** Reads a model once per process or page, until other weights are given. A failed read is tried again by the next call. */
function readOnce<M>(read: (from: string | Uint8Array) => Promise<M>): (weights?: Weights) => Promise<M> {
  let last: { readonly from: string | Uint8Array; readonly model: Promise<M> } | undefined;
  return (weights = '') => {
    const from = weights instanceof Uint8Array ? weights : String(weights);
    if (last?.from === from) return last.model;
    const model = read(from).catch((error) => {
      last = undefined;
      throw error;
    });
    last = { from, model };
    return model;
  };
}

/** The model of these weights; without any, the shipped one. */
export const shippedModel: (weights?: Weights) => Promise<LearnedModel> = readOnce(async (from) =>
  readModel(await bytesOf(() => from || place(), 'weights/grey.npz of the package', 'weights')),
);

/** The model for colour pictures of these weights; without any, that of the package ght-colour, or undefined if it is not installed. */
export const colourModel: (weights?: Weights) => Promise<ColourModel | undefined> = readOnce(async (from) => {
  const bytes = from
    ? await bytesOf(() => from, 'colour.npz of the package ght-colour', 'colourWeights')
    : await readColour();
  return bytes && readColourModel(bytes);
});

/** The same where a run has begun with it, so that it must be there. */
export async function requiredColourModel(weights?: Weights): Promise<ColourModel> {
  const model = await colourModel(weights);
  if (model) return model;
  const rule = 'needs the package ght-colour, which the process that began this run has';
  throw new EnvironmentError('quality', rule, 'not installed', 'install ght-colour here too');
}

/** Checks an option with weights. */
export function checkWeights(option: 'weights' | 'colourWeights', weights: unknown): void {
  if (weights === undefined || weights instanceof URL || weights instanceof Uint8Array) return;
  if (typeof weights === 'string' && weights !== '') return;
  const rule = 'must be an address or the bytes of the file';
  throw new OptionError(option, rule, kindOf(weights), 'give a URL or leave it out');
}

/** The bytes of a file of weights: those that were given, or those at an address, which code in a bundle may not have. */
async function bytesOf(weights: () => Weights, file: string, option: string): Promise<Uint8Array> {
  let from: Weights | undefined;
  try {
    from = weights();
    if (from instanceof Uint8Array) return from;
    const bytes = await readWeights(from);
    // Many hosts answer with a page, and with success, if they do not have a file.
    if (String.fromCharCode(...bytes.subarray(0, 2)) !== 'PK') throw new Error('it is another file');
    return bytes;
  } catch (cause) {
    const rule = `needs the file ${file}, which could not be read${from ? ` from ${from}` : ''}`;
    const remedy = `give its address or its bytes as the option ${option}, or use the quality best`;
    throw new EnvironmentError('quality', rule, (cause as Error).message, remedy, { cause });
  }
}
