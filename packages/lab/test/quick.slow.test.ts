/**
 * The whole quick run against golden numbers. To record them again after an intended change:
 * `GHT_GOLDEN=write npx vitest run packages/lab/test/quick.slow.test.ts`, then read the diff.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Findings } from '../src/index.js';
import { experimentNames, judge } from '../src/index.js';
import { comparable, quickFindings } from './quick.js';

const file = new URL('golden/quick.json', import.meta.url);
let findings: Findings;
let golden: Record<string, number | string>;

beforeAll(async () => {
  findings = await quickFindings();
  if (process.env.GHT_GOLDEN === 'write') {
    const rounded = [...comparable(findings)].map(([path, value]) => [
      path,
      typeof value === 'number' ? Number(value.toPrecision(6)) : value,
    ]);
    await writeFile(file, `${JSON.stringify(Object.fromEntries(rounded), null, 1)}\n`);
  }
  golden = JSON.parse(await readFile(file, 'utf8'));
}, 600_000);

/**
 * Different rounding (fused multiply-add, another libvips) changes a result slightly: 0.5% of an error, 0.02 of a mismatch
 * or a correlation. GHT-ADMM far below the penalty it needs is chaotic, so there only the order of magnitude is checked.
 */
function tolerance(path: string, value: number): number {
  if (/mismatch|correlation|ssim/.test(path)) return 0.02;
  if (/psnr|noisy/.test(path)) return 0.05;
  if (/^rho\.runs\.[45]\./.test(path)) return 0.5 * Math.abs(value);
  return 0.005 * Math.abs(value) + 1e-3;
}

describe('the quick run', () => {
  it.each(experimentNames)('%s gives the golden numbers', (name) => {
    const ours = comparable(findings[name], name);
    const theirs = new Map(Object.entries(golden).filter(([path]) => path.startsWith(`${name}.`)));
    expect([...ours.keys()]).toEqual([...theirs.keys()]);
    for (const [path, value] of theirs) {
      const mine = ours.get(path);
      if (typeof value === 'string') expect(mine, path).toBe(value);
      else
        expect(Math.abs((mine as number) - value), `${path}: ${mine} for ${value}`).toBeLessThan(
          tolerance(path, value),
        );
    }
  });

  it('decides every claim, those about what does not depend on time as ever', () => {
    const outcomes = judge(findings).map(({ claim, outcome }) => [claim, outcome]);
    expect(outcomes.length).toBeGreaterThanOrEqual(25);
    const timeless = outcomes.filter(([claim]) => !/time|slower|linear/.test(claim));
    expect(Object.fromEntries(timeless)).toMatchSnapshot();
  });

  it('measures a time for every run', () => {
    const times = [
      ...findings.synthetic.runs,
      ...findings.million.runs,
      ...findings.megapixel.images.flatMap(({ runs }) => runs),
    ].map(({ seconds }) => seconds);
    expect(Math.min(...times)).toBeGreaterThan(0);
  });
});
