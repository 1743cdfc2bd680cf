/** The packed library on other runtimes: Node from the oldest supported version on, Deno and Bun, each from npm. */
import { copyFileSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { emptyFolder, output } from './project.js';
import { installed } from './tools.js';

const { platform, arch } = process;
const system = `${platform === 'win32' ? 'win' : platform}-${arch}`;
const user = emptyFolder('runtimes');
output(user, 'npm', 'install', 'ght');
copyFileSync(fileURLToPath(new URL('runtimes/program.mjs', import.meta.url)), join(user, 'program.mjs'));

/** What the program reports on a runtime. */
const reportOf = (program: string, ...args: string[]) => JSON.parse(output(user, program, ...args, 'program.mjs'));
const here = reportOf(process.execPath);

/** As on the Node that runs this test, within the rounding of other instructions. */
const near = ([what, decibels]: [unknown, number]) => [what, expect.closeTo(decibels, 2)];

const runtimes = [
  ...['20.12.2', '22.23.3', '24.21.0'].map((version) => ({
    runtime: `Node ${version}`,
    packages: [`node-${system}@${version}`],
    program: `node-${system}/bin/node`,
    args: [],
  })),
  { runtime: 'Deno', packages: ['deno@2.9.6'], program: '.bin/deno', args: ['run', '--allow-all', '--quiet'] },
  {
    runtime: 'Bun',
    packages: ['bun@1.4.4'],
    program: `@oven/bun-${platform}-${arch === 'arm64' ? 'aarch64' : arch}/bin/bun`,
    args: [],
  },
].map((each) => ({ ...each, tools: installed(...each.packages) }));

it('on this Node does what it should', () => {
  expect(here).toMatchObject({
    threads: 2,
    balanced: ['balanced', expect.anything()],
    learned: ['learned', expect.anything()],
  });
  expect(here.balanced[1]).toBeGreaterThan(30);
  expect(here.engines).toContain('wasm');
});

for (const { runtime, tools, program, args } of runtimes) {
  const path = join(tools ?? '', program);
  it.skipIf(!tools || !existsSync(path))(`on ${runtime} does the same`, () => {
    const report = reportOf(path, ...args);
    const { represent, balanced, learned, threads, engines } = here;
    expect(report).toMatchObject({
      ...{ threads, engines: expect.arrayContaining(engines.filter((name: string) => name !== 'webgpu')) },
      ...{ represent: near(represent), balanced: near(balanced), learned: near(learned) },
    });
    // Where a runtime cannot require ES modules, its own message says what to do.
    if (runtime === 'Node 20.12.2') expect(report.required).toMatch(/dynamic import\(\)/);
    else expect(report.required).toBe('function');
  });
}
