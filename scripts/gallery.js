// The pictures of docs/gallery.md: makes the inputs, runs the commands of that page, and draws what they made side by side.
// Writes docs/gallery/*: node scripts/gallery.js, after npm run build.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import sharp from 'sharp';
import { makeInputs } from './gallery-inputs.js';

/** The files that each picture shows, from left to right. */
const panels = {
  'atoms.jpg': ['boats.png', 'atoms.png', 'out.png'],
  'budget.jpg': ['boats.png', 'even.png', 'joint.png'],
  'white.jpg': ['noisy.png', 'clean.png', 'boats.png'],
  'grain.jpg': ['grain.jpg', 'clean.png', 'canyon.png'],
  'scratches.jpg': ['scratched.png', 'filled.png', 'home.png'],
  'focus.jpg': ['blurred.png', 'sharp.png', 'boats.png'],
  'larger.jpg': ['cubic.png', 'large.png', 'home.png'],
  'learned.png': ['learned.png'],
};
const GAP = 6;

const root = fileURLToPath(new URL('..', import.meta.url));
const command = join(root, 'packages/cli/bin/ght.js');
const page = readFileSync(join(root, 'docs/gallery.md'), 'utf8');
const folder = mkdtempSync(join(tmpdir(), 'ght-gallery-'));
try {
  await makeInputs(folder);
  mkdirSync(join(root, 'docs/gallery'), { recursive: true });
  for (const section of page.split(/^## /m).slice(1)) {
    const [, name] = /\]\(gallery\/(.+?)\)/.exec(section);
    for (const [, args] of section.matchAll(/^ {4}ght (.+)$/gm)) {
      execFileSync(process.execPath, [command, ...args.split(/\s+/), '--quiet'], {
        cwd: folder,
        stdio: ['ignore', 'inherit', 'inherit'],
      });
    }
    await draw(
      name,
      panels[name].map((file) => join(folder, file)),
    );
  }
} finally {
  rmSync(folder, { recursive: true });
}

/** Draws files side by side. */
async function draw(name, files) {
  const target = join(root, 'docs/gallery', name);
  if (name.endsWith('.png')) {
    await sharp(files[0]).png({ palette: true, compressionLevel: 9 }).toFile(target);
    return;
  }
  const sizes = await Promise.all(files.map((file) => sharp(file).metadata()));
  const { width, height } = sizes[0];
  const background = { r: 255, g: 255, b: 255 };
  const whole = sharp({ create: { width: files.length * (width + GAP) - GAP, height, channels: 3, background } });
  const inputs = await Promise.all(files.map((file) => sharp(file).toColourspace('srgb').png().toBuffer()));
  await whole
    .composite(inputs.map((input, i) => ({ input, left: i * (width + GAP), top: 0 })))
    .jpeg({ quality: 88 })
    .toFile(target);
}
