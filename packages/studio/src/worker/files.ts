import {
  aggregate,
  atomsPerPatch,
  type Codes,
  type Image,
  InputError,
  nonzeros,
  patchGrid,
  psnr,
  type Representation,
  reconstruct,
  recorrelate,
  rmsePixel,
} from 'ght';
import { loadCodes } from 'ght/npy';
import { toPlanes, toRaster } from 'ght-images';
import { FileError, type OpenedImage } from '../image/decoded.js';
import { dictionaries, type Settings } from '../settings/settings.js';
import { pictureOf } from './layers.js';
import { dictionaryOf, PATCH } from './options.js';
import type { Applicable } from './protocol.js';
import { readingsOf } from './readings.js';
import type { Call, Session } from './session.js';

/** Makes a result the picture, with the samples that its file will have. */
export function applyResult(session: Session, slot: Applicable): void {
  const { opened } = session;
  // It has neither the steps of a JPEG any more, nor their grid.
  session.addVersion({ ...opened, image: inSamplesOf(opened, session.image(slot)), jpeg: undefined });
}

/** An image in the samples of the file that was opened. */
export function inSamplesOf({ sample, depth }: OpenedImage, image: Image): Image {
  const { width, height, channels, rows } = toRaster(image, sample, depth);
  const planes = toPlanes(rows(0, height), channels);
  const alpha = image.alpha && planes.pop();
  return { width, height, planes, peak: image.peak, alpha };
}

/** Shows saved codes on the image they were made for. */
export async function readCodes(session: Session, file: File, settings: Settings, call: Call): Promise<void> {
  const start = performance.now();
  const bytes = new Uint8Array(await file.arrayBuffer());
  const result = await loadCodes(bytes).then(
    (codes) => representationOf(session, codes, settings),
    (error: Error) => {
      throw new FileError(`${file.name} has no codes: ${error.message}`);
    },
  );
  call.signal.throwIfAborted();
  session.keep('result', result);
  const readings = readingsOf(result, (performance.now() - start) / 1000);
  call.tell({ kind: 'shown', slot: 'result', picture: pictureOf(result.image, session.floor), readings });
}

function representationOf(session: Session, codes: Codes, settings: Settings): Representation {
  const { dictionary, stride, solver } = settings;
  const { image } = session.opened;
  const grid = patchGrid(image.width, image.height, PATCH, stride);
  const patches = grid.count * image.planes.length;
  const D = dictionaryOf(settings);
  if (codes.P !== patches) {
    const rule = `must be for the ${patches} patches of this image at stride ${stride}`;
    throw new InputError('codes', rule, codes.P, 'open the image they were made of, and choose its stride');
  }
  if (codes.L !== D.L) {
    const rule = `must be for the ${D.L} atoms of the chosen dictionary (${dictionaries[dictionary].title})`;
    throw new InputError('codes', rule, codes.L, 'choose the dictionary they were made with');
  }
  const flat = reconstruct(D, codes);
  const size = grid.count * D.N;
  const rebuilt = image.planes.map((_, c) => aggregate(grid, flat.subarray(c * size, (c + 1) * size)));
  const counts = new Int32Array(grid.count);
  atomsPerPatch(codes).forEach((count, i) => {
    counts[i % grid.count] += count;
  });
  const shown = { ...image, planes: recorrelate(rebuilt) };
  const squares = shown.planes.map((plane, c) => rmsePixel(plane, image.planes[c]) ** 2);
  const pixel = Math.sqrt(squares.reduce((sum, square) => sum + square, 0) / squares.length);
  return {
    image: shown,
    dictionary: D,
    grid,
    codes,
    patches,
    atomsPerPatch: counts,
    rmsePixel: pixel,
    psnr: psnr(pixel, image.peak),
    // Except for patches beyond the edge, the error of the patches is that of the pixels.
    rmse: pixel * PATCH,
    solver,
    engine: { name: 'none', threads: 1 },
    budget: nonzeros(codes),
    nonzeros: nonzeros(codes),
    rho: null,
    iterations: 0,
    stopReason: 'complete',
    history: [],
  };
}
