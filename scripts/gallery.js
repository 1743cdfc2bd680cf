// The pictures of docs/gallery.md: makes the inputs, runs the commands of that page, and draws what they made side by side.
// Writes docs/gallery/*: node scripts/gallery.js, after npm run build.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { psnr } from 'ght';
import { readImage } from 'ght-images/node';
import sharp from 'sharp';
import { makeInputs } from './gallery-inputs.js';

/** The files that each picture shows, from left to right. The site cuts them apart (packages/site/src/gallery.js). */
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
    const files = panels[name].map((file) => join(folder, file));
    await draw(name, files);
    if (files.length > 1) await say(name, files);
  }
} finally {
  rmSync(folder, { recursive: true });
}

/** Prints the PSNR of the panels against the photograph, for the captions. */
async function say(name, files) {
  const images = await Promise.all(files.map(async (file) => (await readImage(file)).image));
  const photograph = images[panels[name].findIndex((file) => /^(boats|home|canyon)\.png$/.test(file))];
  const levels = images.map((image) => {
    if (image === photograph) return '-';
    // A grey picture may be stored with three equal planes.
    return psnr({ ...image, planes: image.planes.slice(0, photograph.planes.length) }, photograph).toFixed(1);
  });
  console.log(name, levels.join(' '));
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
