/** What an attack in TypeScript is given, and how it reports; scripts/attack/parts.js runs it. */
import { appendFileSync } from 'node:fs';
import type { MatrixReport } from '../../packages/images/test/tiff/matrix.js';

/** A row of the table: how many cases, and what became of them. */
export interface Row extends MatrixReport {
  readonly what: string;
  readonly cases: number;
}

const { GHT_ATTACK_ROWS, GHT_ATTACK_SEED = '1', GHT_ATTACK_SCALE = '1', GHT_ATTACK_FILES } = process.env;

/** The seed of all random choices. */
export const seed = Number(GHT_ATTACK_SEED);

/** How much is tried: 1 for the default length of a run. */
export const scale = Number(GHT_ATTACK_SCALE);

/** The path of the full matrix of files; undefined where it cannot be made. */
export const fullMatrix = GHT_ATTACK_FILES || undefined;

/** A number of cases for the scale: at least one. */
export const scaled = (cases: number) => Math.max(1, Math.round(cases * scale));

/** Adds a row to the table. */
export function report(what: string, { exact, refused, undetected, wrong }: MatrixReport): void {
  const cases = exact + refused + undetected + wrong.length;
  const row: Row = { what, cases, exact, refused, undetected, wrong };
  if (!GHT_ATTACK_ROWS) throw new Error('GHT_ATTACK_ROWS must name the file of the rows: run npm run attack');
  appendFileSync(GHT_ATTACK_ROWS, `${JSON.stringify(row)}\n`);
}

/** The sum of two reports. */
export function sum(a: MatrixReport, b: MatrixReport): MatrixReport {
  return {
    exact: a.exact + b.exact,
    refused: a.refused + b.refused,
    undetected: a.undetected + b.undetected,
    wrong: [...a.wrong, ...b.wrong],
  };
}
