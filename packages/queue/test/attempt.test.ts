/** The folder of an attempt: how it is claimed, found again and gets the name of the output. */
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isGhtError } from 'ght';
import type { Picture } from 'ght-tiles';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { rootedPlaces } from '../src/index.js';
import { errorOf } from './stage.js';

const picture: Picture = { width: 32, height: 16, channels: 1, alpha: false, sample: 'uint', depth: 8 };
const window = { left: 0, top: 0, width: 32, height: 16 };
const [RUN, OTHER] = ['0123456789abcdef', 'fedcba9876543210'];
const [FIRST, SECOND] = ['aaaaaaaaaaaa', 'bbbbbbbbbbbb'];
const output = 'data:out.zarr';

let root: string;
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'ght-attempt-')));
});
afterEach(() => rmSync(root, { recursive: true }));

const coordinator = (run = RUN, attempt = FIRST) =>
  rootedPlaces({ roots: { data: root } })(run, { attempt, claims: true });
const worker = (run = RUN, attempt = FIRST) => rootedPlaces({ roots: { data: root } })(run, { attempt, claims: false });
const folders = () => readdirSync(root).sort();
const part = (run = RUN, attempt = FIRST) => `out.zarr.${run}-${attempt}.part`;

/** A run to its end, whose samples all have this value. */
async function finished(value: number, run = RUN, attempt = FIRST) {
  const places = coordinator(run, attempt);
  await places.sink(output, picture);
  const sink = await worker(run, attempt).sink(output);
  await sink.write(window, [new Uint8Array(512).fill(value)]);
  await sink.finish();
  await places.publish();
}

