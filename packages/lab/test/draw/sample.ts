import { readFileSync } from 'node:fs';
import type { Findings } from '../../src/experiments/index.js';
import type { Report } from '../../src/report.js';

/** Findings of a quick run, with one small picture in place of all pictures. */
export const findings: Findings = JSON.parse(readFileSync(new URL('findings.json', import.meta.url), 'utf8'));

/** A report of fixed findings, with the changes that a test needs. */
export function sampleReport(changes: Partial<Report> = {}): Report {
  return {
    date: '2026-01-02T03:04:05.000Z',
    version: '0.1.0',
    quick: true,
    seed: 1,
    machine: {
      ...{ processor: 'a processor', cores: 2, memoryBytes: 8 * 2 ** 30, system: 'Linux 6.1', node: 'v20.20.2' },
      load: { before: 1.5, after: 2.25 },
    },
    engine: { name: 'wasm', threads: 2, threadsReason: { kind: 'requested' } },
    images: [
      { name: 'nagasaki-boats', source: 'CC0 photograph', width: 1024, height: 1024 },
      { name: 'black-canyon', source: 'CC0 photograph', width: 1360, height: 800 },
      { name: 'dust-bowl-home', source: 'CC0 photograph', width: 1200, height: 880 },
    ],
    collection: [{ name: 'march-pastoral', source: 'CC0 photograph at half its size' }],
    findings,
    seconds: { heatmap: 3.6, synthetic: 10.2 },
    verdicts: [
      verdict('heatmap', 'The budget goes where the detail is.', 'confirmed'),
      verdict('synthetic', 'Both match CoSaMP.', 'confirmed'),
      verdict('synthetic', 'Both are as fast as OMP.', 'not reproduced', true),
      verdict('denoising', 'Both denoise better.', 'partly'),
    ],
    ...changes,
  };
}

function verdict(
  experiment: Report['verdicts'][number]['experiment'],
  claim: string,
  outcome: Report['verdicts'][number]['outcome'],
  timing = false,
): Report['verdicts'][number] {
  return { experiment, where: 'Figure 3', claim, rule: 'Confirmed: always.', measured: '0.94', outcome, timing };
}
