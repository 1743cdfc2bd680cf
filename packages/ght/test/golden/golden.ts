import { readFileSync } from 'node:fs';
import type { Codes } from '../../src/index.js';

/** A golden JSON file, made by make_golden.py, make_denoisers.py, make_noise.py or make_restore.py next to this file. */
export function golden(name: string) {
  return JSON.parse(readFileSync(new URL(name, import.meta.url), 'utf8'));
}

/** The golden layout of a sparse matrix as codes. */
export function goldenCodes(sparse: {
  rows: number;
  cols: number;
  indptr: number[];
  indices: number[];
  values: number[];
}): Codes {
  return {
    L: sparse.rows,
    P: sparse.cols,
    indptr: Int32Array.from(sparse.indptr),
    indices: Int32Array.from(sparse.indices),
    values: Float64Array.from(sparse.values),
  };
}
