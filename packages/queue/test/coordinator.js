/** A coordinator in a process of its own. Argument: options as JSON, with `url` and `request`. Prints progress, then the result. */
import { queueRunner } from '../dist/index.js';
import { toyFiles, toyPlan } from './toy.js';

const { url, request, ...options } = JSON.parse(process.argv[2]);
const runner = queueRunner(url, { files: toyFiles(), ...options });
const onProgress = ({ pass, done, tiles }) => console.log(`progress ${pass} ${done} of ${tiles}`);
console.log(`result ${JSON.stringify(await runner.run(toyPlan, request, { onProgress }))}`);
