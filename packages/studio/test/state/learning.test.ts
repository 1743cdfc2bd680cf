import { describe, expect, it } from 'vitest';
import { learningOf, noiseStops } from '../../src/state/learning.svelte.js';
import { ITERATIONS, type LearnPicture } from '../../src/worker/learn-protocol.js';
import { type FakeWorker, idle, layer, opened, openPage } from './fake-worker.js';

const picture = (grey: number): LearnPicture => ({
  picture: layer(grey),
  columns: 4,
  rows: 3,
  coefficients: 1200,
  busiest: { x: 8, y: 16 },
  calmest: { x: 0, y: 0 },
  ...{ atoms: layer(1), cosines: layer(2), learned: layer(3) },
});
const cleaned = (psnr: number) => ({ noisy: layer(0), noisyPsnr: 20, picture: layer(1), psnr, threshold: 40 });
const cut = (kept: number) => ({
  curve: { ranks: [1], magnitudes: [1] },
  threshold: 1,
  kept,
  picture: layer(kept),
  psnr: 30,
});
const shares = (psnr: number) => {
  const share = {
    atoms: 60,
    psnr,
    counts: new Int32Array(12),
    errors: new Float32Array(12),
    picture: layer(psnr),
    error: layer(0),
  };
  return { equal: share, joint: share, range: 10, starved: { x: 8, y: 8 } };
};

/** The tab with an open picture of 4×3 patches. */
async function openLesson() {
  const { studio, worker } = await openPage({ tab: 'learn' });
  const learning = learningOf(studio);
  const image = opened();
  void learning.open(image);
  await worker.last('learnPicture').reply(picture(7));
  return { studio, worker, learning, image };
}

/** Answers every request of the sweep over budgets, the PSNR by position, and returns the budgets in the order of asking. */
async function answerNoise(worker: FakeWorker, from: number, psnr: (s: number) => number): Promise<number[]> {
  const asked: number[] = [];
  for (let i = from; i < worker.all('learnNoise').length; i++) {
    const request = worker.all('learnNoise')[i];
    asked.push(request.ask.s);
    await request.reply(cleaned(psnr(request.ask.s)));
  }
  return asked;
}

