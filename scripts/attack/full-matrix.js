// The full matrices of files, made by other programs where they are installed.
import { execFile, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const at = (path) => fileURLToPath(new URL(`../../${path}`, import.meta.url));
const folder = at('out/attack/');

/** The scripts, and the modules of Python that they need. */
const makers = {
  tiff: {
    script: at('packages/images/test/tiff/make_tiffs.py'),
    modules: 'numpy, tifffile, osgeo.gdal',
    tool: 'tiffcp',
  },
  zarr: { script: at('packages/tiles/test/zarr/make_zarrs.py'), modules: 'numpy, zarr, numcodecs' },
};

/** Makes all files of a kind and keeps them for the next run. Returns their path; undefined where a program is missing. */
export async function fullMatrix(kind, log) {
  const { script, modules, tool } = makers[kind];
  const digest = createHash('sha256').update(readFileSync(script)).digest('hex').slice(0, 12);
  const path = `${folder}${kind}-${digest}.json.gz`;
  if (existsSync(path)) return path;
  const python = ['python3', '/usr/bin/python3'].find(
    (program) => spawnSync(program, ['-c', `import ${modules}`]).status === 0,
  );
  if (!python || (tool && spawnSync(tool, ['-h']).error)) {
    log(`  on the files kept for the tests: Python with ${modules}${tool ? ` or ${tool}` : ''} is not installed`);
    return undefined;
  }
  log('  making the files, once');
  mkdirSync(folder, { recursive: true });
  await promisify(execFile)(python, [script, `${path}.part`, '--full']);
  renameSync(`${path}.part`, path);
  return path;
}