describe('the output of an attempt', () => {
  it('is written elsewhere, and has its name in the end', async () => {
    const places = coordinator();
    await places.sink(output, picture);
    expect(folders()).toEqual([part()]);
    const sink = await worker().sink(output);
    await sink.write(window, [new Uint8Array(512)]);
    await sink.finish();
    await places.publish();
    expect(folders()).toEqual(['out.zarr']);
    expect(readdirSync(join(root, 'out.zarr')).filter((name) => name.startsWith('.'))).toEqual([]);
    // Another coordinator of the run comes to the same end.
    await places.publish();
  });

  it('cannot be reached by a worker that comes too late', async () => {
    const places = coordinator();
    await places.sink(output, picture);
    const late = await worker().sink(output);
    await places.publish();
    rmSync(join(root, 'out.zarr'), { recursive: true });
    await finished(7, OTHER, SECOND);
    const before = chunk();
    await late.write(window, [new Uint8Array(512).fill(200)]).catch(() => {});
    expect(chunk()).toBe(before);
    await late.finish().catch(() => {});
    expect(chunk()).toBe(before);
    // What it has left is not taken for an interrupted attempt at its run.
    rmSync(join(root, 'out.zarr'), { recursive: true });
    const sink = await coordinator(RUN, SECOND).sink(output, picture);
    expect(await sink.has(window)).toBe(false);
  });

  it('is found again by the next attempt at the run, if Redis has forgotten the last one', async () => {
    await coordinator().sink(output, picture);
    await (await worker().sink(output)).write(window, [new Uint8Array(512)]);
    await (await worker().scratch(output)).put('key', 1);
    const places = coordinator(RUN, SECOND);
    const sink = await places.sink(output, picture);
    expect(folders()).toEqual([part(RUN, SECOND), part(RUN, SECOND).replace('part', 'scratch')]);
    expect(await sink.has(window)).toBe(true);
    expect(await (await places.scratch(output)).get('key')).toBe(1);
  });

  it('is the finished output of the same run, if that is started again', async () => {
    await finished(7);
    const sink = await coordinator(RUN, SECOND).sink(output, picture);
    expect(folders()).toEqual([part(RUN, SECOND)]);
    expect(await sink.has(window)).toBe(true);
  });

  it('has its name again if that run does not come to its end, but only if it had it before', async () => {
    await finished(7);
    const before = chunk();
    const again = coordinator(RUN, SECOND);
    await again.sink(output, picture);
    await again.restore(true);
    expect(folders()).toEqual(['out.zarr']);
    expect(chunk()).toBe(before);
    // The same attempt goes on from there.
    expect(await (await coordinator(RUN, SECOND).sink(output, picture)).has(window)).toBe(true);
    rmSync(join(root, part(RUN, SECOND)), { recursive: true });
    const fresh = coordinator();
    await fresh.sink(output, picture);
    await fresh.restore(false);
    expect(folders()).toEqual([part()]);
  });

  it('is removed if it is new, the run is refused, and nothing was written', async () => {
    const refused = coordinator();
    await refused.sink(output, picture);
    await (await worker().scratch(output)).put('key', 1);
    expect(refused.isNew()).toBe(true);
    await refused.restore(true);
    expect(folders()).toEqual([]);
    const begun = coordinator();
    await begun.sink(output, picture);
    await (await worker().sink(output)).write(window, [new Uint8Array(512)]);
    await begun.restore(true);
    expect(folders()).toEqual([part()]);
    const continued = coordinator();
    await continued.sink(output, picture);
    expect(continued.isNew()).toBe(false);
    await continued.restore(true);
    expect(folders()).toEqual([part()]);
  });

  it('is not begun where a worker that was too late has left something', async () => {
    mkdirSync(join(root, part(RUN, SECOND), '0/c/0/0'), { recursive: true });
    writeFileSync(join(root, part(RUN, SECOND), '0/c/0/0/0'), 'late');
    const sink = await coordinator().sink(output, picture);
    expect(await sink.has(window)).toBe(false);
    expect(folders()).toEqual([part(), part(RUN, SECOND)]);
  });

  it('is refused if another run has the output or writes to it', async () => {
    await finished(7);
    const taken = await errorOf(coordinator(OTHER, SECOND).sink(output, picture));
    expect(isGhtError(taken, 'option')).toBe(true);
    expect(taken.message).toContain('another run wrote it');
    rmSync(join(root, 'out.zarr'), { recursive: true });
    await coordinator().sink(output, picture);
    const busy = await errorOf(coordinator(OTHER, SECOND).sink(output, picture));
    expect(isGhtError(busy, 'option')).toBe(true);
    expect(busy.message).toContain(`output must not be that of another run, but got "${join(root, part())}"`);
    expect(busy.message).toContain(`continue run ${RUN} by its command, or remove this folder`);
    expect(folders()).toEqual([part()]);
  });

  it('replaces nothing that was put there meanwhile', async () => {
    const places = coordinator();
    await places.sink(output, picture);
    mkdirSync(join(root, 'out.zarr'));
    writeFileSync(join(root, 'out.zarr/mine'), '');
    expect((await errorOf(places.publish())).message).toMatch(/^output must be a place to which .* can be renamed \(E/);
    expect(existsSync(join(root, 'out.zarr/mine'))).toBe(true);
    expect((await errorOf(coordinator().sink(output, picture))).message).toContain('output must be a new folder');
    rmSync(join(root, 'out.zarr'), { recursive: true });
    rmSync(join(root, part()), { recursive: true });
    const gone = await errorOf(places.publish());
    expect(isGhtError(gone, 'input')).toBe(true);
    expect(gone.message).toContain('must stay until the run has ended');
  });

  it('is no link', async () => {
    mkdirSync(join(root, 'inner/real.zarr'), { recursive: true });
    symlinkSync('inner/real.zarr', join(root, 'out.zarr'));
    expect((await errorOf(coordinator().sink(output, picture))).message).toContain('output must not be a link');
    rmSync(join(root, 'out.zarr'));
    mkdirSync(join(root, 'real.zarr'));
    symlinkSync('real.zarr', join(root, 'out.zarr'));
    expect((await errorOf(coordinator().sink(output, picture))).message).toContain('output must not be a link');
    expect(folders()).toEqual(['inner', 'out.zarr', 'real.zarr']);
  });

  const chunk = () => readdirSync(join(root, 'out.zarr/0/c/0/0')).join() + content();
  const content = () => Buffer.from(readFileSync(join(root, 'out.zarr/0/c/0/0/0'))).toString('hex');
});
