/** A worker that was stopped, and goes on when its run has ended, writes nothing into the result of another run. */
import { existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { cancel, clean, runs } from '../src/index.js';
import { hasRedis, NEEDS } from './redis.js';
import { errorOf, type Request, Stage, task, until } from './stage.js';

/** Another worker takes over the tile of one that is stopped after a second or two. */
const IMPATIENT = { patience: 1000 };

describe.skipIf(!hasRedis)(`a worker that was stopped ${NEEDS}`, () => {
  let stage: Stage;
  beforeEach(async () => {
    stage = await new Stage().start();
  });
  afterEach(() => stage.end());

  /** Other samples, in a file that looks the same to a run that does not know its version. */
  const change = () => {
    writeFileSync(
      join(stage.root, 'source'),
      Uint8Array.from({ length: 48 }, (_, i) => (i * 11 + 5) % 251),
    );
  };
  const folders = () => readdirSync(stage.root).sort();

  it('in the middle of a tile: it stops when it wakes, and another run has its output', async () => {
    const first = stage.request(3);
    const victim = await stage.worker(IMPATIENT, { TOY_WRITE_MS: '4000', TOY_DEAF: 'yes' });
    const running = stage.runner().run(task, first);
    await until('a tile to be written', () => stage.logged().some((line) => line.startsWith('write')));
    victim.process.kill('SIGSTOP');
    await stage.worker(IMPATIENT);
    await running;
    rmSync(join(stage.root, 'out'), { recursive: true });
    change();
    const second: Request = { ...first, remark: 'another run' };
    const expected = await stage.expected(second);
    await stage.runner().run(task, second);
    expect(stage.written()).toEqual(expected.files);
    victim.process.kill('SIGCONT');
    await victim.line(/write-1 \d: stopped, because its run has ended$/);
    expect(stage.written()).toEqual(expected.files);
    expect(folders()).toEqual(['out', 'source']);
  });

  it('in the middle of a write, after it was allowed: another run of the same name and output is left alone', async () => {
    const request = stage.request(3);
    // The name of the run does not depend on the content of its source.
    const runner = stage.runner({ sources: () => [] });
    const gate = join(stage.folder, 'gate');
    const victim = await stage.worker(IMPATIENT, { TOY_GATE: gate });
    const running = runner.run(task, request);
    await until('a write', () => stage.logged().some((line) => line.startsWith('gate')));
    victim.process.kill('SIGSTOP');
    await stage.worker(IMPATIENT);
    await running;
    rmSync(join(stage.root, 'out'), { recursive: true });
    change();
    const expected = await stage.expected(request);
    await runner.run(task, request);
    expect((await runs(stage.server.url)).map(({ state }) => state)).toEqual(['done']);
    expect(stage.written()).toEqual(expected.files);
    writeFileSync(gate, '');
    victim.process.kill('SIGCONT');
    await victim.line(/write-1 \d: stopped, because its run has ended$/);
    expect(stage.written()).toEqual(expected.files);
  });

  it('stores no answer of an attempt that has ended, and takes tiles of the next one', async () => {
    const request = stage.request(3);
    const runner = stage.runner({ sources: () => [] });
    const victim = await stage.worker(IMPATIENT, { TOY_MS: '4000,0', TOY_DEAF: 'yes' });
    const [run] = await Promise.all([
      until('the run', async () => (await runs(stage.server.url))[0]?.run),
      errorOf(runner.run(task, request)),
      until('a tile', () => stage.logged().length > 0).then(async () => {
        victim.process.kill('SIGSTOP');
        await cancel(stage.server.url, (await runs(stage.server.url))[0].run);
      }),
    ]);
    await until('the run to be forgotten', async () => (await clean(stage.server.url)).includes(run));
    change();
    const expected = await stage.expected(request);
    const again = runner.run(task, request);
    await until('the run', async () => (await runs(stage.server.url))[0]?.tiles === 3);
    victim.process.kill('SIGCONT');
    expect(await again).toEqual(expected.result);
    expect(
      victim.lines.filter((line) => /sum \d: (stopped|dropped), because its run has ended$/.test(line)),
    ).toHaveLength(1);
    expect(stage.written()).toEqual(expected.files);
  });

  it('tiles of a run that has failed are stopped', async () => {
    const request = stage.request(2, { forbidden: 255 });
    const bytes = new Uint8Array(32);
    bytes[0] = 255;
    writeFileSync(join(stage.root, 'source'), bytes);
    // Tile 0 fails after a while; tile 1 would take a minute.
    await Promise.all([stage.worker({}, { TOY_MS: '3000,60000' }), stage.worker({}, { TOY_MS: '3000,60000' })]);
    const failed = errorOf(stage.runner({ attempts: 1 }).run(task, request));
    expect((await failed).message).toContain('forbidden byte');
    await until('tile 1 to be stopped', () => stage.logged().some((line) => line.startsWith('stopped sum 1')), 20);
    expect((await runs(stage.server.url))[0]).toMatchObject({ state: 'failed' });
  });

  it('the output has its name only when the run is done', async () => {
    const request = stage.request(2);
    await stage.worker({}, { TOY_WRITE_MS: '0,2000' });
    const running = stage.runner().run(task, request);
    await until('a tile to be written', () => stage.logged().some((line) => line.startsWith('write 1')));
    expect(existsSync(join(stage.root, 'out'))).toBe(false);
    await running;
    expect(folders()).toEqual(['out', 'source']);
  });
});
