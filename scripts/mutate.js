// Mutation testing: makes one small change in a source file of the library, runs its tests on the changed build, and
// expects one of them to fail. A change that no test detects (a survivor) shows what the tests do not check.
//
//   npm run mutate -- [--only sparse/solvers/aiht.ts,measures] [--sample 50] [--jobs 2] [--json FILE] [--again FILE]
//
// --again tests only the survivors of an earlier run, given its JSON.
//
// The tests of denoisers/groups/window.ts are denoisers/groups/window.test.ts and those in its folder that are not named after another file. A file
// without a test of its own uses all tests of its folder.
// Each job is one process with its own copy of build and tests and one Vitest that stays loaded, so that a mutant costs
// little more than its tests. A mutant that exceeds the time limit, or ends the process, counts as killed.
import { fork } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import ts from 'typescript';
import { createVitest } from 'vitest/node';
import { allMutants } from './mutants.js';

const FOLDERS = ['sparse/budget', 'sparse/solvers', 'denoisers', 'measures'];
const root = fileURLToPath(new URL('..', import.meta.url));
const library = join(root, 'packages/ght');

/** A random sample of the mutants, evenly spread; the same every time. */
function sampleOf(mutants, count) {
  let state = 1;
  const random = () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state;
  };
  const drawn = mutants.map((mutant, i) => ({ mutant, i, key: random() })).sort((a, b) => a.key - b.key);
  return drawn
    .slice(0, count)
    .sort((a, b) => a.i - b.i)
    .map(({ mutant }) => mutant);
}