describe('the Learn tab', () => {
  it('computes nothing of the other tabs, and a figure only when it is seen', async () => {
    const { worker, learning } = await openLesson();
    expect(worker.all('represent')).toEqual([]);
    expect(worker.all('learnShares')).toEqual([]);
    learning.see(3);
    learning.see(3);
    expect(worker.all('learnShares').map(({ ask }) => ask)).toEqual([{ s: 5 }]);
  });

  it('starts with the busiest patch and five atoms per patch', async () => {
    const { worker, learning } = await openLesson();
    learning.see(1);
    expect(worker.last('learnPatch').ask).toEqual({ x: 8, y: 16 });
    learning.see(5);
    expect(worker.last('learnCut').ask).toEqual({ total: 60, refit: false });
  });

  it('chooses the patch that has the clicked pixel', async () => {
    const { worker, learning } = await openLesson();
    learning.choosePatch({ x: 31, y: 7 });
    expect(worker.last('learnPatch').ask).toEqual({ x: 24, y: 0 });
  });

  it('answers a moving slider one request at a time, and the last position for sure', async () => {
    const { worker, learning } = await openLesson();
    learning.see(3);
    for (const s of [6, 7, 8]) learning.setBudget(s);
    expect(worker.all('learnShares')).toHaveLength(1);
    await worker.last('learnShares').reply(shares(25));
    expect(learning.shares.answer?.ask.s).toBe(5);
    await worker.last('learnShares').reply(shares(28));
    expect(worker.all('learnShares').map(({ ask }) => ask.s)).toEqual([5, 8]);
    expect(learning.shares.answer).toMatchObject({ ask: { s: 8 }, reply: { joint: { psnr: 28 } } });
  });

  it('computes the chosen budget of the noise figure first, then all others', async () => {
    const { worker, learning } = await openLesson();
    learning.noiseAt = 4;
    learning.see(6);
    const asked = await answerNoise(worker, 0, (s) => 30 - Math.abs(s - 3));
    expect(asked[0]).toBe(noiseStops[4]);
    expect([...asked].sort((a, b) => a - b)).toEqual(noiseStops);
    expect(learning.noise.answers.map((each) => each?.psnr)).toEqual(noiseStops.map((s) => 30 - Math.abs(s - 3)));
  });

  it('drops the answers for other noise', async () => {
    const { worker, learning } = await openLesson();
    learning.see(6);
    const old = worker.last('learnNoise');
    learning.setNoise({ sigma: 50 });
    expect(old.cancelled).toBe(true);
    await old.reply(cleaned(99));
    expect(learning.noise.latest).toBeUndefined();
    await answerNoise(worker, 1, () => 24);
    expect(
      new Set(
        worker
          .all('learnNoise')
          .slice(1)
          .map(({ ask }) => ask.sigma),
      ),
    ).toEqual(new Set([50]));
    expect(learning.noise.answers.map((each) => each?.psnr)).toEqual(noiseStops.map(() => 24));
    // The figure stays until the next one is there.
    learning.setNoise({ stride: 8 });
    expect(learning.noise.latest?.psnr).toBe(24);
  });

  it('iterates again when the budget changes', async () => {
    const { worker, learning } = await openLesson();
    learning.see(3);
    learning.see(4);
    expect(worker.last('learnIteration').ask).toEqual({ s: 5, k: 1 });
    learning.setBudget(2);
    expect(worker.last('learnIteration').ask).toEqual({ s: 2, k: 1 });
    expect(learning.iterations.answers).toHaveLength(ITERATIONS);
  });

  it('keeps the cut between a tenth of an atom and twenty atoms per patch', async () => {
    const { worker, learning } = await openLesson();
    for (const [wanted, given] of [
      [0, 1],
      [1e6, 240],
      [33.4, 33],
    ]) {
      learning.setTotal(wanted);
      expect(learning.total).toBe(given);
    }
    await worker.last('learnCut').reply(cut(1));
    expect(worker.last('learnCut').ask.total).toBe(33);
    learning.setRefit(true);
    await worker.last('learnCut').reply(cut(33));
    expect(worker.last('learnCut').ask).toEqual({ total: 33, refit: true });
  });

  it('computes everything that was seen again for another picture, and never mixes the two', async () => {
    const { worker, learning } = await openLesson();
    learning.see(3);
    learning.see(5);
    const [oldShares, oldCut] = [worker.last('learnShares'), worker.last('learnCut')];
    void learning.open(opened());
    await oldShares.reply(shares(11));
    await oldCut.reply(cut(60));
    expect([learning.picture, learning.shares.answer, learning.cut.answer]).toEqual([undefined, undefined, undefined]);
    await worker.last('learnPicture').reply({ ...picture(9), columns: 2 });
    await idle();
    expect(worker.last('learnCut').ask.total).toBe(30);
    await worker.last('learnShares').reply(shares(31));
    expect(learning.shares.answer?.reply.joint.psnr).toBe(31);
  });

  it('is as the reader left it when the tab is opened again', async () => {
    const { studio, worker, learning, image } = await openLesson();
    learning.see(3);
    await worker.last('learnShares').reply(shares(28));
    const again = learningOf(studio);
    void again.open(image);
    expect(again.shares.answer?.reply.joint.psnr).toBe(28);
    expect(worker.all('learnPicture')).toHaveLength(1);
  });

  it('says what failed', async () => {
    const { studio, worker, learning } = await openLesson();
    learning.see(3);
    await worker.last('learnShares').fail('out of memory');
    expect(studio.runner.notice?.message).toBe('out of memory');
    learning.setBudget(4);
    await worker.last('learnShares').reply(shares(27));
    expect(learning.shares.answer?.ask.s).toBe(4);
  });
});
