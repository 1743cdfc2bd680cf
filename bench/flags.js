// The flags of a measurement. Its usage is the comment its file begins with.
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';

/**
 * What was asked for; ends the program where that is help, or makes no sense. Images that are asked for must be given.
 * @param {string} module import.meta.filename of the measurement
 * @param {NonNullable<import('node:util').ParseArgsConfig['options']>} options
 */
export function flags(module, options) {
  const usage = /^(\/\/.*\n)+/.exec(readFileSync(module, 'utf8'))?.[0].replace(/^\/\/ ?/gm, '') ?? '';
  try {
    const { values } = parseArgs({ options: { ...options, help: { type: 'boolean', short: 'h' } } });
    if (!values.help && options.images && !values.images?.length)
      throw new Error('--images must name a folder of images');
    if (!values.help) return values;
    console.log(usage);
    process.exit(0);
  } catch (error) {
    console.error(`${error.message}\n\n${usage}`);
    process.exit(2);
  }
}