/** The process of a job: tests each mutant that it receives, in the copy of the library at `copy`. */
async function work(copy) {
  let by;
  const onTestCaseResult = (test) => {
    if (test.result().state === 'failed') by ??= test.fullName;
  };
  const vitest = await createVitest(
    'test',
    // Threads, so that nothing remains when this process ends.
    {
      ...{ root: copy, config: false, watch: false, bail: 1, reporters: [{ onTestCaseResult }], testTimeout: 120_000 },
      ...{ pool: 'threads', maxWorkers: 1, isolate: true },
      // The build is loaded by Node itself, again in the thread of each test file.
      server: { deps: { external: [/\/dist\//] } },
    },
    { configFile: false, resolve: { alias: [{ find: /^(\.\.\/)+src\//, replacement: join(copy, 'dist/') }] } },
  );
  // CPU time, which does not depend on the load of the machine.
  let [started, limit] = [process.cpuUsage(), Number.POSITIVE_INFINITY];
  const spent = () => {
    const { user, system } = process.cpuUsage(started);
    return (user + system) / 1000;
  };
  setInterval(() => {
    if (spent() > limit) process.exit();
  }, 100);
  process.on('message', async (message) => {
    const { file, code } = message;
    const target = join(copy, 'dist', file.replace(/ts$/, 'js'));
    const before = readFileSync(target, 'utf8');
    if (code !== undefined) {
      const options = { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.ESNext, verbatimModuleSyntax: true };
      writeFileSync(target, ts.transpileModule(code, { compilerOptions: options }).outputText);
    }
    [started, limit] = [process.cpuUsage(), message.limit];
    const specs = await vitest.globTestSpecifications([join(copy, 'test', dirname(file), '/')]);
    // The tests named after the file, then those not named after any file of the folder; all tests, if none is named after it.
    const sourceOf = ({ moduleId }) => basename(moduleId, '.test.ts');
    const own = specs.filter((spec) => sourceOf(spec) === basename(file, '.ts'));
    const general = specs.filter((spec) => !existsSync(join(dirname(target), `${sourceOf(spec)}.js`)));
    by = undefined;
    for (const some of own.length > 0 ? [own, general] : [specs]) {
      if (by || some.length === 0) continue;
      const { testModules, unhandledErrors } = await vitest.runTestSpecifications(some);
      // The modules include those of earlier runs.
      const broken = testModules.find(
        (module) => !module.ok() && some.some(({ moduleId }) => moduleId === module.moduleId),
      );
      by ??= broken?.moduleId ?? unhandledErrors[0]?.message;
    }
    limit = Number.POSITIVE_INFINITY;
    writeFileSync(target, before);
    process.send({ by, ms: spent() });
  });
  process.on('disconnect', () => process.exit());
  process.send({});
}

/** Runs one job: takes mutants from the queue until it is empty, and reports the outcome of each. */
async function runJob(queue, copy, onResult) {
  const limits = new Map();
  let child;
  let answered = () => {};
  const answer = () =>
    new Promise((resolve) => {
      answered = resolve;
    });
  const test = async (message) => {
    if (!child) {
      const execArgv = ['--max-old-space-size=2048'];
      child = fork(fileURLToPath(import.meta.url), ['--work', copy], { stdio: 'ignore', execArgv });
      child.on('message', (result) => answered(result));
      child.on('exit', () => answered({ by: 'the time limit', ended: true }));
      await answer();
    }
    child.send(message);
    const result = await answer();
    if (result.ended) {
      child = undefined;
      cpSync(join(library, 'dist'), join(copy, 'dist'), { recursive: true });
    }
    return result;
  };
  /** The duration of the tests on the unchanged build; they must pass. */
  const unchanged = async (file) => {
    const { by, ms } = await test({ file });
    if (by) throw new Error(`the tests of ${file} must pass before mutants are made, but this fails: ${by}`);
    return ms;
  };
  for (let mutant = queue.shift(); mutant; mutant = queue.shift()) {
    const { file, code } = mutant;
    if (!limits.has(file)) limits.set(file, 2000 + 1.5 * (await unchanged(file)));
    onResult(mutant, await test({ file, code, limit: limits.get(file) }));
    // Check that nothing of a mutant is left behind.
    if (queue[0]?.file !== file) await unchanged(file);
  }
  child?.kill();
}

async function main() {
  const { values } = parseArgs({
    options: {
      only: { type: 'string', default: '' },
      sample: { type: 'string' },
      jobs: { type: 'string', default: '2' },
      json: { type: 'string' },
      again: { type: 'string' },
    },
  });
  const equivalents = JSON.parse(readFileSync(join(root, 'scripts/mutate-equivalent.json'), 'utf8'));
  const isEquivalent = ({ file, changed }) => equivalents[file]?.some(({ mutants }) => mutants.includes(changed));
  let mutants = allMutants(library, FOLDERS, values.only);
  if (values.again) {
    const { survivors } = JSON.parse(readFileSync(values.again, 'utf8'));
    const same = (a, b) => a.file === b.file && a.changed === b.changed;
    mutants = mutants.filter((mutant) => survivors.some((survivor) => same(mutant, survivor)));
  }
  if (values.sample) mutants = sampleOf(mutants, Number(values.sample));
  const queue = [...mutants];
  const [survivors, equivalent, killed] = [[], [], []];
  let [done, ended] = [0, 0];
  const started = performance.now();
  const onResult = (mutant, result) => {
    if (result.by) killed.push({ ...mutant, by: result.by });
    else (isEquivalent(mutant) ? equivalent : survivors).push(mutant);
    if (result.ended) ended++;
    done++;
    if (process.stderr.isTTY) process.stderr.write(`\r${done} of ${mutants.length}, ${survivors.length} survived `);
    else if (done % 100 === 0) console.error(`${done} of ${mutants.length}, ${survivors.length} survived`);
  };
  const folder = mkdtempSync(join(tmpdir(), 'ght-mutate-'));
  try {
    const jobs = Array.from({ length: Math.min(2, Number(values.jobs)) }, (_, j) => {
      const copy = join(folder, `${j}`);
      for (const part of ['dist', 'test', 'package.json'])
        cpSync(join(library, part), join(copy, part), { recursive: true });
      symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
      return runJob(queue, copy, onResult);
    });
    await Promise.all(jobs);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  report(mutants, survivors, equivalent);
  console.log(`${ended} killed by the time limit; ${((performance.now() - started) / 60_000).toFixed(1)} minutes`);
  const plain = ({ file, line, original, text, changed, by }) => ({ file, line, original, text, changed, by });
  const fared = { survivors: survivors.map(plain), killed: killed.map(plain) };
  if (values.json) writeFileSync(values.json, `${JSON.stringify(fared, null, 1)}\n`);
}

/** Prints the survivors, and the score of each file and folder. */
function report(mutants, survivors, equivalent) {
  survivors.sort((a, b) => mutants.indexOf(a) - mutants.indexOf(b));
  for (const { file, line, original, text, changed } of survivors) {
    console.log(`${file}:${line}  ${original.split('\n')[0]}  →  ${text.split('\n')[0]}\n    ${changed}`);
  }
  const files = [...new Set(mutants.map(({ file }) => file))];
  console.log(`\n${'file'.padEnd(30)} mutants  equivalent  survived  killed`);
  for (const name of [...files, ...new Set(files.map((file) => dirname(file))), '']) {
    const of = (list) => list.filter(({ file }) => file.startsWith(name)).length;
    const [count, same, survived] = [of(mutants), of(equivalent), of(survivors)];
    const killed = (100 * (count - same - survived)) / Math.max(1, count - same);
    const numbers = [`${count}`.padStart(7), `${same}`.padStart(11), `${survived}`.padStart(9)];
    console.log(`${(name || 'all').padEnd(30)} ${numbers.join(' ')} ${killed.toFixed(1).padStart(6)}%`);
  }
}

if (process.argv[2] === '--work') await work(process.argv[3]);
else await main();
