/** Folders, patterns, subfolders; folders as outputs; formats and qualities of several images. */
import { chmod, mkdir, readdir, symlink } from 'node:fs/promises';
import sharp from 'sharp';
import { beforeAll, describe, expect, it } from 'vitest';
import { pixels, png, textured, workplace } from './command.js';

const { ght, json, path, save, read } = workplace();
const fast = ['--sigma', '10', '--quality', 'fast'];
type Named = { readonly input: string; readonly output: string };

beforeAll(async () => {
  await mkdir(path('scans/2024/may'), { recursive: true });
  await mkdir(path('scans/2025'));
  await mkdir(path('scans/.hidden'));
  const picture = await png(textured());
  for (const name of ['a.png', '2024/b.png', '2024/may/c.png', '2025/b.png', '.hidden/d.png', '2025/notes.txt', 'e']) {
    await save(`scans/${name}`, picture);
  }
  await symlink(path('scans'), path('scans/2025/loop'));
});

describe('subfolders', () => {
  it.each([
    ['scans/**', ['2024/b.png', '2024/may/c.png', '2025/b.png', 'a.png']],
    ['scans/**/*.png', ['2024/b.png', '2024/may/c.png', '2025/b.png', 'a.png']],
    ['scans/**/may/*', ['2024/may/c.png']],
    ['scans/*/b.png', ['2024/b.png', '2025/b.png']],
    ['scans/202?/*.png', ['2024/b.png', '2025/b.png']],
    ['scans', ['a.png']],
  ])('%s is walked, and results lie in the same subfolders', async (pattern, found) => {
    const { files, failed } = await json('denoise', pattern, '-o', 'walked', ...fast);
    expect(failed).toEqual([]);
    expect(files.map(({ output }: Named) => output)).toEqual(found.map((name) => `walked/${name}`));
    for (const name of found) expect((await pixels(await read(`walked/${name}`))).channels).toBe(1);
  });

  it('skipped files are counted with the reason, and listed in the JSON', async () => {
    const { code, stdout } = await ght('denoise', 'scans', '-o', 'counted', ...fast);
    expect(code).toBe(0);
    expect(stdout).toContain(
      '\nskipped 1 file that is not an image (no extension) and 2 subfolders (to include all: "scans/**")\n',
    );
    const { skipped } = await json('diagnose', 'scans/**');
    expect(skipped).toEqual([
      { path: 'scans/2025/notes.txt', reason: 'not an image' },
      { path: 'scans/e', reason: 'not an image' },
      { path: 'scans/2025/loop', reason: 'a subfolder' },
    ]);
    expect((await ght('diagnose', 'scans')).stdout).toMatch(/skipped 1 file .* and 2 subfolders/);
  });

  it.skipIf(process.getuid?.() === 0)('a folder that cannot be read is reported', async () => {
    await mkdir(path('closed/inner'), { recursive: true });
    await save('closed/a.png', await png(textured()));
    await chmod(path('closed/inner'), 0);
    const { skipped } = await json('diagnose', 'closed/**').finally(() => chmod(path('closed/inner'), 0o755));
    expect(skipped).toEqual([{ path: 'closed/inner', reason: 'a folder that cannot be read' }]);
  });

  it('noise draws plots in the same subfolders', async () => {
    await json('diagnose', 'scans/**', '--plot', 'plots');
    expect(await readdir(path('plots/2024/may'))).toEqual(['c.png.svg']);
    await json('diagnose', 'scans/a.png', '--plot', 'plot-of-one/');
    expect(await readdir(path('plot-of-one'))).toEqual(['a.png.svg']);
  });

  it('leaves no empty folder where an image failed', async () => {
    await mkdir(path('bad/deep'), { recursive: true });
    await save('bad/deep/x.png', 'no image');
    await save('bad/a.png', await png(textured()));
    const { code } = await ght('denoise', 'bad/**', '-o', 'bad-out', ...fast);
    expect(code).toBe(1);
    expect(await readdir(path('bad-out'))).toEqual(['a.png']);
  });
});

