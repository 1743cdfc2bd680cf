/** A coordinator in a process of its own. Argument: options as JSON, with `url` and `request`. Prints progress, then the result. */
import { queueRunner } from '../dist/index.js';
import { toyFiles, toyTask } from './toy.js';

const { url, request, ...options } = JSON.parse(process.argv[2]);
const runner = queueRunner(url, { files: toyFiles(), ...options });
const onProgress = ({ pass, done, parts }) => console.log(`progress ${pass} ${done} of ${parts}`);
console.log(`result ${JSON.stringify(await runner.run(toyTask, request, { onProgress }))}`);
