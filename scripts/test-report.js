// A reporter of Vitest for scripts/test.js: writes the state of every test, and every error, to the file GHT_TEST_REPORT.
import { writeFileSync } from 'node:fs';
import { relative } from 'node:path';

/** The beginning of an error's message, and where in the project it was thrown. */
function summary(root, { message, stacks = [] }) {
  const lines = message.trim().split('\n');
  const shown = lines.length > 8 ? [...lines.slice(0, 8), '…'] : lines;
  const place = stacks.find(({ file }) => file.startsWith(root) && !file.includes('node_modules'));
  return [...shown, ...(place ? [`at ${relative(root, place.file)}:${place.line}`] : [])].join('\n');
}

export default class TestReport {
  #root = '';

  onInit({ config }) {
    this.#root = config.root;
  }

  onTestRunEnd(modules, unhandledErrors) {
    const summaries = (errors = []) => errors.map((error) => summary(this.#root, error));
    const files = modules.map((module) => {
      const tests = [...module.children.allTests()].map((test) => {
        const { state, errors } = test.result();
        return { name: test.fullName, state, errors: summaries(errors) };
      });
      // An import or a hook may fail without any test failing.
      const suites = [...module.children.allSuites()].flatMap((suite) => suite.errors());
      const errors = summaries([...module.errors(), ...suites]);
      return { path: relative(this.#root, module.moduleId), passed: module.ok(), errors, tests };
    });
    writeFileSync(process.env.GHT_TEST_REPORT, JSON.stringify({ files, errors: summaries(unhandledErrors) }));
  }
}