describe('the name of an image as output for several', () => {
  it.each(['out.png', 'deep/out.JPG'])('%s is refused, and nothing is made', async (output) => {
    for (const inputs of [['scans/a.png', 'scans/2024/b.png'], ['scans']]) {
      const { code, stdout, stderr } = await ght('denoise', ...inputs, '-o', output, ...fast);
      expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
      expect(stderr).toContain(`-o must be a folder for several images, but got "${output}"`);
      expect(await readdir(path('.'))).not.toContain(output.split('/')[0]);
    }
  });

  it('is taken for a folder if it ends in a slash', async () => {
    const { files } = await json('denoise', 'scans/a.png', 'scans/2024/b.png', '-o', 'named.png/', ...fast);
    expect(files.map(({ output }: Named) => output)).toEqual(['named.png/a.png', 'named.png/b.png']);
  });
});

describe('a folder as output for one image', () => {
  it.each([
    ['denoise', ...fast],
    ['represent', '--budget', '3'],
  ])('%s writes into it under the name of the image, and makes it if the name ends in a slash', async (...args) => {
    const [command, ...flags] = args;
    await json(command, 'scans/a.png', '-o', `${command}-new/deep/`, ...flags);
    await mkdir(path(`${command}-there`));
    await json(command, 'scans/a.png', '-o', `${command}-there`, ...flags);
    expect(await readdir(path(`${command}-new/deep`))).toEqual(['a.png']);
    expect(await read(`${command}-there/a.png`)).toEqual(await read(`${command}-new/deep/a.png`));
    const { code } = await ght(command, 'missing.png', '-o', `${command}-none/`, ...flags);
    expect(code).not.toBe(0);
    expect(await readdir(path('.'))).not.toContain(`${command}-none`);
  });
});

describe('formats of several images', () => {
  it('--format and --jpeg-quality', async () => {
    const sizes = [];
    for (const quality of ['40', '92']) {
      const folder = `jpegs-${quality}`;
      const flags = ['--format', 'jpg', '--jpeg-quality', quality, ...fast];
      const { files } = await json('denoise', 'scans/**', '-o', folder, ...flags);
      expect(files.map(({ output }: Named) => output)[0]).toBe(`${folder}/2024/b.jpg`);
      const { format, chromaSubsampling } = await sharp(path(`${folder}/a.jpg`)).metadata();
      expect({ format, chromaSubsampling }).toEqual({ format: 'jpeg', chromaSubsampling: '4:4:4' });
      sizes.push((await read(`${folder}/a.jpg`)).length);
    }
    expect(sizes[0]).toBeLessThan(sizes[1]);
  });

  it('refuses two images that would get one name, and a JPEG quality for other formats', async () => {
    await mkdir(path('twins'));
    for (const name of ['a.png', 'a.tiff']) await save(`twins/${name}`, await png(textured()));
    for (const [flags, message] of [
      [['--format', 'webp'], '-o must not get two files of one name, but got "twins/a.png and twins/a.tiff"'],
      [['--format', 'png', '--jpeg-quality', '90'], '--jpeg-quality must come with an output that ends in .jpg'],
      [
        ['--format', 'gif'],
        '--format must be one of png, jpg, tiff, webp, avif, bmp, ppm, pfm, fits, exr, npy, but got "gif"',
      ],
    ] as const) {
      const { code, stderr } = await ght('denoise', 'twins', '-o', 'twins-out', ...flags);
      expect(code).toBe(2);
      expect(stderr).toContain(message);
    }
  });
});

describe('--quiet', () => {
  it.each([
    ['represent', 'scans/a.png', '-o', 'quiet.png'],
    ['compare', 'scans/a.png', '--budget', '1.5', '--max-iterations', '3'],
    ['denoise', 'scans', '-o', 'quietly'],
    ['diagnose', 'scans', '--plot', 'quiet-plots'],
  ])('%s prints nothing', async (...args) => {
    expect(await ght(...args, '--quiet')).toEqual({ code: 0, stdout: '', stderr: '' });
    expect(await ght(...args, '-q')).toMatchObject({ code: 0, stdout: '' });
  });

  it('errors are still printed', async () => {
    await mkdir(path('broken'), { recursive: true });
    await save('broken/b.png', 'no image');
    const { code, stdout, stderr } = await ght('denoise', 'broken', '-o', 'broken-out', '--quiet');
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(/^ght: broken\/b\.png: IMAGE must be a PNG[^\n]*\n$/);
    expect((await ght('represent', 'missing.png', '--quiet')).stderr).toMatch(/^ght: IMAGE must be an existing file/);
  });
});
