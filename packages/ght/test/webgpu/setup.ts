/**
 * A GPU for tests: SwiftShader, a Vulkan driver in software, which comes inside the npm package of Chromium. Node's WebGPU looks for
 * the Vulkan loader by its name. A driver answers the same calls, so it can stand in for the loader under that name.
 * With GHT_TEST_GPU=own the tests run on the GPU of the machine instead.
 */
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  interface ProvidedContext {
    /** Why there is no GPU for tests; empty if there is one. */
    withoutGpu: string;
    /** Whether the GPU is SwiftShader; else nothing is known about it. */
    swiftShader: boolean;
  }
}

export default async function setup(project: TestProject) {
  const own = process.env.GHT_TEST_GPU === 'own';
  const without =
    own || (process.platform === 'linux' && process.arch === 'x64') ? '' : 'SwiftShader comes for Linux on x64 only';
  project.provide('withoutGpu', without);
  project.provide('swiftShader', !own && without === '');
  if (own || without !== '') return;
  const { inflate } = await import('@sparticuz/chromium');
  const bin = join(dirname(createRequire(import.meta.url).resolve('@sparticuz/chromium')), '../bin');
  const unpacked = await inflate(join(bin, 'swiftshader.tar.br'));
  const folder = mkdtempSync(join(tmpdir(), 'ght-vulkan-'));
  symlinkSync(join(unpacked, 'libvk_swiftshader.so'), join(folder, 'libvulkan.so.1'));
  // Workers are processes that start with this environment; the loader of libraries reads it once, at the start.
  const before = process.env.LD_LIBRARY_PATH;
  process.env.LD_LIBRARY_PATH = [folder, before].filter(Boolean).join(':');
  // No file describes this driver, and without one the engine does not look for a GPU.
  process.env.VK_DRIVER_FILES ??= join(folder, 'libvulkan.so.1');
  return () => {
    process.env.LD_LIBRARY_PATH = before ?? '';
    rmSync(folder, { recursive: true });
  };
}
