// Command-line flags of a benchmark. Its usage text is the comment at the start of its file.
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';

/**
 * Parses the flags; prints the usage and exits if help is requested or a flag is invalid. An option `images`
 * without a default is required.
 * @param {string} module import.meta.filename of the benchmark
 * @param {NonNullable<import('node:util').ParseArgsConfig['options']>} options
 */
export function flags(module, options) {
  const usage = /^(\/\/.*\n)+/.exec(readFileSync(module, 'utf8'))?.[0].replace(/^\/\/ ?/gm, '') ?? '';
  try {
    const { values } = parseArgs({ options: { ...options, help: { type: 'boolean', short: 'h' } } });
    if (!values.help && options.images && !options.images.default && !values.images?.length)
      throw new Error('--images must name a folder of images');
    if (!values.help) return values;
    console.log(usage);
    process.exit(0);
  } catch (error) {
    console.error(`${error.message}\n\n${usage}`);
    process.exit(2);
  }
}
